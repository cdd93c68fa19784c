//! The answers that a run left in a folder, and the comparison of two such folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::compare::{Difference, difference};
use super::file::AnswerFile;
use super::query::{Query, Questions};
use crate::{Error, ErrorKind, Result};

/// The most questions of a benchmark: their numbers have two digits.
const MOST_QUESTIONS: u8 = 99;

/// The answers of one folder.
#[derive(Clone, Debug)]
pub struct AnswerFolder {
    /// The folder, as the user named it.
    pub path: PathBuf,
    /// The benchmark that all of them belong to.
    pub asked: &'static Questions,
    /// By the number of the query.
    pub answers: BTreeMap<u8, AnswerFile>,
}

impl AnswerFolder {
    /// Reads the files `q01.json` … that exist in a folder or in its `answers` (a run folder keeps
    /// them there). `known` are the benchmarks whose answers they may be.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where there is none, where one cannot be read or is not an
    /// answer, where one answers another query than its name says, or where they belong to
    /// different benchmarks. The message names the file.
    pub fn read(path: &Path, known: &[&'static Questions]) -> Result<AnswerFolder> {
        let invalid = |at: &Path, answer: String| {
            Error::new(ErrorKind::Invalid, format!("read answers {}", at.display()), answer)
        };
        if !path.is_dir() {
            return Err(invalid(path, "there is no such folder".into()));
        }
        let inner = path.join("answers");
        let folder = if inner.is_dir() { inner } else { path.to_owned() };
        let mut asked: Option<&'static Questions> = None;
        let (mut answers, mut told) = (BTreeMap::new(), Vec::new());
        for number in 1..=MOST_QUESTIONS {
            let file = folder.join(AnswerFile::name(number));
            if !file.exists() {
                continue;
            }
            let answer = AnswerFile::read(&file)?;
            if answer.query != number {
                return Err(invalid(&file, format!("it answers query {}", answer.query)));
            }
            if let Some(query) = answer.told().map_err(|e| invalid(&file, e))? {
                told.push(query);
                answers.insert(number, answer);
                continue;
            }
            let Some(of) = known.iter().find(|of| of.benchmark == answer.benchmark) else {
                let unknown = format!("there are no answers of benchmark {:?}", answer.benchmark);
                return Err(invalid(&file, unknown));
            };
            asked.get_or_insert(of);
            if of.get(number).is_none() {
                return Err(invalid(&file, format!("there is no query {number}")));
            }
            answers.insert(number, answer);
        }
        let mut benchmarks = answers.values().map(|answer| answer.benchmark.as_str());
        let first = benchmarks.next().unwrap_or_default();
        if let Some(other) = benchmarks.find(|other| *other != first) {
            return Err(invalid(&folder, format!("some are of {first}, others of {other}")));
        }
        let asked = match asked {
            // They are kept until the program ends.
            None if !told.is_empty() => {
                let benchmark: &'static str = first.to_owned().leak();
                Some(&*Box::leak(Box::new(Questions { benchmark, all: told.leak() })))
            }
            asked => asked,
        };
        match asked {
            Some(asked) => Ok(AnswerFolder { path: path.to_owned(), asked, answers }),
            None => Err(invalid(path, "there is no q01.json … q22.json".into())
                .advise("hoap query --answers-out DIR and hoap run --keep-answers write them")),
        }
    }
}

/// The result of a comparison for one query.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The answers are equal.
    Equal {
        /// Number of its rows.
        rows: usize,
    },
    /// The answers differ.
    Differ(Difference),
    /// One folder has no answer.
    Missing {
        /// Position of the folder without it, 0 or 1.
        which: usize,
    },
    /// The parameters differ, so the answers cannot be compared.
    OtherParameters([Map<String, Value>; 2]),
}

/// Compares the answers of two folders for each query that at least one of them has.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where they belong to different benchmarks.
pub fn compare_folders(folders: [&AnswerFolder; 2]) -> Result<Vec<(&'static Query, Verdict)>> {
    let [a, b] = folders;
    if a.asked.benchmark != b.asked.benchmark {
        let paths = format!("{} and {}", a.path.display(), b.path.display());
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("compare answers {paths}"),
            format!("they are of two benchmarks, {} and {}", a.asked.benchmark, b.asked.benchmark),
        ));
    }
    let verdict = |query: &'static Query| {
        let verdict = match folders.map(|folder| folder.answers.get(&query.number)) {
            [Some(a), Some(b)] => of_one(folders[0].asked, query, a, b),
            [None, Some(_)] => Verdict::Missing { which: 0 },
            [Some(_), None] => Verdict::Missing { which: 1 },
            [None, None] => return None,
        };
        Some((query, verdict))
    };
    let others = b.asked.all.iter().filter(|query| a.asked.get(query.number).is_none());
    Ok(a.asked.all.iter().chain(others).filter_map(verdict).collect())
}

fn of_one(asked: &Questions, query: &Query, a: &AnswerFile, b: &AnswerFile) -> Verdict {
    if a.parameters != b.parameters {
        return Verdict::OtherParameters([a.parameters.clone(), b.parameters.clone()]);
    }
    let (x, y) = (a.clone().answer(), b.clone().answer());
    match difference(asked.benchmark, query, [&x, &y]) {
        None => Verdict::Equal { rows: a.rows.len() },
        Some(difference) => Verdict::Differ(difference),
    }
}
