//! The run folder of one driver machine.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use super::grid::Extents;
use crate::error::{Error, ErrorKind, Result};
use crate::folder::{each_sample, read_queries, read_run};
use crate::rows::Execution;
use crate::run::Run;

/// The run of one driver machine.
pub struct Machine {
    /// The folder's name, unique among the drivers.
    pub name: String,
    pub folder: PathBuf,
    pub run: Run,
    /// By the clock of `hoap gather` where drivers met there, else by the machine's own.
    pub started: Timestamp,
    /// Where the ticks of `samples.csv` lie. A fleet's rows are too many to keep.
    pub extents: Extents,
    pub executions: Vec<Execution>,
}

impl Machine {
    pub fn open(folder: &Path) -> Result<Machine> {
        let run = read_run(folder)?;
        let started: Timestamp = run.started.parse().map_err(|e| {
            let tried = format!("read {}", folder.join("run.json").display());
            Error::new(ErrorKind::Invalid, tried, format!("no time in \"started\": {e}"))
        })?;
        let ahead = run.clock.map_or(0.0, |clock| clock.ahead_seconds);
        let started = SignedDuration::try_from_secs_f64(-ahead)
            .and_then(|behind| started.checked_add(behind))
            .map_err(|e| {
                let tried = format!("read {}", folder.join("run.json").display());
                Error::new(ErrorKind::Invalid, tried, format!("no time in \"clock\": {e}"))
            })?;
        let mut extents = Extents::default();
        each_sample(folder, |row| extents.add(&row))?;
        Ok(Machine {
            name: folder.display().to_string(),
            folder: folder.to_owned(),
            started,
            extents,
            executions: read_queries(folder)?,
            run,
        })
    }

    /// What tells it from the others in a line: the last part of its folder's path where that is
    /// enough.
    pub fn label(&self, all: &[Machine]) -> String {
        let last = self.folder.file_name();
        let alike = all.iter().filter(|other| other.folder.file_name() == last).count();
        match last.filter(|_| alike == 1) {
            Some(last) => last.to_string_lossy().into_owned(),
            None => self.name.clone(),
        }
    }

    /// Seconds from `base` to the run's start.
    pub fn offset(&self, base: Timestamp) -> f64 {
        self.started.duration_since(base).as_secs_f64()
    }
}

/// Why the run of `driver` is not merged with that of `first`.
pub(super) fn refuse(driver: &Machine, first: &Machine, why: String, advice: &str) -> Error {
    let tried = match std::ptr::eq(driver, first) {
        true => format!("merge {}", driver.name),
        false => format!("merge {} with {}", driver.name, first.name),
    };
    Error::new(ErrorKind::Invalid, tried, why).advise(advice)
}
