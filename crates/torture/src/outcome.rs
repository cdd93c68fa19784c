//! `torture.json`: what came of a campaign so far.

use std::collections::BTreeMap;
use std::path::Path;

use hoap_record::{Description, Error, ErrorKind, Result, input, whole};
use serde::{Deserialize, Serialize};

use crate::plan::Named;
use crate::result::RunOutcome;
use crate::summary::Summary;

/// The file's name.
pub const FILE: &str = "torture.json";
/// The version of the file.
const FORMAT: u32 = 1;
/// The most bytes of it.
const MOST: u64 = 256 << 20;

/// The result of a campaign.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// 1.
    pub format: u32,
    /// Version of `hoap`.
    pub hoap: String,
    /// The plan's title.
    pub title: String,
    /// SHA-256 of the plan's file: a campaign continues with the same plan only.
    pub plan: String,
    /// The plan's seed.
    pub seed: u64,
    /// The plan's number of faults.
    pub faults: u64,
    /// Whether the database promised that acknowledged writes survive.
    pub durable: bool,
    /// When the campaign began (RFC 3339).
    pub started: String,
    /// Seconds of all runs, their loads and recounts.
    pub seconds: f64,
    /// Kinds of faults that this machine cannot make, with the reason.
    pub left_out: BTreeMap<String, String>,
    /// The command that began the campaign. Empty in files of before it was kept, as the next three
    /// are.
    #[serde(default)]
    pub command: Vec<String>,
    /// The plan's words after `hoap load`.
    #[serde(default)]
    pub load: String,
    /// The plan's words after `hoap run`.
    #[serde(default)]
    pub run: String,
    /// The database of the first run that described it.
    #[serde(default)]
    pub database: Option<Description>,
    /// The runs in the order in which they were made.
    pub runs: Vec<RunOutcome>,
    /// What they say together: made of the runs, also where the file is read.
    #[serde(skip_deserializing)]
    pub summary: Summary,
}

impl Outcome {
    /// Reads the campaign in a folder; `None` where none was begun there.
    ///
    /// # Errors
    /// Returns the errors of [`Outcome::open`].
    pub fn read(folder: &Path) -> Result<Option<Outcome>> {
        let path = folder.join(FILE);
        if path.try_exists().is_ok_and(|exists| !exists) {
            Ok(None)
        } else {
            Outcome::open(&path).map(Some)
        }
    }

    /// Reads a file `torture.json`, whatever its name.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming the file, where it is none.
    pub fn open(path: &Path) -> Result<Outcome> {
        let wrong = |answer: String| {
            Error::new(ErrorKind::Invalid, format!("read {}", path.display()), answer)
                .advise("name another campaign, or the version of hoap that wrote it")
        };
        let text = input::bytes(path, MOST).map_err(|e| wrong(e.to_string()))?;
        input::record(&text, input::MOST_VALUES).map_err(wrong)?;
        let mut outcome: Outcome =
            serde_json::from_slice(&text).map_err(|e| wrong(e.to_string()))?;
        outcome.summary = Summary::of(&outcome.runs);
        match outcome.format {
            FORMAT => Ok(outcome),
            other => Err(wrong(format!("it has format {other}, this version reads {FORMAT}"))),
        }
    }

    /// A campaign that begins now.
    pub fn begin(named: &Named, command: Vec<String>) -> Outcome {
        let plan = &named.plan;
        Outcome {
            format: FORMAT,
            hoap: env!("CARGO_PKG_VERSION").into(),
            title: plan.title.clone(),
            plan: named.digest.clone(),
            seed: plan.seed,
            faults: plan.faults,
            durable: plan.durable,
            started: hoap_record::time::now().to_string(),
            seconds: 0.0,
            left_out: BTreeMap::new(),
            command,
            load: plan.load.clone(),
            run: plan.run.clone(),
            database: None,
            runs: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// The number of faults that occurred.
    pub fn done(&self) -> u64 {
        self.runs.iter().map(|run| run.faults.len() as u64).sum()
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn write(&mut self, folder: &Path) -> Result<()> {
        self.summary = Summary::of(&self.runs);
        let path = folder.join(FILE);
        let failed = |e: String| {
            Error::new(ErrorKind::Unavailable, format!("write {}", path.display()), e)
                .advise("free or choose another disk and run again: it continues")
        };
        let mut text = serde_json::to_vec_pretty(self).map_err(|e| failed(e.to_string()))?;
        text.push(b'\n');
        whole::write(&path, &text).map_err(|e| failed(e.to_string()))
    }
}
