//! One driver machine's part of the checks that need all driver machines ([`hoap_workload::contribution`]).
//!
//! The first driver took its snapshot before any of them began, and each has a ledger of its own.

use hoap_workload::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use crate::checks::audit::Tally;
use crate::checks::district::District;
use crate::ledger::Ledger;

/// The ledger of a driver and the districts of its first snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// The districts of its snapshot before the run; none where it left that to another driver.
    pub before: Vec<District>,
    /// Whether no run had written to the data then.
    pub fresh: bool,
    /// What the audit counts of its clients.
    pub tally: Tally,
    /// The ledger of its clients.
    pub ledger: Ledger,
}

impl Contribution {
    /// Adds the contribution of another driver. The names are those of the two files.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the districts of the two snapshots differ: one driver
    /// began before the other had taken its snapshot, so the state before the run is unknown.
    pub fn join(&mut self, name: &str, other: Contribution, other_name: &str) -> Result<()> {
        if self.before.is_empty() {
            (self.before, self.fresh) = (other.before, other.fresh);
        } else if !other.before.is_empty() && other.before != self.before {
            let answer = format!("it found the database in another state than {name}");
            return Err(Error::new(ErrorKind::Invalid, format!("join {other_name}"), answer).advise(
                "one driver began before the other had looked: leave more time before --start-at",
            ));
        }
        self.tally.merge(&other.tally);
        self.ledger.merge(other.ledger);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hoap_workload::contribution::{read, write};

    use super::*;
    use crate::ledger::Order;

    /// Whichever of them looked.
    #[test]
    fn one_driver_looks_for_all() {
        let beside = Contribution { before: Vec::new(), ..of(3002, 0) };
        let mut first = of(3001, 3001);
        first.join("a", beside.clone(), "b").unwrap();
        let mut second = beside;
        second.join("b", of(3001, 3001), "a").unwrap();
        assert_eq!(first.before, of(3001, 3001).before);
        assert_eq!(first.before, second.before);
        assert_eq!(second.ledger.orders.len(), 2);
    }

    fn of(o_id: u32, next: i64) -> Contribution {
        let order = Order { w: 1, d: 1, o_id, c: 1, lines: 5, amount: 100, digest: 9 };
        let before = District { next_o_id: next, ..District::default() };
        let ledger = Ledger { orders: [order].into_iter().collect(), ..Ledger::default() };
        Contribution { before: vec![before], fresh: true, tally: Tally::default(), ledger }
    }

    #[test]
    fn drivers_that_found_the_same_are_joined_and_others_refused_by_name() {
        let mut text = Vec::new();
        write(&of(3001, 3001), &mut text).unwrap();
        let mut joined: Contribution = read("ledger.json", &text).unwrap();
        assert_eq!(joined, of(3001, 3001));
        joined.join("a", of(3002, 3001), "b").unwrap();
        assert_eq!(joined.ledger.orders.len(), 2);
        let e = joined.join("a", of(2, 2), "b").unwrap_err();
        assert!(e.to_string().contains("join b") && e.to_string().contains("than a"), "{e}");
    }
}
