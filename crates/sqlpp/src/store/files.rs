//! Bulk loading by files that the nodes read themselves.
//!
//! The documents of a collection are written to a file for each node, and then loaded by one LOAD,
//! which requires an empty dataset. The progress is saved after it. A dataset of an interrupted
//! load, or of a load in batches, is dropped and loaded again.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hoap_database::Batch;
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use tokio::task::JoinSet;

use super::endpoint::{Endpoint, Folder};
use super::progress::{Progress, keyed};
use super::underway;
use crate::{Error, Request};

/// Collections that are loaded at the same time, while the files of the next one are written: a
/// LOAD keeps one core of each node busy.
const AT_ONCE: usize = 2;

/// The limit of a LOAD.
const LIMIT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Writes the files of one part of a load. Dropping it abandons unfinished LOADs and removes the
/// files.
pub struct FileWriter {
    endpoint: Arc<Endpoint>,
    pub(super) progress: Progress,
    nodes: Vec<String>,
    loads: JoinSet<Done<()>>,
    /// The collection that is being written.
    open: Option<Open>,
    /// Those before it.
    written: Vec<String>,
    line: Vec<u8>,
    scratch: Scratch,
}

struct Open {
    collection: String,
    /// One for each node.
    files: Vec<(PathBuf, BufWriter<File>)>,
    documents: u64,
    position: u64,
}

/// A folder that is removed when this is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn failed(path: &Path, e: std::io::Error) -> Failure {
    let advice = match e.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            "it needs room for the documents of three collections: name another load_folder"
        }
        _ => "let load_folder name a folder that hoap may write to and all nodes see",
    };
    Failure::of(ErrorKind::Unavailable, e, advice).trying(format!("write {}", path.display()))
}

impl FileWriter {
    /// Makes the folder. Removes what a killed load left there.
    pub(super) fn new(endpoint: Arc<Endpoint>, part: &str, folder: &Folder) -> Done<Self> {
        let progress = Progress::new(endpoint.clone(), part);
        let (path, nodes) = (folder.path.clone(), folder.nodes.clone());
        if path.exists() {
            fs::remove_dir_all(&path).map_err(|e| failed(&path, e))?;
        }
        fs::create_dir(&path).map_err(|e| failed(&path, e))?;
        let (loads, scratch) = (JoinSet::new(), Scratch(path));
        let (open, written, line) = (None, Vec::new(), Vec::new());
        Ok(FileWriter { endpoint, progress, nodes, loads, open, written, line, scratch })
    }

    fn begin(&self, collection: &str) -> Done<Open> {
        if self.written.iter().any(|written| written == collection) {
            return Err(Failure::broken("its batches do not come one after the other"));
        }
        let file = |number: usize| {
            let path = self.scratch.0.join(format!("{collection}.{number}.json"));
            let file = File::create(&path).map_err(|e| failed(&path, e))?;
            Ok((path, BufWriter::with_capacity(1 << 20, file)))
        };
        let files = (0..self.nodes.len()).map(file).collect::<Done<_>>()?;
        Ok(Open { collection: collection.to_owned(), files, documents: 0, position: 0 })
    }

