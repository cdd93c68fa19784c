//! `hoap learn`: a workload file from a sample, in one pass and bounded memory.

mod compare;
mod fit;
mod lost;
mod make;
mod operations;
mod pairs;
mod read;
mod relate;
mod sampled;
mod sketch;
mod toml;
mod write;

use std::path::PathBuf;

use clap::Args;
use hoap_record::input::MOST_TEXT;
use hoap_record::output::Kind;
use hoap_workload::{Error, ErrorKind, Local, Result};
use serde_json::{Value, json};

use crate::file::{Text, name};
use crate::plan::Plan;
use compare::Compared;
use lost::Lost;
use make::rules::{FREQUENT, Rules};
pub use read::Origin;
use sampled::Sampled;

/// Levels of a document of which a file can always be written: its TOML has four levels for one at most, and
/// its reader takes 80.
const LEVELS: usize = 20;

/// A workload file that was learned: what is there is no other, so that none is lost.
pub const FILE: Kind = Kind {
    name: "a workload file that was learned",
    begins: |head| head.starts_with(write::BEGINS),
};

/// The samples and what is made of them.
#[derive(Debug, Args)]
pub struct Learn {
    /// A collection and its documents: NDJSON, a JSON array, CSV with names, Parquet, a folder of
    /// such files, - for standard input, or URL#COLLECTION of a database, which is only read. A
    /// collection may have several
    #[arg(value_name = "NAME=FILE", required = true, value_parser = sample)]
    pub samples: Vec<(String, Origin)>,
    /// The workload file; - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Write no value of the samples: texts have their lengths, numbers are between 1, 2, 5, 10 …
    #[arg(long)]
    pub no_values: bool,
}

/// A collection's name and where its documents are.
fn sample(text: &str) -> std::result::Result<(String, Origin), String> {
    let (collection, from) =
        text.split_once('=').ok_or("write NAME=FILE, such as orders=orders.ndjson")?;
    match name::is_plain(collection) && collection != "manifest" && !from.is_empty() {
        true => Ok((collection.to_owned(), from.parse()?)),
        false => {
            Err("a collection's name is of letters, digits and _, and begins with no digit".into())
        }
    }
}

/// What was learned.
#[derive(Debug)]
pub struct Learned {
    /// The text of the workload file.
    pub text: String,
    /// The sample beside what the file makes, and what it does not keep.
    pub table: String,
    /// The same in short, as JSON.
    pub json: Value,
}

/// Reads the samples, writes the file and holds what it makes against them, unless it is to `stop`.
///
/// # Errors
/// [`ErrorKind::Invalid`] with file and line of what is no document, and if a database has no such
/// collection, or cannot be learned from, why; [`ErrorKind::Cancelled`] if it was stopped.
pub fn learn<'a>(
    args: &'a Learn,
    stop: &'a (dyn Fn() -> bool + Sync),
) -> Local<'a, Result<Learned>> {
    Box::pin(async move {
        for (_, from) in &args.samples {
            from.possible()?;
        }
        let mut all: Vec<Sampled> = Vec::new();
        for (name, _) in &args.samples {
            if !all.iter().any(|of| of.name == *name) {
                all.push(Sampled::new(name));
            }
        }
        for of in &mut all {
            let samples = args.samples.iter().filter(|(name, _)| *name == of.name);
            for (_, from) in samples.cloned().collect::<Vec<_>>() {
                of.read(&from, stop).await?;
            }
            of.root.settle();
        }
        written(args, all)
    })
}

/// What is made of samples that are read.
fn written(args: &Learn, all: Vec<Sampled>) -> Result<Learned> {
    let rules = Rules { values: !args.no_values, least: FREQUENT };
    let mut related = relate::relate(&all, &rules);
    for (of, related) in all.iter().zip(&mut related) {
        pairs::pairs(of, &rules, related);
    }
    let keys: Vec<Option<String>> =
        related.iter().map(|of| of.key.as_ref().map(|(name, _)| name.clone())).collect();
    let text =
        Text { path: args.out.display().to_string(), text: write::file(&all, related, rules) };
    if text.text.len() as u64 > MOST_TEXT {
        let answer =
            format!("the file would have {} bytes, and {MOST_TEXT} are read", text.text.len());
        return Err(Error::new(ErrorKind::Invalid, "learn a workload file", answer)
            .advise("learn of documents with fewer fields"));
    }
    let plan = text.read().and_then(|file| text.at(Plan::new(&file, 1.0))).map_err(|e| {
        let tried = "learn a workload file";
        let deep = all.iter().find(|of| of.levels > LEVELS);
        match deep {
            Some(of) => {
                let answer = format!("a document of {} has {} levels", of.name, of.levels);
                Error::new(ErrorKind::Invalid, tried, answer)
                    .advise("learn of documents of fewer levels")
            }
            // What is learned is a workload file otherwise: this is a fault of Hoap.
            None => Error::new(ErrorKind::Unavailable, tried, e).advise("please report it"),
        }
    })?;
    let mut compared = Vec::new();
    for (at, (of, key)) in all.iter().zip(&keys).enumerate() {
        compared.push(compare::compare(of, &plan, (at, key.as_deref())));
    }
    let not_kept = not_kept(&all, &keys);
    let mut table: String = compared.iter().map(|of| of.table() + "\n").collect();
    not_kept.iter().for_each(|line| table += &format!("not kept: {line}\n"));
    let compared: Vec<Value> = compared.iter().map(Compared::json).collect();
    let json = json!({ "collections": compared, "not_kept": not_kept });
    Ok(Learned { text: text.text, table, json })
}

/// What the file does not keep, a line for each.
fn not_kept(all: &[Sampled], keys: &[Option<String>]) -> Vec<String> {
    let mut lines = Vec::new();
    for (of, key) in all.iter().zip(keys) {
        let mut lost = Lost::default();
        lost.object(&of.root, "", 0);
        lines.extend(lost.lines().into_iter().map(|line| format!("{}: {line}", of.name)));
        let cut = of.cut.iter();
        lines.extend(cut.map(|file| format!("{file}: the last document is cut off, and left out")));
        let id = of.field("_id").filter(|of| key.as_deref() == Some("_id") && of.numbers.is_some());
        if id.is_some() {
            lines.push(format!("{}: _id is text, as keys are", of.name));
        }
    }
    lines
}
