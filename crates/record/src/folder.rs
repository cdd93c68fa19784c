//! Writing the run folder, and all that reads it. [`crate`] describes its format.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;

use crate::error::{Error, ErrorKind, Result};
use crate::history::Attempt;
use crate::hlog::Hlog;
use crate::machine::MachineRow;
use crate::made::MARK;
use crate::names::{HISTORY, LEDGER, MACHINE, OBSERVED, QUERIES, RUN, SAMPLES};
use crate::observed::Observation;
use crate::pairs::Pairs;
use crate::rows::{Execution, Sample};
use crate::run::Run;
use crate::{ledger, output, whole};

pub use crate::ledger::read_ledger;
pub use crate::read::{
    each_observation, each_sample, read_history, read_machine, read_queries, read_run, read_samples,
};

/// The value of [`Run::partial`] in `run.json` until the run has ended.
pub const NOT_ENDED: &str = "the run did not end";

/// The folder of a running run, and the run's clock.
pub struct RunFolder {
    path: PathBuf,
    samples: Table,
    queries: Table,
    /// Where there was something to say of the machine.
    machine: Option<Table>,
    started: Instant,
    started_at: SystemTime,
}

impl RunFolder {
    /// Creates the folder and starts the run's clock. `run` is the record so far.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the folder is not empty, [`ErrorKind::Unavailable`]
    /// where it cannot be written.
    pub fn create(path: &Path, run: &Run) -> Result<Self> {
        RunFolder::create_at(path, run, SystemTime::now())
    }

    /// The same for a run that started at another time.
    ///
    /// # Errors
    /// Returns the errors of [`RunFolder::create`].
    pub fn create_at(path: &Path, run: &Run, started_at: SystemTime) -> Result<Self> {
        let tried = || format!("create run folder {}", path.display());
        let failed = |e| Error::new(ErrorKind::Unavailable, tried(), e);
        output::folder(path)?;
        let there = whole::names(path).map_err(failed)?;
        let not_empty = || {
            Error::new(ErrorKind::Invalid, tried(), "it is not empty").advise("name another folder")
        };
        // Who starts the run may have marked the folder.
        if there.iter().any(|name| name != MARK) {
            return Err(not_empty());
        }
        // Of two runs that begin at the same time in one folder, one has made the first file.
        let first = path.join(SAMPLES);
        let samples = File::create_new(&first).map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => not_empty(),
            _ => write_error(&first, e),
        })?;
        let begin = || -> Result<Self> {
            let folder = RunFolder {
                path: path.to_owned(),
                samples: Table::of(samples, first),
                queries: Table::create(path.join(QUERIES))?,
                machine: None,
                started: Instant::now(),
                started_at,
            };
            folder.checkpoint(run)?;
            Ok(folder)
        };
        begin().inspect_err(|_| {
            // Without the record it is not the folder of a run.
            let _ = [SAMPLES, QUERIES].map(|name| fs::remove_file(path.join(name)));
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Seconds since the run's start.
    pub fn seconds(&self) -> f64 {
        self.seconds_at(Instant::now())
    }

    /// Saves the record so far, marked as that of a run that did not end, so that a crash leaves
    /// the previous steps.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn checkpoint(&self, run: &Run) -> Result<()> {
        let partial = run.partial.clone().or_else(|| Some(NOT_ENDED.into()));
        self.write_run(&Run { partial, ..run.clone() })
    }

    /// Saves the record of the whole run and replaces the last checkpoint.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn finish(mut self, run: &Run) -> Result<()> {
        self.flush()?;
        self.write_run(run)
    }

    /// Replaces `run.json` atomically: a reader sees the old file or the new one.
    fn write_run(&self, run: &Run) -> Result<()> {
        let path = self.path.join(RUN);
        let mut text = serde_json::to_vec_pretty(run).map_err(|e| write_error(&path, e))?;
        text.push(b'\n');
        whole::write(&path, &text).map_err(|e| write_error(&path, e))
    }

    /// Saves this driver's part of the checks that need all drivers, in the format of the
    /// benchmark, as it is made. Returns its digest, which `run.json` is to have.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn write_ledger(
        &self,
        text: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<String> {
        let path = self.path.join(LEDGER);
        ledger::write(&self.path, text).map_err(|e| write_error(&path, e))
    }

    /// Saves what the witness transactions did and saw, an attempt a line.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn write_history(&self, history: &[Attempt]) -> Result<()> {
        let path = self.path.join(HISTORY);
        let write = || -> std::io::Result<()> {
            let mut file = BufWriter::new(File::create(&path)?);
            for attempt in history {
                serde_json::to_writer(&mut file, attempt)?;
                file.write_all(b"\n")?;
            }
            file.flush()
        };
        write().map_err(|e| write_error(&path, e))
    }

    /// When the run started.
    pub fn started_at(&self) -> SystemTime {
        self.started_at
    }

    /// The time from the run's start to `instant`; zero if it was earlier.
    pub fn since_start(&self, instant: Instant) -> Duration {
        instant.saturating_duration_since(self.started)
    }

    /// The same in seconds.
    pub fn seconds_at(&self, instant: Instant) -> f64 {
        seconds(self.since_start(instant))
    }

    /// Adds a row to `samples.csv`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn add_sample(&mut self, row: &Sample) -> Result<()> {
        self.samples.add(row)
    }

    /// Joins neighbouring cells of a step in pairs, in the rows and in the log of the step, which
    /// has its percentiles. Those of the warm-up, which has no log, are the higher ones.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where the files cannot be written again.
    pub fn halve(&mut self, hlog: &mut Hlog, step: usize) -> Result<()> {
        let path = self.path.join(SAMPLES);
        let percentiles = hlog.halve()?;
        self.samples.flush()?;
        let rewrite = |to: &mut dyn Write| -> io::Result<()> {
            let mut pairs = Pairs::new(step, &percentiles, to);
            let mut written = Ok(());
            let take = |row| {
                if written.is_ok() {
                    written = pairs.add(row);
                }
            };
            each_sample(&self.path, take).map_err(io::Error::other)?;
            written.and_then(|()| pairs.end()).map_err(io::Error::other)
        };
        whole::write_with(&path, rewrite).map_err(|e| write_error(&path, e))?;
        let file = File::options().append(true).open(&path).map_err(|e| write_error(&path, e))?;
        let writer = csv::WriterBuilder::new().has_headers(false).from_writer(file);
        self.samples = Table { path, writer };
        Ok(())
    }

    /// Adds a row to `queries.csv`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn add_execution(&mut self, row: &Execution) -> Result<()> {
        self.queries.add(row)
    }

    /// Adds a row to `machine.csv`, which the first one creates.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn add_machine(&mut self, row: &MachineRow) -> Result<()> {
        let table = match &mut self.machine {
            Some(table) => table,
            none => none.insert(Table::create(self.path.join(MACHINE))?),
        };
        table.add(row)
    }

    /// Creates `observed.csv`, which others than the writer of this folder fill.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn observed(&self) -> Result<ObservedLog> {
        let table = Table::create(self.path.join(OBSERVED))?;
        Ok(ObservedLog { table, started: self.started })
    }

    /// Writes the buffered rows to the files.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where they cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        self.samples.flush()?;
        self.machine.as_mut().map_or(Ok(()), Table::flush)?;
        self.queries.flush()
    }
}

