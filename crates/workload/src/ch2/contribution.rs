//! What one of several driver machines brings to the checks that only all of them together can make.
//!
//! Each looked at the database before the first of them began, and each remembers what it saw acknowledged. Its file lies in
//! the run folder; the driver and the report pass it on without looking.

use serde::{Deserialize, Serialize};

use super::ledger::Ledger;
use super::snapshot::District;
use crate::error::{Error, ErrorKind, Result};

/// The version of the file.
const FORMAT: u32 = 1;

/// The ledger of a driver, and the districts as it found them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    format: u32,
    /// The districts of its snapshot before the run.
    pub before: Vec<District>,
    /// What its clients saw acknowledged.
    pub ledger: Ledger,
}

impl Contribution {
    /// Of a driver that found these districts and keeps this ledger.
    pub fn new(before: Vec<District>, ledger: Ledger) -> Contribution {
        Contribution { format: FORMAT, before, ledger }
    }

    /// The file's text.
    ///
    /// # Errors
    /// [`ErrorKind::Broken`], which does not happen to numbers.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        let wrong = |e| Error::new(ErrorKind::Broken, "write a ledger", e);
        serde_json::to_vec(self).map_err(wrong)
    }

    /// The inverse of [`Contribution::to_json`]. `name` is the file's.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] naming the file, where it is none or of another version.
    pub fn read(name: &str, text: &[u8]) -> Result<Contribution> {
        let tried = || format!("read {name}");
        let read: Contribution =
            serde_json::from_slice(text).map_err(|e| Error::new(ErrorKind::Invalid, tried(), e))?;
        match read.format {
            FORMAT => Ok(read),
            other => {
                let answer = format!("format {other} is not known, only {FORMAT}");
                Err(Error::new(ErrorKind::Invalid, tried(), answer)
                    .advise("use the hoap that wrote it"))
            }
        }
    }

    /// All drivers' as one driver's. The names are those of their files.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] where a driver found other districts than the first: then one of them
    /// began before the other had looked, and nobody knows from where the database grew.
    pub fn join(all: Vec<(String, Contribution)>) -> Result<Option<Contribution>> {
        let mut all = all.into_iter();
        let Some((first, mut joined)) = all.next() else { return Ok(None) };
        for (name, Contribution { before, ledger, .. }) in all {
            if before != joined.before {
                let answer = format!("it found the database in another state than {first}");
                return Err(Error::new(ErrorKind::Invalid, format!("join {name}"), answer).advise(
                    "one driver began before the other had looked: leave more time before --start-at",
                ));
            }
            joined.ledger.merge(ledger);
        }
        Ok(Some(joined))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ch2::ledger::Order;

    fn of(o_id: u32, next: i64) -> Contribution {
        let order = Order { w: 1, d: 1, o_id, c: 1, lines: 5, amount: 100 };
        let before = District { next_o_id: next, neworders: vec![1, 2], ..District::default() };
        Contribution::new(vec![before], Ledger { orders: vec![order], ..Ledger::default() })
    }

    #[test]
    fn drivers_that_found_the_same_are_joined_and_others_refused_by_name() {
        let text = of(3001, 3001).to_json().unwrap();
        assert_eq!(Contribution::read("ledger.json", &text).unwrap(), of(3001, 3001));
        let named = |name: &str, c| (name.to_owned(), c);
        let joined =
            Contribution::join(vec![named("a", of(3001, 3001)), named("b", of(3002, 3001))]);
        assert_eq!(joined.unwrap().unwrap().ledger.orders.len(), 2);
        assert_eq!(Contribution::join(vec![]).unwrap(), None);
        let e = Contribution::join(vec![named("a", of(1, 1)), named("b", of(2, 2))]).unwrap_err();
        assert!(e.to_string().contains("join b") && e.to_string().contains("than a"), "{e}");

        for (text, says) in [("{}", "read x"), ("[", "read x")] {
            let e = Contribution::read("x", text.as_bytes()).unwrap_err();
            assert!(e.to_string().contains(says), "{e}");
        }
        let newer = String::from_utf8(text).unwrap().replace("\"format\":1", "\"format\":2");
        let e = Contribution::read("x", newer.as_bytes()).unwrap_err();
        assert!(e.to_string().contains("format 2"), "{e}");
    }
}
