//! Documents as record batches: a column for their keys and one for each field, or for all of a
//! document.

use std::sync::Arc;

use duckdb::arrow::array::{ArrayRef, StringArray};
use duckdb::arrow::record_batch::RecordBatch;
use hoap_database::Batch;
use hoap_database::failure::{Done, Failure};

use super::column::Column;
use super::kind::Kind;
use super::options::Layout;
use super::table;

/// Rows that go to DuckDB in one call: as many as it computes with at a time.
pub(super) const CHUNK: usize = 2048;

/// The documents of a batch as columns of a kind that holds them all and is as wide as `kind` at
/// least.
pub(super) fn shred(batch: &Batch, kind: &Kind, layout: Layout) -> Done<(Kind, Vec<RecordBatch>)> {
    let mut kind = kind.clone();
    loop {
        let (mut wider, mut chunks) = (kind.clone(), Vec::new());
        let mut documents = batch.iter().peekable();
        while documents.peek().is_some() {
            let (mut column, mut keys, mut texts) = (Column::of(&wider, 0), Vec::new(), Vec::new());
            for (key, text) in documents.by_ref().take(CHUNK) {
                let pushed = column.push_document(text);
                pushed.map_err(|why| Failure::invalid(format!("document {key}: {why}")))?;
                keys.push(key);
                texts.push(text);
            }
            wider = column.kind();
            if wider == kind {
                let columns = match layout {
                    Layout::Columns => column.into_fields()?,
                    Layout::Json => vec![("doc".to_owned(), json(&texts)?)],
                };
                chunks.push(chunk(Arc::new(StringArray::from(keys)), columns)?);
            }
        }
        if wider == kind {
            return Ok((kind, chunks));
        }
        kind = wider;
    }
}

fn json(texts: &[&[u8]]) -> Done<ArrayRef> {
    let texts: Result<Vec<&str>, _> = texts.iter().map(|text| std::str::from_utf8(text)).collect();
    Ok(Arc::new(StringArray::from(texts.map_err(Failure::invalid)?)))
}

/// A record batch of keys and of the columns beside them.
pub(super) fn chunk(keys: ArrayRef, columns: Vec<(String, ArrayRef)>) -> Done<RecordBatch> {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let all = std::iter::once((table::KEY.to_owned(), keys, true)).chain(columns);
    RecordBatch::try_from_iter_with_nullable(all).map_err(Failure::invalid)
}
