//! The note: the small document that a load writes beside the data to describe it.

use hoap_database::{Database, Documents};
use hoap_record::{Ingestion, Stored};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::at_work::AtWork;
use crate::{Error, ErrorKind, Result};

/// The note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The benchmark's name.
    pub benchmark: String,
    /// [`crate::load::LoadSource::parameters`] of the data.
    pub data: Value,
    /// The progress of the load.
    pub load: LoadNote,
    /// Number of writing runs that began since the load. After the first the data differs from the
    /// loaded data, and answers cannot be compared with those on record.
    pub runs: u64,
    /// Who is at work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_work: Vec<AtWork>,
}

/// The progress of the load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadNote {
    /// Number of parts the load is divided into.
    pub of: u64,
    /// Number of slices that each part is divided into, which clients load at the same time.
    pub slices: u64,
    /// Parts that began.
    pub begun: Vec<u64>,
    /// Parts that wrote all their documents.
    pub done: Vec<u64>,
    /// Whether all parts are done and the data is indexed and durable.
    pub settled: bool,
    /// The collections that the load and the runs on its data make. Nothing else is ever removed.
    pub collections: Vec<String>,
    /// Whether the data is being removed: some of it may be gone.
    pub removing: bool,
    /// Documents written by the parts that are done.
    pub documents: u64,
    /// Bytes of JSON text written by the parts that are done.
    pub bytes: u64,
    /// Seconds that the parts took, added up, plus settling.
    pub seconds: f64,
    /// Whether a process of the load was killed, whose seconds are not among them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untimed: bool,
    /// Clients that wrote at the same time, those of all parts that are done added up. Of a part
    /// that was resumed those of its last process.
    pub clients: u64,
    /// Of data that is loaded range by range the parameters of what was there before each range but
    /// the first. While a range is loaded [`Note::data`] is its own, then that of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<Value>,
    /// How another database took in what was loaded, if a load measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingestion: Option<Ingestion>,
    /// What the database stored when all was settled, if it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<Stored>,
}

/// What is said of data whose removal was interrupted.
pub(crate) const REMOVING: &str = "its data was being removed, and some of it may be gone";

/// Reads the note. `None` where the database holds none.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where it is none of this program, and the errors of the
/// database.
pub async fn read(documents: Documents<'_>) -> Result<Option<Note>> {
    match documents.note().await? {
        None => Ok(None),
        Some(value) => parse(value).map(Some),
    }
}

/// Reads the note of a database that must hold all the data of this benchmark.
///
/// # Errors
/// Returns [`ErrorKind::Missing`] where the database holds no data, [`ErrorKind::Unavailable`]
/// where it holds other data or not all, and the errors of the database.
pub async fn expect_loaded(target: &Database, benchmark: &str) -> Result<Note> {
    let tried = format!("use the {benchmark} data of {}", target.description().url);
    let refuse = |kind, answer: String, advice: String| {
        Err(Error::new(kind, tried.clone(), answer).advise(advice))
    };
    let load = format!("`hoap load {benchmark} …`");
    let documents = target.documents()?;
    let Some(note) = read(documents).await? else {
        let answer = "the database holds none".into();
        return refuse(ErrorKind::Missing, answer, format!("run {load} first"));
    };
    if note.benchmark != benchmark {
        let answer = format!("the database holds {}", note.benchmark);
        let advice = format!("name that benchmark, or {} for this one", documents.elsewhere());
        return refuse(ErrorKind::Unavailable, answer, advice);
    }
    if note.load.removing {
        let advice = format!("end that with {load} and --replace");
        return refuse(ErrorKind::Unavailable, REMOVING.into(), advice);
    }
    if !note.load.settled {
        let LoadNote { of, done, .. } = &note.load;
        let answer = format!("it is half-loaded ({} of {of} parts done)", done.len());
        let advice = format!("finish it with {load} and --resume");
        return refuse(ErrorKind::Unavailable, answer, advice);
    }
    Ok(note)
}

/// Counts a writing run that is about to begin.
///
/// # Errors
/// Returns [`ErrorKind::Missing`] where there is no note, and the errors of the database.
pub async fn begin_run(documents: Documents<'_>) -> Result<Note> {
    update(documents, |note| {
        note.runs += 1;
        Ok(())
    })
    .await
}

/// Changes the note by compare-and-set, so that no change of another process is lost.
///
/// # Errors
/// Returns [`ErrorKind::Missing`] where there is no note, the errors of the database, and that of
/// `change`.
pub async fn update(
    documents: Documents<'_>,
    mut change: impl FnMut(&mut Note) -> Result<()>,
) -> Result<Note> {
    loop {
        let Some(current) = documents.note().await? else {
            return Err(Error::new(
                ErrorKind::Missing,
                "change the database's note",
                "somebody removed it meanwhile",
            ));
        };
        let mut note = parse(current.clone())?;
        change(&mut note)?;
        if documents.set_note(Some(&current), &write(&note)).await? {
            return Ok(note);
        }
    }
}

/// The note as JSON.
pub fn write(note: &Note) -> Value {
    serde_json::to_value(note).expect("a note has only string keys")
}

fn parse(value: Value) -> Result<Note> {
    serde_json::from_value(value).map_err(|e| {
        Error::new(
            ErrorKind::Unavailable,
            "read the database's note",
            format!("it is not one of this version of hoap ({e})"),
        )
        .advise("name another database, schema, prefix or file, or use the hoap that wrote it")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A load compares the note that it changes with the one that it read: every field comes back
    /// as it was, and a note that lacks one is another version's.
    #[test]
    fn a_note_is_written_as_it_was_read_and_another_version_s_is_refused() {
        let whole = json!({
            "benchmark": "ch2pp",
            "data": {"warehouses": 1},
            "load": {"of": 1, "slices": 1, "begun": [1], "done": [1], "settled": true,
                     "collections": ["orders"], "removing": false, "documents": 7, "bytes": 70,
                     "seconds": 0.5, "clients": 1},
            "runs": 0,
        });
        let mut note = parse(whole.clone()).unwrap();
        assert_eq!(write(&note), whole);
        note.load.ingestion = Some(Ingestion { documents: 7, ..Ingestion::default() });
        assert_eq!(parse(write(&note)).unwrap(), note);
        for field in ["slices", "collections", "removing", "clients"] {
            let mut older = whole.clone();
            older["load"].as_object_mut().unwrap().remove(field);
            let e = parse(older).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Unavailable);
            let says = format!("not one of this version of hoap (missing field `{field}`)");
            assert!(e.to_string().contains(&says), "{e}");
        }
    }
}
