//! How a part begins: what the note must say of what is there, and what it says from then on.

use hoap_database::Documents;
use serde_json::Value;

use super::division::Division;
use super::removal::{all, divides, remove, unless_foreign};
use super::source::{Joined, LoadSource};
use super::what::{Existing, LOAD, Load};
use crate::at_work::{self, AtWork};
use crate::note::{self, LoadNote, Note};
use crate::{Error, ErrorKind, Result};

/// Checks that this part may begin, marks the database as in use, and notes the part's beginning.
/// How parts are divided into slices is what the first of them has noted. Returns the note, and
/// what is to be said of marks that no longer count.
pub(super) async fn begin(
    documents: Documents<'_>,
    load: &Load,
    slices: u64,
    mine: &AtWork,
) -> Result<(Note, Vec<String>)> {
    let Load { source, part, existing, .. } = load;
    let (part, names) = (*part, all(&**source));
    let tried = format!("load part {} of {}", part.part, part.of);
    let refuse = |answer: String, advice: &str| {
        Err(Error::new(ErrorKind::Unavailable, tried.clone(), answer).advise(advice))
    };
    let removed = match existing {
        Existing::Replace => remove(documents, load).await?,
        _ => Vec::new(),
    };
    loop {
        let mut ignored = removed.clone();
        let current = documents.note().await?;
        let note = match &current {
            None => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                if documents.any_exists(&names).await? {
                    // Another part may have written the note and begun since it was read.
                    if documents.note().await?.is_some() {
                        continue;
                    }
                    unless_foreign(documents, &all(&**source), &tried).await?;
                }
                first_note(&**source, Division { part, slices, range: 1 }, mine)
            }
            Some(value) => {
                let mut note = match note::read(documents).await? {
                    Some(note) if note::write(&note) == *value => note,
                    _ => continue,
                };
                let loads_before = loads(&note);
                ignored.extend(at_work::enter(&mut note.at_work, mine, &load.work(), &tried)?);
                // What has begun and left its mark was killed.
                note.load.untimed |= loads_before >= loads(&note);
                if note.load.removing {
                    return refuse(note::REMOVING.into(), "end that with --replace");
                }
                match source.joins(&note.data) {
                    Some(Joined::Together(_)) if note.load.settled && note.runs == 0 => {
                        divides(documents)?;
                        let division = Division { part, slices, range: 1 };
                        note = next_range(note, &**source, division);
                    }
                    Some(Joined::Within) if note.load.settled => {}
                    _ => unless_other(documents, &note, &**source, &tried)?,
                }
                if note.load.of != part.of {
                    let answer = format!("the load there is divided into {} parts", note.load.of);
                    return refuse(answer, "divide this one the same way");
                }
                let begun = note.load.begun.contains(&part.part);
                if begun && *existing != Existing::Resume {
                    return Err(there_already(&tried, note.load.settled));
                }
                if !begun {
                    note.load.begun.push(part.part);
                }
                note
            }
        };
        if documents.set_note(current.as_ref(), &note::write(&note)).await? {
            return Ok((note, ignored));
        }
    }
}

/// The first parameter in which the data of a note differs from the data wanted.
pub fn difference(note: &Note, benchmark: &str, wanted: &Value) -> Option<String> {
    if note.benchmark != benchmark {
        return Some(format!("{}, not {benchmark}", note.benchmark));
    }
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let names = wanted.as_object().into_iter().flat_map(|o| o.keys());
    let differing = names.into_iter().find(|name| note.data[*name] != wanted[*name]);
    match differing {
        Some(name) => {
            let what = name.replace('_', " ");
            Some(format!("{what} {}, not {}", plain(&note.data[name]), plain(&wanted[name])))
        }
        None => (note.data != *wanted).then(|| "more is said of it than this program knows".into()),
    }
}

/// Refuses data that is not the wanted.
fn unless_other(
    documents: Documents<'_>,
    note: &Note,
    source: &dyn LoadSource,
    tried: &str,
) -> Result<()> {
    let Some(difference) = difference(note, source.benchmark(), &source.parameters()) else {
        return Ok(());
    };
    let elsewhere = documents.elsewhere();
    // What another client loads beside this one is no data to be replaced.
    let advice = match source.joins(&note.data) {
        Some(_) if !note.load.settled => {
            "end that load first (--resume); ranges that are loaded at once are parts of one load \
             (--part I/N)"
                .into()
        }
        Some(_) => format!(
            "load ranges that follow each other before any run, or as parts of one load (--part \
             I/N), or name {elsewhere}"
        ),
        None => format!("name {elsewhere}, or remove what hoap loaded there with --replace"),
    };
    let answer = format!("the database holds other data: {difference}");
    Err(Error::new(ErrorKind::Unavailable, tried, answer).advise(advice))
}

/// That what is to be loaded has been, or has begun to be.
pub(super) fn there_already(tried: &str, whole: bool) -> Error {
    let state = if whole { "whole" } else { "begun" };
    let answer = format!("this data is {state} there already");
    Error::new(ErrorKind::Unavailable, tried, answer)
        .advise("use --resume to finish it or --replace to load it anew")
}

/// The note of a load that goes on with another range.
pub(super) fn next_range(note: Note, source: &dyn LoadSource, division: Division) -> Note {
    let Note { data, mut load, .. } = note;
    load.ranges.push(data);
    let load = LoadNote {
        of: division.part.of,
        slices: division.slices,
        begun: Vec::new(),
        done: Vec::new(),
        settled: false,
        clients: 0,
        ingestion: None,
        stored: None,
        ..load
    };
    Note { data: source.parameters(), load, ..note }
}

/// The note of a load that begins.
pub(super) fn first_note(
    source: &dyn LoadSource,
    Division { part, slices, .. }: Division,
    mine: &AtWork,
) -> Note {
    let load = LoadNote {
        of: part.of,
        slices,
        begun: vec![part.part],
        done: Vec::new(),
        settled: false,
        collections: all(source),
        removing: false,
        documents: 0,
        bytes: 0,
        seconds: 0.0,
        untimed: false,
        clients: 0,
        ranges: Vec::new(),
        ingestion: None,
        stored: None,
    };
    let (benchmark, data) = (source.benchmark().into(), source.parameters());
    Note { benchmark, data, load, runs: 0, at_work: vec![mine.clone()] }
}

/// How many loads have a mark.
fn loads(note: &Note) -> usize {
    let together = note.at_work.iter().filter_map(|mark| mark.together.as_ref());
    together.filter(|together| together.work == LOAD).count()
}
