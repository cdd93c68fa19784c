//! Whole collections, which are counted and thrown away.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hoap_database::engine::{Bulk, Documents, Done, Each, Offered};
use hoap_database::failure::Failure;
use hoap_database::{Batch, Index};
use serde_json::Value;

/// The documents that were thrown away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discarded {
    /// Number of documents.
    pub documents: u64,
    /// Bytes of their JSON text.
    pub bytes: u64,
}

/// The state of a load, while the process lives. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct LoadState(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    note: Option<Value>,
    collections: BTreeSet<String>,
    /// Progress by part and collection.
    positions: HashMap<(String, String), u64>,
    discarded: Discarded,
}

impl LoadState {
    pub fn discarded(&self) -> Discarded {
        self.state().discarded
    }

    /// The state is consistent wherever a thread could panic.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Documents for LoadState {
    async fn note(&self) -> Done<Option<Value>> {
        Ok(self.state().note.clone())
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        let there = &mut self.state().note;
        let same = there.as_ref() == expected;
        if same {
            *there = Some(note.clone());
        }
        Ok(same)
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        Ok(self.state().collections.contains(collection))
    }

    fn elsewhere(&self) -> &'static str {
        "another database"
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        let mut state = self.state();
        state.collections.retain(|c| !collections.contains(&c.as_str()));
        state.note = None;
        state.positions.clear();
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        self.state().collections.extend(collections.iter().map(|c| (*c).to_owned()));
        Ok(())
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn Bulk>> {
        Ok(Box::new(BatchWriter { kept: self.clone(), part: part.to_owned() }))
    }

    async fn settle(&self, _: &[Index]) -> Done<()> {
        Ok(())
    }

    async fn has(&self, _: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        Ok(Err("it keeps nothing"))
    }

    async fn scan(&self, _: &str, _: &[&str], _: &mut Each<'_>) -> Done<()> {
        Err(Failure::invalid("documents are thrown away and cannot be read back"))
    }
}

struct BatchWriter {
    kept: LoadState,
    part: String,
}

#[async_trait]
impl Bulk for BatchWriter {
    async fn position(&mut self, collection: &str) -> Done<u64> {
        let key = (self.part.clone(), collection.to_owned());
        Ok(self.kept.state().positions.get(&key).copied().unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        let mut state = self.kept.state();
        state.positions.insert((self.part.clone(), collection.to_owned()), position);
        state.discarded.documents += batch.len() as u64;
        state.discarded.bytes += batch.bytes() as u64;
        Ok(())
    }
}
