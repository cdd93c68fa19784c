//! The answers that a run left in a folder, and the comparison of two such folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::asked::AnswersOf;
use super::compare::{Difference, difference};
use super::file::AnswerFile;
use crate::ch2::queries::catalogue::{QUERIES, Query};
use crate::{Error, ErrorKind, Result};

/// The answers of one folder.
#[derive(Clone, Debug)]
pub struct AnswerFolder {
    /// The folder, as the user named it.
    pub path: PathBuf,
    /// The benchmark that all of them belong to.
    pub asked: AnswersOf,
    /// By the number of the query.
    pub answers: BTreeMap<u8, AnswerFile>,
}

impl AnswerFolder {
    /// Reads the files `q01.json` … `q22.json` that exist in a folder or in its `answers` (a run
    /// folder keeps them there).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where there is none, where one cannot be read or is not an
    /// answer, where one answers another query than its name says, or where they belong to
    /// different benchmarks. The message names the file.
    pub fn read(path: &Path) -> Result<AnswerFolder> {
        let invalid = |at: &Path, answer: String| {
            Error::new(ErrorKind::Invalid, format!("read answers {}", at.display()), answer)
        };
        if !path.is_dir() {
            return Err(invalid(path, "there is no such folder".into()));
        }
        let inner = path.join("answers");
        let folder = if inner.is_dir() { inner } else { path.to_owned() };
        let mut asked = None;
        let mut answers = BTreeMap::new();
        for query in &QUERIES {
            let file = folder.join(AnswerFile::name(query));
            if !file.exists() {
                continue;
            }
            let answer = AnswerFile::read(&file)?;
            if answer.query != query.number {
                return Err(invalid(&file, format!("it answers query {}", answer.query)));
            }
            let Some(of) = AnswersOf::named(&answer.benchmark) else {
                let unknown = format!("there are no answers of benchmark {:?}", answer.benchmark);
                return Err(invalid(&file, unknown));
            };
            if *asked.get_or_insert(of) != of {
                return Err(invalid(&file, format!("it is of {of}, others here are not")));
            }
            answers.insert(query.number, answer);
        }
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
    if a.asked != b.asked {
        let paths = format!("{} and {}", a.path.display(), b.path.display());
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("compare answers {paths}"),
            format!("they are of two benchmarks, {} and {}", a.asked, b.asked),
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
    Ok(a.asked.questions().iter().filter_map(verdict).collect())
}

fn of_one(asked: AnswersOf, query: &Query, a: &AnswerFile, b: &AnswerFile) -> Verdict {
    if a.parameters != b.parameters {
        return Verdict::OtherParameters([a.parameters.clone(), b.parameters.clone()]);
    }
    let (x, y) = (a.clone().answer(), b.clone().answer());
    match difference(asked.schema(), query, [&x, &y]) {
        None => Verdict::Equal { rows: a.rows.len() },
        Some(difference) => Verdict::Differ(difference),
    }
}
