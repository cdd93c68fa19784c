//! What its parsers keep to, whatever they are given; `hoap_databases::fuzz` has the targets.

use hoap_database::failure::Failure;
use serde_json::Value;

use super::codes::Service;
use super::envelope::Envelope;
use super::error::{Cause, Error};
use super::stream::Splitter;

/// An answer in pieces of one size, as its rows and the rest.
pub(super) fn split(text: &[u8], piece: usize) -> Result<(Vec<Vec<u8>>, Envelope), String> {
    let (mut splitter, mut rows) = (Splitter::default(), Vec::new());
    for piece in text.chunks(piece) {
        let mut each = |row: &[u8]| {
            rows.push(row.to_vec());
            Ok(())
        };
        splitter.push(piece, &mut each)?;
    }
    Ok((rows, splitter.end()?))
}

/// An answer: the same rows however it is cut, and those that `serde_json` sees. The first byte is
/// the size of the pieces.
pub fn answer(input: &[u8]) {
    let Some((&size, text)) = input.split_first() else { return };
    let whole = split(text, text.len().max(1));
    let cut = split(text, usize::from(size) + 1);
    assert_eq!(format!("{whole:?}"), format!("{cut:?}"));
    if let Ok((_, envelope)) = &whole {
        refused(envelope);
    }
    // A member that comes twice, or whose name has an escape, is another question.
    let names = text.windows(9).filter(|w| *w == b"\"results\"").count();
    if names > 1 || text.contains(&b'\\') {
        return;
    }
    let Ok(Value::Object(object)) = serde_json::from_slice(text) else { return };
    let (rows, envelope) = whole.unwrap();
    if let Some(Value::Array(expected)) = object.get("results") {
        let rows: Vec<Value> =
            rows.iter().map(|row| serde_json::from_slice(row).unwrap()).collect();
        assert_eq!(rows, *expected);
        assert_eq!(*envelope.get("results"), Value::Array(Vec::new()));
    }
    for (name, value) in object.iter().filter(|(name, _)| *name != "results") {
        assert_eq!(envelope.get(name), value);
    }
}

/// What the envelope says as failures of each service.
fn refused(envelope: &Envelope) {
    let (faults, outcome) = (envelope.errors(), envelope.status().to_owned());
    envelope.warnings();
    envelope.columns();
    for service in [Service::AsterixDb, Service::Analytics, Service::Query] {
        let faults = faults.clone();
        let text = String::new();
        let cause = Cause::Refused { status: 500, outcome: outcome.clone(), faults, text };
        let failure = Failure::from(Error { service, cause });
        assert!(!failure.answer.contains(['\n', '\r']), "{failure:?}");
    }
}

#[cfg(test)]
#[test]
fn sqlpp_answer() {
    hoap_testing::fuzz::round("sqlpp_answer", answer);
}
