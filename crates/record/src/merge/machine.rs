//! The run folder of one driver machine.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::error::{Error, ErrorKind, Result};
use crate::folder::{read_queries, read_run, read_samples};
use crate::rows::{Execution, Sample};
use crate::run::Run;

/// The run of one driver machine.
pub struct Machine {
    /// The folder's name, unique among the drivers.
    pub name: String,
    pub folder: PathBuf,
    pub run: Run,
    pub started: Timestamp,
    pub samples: Vec<Sample>,
    pub executions: Vec<Execution>,
}

impl Machine {
    pub fn open(folder: &Path) -> Result<Machine> {
        let run = read_run(folder)?;
        let started: Timestamp = run.started.parse().map_err(|e| {
            let tried = format!("read {}", folder.join("run.json").display());
            Error::new(ErrorKind::Invalid, tried, format!("no time in \"started\": {e}"))
        })?;
        Ok(Machine {
            name: folder.display().to_string(),
            folder: folder.to_owned(),
            started,
            samples: read_samples(folder)?,
            executions: read_queries(folder)?,
            run,
        })
    }

    /// Seconds from `base` to the run's start.
    pub fn offset(&self, base: Timestamp) -> f64 {
        self.started.duration_since(base).as_secs_f64()
    }
}
