//! `hoap verify`: every document that is there is held against the one that the file makes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use hoap_conduct::caller::Caller;
use hoap_database::{Documents, Row};
use hoap_record::{Check, Verdict};
use hoap_workload::alike::{same, unlike};
use hoap_workload::load::{LoadSource, difference, indexes};
use hoap_workload::{Error, ErrorKind, Local, Result, note};
use serde_json::{Map, Value};
use twox_hash::XxHash3_128;

use crate::workload::{NAME, Workload};

/// How many wrong documents of a collection are named.
const NAMED: usize = 5;

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

/// Reads every document and compares it. The scale is that of the load.
///
/// # Errors
/// Fails if the database holds no data of the file, or cannot be read.
pub fn checks<'a>(caller: &'a dyn Caller, args: &'a Verify) -> Local<'a, Result<Vec<Check>>> {
    Box::pin(async move {
        let target = hoap_databases::open(&args.target).await?;
        let documents = target.documents()?;
        let note = note::expect_loaded(&target, NAME).await?;
        let scale = note.data["scale"].as_f64().unwrap_or(1.0);
        let workload = Workload::read(&args.file, scale)?;
        if let Some(other) = difference(&note, NAME, &workload.noted()) {
            let tried = format!("verify {} in {}", args.file.display(), target.description().url);
            return Err(Error::new(
                ErrorKind::Unavailable,
                tried,
                format!("the database holds other data: {other}"),
            )
            .advise("name the file that was loaded, or load this one with --replace"));
        }
        let mut checks = vec![indexes::check(documents, &workload, WHEN).await?];
        for at in 0..workload.stored.len() {
            checks.push(collection(caller, documents, workload, at).await?);
        }
        Ok(checks)
    })
}

const WHEN: &str = "after the load";

/// Holds all documents of a stored collection against those of the file.
async fn collection(
    caller: &dyn Caller,
    documents: Documents<'_>,
    workload: &'static Workload,
    at: usize,
) -> Result<Check> {
    let collection = &workload.plan.collections[workload.stored[at]];
    let (fields, left_out) = fields(workload, at);
    let names: Vec<&str> = fields.iter().map(String::as_str).collect();
    let known = Known::new(workload, at);
    let mut seen = vec![false; collection.count as usize];
    let (mut found, mut wrong) = (0u64, Wrong::default());
    let mut each = |key: &str, row: Row| {
        found += 1;
        if caller.stop().is_set() {
            return Err(Error::new(ErrorKind::Cancelled, "verify the documents", "interrupted"));
        }
        let Some((n, made)) = known.find(key) else {
            wrong.add(|| format!("{key} is there, which the file does not make"));
            return Ok(());
        };
        seen[n as usize] = true;
        let differs = names.iter().zip(&row).find_map(|(field, found)| {
            let made = made.get(*field).unwrap_or(&Value::Null);
            (!same(made, found)).then(|| unlike(field, found, made))
        });
        if let Some(differs) = differs {
            wrong.add(|| format!("{key}: {differs}"));
        }
        Ok(())
    };
    documents.scan(&collection.name, &names, &mut each).await?;
    for n in (0..collection.count).filter(|n| !seen[*n as usize]) {
        wrong.add(|| format!("{} is missing", made(workload, at, n).0));
    }
    let left_out = match left_out.is_empty() {
        true => String::new(),
        false => {
            format!(", without the fields {}, whose names no scan can name", left_out.join(", "))
        }
    };
    Ok(Check {
        when: WHEN.into(),
        name: format!("{} as made", collection.name),
        compares: format!(
            "the number of documents and every field of each with the file{left_out}"
        ),
        verdict: if wrong.count == 0 { Verdict::Pass } else { Verdict::Fail },
        checked: found,
        detail: wrong.told(),
    })
}

/// Wrong documents, of which some are named.
#[derive(Default)]
struct Wrong {
    count: u64,
    named: Vec<String>,
}

impl Wrong {
    fn add(&mut self, what: impl FnOnce() -> String) {
        self.count += 1;
        if self.named.len() < NAMED {
            self.named.push(what());
        }
    }

    fn told(&self) -> Option<String> {
        let more = match self.count - self.named.len() as u64 {
            0 => String::new(),
            n => format!("; and {n} more"),
        };
        (self.count > 0).then(|| self.named.join("; ") + &more)
    }
}

/// The names of a collection's fields: those that a scan can name, and the others.
fn fields(workload: &Workload, at: usize) -> (Vec<String>, Vec<String>) {
    let document = &workload.plan.collections[workload.stored[at]].document;
    let sets = document.sets.iter().flat_map(|of| of.sets.iter());
    let members = document.members.iter().chain(sets.flat_map(|members| members.iter()));
    let there = members.filter(|member| !workload.plan.nodes[member.id].hidden);
    let names: BTreeSet<String> = there.map(|member| member.name.clone()).collect();
    names.into_iter().partition(|name| crate::file::name::is_plain(name))
}

/// The number of each key, by a hash of it.
struct Known {
    workload: &'static Workload,
    at: usize,
    /// Hashes and numbers, sorted.
    numbers: Vec<(u64, u64)>,
}

fn hash(key: &str) -> u64 {
    XxHash3_128::oneshot(key.as_bytes()) as u64
}

impl Known {
    fn new(workload: &'static Workload, at: usize) -> Known {
        let collection = workload.stored[at];
        let mut key = Vec::new();
        let mut numbers: Vec<(u64, u64)> = (0..workload.plan.collections[collection].count)
            .map(|n| {
                key.clear();
                workload.plan.key(collection, &workload.plan.place(collection, n), &mut key);
                (hash(&String::from_utf8_lossy(&key)), n)
            })
            .collect();
        numbers.sort_unstable();
        Known { workload, at, numbers }
    }

    /// The number of a key, and what the file makes of it.
    fn find(&self, key: &str) -> Option<(u64, Map<String, Value>)> {
        let hash = hash(key);
        let first = self.numbers.partition_point(|(other, _)| *other < hash);
        let alike = self.numbers[first..].iter().take_while(|(other, _)| *other == hash);
        alike
            .map(|(_, n)| (*n, made(self.workload, self.at, *n)))
            .find_map(|(n, (made, document))| (made == key).then_some((n, document)))
    }
}

/// Key and fields of a document.
fn made(workload: &'static Workload, at: usize, n: u64) -> (String, Map<String, Value>) {
    let (mut key, mut text) = (String::new(), Vec::new());
    LoadSource::append(&workload, at, n, &mut key, &mut text);
    (key, serde_json::from_slice(&text).unwrap_or_default())
}