/// `observed.csv` of a running run.
pub struct ObservedLog {
    table: Table,
    started: Instant,
}

impl ObservedLog {
    /// The time from the run's start to `instant`.
    pub fn seconds_at(&self, instant: Instant) -> f64 {
        seconds(instant.saturating_duration_since(self.started))
    }

    /// Adds the rows of one reading.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where they cannot be written.
    pub fn add(&mut self, rows: impl Iterator<Item = Observation>) -> Result<()> {
        for row in rows {
            self.table.add(&row)?;
        }
        self.table.flush()
    }
}

/// Seconds to the nanosecond, for values that are computed with again. The quotient of whole
/// nanoseconds is the number nearest to the decimal, so the file has nine decimals at most.
pub fn exact_seconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e9
}

/// Seconds to the microsecond, the precision of all other values in the files.
pub fn seconds(time: Duration) -> f64 {
    micros(time.as_secs_f64())
}

/// The same for a number of seconds.
pub fn micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// A CSV file that is being written.
struct Table {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl Table {
    fn create(path: PathBuf) -> Result<Self> {
        let file = File::create_new(&path).map_err(|e| write_error(&path, e))?;
        Ok(Table::of(file, path))
    }

    fn of(file: File, path: PathBuf) -> Self {
        Table { writer: csv::Writer::from_writer(file), path }
    }

    fn add(&mut self, row: &impl Serialize) -> Result<()> {
        self.writer.serialize(row).map_err(|e| write_error(&self.path, e))
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(|e| write_error(&self.path, e))
    }
}

fn write_error(path: &Path, e: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unavailable, format!("write {}", path.display()), e)
        .advise("free or choose another disk and run again")
}
