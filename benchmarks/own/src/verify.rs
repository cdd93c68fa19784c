//! `hoap verify`: every document that is there is held against the one that the file makes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use hoap_conduct::caller::Caller;
use hoap_database::{Documents, Row};
use hoap_record::Check;
use hoap_workload::checks::{Document, Finding, Found, Wanted};
use hoap_workload::load::indexes;
use hoap_workload::{Error, ErrorKind, Local, Result};

use crate::load::loaded;
use crate::workload::Workload;

/// The flags of `hoap verify` for a workload file.
#[derive(Debug, Args)]
pub struct Verify {
    /// The workload file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The database
    #[arg(long, alias = "operational", value_name = "URL")]
    pub target: String,
}

/// Reads every document and compares it. The scale is that of the load. If runs have changed the
/// data, what their operations may have done is right: without their ledgers no more is known.
///
/// # Errors
/// Fails if the database holds no data of the file, or cannot be read.
pub fn checks<'a>(caller: &'a dyn Caller, args: &'a Verify) -> Local<'a, Result<Vec<Check>>> {
    Box::pin(async move {
        let target = hoap_databases::open(&args.target).await?;
        let documents = target.documents()?;
        let (workload, note) = loaded(&target, &args.file, "verify").await?;
        let when = if note.runs == 0 { "after the load" } else { "after runs" };
        let mut checks = vec![indexes::check(documents, &workload, when).await?];
        for at in 0..workload.stored.len() {
            let of = Verified { workload, at, when, as_loaded: note.runs == 0 };
            checks.push(of.check(caller, documents).await?);
        }
        Ok(checks)
    })
}

/// A stored collection that is verified.
struct Verified {
    workload: &'static Workload,
    at: usize,
    when: &'static str,
    /// Whether no run has changed the data.
    as_loaded: bool,
}

impl Verified {
    /// Holds all documents against those of the file.
    async fn check(&self, caller: &dyn Caller, documents: Documents<'_>) -> Result<Check> {
        let Verified { workload, as_loaded, .. } = *self;
        let at = workload.stored[self.at];
        let (collection, changes) = (&workload.plan.collections[at], &workload.plan.changes[at]);
        let (fields, left_out) = fields(workload, at);
        let names: Vec<&str> = fields.iter().map(String::as_str).collect();
        let mut seen = Vec::new();
        // The scale is that of a note, which a server may have from anywhere.
        seen.try_reserve_exact(collection.count as usize).map_err(|e| {
            let tried = format!("verify {} documents of {}", collection.count, collection.name);
            Error::new(ErrorKind::Invalid, tried, e)
                .advise("load the file at another scale, with --replace")
        })?;
        seen.resize(collection.count as usize, false);
        let mut finding = Finding::default();
        let mut each = |key: &str, row: Row| {
            if caller.stop().is_set() {
                let tried = "verify the documents";
                return Err(Error::new(ErrorKind::Cancelled, tried, "interrupted"));
            }
            let place = |collection: usize, number: u64| workload.plan.place(collection, number);
            let number = workload.plan.number(at, key, &place);
            let is_new = |number: &u64| *number < collection.count || !as_loaded && changes.inserts;
            let Some(number) = number.filter(is_new) else {
                finding.fail(|| format!("{key} is there, which the file does not make"));
                return Ok(());
            };
            let here = workload.plan.place(at, number);
            let document = match as_loaded {
                true => Document::of(workload.made(at, &here)),
                false => workload.unchanged(at, &here),
            };
            let document = left_out.iter().fold(document, |document, name| {
                document.but(name, Wanted::Fits(Box::new(|_, _| None)))
            });
            // A scan by names gives null for what is not there.
            let found = fields.iter().cloned().zip(row).collect();
            let found = Found { fields: &found, tells: false };
            let wrong = document.wrong(found).into_iter().next();
            finding.expect(wrong.is_none(), || format!("{key}: {}", wrong.unwrap_or_default()));
            if let Some(seen) = seen.get_mut(number as usize)
                && std::mem::replace(seen, true)
            {
                finding.fail(|| format!("{key} is there twice"));
            }
            Ok(())
        };
        documents.scan(&collection.name, &names, &mut each).await?;
        let missing = (0..collection.count).filter(|number| !seen[*number as usize]);
        for number in missing.filter(|_| as_loaded || !changes.deletes) {
            let here = workload.plan.place(at, number);
            finding.fail(|| format!("{} is missing", workload.key(at, &here)));
        }
        let mut but = Vec::new();
        if !left_out.is_empty() {
            but.push(format!("{}, whose names no scan can name", left_out.join(", ")));
        }
        if !as_loaded && !changes.fields.is_empty() {
            let paths: Vec<&str> = changes.fields.iter().map(|of| of.path.as_str()).collect();
            but.push(format!("{}, which operations change", paths.join(", ")));
        }
        let but =
            if but.is_empty() { String::new() } else { format!(", without {}", but.join("; ")) };
        let compares = format!("every document and every field with the file{but}");
        Ok(finding.check(self.when, &format!("{} as made", collection.name), &compares))
    }
}

/// The names of a collection's fields: those that a scan can name, and the others.
fn fields(workload: &Workload, at: usize) -> (Vec<String>, Vec<String>) {
    let document = &workload.plan.collections[at].document;
    let sets = document.sets.iter().flat_map(|of| of.sets.iter());
    let members = document.members.iter().chain(sets.flat_map(|members| members.iter()));
    let there = members.filter(|member| !workload.plan.nodes[member.id].hidden);
    let names: BTreeSet<String> = there.map(|member| member.name.clone()).collect();
    names.into_iter().partition(|name| crate::file::name::is_plain(name))
}
