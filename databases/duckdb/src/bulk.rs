//! Bulk loading.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::engine::Bulk;
use hoap_database::failure::Done;
use hoap_database::{Batch, Unmade};

use super::instance::Instance;
use super::options::Layout;
use super::own;
use super::shred::CHUNK;
use super::single::Single;

/// Writes the batches of one part of a load. All parts of a process share one transaction.
pub struct BatchWriter {
    instance: Arc<Instance>,
    part: String,
    _single: Arc<Single>,
}

impl BatchWriter {
    pub(super) fn new(instance: Arc<Instance>, part: &str) -> Done<Self> {
        // Refuses a file of another layout.
        own::refuse_to_write(instance.load().committed(&instance.file)?)?;
        instance.file.connect()?;
        let single = instance.single()?;
        Ok(BatchWriter { instance, part: part.to_owned(), _single: single })
    }
}

#[async_trait]
impl Bulk for BatchWriter {
    async fn position(&mut self, collection: &str) -> Done<u64> {
        self.instance.load().position(&self.instance.file, &self.part, collection)
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        let place = (&*self.part, collection);
        self.instance.load().write(&self.instance.file, place, batch, position)
    }

    fn values_at_once(&self) -> Option<u64> {
        match self.instance.file.options.layout {
            Layout::Columns => Some(CHUNK as u64),
            Layout::Json => None,
        }
    }

    async fn write_values(
        &mut self,
        collection: &str,
        documents: &mut Unmade<'_>,
        position: u64,
    ) -> Done<u64> {
        let place = (&*self.part, collection);
        self.instance.load().write_values(&self.instance.file, place, documents, position)
    }

    async fn finish(&mut self) -> Done<()> {
        self.instance.load().flush()
    }

    fn batch_bytes(&self) -> usize {
        16 << 20
    }
}

impl Drop for BatchWriter {
    /// What a load wrote that is interrupted stays; what cannot be committed is loaded again.
    fn drop(&mut self) {
        let _ = self.instance.load().flush();
    }
}
