//! The texts of the queries: files, one per query and dialect, with named parameters.
//!
//! `queries/<ch2|ch2pp>/<dialect>/q01.sql` … `q22.sql` (MongoDB: `q01.json` …) are the naive set,
//! the texts closest to the definition. `queries/<ch2|ch2pp>/<dialect>/tuned/` has the texts
//! rewritten for an engine's planner. `count.sql` (`count.json`) beside them counts the documents
//! of each collection, see [`count()`]. All are part of the program; a folder of the same layout
//! may replace them.

mod embedded;
mod names;

use std::borrow::Cow;
use std::path::Path;

use hoap_data::{Schema, named};

use super::catalogue::{COUNT, QUERIES, Query};
use crate::{Error, ErrorKind, Result};

named! {
    /// The set of texts that a run uses. All sets have the same answers.
    #[derive(Hash)]
    QuerySet, "query set":
    /// The texts closest to the definition.
    Naive = "naive",
    /// The texts rewritten for the engine where they exist, else the naive ones.
    Tuned = "tuned",
}

/// The texts of all 22 queries. Each names exactly the parameters of its query.
#[derive(Clone, Debug)]
pub struct Texts {
    /// In the order of the queries' numbers.
    texts: Vec<Cow<'static, str>>,
}

impl Texts {
    /// The texts that are part of the program.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where there are none for the dialect.
    pub fn embedded(schema: Schema, dialect: &str, set: QuerySet) -> Result<Texts> {
        let folder = folder(schema, dialect)?;
        Texts::read(|query| {
            let name = file_name(query, dialect);
            let tuned = folder.tuned.iter().find(|t| set == QuerySet::Tuned && t.0 == name);
            let (sub, text) = match tuned {
                Some((_, text)) => ("tuned/", *text),
                None => ("", folder.naive[usize::from(query.number) - 1]),
            };
            let benchmark = folder.benchmark;
            let file = format!("queries/{benchmark}/{dialect}/{sub}{name}");
            Ok((file, Cow::Borrowed(text)))
        })
    }

    /// The texts of a folder laid out as `queries/`: `<dir>/<benchmark>/<dialect>/q01.sql`, ….
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where a file cannot be read, or names a parameter that its
    /// query does not have, or lacks one that it has.
    pub fn from_dir(dir: &Path, schema: Schema, dialect: &str, set: QuerySet) -> Result<Texts> {
        let folder = dir.join(schema.name()).join(dialect);
        Texts::read(|query| {
            let tuned = folder.join("tuned").join(file_name(query, dialect));
            let file = if set == QuerySet::Tuned && tuned.exists() {
                tuned
            } else {
                folder.join(file_name(query, dialect))
            };
            let text = std::fs::read_to_string(&file).map_err(|e| {
                Error::new(ErrorKind::Invalid, format!("read query text {}", file.display()), e)
            })?;
            Ok((file.display().to_string(), Cow::Owned(text)))
        })
    }

    /// The text of a query.
    pub fn get(&self, query: &Query) -> &str {
        &self.texts[usize::from(query.number) - 1]
    }

    fn read(mut read: impl FnMut(&Query) -> Result<(String, Cow<'static, str>)>) -> Result<Texts> {
        let mut texts = Vec::with_capacity(COUNT);
        for query in &QUERIES {
            let (file, text) = read(query)?;
            check(query, &file, &text)?;
            texts.push(text);
        }
        Ok(Texts { texts })
    }
}

/// The text that counts the documents of each collection: a row with its name and their number.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is none for the dialect.
pub fn count(schema: Schema, dialect: &str) -> Result<&'static str> {
    folder(schema, dialect).map(|folder| folder.count)
}

fn folder(schema: Schema, dialect: &str) -> Result<&'static embedded::Folder> {
    let ours = || embedded::FOLDERS.iter().filter(|f| f.benchmark == schema.name());
    ours().find(|f| f.dialect == dialect).ok_or_else(|| {
        let known: Vec<_> = ours().map(|f| f.dialect).collect();
        Error::new(
            ErrorKind::Invalid,
            format!("find the query texts of {} for {dialect}", schema.name()),
            "there are none",
        )
        .advise(format!("known are {}; or name a folder of your own", known.join(", ")))
    })
}

fn file_name(query: &Query, dialect: &str) -> String {
    let extension = if dialect == "mongodb" { "json" } else { "sql" };
    format!("q{:02}.{extension}", query.number)
}

/// Checks that a text names exactly the parameters of its query.
fn check(query: &Query, file: &str, text: &str) -> Result<()> {
    let used = match file.ends_with(".json") {
        true => names::json_parameters(text),
        false => names::parameters(text),
    };
    let invalid =
        |answer: String| {
            Error::new(ErrorKind::Invalid, format!("check query text {file}"), answer).advise(
                format!("{} has the parameters ${}", query.name, query.parameters.join(", $")),
            )
        };
    if let Some(unknown) = used.iter().find(|name| !query.parameters.contains(name)) {
        return Err(invalid(format!("${unknown} is no parameter of {}", query.name)));
    }
    match query.parameters.iter().find(|name| !used.contains(*name)) {
        Some(missing) => Err(invalid(format!("parameter ${missing} does not occur"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
