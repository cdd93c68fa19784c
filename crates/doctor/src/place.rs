//! The place: that it is empty, what is loaded into it, and that nothing of that is left.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hoap_ch2::checks::conditions::{Deliveries, conditions};
use hoap_ch2::checks::snapshot::Snapshot;
use hoap_ch2::data::{Collection, DataSet, ExtraFields, Schema, Spec};
use hoap_ch2::freshness;
use hoap_database::url::{FILES, file_path};
use hoap_database::{Database, Documents};
use hoap_workload::checks::watch::ALONE;
use hoap_workload::load::{self, Existing, Load, LoadSource};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result, note};

use crate::findings::{Findings, Proof, Step, all_of};
use crate::records;

/// The data that is loaded. Its answers are on record.
pub(super) fn data() -> Result<DataSet> {
    let spec =
        Spec { scale_down: 100, extra_fields: ExtraFields::NONE, ..Spec::new(Schema::Ch2pp, 1) };
    Ok(DataSet::new(spec)?)
}

/// Everything that an examination makes.
pub(super) fn collections(data: &DataSet) -> Vec<&str> {
    [Collection::ALL.map(Collection::name).to_vec(), data.other_collections(), vec![records::TABLE]]
        .concat()
}

/// Whether there is nothing that an examination would have to remove or could mix up with its own.
pub(super) async fn is_empty(findings: &mut Findings<'_>, target: &Database) -> bool {
    let look = async {
        let documents = target.documents()?;
        let refuse = |answer: &str| {
            Err(Error::new(
                ErrorKind::Unavailable,
                format!("examine {}", target.description().url),
                answer,
            )
            .advise("name an empty database (schema, keyspace, scope)"))
        };
        if let Some(note) = documents.note().await? {
            let of = note["benchmark"].as_str().unwrap_or("another program");
            return refuse(&format!("it holds data of {of}, which an examination would destroy"));
        }
        let data = data()?;
        let names = collections(&data);
        match documents.any_exists(&names).await? {
            true => refuse("it holds collections of these names that no load of hoap made"),
            false => Ok((names.len() as u64, String::new())),
        }
    };
    findings.take("empty place", "no data of a benchmark or of a run before", look).await
}

/// Loads the data and counts it.
pub(super) async fn load(findings: &mut Findings<'_>, target: &Database, data: &DataSet) -> bool {
    let stop = findings.caller.stop().clone();
    let load = async {
        let documents = target.documents()?;
        let what = Load::whole(*data, Existing::Refuse);
        let stop = Arc::new(move || stop.is_set());
        let loaded = load::load(documents, what, stop, &mut |_| ()).await?;
        let told = counted(loaded.documents, "document", "documents");
        let megabytes = loaded.bytes as f64 / 1e6;
        Ok((loaded.documents, format!("{told}, {megabytes:.1} MB in {:.1} s", loaded.seconds)))
    };
    let proves = "collections, documents in bulk, indexes, the note";
    if !findings.take("loads", proves, load).await {
        return false;
    }
    let counted = async { intact(target.documents()?, data).await };
    findings.take("documents", "every document is there, as it was made", counted).await
}

/// The conditions on what was loaded.
async fn intact(documents: Documents<'_>, data: &DataSet) -> Result<Proof> {
    let snapshot = Snapshot::take(documents, data, &ALONE).await?;
    let deliveries = Deliveries::OfCustomers;
    all_of(&conditions(&snapshot, data, deliveries, "after the load"))
}

/// Waits until the database of the queries holds the data too.
pub(super) async fn follows(
    findings: &mut Findings<'_>,
    target: &Database,
    follower: &Database,
    catch_up_limit: Duration,
) -> bool {
    let stop = || findings.caller.stop().is_set();
    let wait = async {
        if let Err(reason) = follower.documents() {
            return Ok(reason.into());
        }
        let note = note::read(target.documents()?).await?;
        let note = note.ok_or_else(|| {
            Error::new(ErrorKind::Broken, "read the note of the load", "it is not there")
        })?;
        freshness::same_data(follower, &note, catch_up_limit, &stop).await?;
        Ok(Step::Proved((1, String::new())))
    };
    findings.take("second database", "the queries' database gets what is loaded", wait).await
}

/// Removes everything that the examination made.
pub(super) async fn remove(findings: &mut Findings<'_>, target: &Database, data: &DataSet) -> bool {
    let names = collections(data);
    // Also after Ctrl-C.
    let dropped = async {
        let documents = target.documents()?;
        documents.drop(&names).await?;
        match documents.note().await?.is_some() || documents.any_exists(&names).await? {
            true => Err(Error::new(ErrorKind::Broken, "drop the collections", "some are left")),
            false => Ok(()),
        }
    };
    let dropped: Result<()> = dropped.await;
    let told = dropped.map(|()| (names.len() as u64, String::new()));
    findings.take("removes", "nothing of the examination is left", async { told }).await
}

/// The file of a database that is not there yet, so that an examination makes it.
pub(super) fn new_file(url: &str) -> Option<PathBuf> {
    let scheme = url.split(':').next().filter(|scheme| FILES.contains(scheme))?;
    let (path, _) = file_path(scheme, url).ok()?;
    (!path.try_exists().unwrap_or(true)).then_some(path)
}

/// Removes files that an examination made, with what their databases keep beside them, where the
/// database of the transactions holds nothing any more. It is closed before.
pub(super) async fn remove_files(target: Database, data: &DataSet, new: &[PathBuf]) {
    let empty = async {
        let documents = target.documents()?;
        let there = documents.any_exists(&collections(data)).await?;
        Ok::<_, Error>(!there && documents.note().await?.is_none())
    };
    let is_empty = empty.await.unwrap_or(false);
    drop(target);
    for file in new.iter().filter(|_| is_empty) {
        for end in ["", "-wal", "-shm", ".wal"] {
            let mut path = file.clone().into_os_string();
            path.push(end);
            // What cannot be removed is an empty database.
            let _ = fs::remove_file(path);
        }
    }
}
