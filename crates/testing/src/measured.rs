//! What a writer counts, beside what is written.

use hoap_data::Measured;
use hoap_data::json::JsonWriter;

/// The bytes counted of a document, and those written.
pub fn both(write: impl FnOnce(&mut Measured<'_, JsonWriter<'_>>)) -> (usize, usize) {
    let mut out = vec![0; 1 << 16];
    let mut json = JsonWriter::new(&mut out);
    let mut measured = Measured::new(&mut json);
    write(&mut measured);
    (measured.bytes(), json.finish())
}
