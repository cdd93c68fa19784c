//! Loading a database: in one part or several, by one client or several, anew or resumed.

mod crew;
mod division;
mod maker;
mod pace;
mod search;
mod source;
mod values;

use std::sync::Arc;
use std::time::Instant;

use crew::{Work, Written};
use division::Division;
use hoap_data::Part;
use hoap_database::Documents;
use hoap_record::Stored;
use serde_json::Value;

use crate::note::{self, LoadNote, Note};
use crate::{Error, ErrorKind, Result};

pub use crew::{Progress, Stopping};
pub use pace::Rate;
pub use search::Clients;
pub use source::{LoadSource, TypedSource};
pub(crate) use values::hand_over;

/// What to do where data exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse.
    Refuse,
    /// Remove it first.
    Replace,
    /// Resume a load of the same data.
    Resume,
}

/// The result of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// Documents and bytes that this process wrote.
    pub documents: u64,
    #[allow(missing_docs)]
    pub bytes: u64,
    /// How long it took, seconds, settling included.
    pub seconds: f64,
    /// The clients that wrote at the same time: of a search what it found. 0 where nothing was
    /// left to write.
    pub clients: u64,
    /// Whether all data is loaded; else other parts are missing.
    pub whole: bool,
    /// What the database stores of it, or why that is not known; `None` where it is not whole.
    pub stored: Option<std::result::Result<StoredLoad, String>>,
}

/// What a database stores of a whole load.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredLoad {
    /// What it stores.
    pub stored: Stored,
    /// The bytes of JSON text of all parts.
    pub json_bytes: u64,
}

/// What to load.
#[derive(Clone)]
pub struct Load {
    /// The documents.
    pub source: Arc<dyn LoadSource>,
    /// The part of them.
    pub part: Part,
    /// What to do where data exists already.
    pub existing: Existing,
    /// Who loads it.
    pub clients: Clients,
    /// How fast at most.
    pub rate: Option<Rate>,
}

impl Load {
    /// All of a source, by as many clients as help.
    pub fn whole(source: impl LoadSource + 'static, existing: Existing) -> Load {
        let source = Arc::new(source);
        Load { source, part: Part::WHOLE, existing, clients: Clients::Auto, rate: None }
    }
}

/// Loads one part.
///
/// # Errors
/// Returns [`ErrorKind::Cancelled`] soon after `stop` returns true; all documents written so far
/// are kept for a resume. [`ErrorKind::Invalid`] where `existing` forbids it, and what the database
/// answers.
pub async fn load(
    documents: Documents<'_>,
    load: Load,
    stop: Stopping,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Loaded> {
    let started = Instant::now();
    let Load { source, part, existing, clients, rate } = load;
    let names = source.collections();
    divisible(documents, part)?;
    let clients = allowed(documents, clients)?;
    let slices = match (clients, documents.several_writers()) {
        (Clients::Number(n), Ok(())) => Division::slices(&*source, part, n),
        (Clients::Auto, Ok(())) => Division::slices(&*source, part, 1),
        (_, Err(_)) => 1,
    };
    let division = Division { part, slices };
    let note = begin(documents, &*source, division, existing).await?;
    let mut written = Written::default();
    if !note.load.done.contains(&part.part) {
        documents.create(&names).await?;
        let division = Division { part, slices: note.load.slices };
        let work = Work { source: source.clone(), division, stop, rate };
        written = crew::write(documents, work, clients, progress).await?;
        note::update(documents, |note| {
            if !note.load.done.contains(&part.part) {
                note.load.done.push(part.part);
                note.load.documents += written.documents;
                note.load.bytes += written.bytes;
                note.load.seconds += started.elapsed().as_secs_f64();
                note.load.clients += written.clients;
            }
            Ok(())
        })
        .await?;
    }
    let whole = settle(documents, &*source, progress).await?;
    let seconds = started.elapsed().as_secs_f64();
    let stored = if whole { stored(documents, &names).await? } else { None };
    let Written { documents, bytes, clients } = written;
    Ok(Loaded { documents, bytes, seconds, clients, whole, stored })
}

/// What the database stores, from the note or asked now. It is loaded whether it says so or not.
/// `None` where runs have changed what was loaded.
async fn stored(
    documents: Documents<'_>,
    names: &[&str],
) -> Result<Option<std::result::Result<StoredLoad, String>>> {
    let Some(note) = note::read(documents).await? else { return Ok(None) };
    let json_bytes = note.load.bytes;
    if let Some(stored) = note.load.stored {
        return Ok(Some(Ok(StoredLoad { stored, json_bytes })));
    }
    if note.runs > 0 {
        return Ok(None);
    }
    let stored = match documents.stored(names).await {
        Ok(Ok(stored)) => stored,
        Ok(Err(lacking)) => return Ok(Some(Err(lacking.to_string()))),
        Err(e) => return Ok(Some(Err(e.to_string()))),
    };
    note::update(documents, |note| {
        note.load.stored = Some(stored.clone());
        Ok(())
    })
    .await?;
    Ok(Some(Ok(StoredLoad { stored, json_bytes })))
}

/// The clients that the database allows: one where it has one writer.
fn allowed(documents: Documents<'_>, clients: Clients) -> Result<Clients> {
    match (clients, documents.several_writers()) {
        (Clients::Number(n), Err(e)) if n > 1 => {
            Err(Error::from(e).advise("leave out --load-clients"))
        }
        (_, Err(_)) => Ok(Clients::Number(1)),
        (clients, Ok(())) => Ok(clients),
    }
}

/// Removes what a load of part `part` with [`Existing::Replace`] replaces: all that the note names,
/// of whatever benchmark, and nothing else.
///
/// The note says first that it is being removed and goes last, so that what an interruption leaves
/// is neither used nor taken for somebody else's.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] for a part that is not the first, [`ErrorKind::Unavailable`] where
/// collections of these names are there that no load made, with nothing removed, and the errors of
/// the database.
pub async fn remove(documents: Documents<'_>, source: &dyn LoadSource, part: Part) -> Result<()> {
    if part.part != 1 {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("load part {} of {}", part.part, part.of),
            "only the first part may replace what is there",
        )
        .advise("let part 1 replace it, then start the others without --replace"));
    }
    divisible(documents, part)?;
    let tried = format!("remove what is there before a load of {}", source.benchmark());
    let note = note::read(documents).await?;
    let own = note.as_ref().map_or_else(Vec::new, |note| note.load.collections.clone());
    let mut wanted = all(source);
    wanted.retain(|name| !own.contains(name));
    unless_foreign(documents, &wanted, &tried).await?;
    if note.is_none() {
        return Ok(());
    }
    note::update(documents, |note| {
        note.load.removing = true;
        note.load.settled = false;
        Ok(())
    })
    .await?;
    documents.drop(&own.iter().map(String::as_str).collect::<Vec<_>>()).await
}

