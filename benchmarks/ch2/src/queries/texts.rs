//! The texts of the queries: files, one per query and dialect, with named parameters.
//!
//! `queries/<ch2|ch2pp>/<dialect>/q01.sql` … `q22.sql` (MongoDB: `q01.json` …) are the naive set,
//! the texts closest to the definition. `queries/<ch2|ch2pp>/<dialect>/tuned/` has the texts
//! rewritten for an engine's planner, `published/` those whose collections the published texts
//! name in another order. CH2++ has files for the queries that read what it nests; the rest are
//! CH2's. `count.sql` (`count.json`) counts the documents of each collection, see [`count()`]. All
//! are part of the program; a folder of the same layout may replace them.

mod embedded;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use hoap_conduct::queries::names;
use hoap_record::input;
use hoap_workload::answers::Query;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::catalogue::QUERIES;
use super::parameters::Parameters;
use super::set::QuerySet;
use crate::data::Schema;

/// The texts of queries. Each names parameters of its query alone.
#[derive(Clone, Debug)]
pub struct Texts {
    /// In the order of the queries' numbers; `None` where a text was not asked for.
    texts: Vec<Option<Text>>,
    /// Whether they are of a folder that the user named.
    own: bool,
}

/// The text of a query.
#[derive(Clone, Debug, PartialEq)]
struct Text {
    file: String,
    text: Cow<'static, str>,
    /// The query's parameters that it does not name.
    literals: Vec<&'static str>,
}

impl Texts {
    /// The texts that are part of the program.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where there are none for the dialect.
    pub fn embedded(schema: Schema, dialect: &str, set: QuerySet) -> Result<Texts> {
        folder(schema, dialect)?;
        let text = |query: &'static Query| {
            let name = file_name(query, dialect);
            let text = |(benchmark, set): (Schema, QuerySet)| {
                let texts = folder(benchmark, dialect).ok()?.texts(set);
                let (_, text) = texts.iter().find(|(file, _)| *file == name)?;
                Some((place(Path::new("queries"), (benchmark, dialect), set).join(&name), *text))
            };
            let Some((file, text)) = places(schema, set).find_map(text) else { return Ok(None) };
            Text::of(query, file.display().to_string(), Cow::Borrowed(text)).map(Some)
        };
        Ok(Texts { texts: QUERIES.iter().map(text).collect::<Result<_>>()?, own: false })
    }

    /// The texts of these queries in a folder laid out as `queries/`:
    /// `<dir>/<benchmark>/<dialect>/q01.sql`, …. A text may have values in place of parameters
    /// ([`Texts::literals`]).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where a file cannot be read, or names a parameter that its
    /// query does not have.
    pub fn from_dir(
        dir: &Path,
        (schema, dialect): (Schema, &str),
        set: QuerySet,
        wanted: &[u8],
    ) -> Result<Texts> {
        let text = |query: &'static Query| {
            if !wanted.contains(&query.number) {
                return Ok(None);
            }
            let name = file_name(query, dialect);
            let file = |(benchmark, set)| place(dir, (benchmark, dialect), set).join(&name);
            let there = places(schema, set).map(file).find(|file| file.exists());
            let file = there.unwrap_or_else(|| file((schema, QuerySet::Naive)));
            let text = input::text(&file).map_err(|e| {
                Error::new(ErrorKind::Invalid, format!("read query text {}", file.display()), e)
            })?;
            Text::of(query, file.display().to_string(), Cow::Owned(text)).map(Some)
        };
        Ok(Texts { texts: QUERIES.iter().map(text).collect::<Result<_>>()?, own: true })
    }

    /// The text of a query; empty where it was not asked for.
    pub fn get(&self, query: &Query) -> &str {
        self.of(query).map_or("", |text| &text.text)
    }

    /// The parameters that the query's text names.
    pub fn given(&self, query: &Query, parameters: &[(String, Value)]) -> Parameters {
        let literal = |name: &str| self.of(query).is_some_and(|t| t.literals.contains(&name));
        parameters.iter().filter(|(name, _)| !literal(name)).cloned().collect()
    }

    /// What is to be said of texts that have values in place of parameters, a line for each.
    pub fn literals(&self) -> Vec<String> {
        let texts = self.texts.iter().flatten().filter(|text| !text.literals.is_empty());
        let line = |Text { file, literals, .. }: &Text| {
            format!(
                "{file} does not name ${}: what stands in place of that is asked for",
                literals.join(", $")
            )
        };
        texts.map(line).collect()
    }

    /// The error with the file and, as far as the database's words say it, the line.
    pub fn place(&self, query: &Query, mut error: Error) -> Error {
        if let Some(Text { file, text, .. }) = self.of(query).filter(|_| self.own)
            && matches!(error.kind, ErrorKind::Invalid | ErrorKind::Broken)
        {
            let line = line_of(text, &error.answer).map(|line| format!(", line {line}"));
            error.tried = format!("{}, {file}{}", error.tried, line.unwrap_or_default());
        }
        error
    }

    fn of(&self, query: &Query) -> Option<&Text> {
        self.texts.get(usize::from(query.number) - 1)?.as_ref()
    }
}