    /// Begins to load the written files.
    async fn close(&mut self) -> Done<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        self.written.push(open.collection.clone());
        let mut paths = Vec::new();
        for (path, mut file) in open.files {
            file.flush().map_err(|e| failed(&path, e))?;
            paths.push(path);
        }
        while self.loads.len() >= AT_ONCE {
            self.one().await?;
        }
        let url = &self.endpoint.description.url;
        let tried = format!("load {} into {url} by files", open.collection);
        let load = Load {
            endpoint: self.endpoint.clone(),
            collection: open.collection,
            paths: self.nodes.iter().cloned().zip(paths).collect(),
            documents: open.documents,
        };
        let (progress, position) = (self.progress.clone(), open.position);
        self.loads.spawn(async move {
            let (done, collection) = (load.run().await, &load.collection);
            done.map_err(|e| e.trying(tried))?;
            progress.save_whole(collection, position).await?;
            load.paths.iter().for_each(|(_, path)| drop(fs::remove_file(path)));
            Ok(())
        });
        Ok(())
    }

    /// Waits for the end of a LOAD.
    async fn one(&mut self) -> Done<()> {
        match self.loads.join_next().await {
            None => Ok(()),
            Some(Ok(done)) => done,
            Some(Err(e)) => Err(Failure::broken(e)),
        }
    }

    pub(super) async fn write(
        &mut self,
        collection: &str,
        batch: &Batch,
        position: u64,
    ) -> Done<()> {
        if self.open.as_ref().is_none_or(|open| open.collection != collection) {
            self.close().await?;
            self.open = Some(self.begin(collection)?);
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        for (key, text) in batch.iter() {
            self.line.clear();
            keyed(key, text, &mut self.line).map_err(Failure::invalid)?;
            self.line.push(b'\n');
            let next = open.documents as usize % open.files.len();
            let (path, file) = &mut open.files[next];
            file.write_all(&self.line).map_err(|e| failed(path, e))?;
            open.documents += 1;
        }
        open.position = position;
        Ok(())
    }

    pub(super) async fn finish(&mut self) -> Done<()> {
        self.close().await?;
        while !self.loads.is_empty() {
            self.one().await?;
        }
        Ok(())
    }
}

/// One collection.
struct Load {
    endpoint: Arc<Endpoint>,
    collection: String,
    /// Each node with its file.
    paths: Vec<(String, PathBuf)>,
    /// How many there are in the files.
    documents: u64,
}

impl Load {
    /// Loads into an empty dataset, which it makes where it is missing, and counts the documents: a
    /// file that a node sees only in part is no error of LOAD.
    async fn run(&self) -> Done<()> {
        let endpoint = &self.endpoint;
        let is = |e: &Error, family, code| {
            e.fault().is_some_and(|f| (&*f.family, f.code) == (family, code))
        };
        let mut found = self.fill().await;
        // After its start the cluster makes its table of adapters when it is first asked for one,
        // without a lock: of two that come at once one may not find localfs there (3025) or find
        // its own entry made by the other (3083). Nothing is loaded then.
        let early = |e: &Error| is(e, "ASX", 3025) || is(e, "ASX", 3083);
        for _ in 0..3 {
            if !found.as_ref().is_err_and(early) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
            found = self.fill().await;
        }
        let found = match found {
            Err(e) if is(&e, "HYR", 34) => {
                let mut anew = vec![endpoint.definition.remove(&self.collection)];
                anew.extend(endpoint.definition.create(&[&self.collection]));
                for statement in anew {
                    endpoint.define(statement).await?;
                }
                self.fill().await
            }
            found => found,
        }?;
        if found == Some(self.documents) {
            return Ok(());
        }
        let found = found.map_or("an unknown number".to_owned(), |n| n.to_string());
        Err(Failure::of(
            ErrorKind::Broken,
            format!("{found} of {} documents are there", self.documents),
            "the nodes must see in load_folder what hoap writes there",
        ))
    }

    /// The number of documents that the dataset has after its LOAD.
    async fn fill(&self) -> Result<Option<u64>, Error> {
        let name = self.endpoint.definition.name(&self.collection);
        let at = |(node, path): &(String, PathBuf)| format!("{node}://{}", path.display());
        let paths: Vec<_> = self.paths.iter().map(at).collect();
        // A string of SQL++ is one of JSON.
        let paths = serde_json::Value::from(paths.join(","));
        let request = Request::new(format!(
            "LOAD DATASET {name} USING localfs ((\"path\" = {paths}), (\"format\" = \"json\")); \
             SELECT VALUE count(*) FROM {name}"
        ));
        let mut found = None;
        let mut read = |row: &[u8]| {
            found = serde_json::from_slice(row).map_err(|e| e.to_string())?;
            Ok(())
        };
        let request = request.timeout(LIMIT);
        underway::run(&self.endpoint, request, &underway::context(), &mut read).await?;
        Ok(found)
    }
}
