//! `hoap verify`: every document that is there is held against the one that the file makes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use hoap_conduct::caller::Caller;
use hoap_data::Part;
use hoap_database::{Database, Row};
use hoap_record::Check;
use hoap_workload::checks::{Checked, Finding, Found, Reader, Reads, Watch, by_key, compare, scan};
use hoap_workload::load::indexes;
use hoap_workload::{Error, ErrorKind, Local, Result};

use crate::load::loaded;
use crate::run::checked::{Before, Owed};
use crate::run::shared::Shared;
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

/// Documents that are looked for at once.
const PART: usize = 10_000;

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
        let (used, stop, reads) = (note.runs > 0, || caller.stop().is_set(), Reads::new());
        let when = if used { "after runs" } else { "after the load" };
        let mut shared = Shared::new(workload, &[], (false, 0, Part::WHOLE));
        for (at, changes) in workload.plan.changes.iter().enumerate().filter(|_| used) {
            // Of a document whose parent a run knew no field is known.
            let first = if shared.adopts[at] { u64::MAX } else { 0 };
            shared.numbers[at].go_on(first, 0, changes.deletes);
        }
        // Of what runs have changed nothing is known.
        let before = used.then(Before::default);
        let whole = target.transactions().is_ok();
        let owed = Owed { shared: &shared, ledger: None, before: before.as_ref(), whole };
        let watch = Watch::new(&stop, &reads);
        let mut checks = vec![indexes::check(documents, &workload, when).await?];
        for at in 0..workload.stored.len() {
            let of = Verified { target: &target, watch: &watch, workload, owed: &owed, at, used };
            checks.push(of.check(when).await?);
        }
        Ok(checks)
    })
}

/// A stored collection that is verified.
struct Verified<'a> {
    target: &'a Database,
    watch: &'a Watch<'a>,
    workload: &'static Workload,
    owed: &'a Owed<'a>,
    /// Its place among the stored ones.
    at: usize,
    /// Whether runs have changed the data.
    used: bool,
}

impl Verified<'_> {
    /// Holds all documents against those of the file: whole, if the database reads them by key, or
    /// what a scan can name.
    async fn check(&self, when: &str) -> Result<Check> {
        let at = self.workload.stored[self.at];
        let (of, changes) = (&self.workload.plan.collections[at], &self.workload.plan.changes[at]);
        let mut finding = Finding::default();
        let (names, left_out) = match self.owed.whole {
            true => Default::default(),
            false => fields(self.workload, at),
        };
        let there = self.scan(&names, &mut finding).await?;
        let all = (0..of.count).chain(there.new).map(|number| self.owed.loaded(self.at, number));
        if self.owed.whole {
            let mut reader = Reader::new(self.target, self.watch).await?;
            let mut all = all.peekable();
            while all.peek().is_some() {
                let part: Vec<_> = all.by_ref().take(PART).collect();
                by_key(self.owed, &mut reader, &part, &mut finding).await?;
            }
        } else {
            let seen = there.loaded.iter().chain(std::iter::repeat(&true));
            for (place, _) in all.zip(seen).filter(|(_, seen)| !**seen) {
                let name = format!("{} {}", of.name, self.owed.place(place).1);
                compare(&self.owed.expected(place)?, None, (&mut finding, &name));
            }
        }
        let mut but = Vec::new();
        if !left_out.is_empty() {
            but.push(format!("{}, whose names no scan can name", left_out.join(", ")));
        }
        if self.used && !changes.fields.is_empty() {
            let paths: Vec<&str> = changes.fields.iter().map(|of| of.path.as_str()).collect();
            but.push(format!("{}, which operations change", paths.join(", ")));
        }
        let but =
            if but.is_empty() { String::new() } else { format!(", without {}", but.join("; ")) };
        let compares = format!("every document and every field with the file{but}");
        Ok(finding.check(when, &format!("{} as made", of.name), &compares))
    }

    /// Which documents are there, by their keys. What is read only so is compared.
    async fn scan(&self, names: &[String], finding: &mut Finding) -> Result<There> {
        let (workload, at) = (self.workload, self.workload.stored[self.at]);
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
        let may_be_new = self.used && changes.inserts;
        let each = |key: &str, row: Row| {
            let place = |collection: usize, number: u64| workload.plan.place(collection, number);
            let number = workload.plan.number(at, key, &place);
            let known = number.filter(|number| *number < collection.count || may_be_new);
            let name = format!("{} {key}", collection.name);
            let Some(number) = known else {
                finding.fail(|| format!("{name} is there, which the file does not make"));
                return Ok(());
            };
            if !self.owed.whole {
                // A scan by names gives null for what is not there.
                let fields = &names.iter().cloned().zip(row).collect();
                let found = Some(Found { fields, tells: false });
                let expected = self.owed.expected(self.owed.loaded(self.at, number))?;
                compare(&expected, found, (&mut *finding, &name));
            }
            let seen = there.loaded.get_mut(number as usize);
            match seen.map(|seen| std::mem::replace(seen, true)) {
                None => there.new.push(number),
                Some(true) => finding.fail(|| format!("{name} is there twice")),
                Some(false) => {}
            }
            Ok(())
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        scan((self.target.documents()?, self.watch), &collection.name, &names, each).await?;
        Ok(there)
    }
}

/// The numbers of the documents that are there.
struct There {
    /// Whether each of those that were loaded is.
    loaded: Vec<bool>,
    /// Those that were made since.
    new: Vec<u64>,
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