/// All collections that a load and the runs on its data make.
fn all(source: &dyn LoadSource) -> Vec<String> {
    source.collections().into_iter().chain(source.beside()).map(Into::into).collect()
}

/// Refuses collections of these names that no load made, and names them.
async fn unless_foreign(documents: Documents<'_>, names: &[String], tried: &str) -> Result<()> {
    let mut there = Vec::new();
    for name in names {
        if documents.any_exists(&[name.as_str()]).await? {
            there.push(name.as_str());
        }
    }
    match there.is_empty() {
        true => Ok(()),
        false => {
            let answer = format!("no load of hoap made {}, which stays", there.join(", "));
            Err(Error::new(ErrorKind::Unavailable, tried, answer)
                .advise(format!("name {}", documents.elsewhere())))
        }
    }
}

/// Refuses a part where the database takes only whole loads.
fn divisible(documents: Documents<'_>, part: Part) -> Result<()> {
    match part.of > 1 {
        true => documents.in_parts().map_err(|e| Error::from(e).advise("load it whole")),
        false => Ok(()),
    }
}

/// Settles where all parts are done. Returns whether they are.
async fn settle(
    documents: Documents<'_>,
    source: &dyn LoadSource,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<bool> {
    let Some(note) = note::read(documents).await? else { return Ok(false) };
    if (note.load.done.len() as u64) < note.load.of {
        return Ok(false);
    }
    if !note.load.settled {
        progress(Progress::Settling);
        let started = Instant::now();
        documents.settle(&source.indexes()).await?;
        note::update(documents, |note| {
            if !note.load.settled {
                note.load.settled = true;
                note.load.seconds += started.elapsed().as_secs_f64();
            }
            Ok(())
        })
        .await?;
    }
    Ok(true)
}

/// Checks that this part may begin and notes its beginning. How parts are divided into slices is
/// what the first of them has noted.
async fn begin(
    documents: Documents<'_>,
    source: &dyn LoadSource,
    division: Division,
    existing: Existing,
) -> Result<Note> {
    let (part, names) = (division.part, all(source));
    let tried = format!("load part {} of {}", part.part, part.of);
    let refuse = |answer: String, advice: &str| {
        Err(Error::new(ErrorKind::Unavailable, tried.clone(), answer).advise(advice))
    };
    if existing == Existing::Replace {
        remove(documents, source, part).await?;
    }
    let wanted = source.parameters();
    loop {
        let current = documents.note().await?;
        let note = match &current {
            None => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                if documents.any_exists(&names).await? {
                    // Another part may have written the note and begun since it was read.
                    if documents.note().await?.is_some() {
                        continue;
                    }
                    unless_foreign(documents, &all(source), &tried).await?;
                }
                first_note(source, division)
            }
            Some(value) => {
                let mut note = match note::read(documents).await? {
                    Some(note) if note::write(&note) == *value => note,
                    _ => continue,
                };
                if note.load.removing {
                    return refuse(note::REMOVING.into(), "end that with --replace");
                }
                if let Some(difference) = difference(&note, source.benchmark(), &wanted) {
                    let elsewhere = documents.elsewhere();
                    // What another client loads beside this one is no data to be replaced.
                    let advice = match difference.starts_with("start ") {
                        true => format!(
                            "load all ranges as parts of one load (--part I/N), or name {elsewhere}"
                        ),
                        false => format!(
                            "name {elsewhere}, or remove what hoap loaded there with --replace"
                        ),
                    };
                    return refuse(format!("the database holds other data: {difference}"), &advice);
                }
                if note.load.of != part.of {
                    let answer = format!("the load there is divided into {} parts", note.load.of);
                    return refuse(answer, "divide this one the same way");
                }
                let begun = note.load.begun.contains(&part.part);
                if begun && existing != Existing::Resume {
                    let state = if note.load.settled { "whole" } else { "begun" };
                    return refuse(
                        format!("this data is {state} there already"),
                        "use --resume to finish it or --replace to load it anew",
                    );
                }
                if !begun {
                    note.load.begun.push(part.part);
                }
                note
            }
        };
        if documents.set_note(current.as_ref(), &note::write(&note)).await? {
            return Ok(note);
        }
    }
}

/// The first parameter in which the data of a note differs from the data wanted.
pub(crate) fn difference(note: &Note, benchmark: &str, wanted: &Value) -> Option<String> {
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

fn first_note(source: &dyn LoadSource, Division { part, slices }: Division) -> Note {
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
        clients: 0,
        ingestion: None,
        stored: None,
    };
    Note { benchmark: source.benchmark().into(), data: source.parameters(), load, runs: 0 }
}
