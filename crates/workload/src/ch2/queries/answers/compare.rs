//! Two answers to one query.

use hoap_data::Schema;

use super::canonical::{Canonical, Cell, Cells, show};
use crate::capability::Answer;
use crate::ch2::queries::catalogue::Query;
use crate::error::{Error, ErrorKind, Result};

/// Whether `found` is the answer that `expected` is (spec: answers are equal across engines).
///
/// # Errors
/// [`ErrorKind::Broken`] where one of them has the wrong shape or order, or where they differ: the
/// message names the query, both numbers of rows and the first rows in which they differ.
pub fn compare(schema: Schema, query: &Query, expected: &Answer, found: &Answer) -> Result<()> {
    let expected = Canonical::new(schema, query, expected)?;
    let found = Canonical::new(schema, query, found)?;
    match difference(&expected, &found) {
        None => Ok(()),
        Some(difference) => Err(Error::new(
            ErrorKind::Broken,
            format!("compare the answers of {}", query.name),
            format!("{} rows expected, {} found; {difference}", expected.len(), found.len()),
        )),
    }
}

fn difference(expected: &Canonical, found: &Canonical) -> Option<String> {
    // The first place, in the common order of both, where the decided rows differ.
    let rows = expected.decided.len().max(found.decided.len());
    let at = |rows: &[Cells], i: usize| rows.get(i).map_or("no row".into(), |row| show(row));
    for i in 0..rows {
        let (a, b) = (expected.decided.get(i), found.decided.get(i));
        if !a.zip(b).is_some_and(|(a, b)| equal(a, b)) {
            let (a, b) = (at(&expected.decided, i), at(&found.decided, i));
            return Some(format!("first difference (money in cents): {a} expected, {b} found"));
        }
    }
    let tie = |c: &Canonical| c.tie.as_ref().map_or("no cut".into(), |key| show(key));
    let same = match (&expected.tie, &found.tie) {
        (Some(a), Some(b)) => equal(a, b) && expected.tied == found.tied,
        (None, None) => true,
        _ => false,
    };
    (!same).then(|| {
        format!(
            "at the limit {} rows of the sort key {} expected, {} of {} found",
            expected.tied,
            tie(expected),
            found.tied,
            tie(found),
        )
    })
}

fn equal(a: &[Cell], b: &[Cell]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
}
