//! `hoap bundle` and `hoap audit`: run folders as one file, and what holds of what is in it.
//!
//! `docs/audit.md` says what an audit is worth and what it looks at. The types of `run.json` are
//! those of [`hoap_record`]; every number is made again here, by code that the report does not
//! know. Modules use only those above them here:
//!
//! * [`finding`]: what was found, and the division that it leaves.
//! * [`manifest`]: what a bundle says of itself, and the limits of its files.
//! * [`pack`]: writing one.
//! * [`histogram`], [`log`], [`rows`]: the files that numbers are made of.
//! * [`open`]: reading a bundle that nobody vouches for.
//! * [`recount`]: every number again.
//! * [`answers`]: answers to queries, against those on record and each other.
//! * [`rules`], [`plausible`], [`settings`]: what a benchmark asks for, what cannot be, and what is
//!   set otherwise.

pub mod answers;
pub mod finding;
pub mod histogram;
pub mod log;
pub mod manifest;
pub mod open;
pub mod pack;
pub mod plausible;
pub mod recount;
pub mod rows;
pub mod rules;
pub mod settings;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Read;

use answers::Known;
use finding::{Division, Findings};
use hoap_record::{Result, Run};
use open::{Bundle, Folder};

/// What an audit says.
#[derive(Debug)]
pub struct Audit {
    /// The bundle, without what its files held.
    pub manifest: manifest::Manifest,
    /// Of each run its name in the bundle, the name of its folder, and its record, if it reads.
    pub runs: Vec<(String, String, Option<Run>)>,
    /// What was found.
    pub findings: Findings,
}

impl Audit {
    /// The division of the whole bundle.
    pub fn division(&self) -> Division {
        self.findings.division("")
    }
}

/// Audits a bundle. `known` is what is on record of answers to queries.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`](hoap_record::ErrorKind::Invalid) where the file is no bundle, is
/// cut off, or exceeds the limits of `docs/audit.md`.
pub fn audit(file: impl Read, known: &dyn Known) -> Result<Audit> {
    let Bundle { manifest, folders, mut findings, .. } = open::open(file)?;
    for folder in &folders {
        of_folder(folder, &manifest.reasons, &mut findings);
    }
    answers::held(&folders, known, &mut findings);
    let runs = folders.into_iter().map(|of| (of.at, of.name, of.run)).collect();
    Ok(Audit { manifest, runs, findings })
}

/// Looks at one run folder.
fn of_folder(folder: &Folder, reasons: &BTreeMap<String, String>, findings: &mut Findings) {
    let Some(run) = &folder.run else { return };
    recount::run(folder, run, findings);
    rules::run(folder, run, findings);
    plausible::run(folder, run, findings);
    settings::run(folder, run, reasons, findings);
}
