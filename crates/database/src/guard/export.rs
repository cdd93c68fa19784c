//! Collections that others made.

use serde_json::{Map, Value};

use super::database::Database;
use super::limit::{LastPiece, repeatable};
use crate::batch::Index;
use crate::offers::What;
use crate::{Error, Result};

impl Database {
    /// Calls `each` for every document of a collection or table, in no particular order, whoever
    /// made it and whatever its name. Returns its indexes on fields of the documents, by their paths.
    /// Of a table a row is a document ([`crate::export`]); types that JSON lacks are in the words of
    /// MongoDB's Extended JSON. Nothing is written. Stops at the first error of `each`.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) with the reason if the database has no such
    /// export; [`ErrorKind::Missing`](crate::ErrorKind::Missing) if there is no such collection.
    pub async fn export(
        &self,
        collection: &str,
        each: &mut (dyn FnMut(Map<String, Value>) -> Result<()> + Send),
    ) -> Result<Vec<Index>> {
        let engine = self.about.offer(What::Learn, self.engine.export()).map_err(Error::from)?;
        let last = LastPiece::now();
        // What ends it by the caller's wish is no failure of the database.
        let mut ended = false;
        let mut each = |document: Map<String, Value>| {
            last.arrived();
            let taken = each(document);
            ended = taken.is_err();
            Ok(taken?)
        };
        let exporting = engine.export(collection, &mut each);
        let done = last.within(&self.about, self.about.answer_timeout, exporting).await;
        let done = done.map_err(|failure| if ended { failure } else { repeatable(failure) });
        done.map_err(|failure| self.about.error(failure, &format!("read {collection} in")))
    }
}