/// The line that an error is about: that of the only place of what it quotes.
fn line_of(text: &str, answer: &str) -> Option<usize> {
    let quoted = ['"', '\'', '`'].into_iter().find_map(|quote| answer.split(quote).nth(1))?;
    let mut places = text.match_indices(quoted).filter(|(_, found)| !found.is_empty());
    let (at, _) = places.next()?;
    places.next().is_none().then(|| text[..at].matches('\n').count() + 1)
}

impl Text {
    /// Checks that a text names parameters of its query alone.
    fn of(query: &'static Query, file: String, text: Cow<'static, str>) -> Result<Text> {
        let used = names::of(if file.ends_with(".json") { "mongodb" } else { "sql" }, &text);
        let known = query.parameters;
        if let Some(unknown) = used.iter().find(|name| !known.contains(name)) {
            let answer = format!("${unknown} is no parameter of {}", query.name);
            let has = format!("{} has the parameters ${}", query.name, known.join(", $"));
            let tried = format!("check query text {file}");
            return Err(Error::new(ErrorKind::Invalid, tried, answer).advise(has));
        }
        let literals = known.iter().copied().filter(|name| !used.contains(name)).collect();
        Ok(Text { file, text, literals })
    }
}

/// The set that stands for this one in a dialect: one that has no text of its own there is the
/// naive one.
pub fn in_effect(schema: Schema, dialect: &str, set: QuerySet) -> QuerySet {
    match folder(schema, dialect).is_ok_and(|folder| folder.texts(set).is_empty()) {
        true if set == QuerySet::Published => QuerySet::Naive,
        _ => set,
    }
}

/// The text that counts the documents of each collection: a row with its name and their number.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is none for the dialect.
pub fn count(schema: Schema, dialect: &str) -> Result<&'static str> {
    folder(schema, dialect).map(|folder| folder.count)
}

/// The folder of a set's texts below that of all.
fn place(all: &Path, (schema, dialect): (Schema, &str), set: QuerySet) -> PathBuf {
    let folder = all.join(schema.name()).join(dialect);
    if set == QuerySet::Naive { folder } else { folder.join(set.name()) }
}

/// Whose texts of which sets stand for those of a set, the best first.
fn places(schema: Schema, set: QuerySet) -> impl Iterator<Item = (Schema, QuerySet)> {
    let schemas = [schema, Schema::Ch2].into_iter();
    schemas.flat_map(move |schema| [set, QuerySet::Naive].map(|set| (schema, set)))
}

fn folder(schema: Schema, dialect: &str) -> Result<&'static embedded::Folder> {
    let ours = || embedded::FOLDERS.iter().filter(|f| f.schema == schema);
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

/// The name of the file of a query in a dialect.
pub fn file_name(query: &Query, dialect: &str) -> String {
    let extension = if dialect == "mongodb" { "json" } else { "sql" };
    format!("q{:02}.{extension}", query.number)
}

#[cfg(test)]
mod tests;
