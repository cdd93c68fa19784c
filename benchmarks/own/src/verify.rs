//! `hoap verify`: every document that is there is held against the one that the file makes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use hoap_conduct::caller::Caller;
use hoap_database::{Database, Row};
use hoap_record::Check;
use hoap_workload::checks::{ByKey, Document, Finding, Found, Reader, Reads, Wanted, Watch};
use hoap_workload::load::indexes;
use hoap_workload::note::Note;
use hoap_workload::{Error, ErrorKind, Local, Result};

use crate::generate::place::At;
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
            let of = Verified { caller, target: &target, workload, at, note: &note };
            checks.push(of.check(when).await?);
        }
        Ok(checks)
    })
}

/// A stored collection that is verified.
struct Verified<'a> {
    caller: &'a dyn Caller,
    target: &'a Database,
    workload: &'static Workload,
    at: usize,
    note: &'a Note,
}

/// The numbers of the documents that are there.
struct There {
    /// Whether each of those that were loaded is.
    loaded: Vec<bool>,
    /// Those that were made since.
    new: Vec<u64>,
}

impl There {
    fn all(&self) -> impl Iterator<Item = u64> {
        let loaded = self.loaded.iter().zip(0..).filter(|(is_there, _)| **is_there);
        loaded.map(|(_, number)| number).chain(self.new.iter().copied())
    }
}

impl Verified<'_> {
    fn collection(&self) -> usize {
        self.workload.stored[self.at]
    }

    /// Whether no run has changed the data.
    fn as_loaded(&self) -> bool {
        self.note.runs == 0
    }

    fn place(&self, number: u64) -> At {
        self.workload.plan.place(self.collection(), number)
    }

    /// Holds all documents against those of the file.
    async fn check(&self, when: &str) -> Result<Check> {
        let of = &self.workload.plan.collections[self.collection()];
        let changes = &self.workload.plan.changes[self.collection()];
        let (names, mut left_out) = fields(self.workload, self.collection());
        let mut finding = Finding::default();
        // A document that is read whole has fields of any name.
        let there = match !left_out.is_empty() && self.target.transactions().is_ok() {
            true => {
                left_out.clear();
                let there = self.scan(None, &mut finding).await?;
                self.read_whole(&there, &mut finding).await?;
                there
            }
            false => self.scan(Some((&names, &left_out)), &mut finding).await?,
        };
        let missing = there.loaded.iter().zip(0..).filter(|(is_there, _)| !**is_there);
        for (_, number) in missing.filter(|_| self.as_loaded() || !changes.deletes) {
            finding.fail(|| format!("{} is missing", self.key(number)));
        }
        let mut but = Vec::new();
        if !left_out.is_empty() {
            but.push(format!("{}, whose names no scan can name", left_out.join(", ")));
        }
        if !self.as_loaded() && !changes.fields.is_empty() {
            let paths: Vec<&str> = changes.fields.iter().map(|of| of.path.as_str()).collect();
            but.push(format!("{}, which operations change", paths.join(", ")));
        }
        let but =
            if but.is_empty() { String::new() } else { format!(", without {}", but.join("; ")) };
        let compares = format!("every document and every field with the file{but}");
        Ok(finding.check(when, &format!("{} as made", of.name), &compares))
    }

    fn key(&self, number: u64) -> String {
        self.workload.key(self.collection(), &self.place(number))
    }

    /// What a document must be.
    fn wanted(&self, number: u64) -> Document<'static> {
        match self.as_loaded() {
            true => Document::of(self.workload.made(self.collection(), &self.place(number))),
            false => self.workload.unchanged(self.collection(), &self.place(number)),
        }
    }

    /// Which documents are there, by their keys; with names of fields, those that are named are
    /// compared, without those that are left out.
    async fn scan(
        &self,
        compared: Option<(&[String], &[String])>,
        finding: &mut Finding,
    ) -> Result<There> {
        let (workload, at) = (self.workload, self.collection());
        let (collection, changes) = (&workload.plan.collections[at], &workload.plan.changes[at]);
        let mut loaded = Vec::new();
        // The scale is that of a note, which a server may have from anywhere.
        loaded.try_reserve_exact(collection.count as usize).map_err(|e| {
            let tried = format!("verify {} documents of {}", collection.count, collection.name);
            Error::new(ErrorKind::Invalid, tried, e)
                .advise("load the file at another scale, with --replace")
        })?;
        loaded.resize(collection.count as usize, false);
        let mut there = There { loaded, new: Vec::new() };
        let (names, left_out) = compared.unwrap_or_default();
        let mut each = |key: &str, row: Row| {
            self.go_on()?;
            let place = |collection: usize, number: u64| workload.plan.place(collection, number);
            let number = workload.plan.number(at, key, &place);
            let is_new =
                |number: &u64| *number < collection.count || !self.as_loaded() && changes.inserts;
            let Some(number) = number.filter(is_new) else {
                finding.fail(|| format!("{key} is there, which the file does not make"));
                return Ok(());
            };
            if compared.is_some() {
                let document = left_out.iter().fold(self.wanted(number), |document, name| {
                    document.but(name, Wanted::Fits(Box::new(|_, _| None)))
                });
                // A scan by names gives null for what is not there.
                let found = names.iter().cloned().zip(row).collect();
                compare(&document, Found { fields: &found, tells: false }, key, finding);
            }
            let seen = there.loaded.get_mut(number as usize);
            match seen.map(|seen| std::mem::replace(seen, true)) {
                None => there.new.push(number),
                Some(true) => finding.fail(|| format!("{key} is there twice")),
                Some(false) => {}
            }
            Ok(())
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.target.documents()?.scan(&collection.name, &names, &mut each).await?;
        Ok(there)
    }

    /// Compares every field of documents that are read by key.
    async fn read_whole(&self, there: &There, finding: &mut Finding) -> Result<()> {
        let name = &self.workload.plan.collections[self.collection()].name;
        let stop = || self.caller.stop().is_set();
        let reads = Reads::new();
        let mut reader = Reader::new(self.target, &Watch::new(&stop, &reads)).await?;
        let mut all = there.all();
        loop {
            let numbers: Vec<u64> = all.by_ref().take(reader.batch()).collect();
            if numbers.is_empty() {
                return Ok(());
            }
            let keys: Vec<String> = numbers.iter().map(|number| self.key(*number)).collect();
            let documents = reader.documents(name, &keys, &[]).await?;
            for ((number, key), found) in numbers.into_iter().zip(&keys).zip(documents) {
                match found {
                    None => finding.fail(|| format!("{key} is in a scan, and not there by key")),
                    Some(fields) => {
                        let found = Found { fields: &fields, tells: true };
                        compare(&self.wanted(number), found, key, finding);
                    }
                }
            }
        }
    }

    fn go_on(&self) -> Result<()> {
        match self.caller.stop().is_set() {
            false => Ok(()),
            true => Err(Error::new(ErrorKind::Cancelled, "verify the documents", "interrupted")),
        }
    }
}

fn compare(document: &Document<'_>, found: Found<'_>, key: &str, finding: &mut Finding) {
    let wrong = document.wrong(found).into_iter().next();
    finding.expect(wrong.is_none(), || format!("{key}: {}", wrong.unwrap_or_default()));
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
