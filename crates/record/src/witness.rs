//! What the witness transactions of a run show of its isolation.

use hoap_data::named;
use serde::{Deserialize, Serialize};

use crate::history::Attempt;

named! {
    /// A level of isolation. Each excludes what those before it exclude (Adya, *Weak Consistency*,
    /// 1999, 4.2–4.3; Cerone and Gotsman, *Analysing Snapshot Isolation*, JACM 2018).
    #[derive(PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    Level, "level of isolation":
    /// PL-1: no write cycles (G0).
    ReadUncommitted = "read uncommitted",
    /// PL-2: no aborted or intermediate reads and no circular flow of information (G1).
    ReadCommitted = "read committed",
    /// Snapshot isolation, which several databases call repeatable read: no lost update, no read
    /// skew. Write skew is allowed.
    Snapshot = "snapshot isolation",
    /// PL-3: as if one after the other.
    Serializable = "serializable",
    /// As if one after the other, in an order that agrees with real time.
    StrictSerializable = "strict serializable",
}

/// The verdict on a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// Attempts that the database committed.
    pub committed: u64,
    /// Attempts that rolled back, on purpose or after a conflict or another failure.
    pub rolled_back: u64,
    /// Attempts whose outcome is unknown.
    pub unknown: u64,
    /// Lists read.
    pub reads: u64,
    /// Values written.
    pub writes: u64,
    /// The level that the database promises; absent where it promises none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promised: Option<Level>,
    /// The strongest level that the history does not contradict; absent where it contradicts all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Level>,
    /// What contradicts the levels above, the gravest first.
    pub anomalies: Vec<Anomaly>,
}

impl Witness {
    /// The verdict on this history and another one that shared no document with it.
    pub fn join(&mut self, other: &Witness) {
        self.committed += other.committed;
        self.rolled_back += other.rolled_back;
        self.unknown += other.unknown;
        self.reads += other.reads;
        self.writes += other.writes;
        self.promised = self.promised.min(other.promised);
        self.found = self.found.min(other.found);
        for anomaly in &other.anomalies {
            match self.anomalies.iter_mut().find(|ours| ours.name == anomaly.name) {
                Some(ours) => ours.count += anomaly.count,
                None => self.anomalies.push(anomaly.clone()),
            }
        }
        self.anomalies.sort_by_key(|anomaly| anomaly.contradicts);
    }

    /// Whether the history contradicts the promise.
    pub fn broken(&self) -> bool {
        self.promised.is_some_and(|promised| self.found.is_none_or(|found| found < promised))
    }
}

/// A kind of anomaly that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anomaly {
    /// Its name, such as "write skew (G2-item)".
    pub name: String,
    /// The weakest level that excludes it.
    pub contradicts: Level,
    /// How often it was found; of cycles the transactions on any.
    pub count: u64,
    /// A smallest one.
    pub example: Example,
}

/// A few transactions that no order explains.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// The transactions, in the order of the words. Texts call the first one T1.
    pub transactions: Vec<Attempt>,
    /// What binds them.
    pub edges: Vec<Edge>,
    /// What happened, a sentence each.
    pub words: Vec<String>,
}

/// A transaction must come before another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Index of the first transaction in the example.
    pub from: usize,
    /// Index of the one after it.
    pub to: usize,
    /// Why.
    pub why: Why,
    /// The list, except in real time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<u32>,
}

named! {
    /// Why a transaction must come before another.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    Why, "dependency":
    /// The second overwrote what the first wrote.
    Overwrites = "ww",
    /// The second read what the first wrote.
    Reads = "wr",
    /// The second overwrote what the first read.
    Misses = "rw",
    /// The first had ended when the second began.
    Later = "time",
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(found: Option<Level>, names: &[&str]) -> Witness {
        let anomaly = |name: &&str| Anomaly {
            name: (*name).into(),
            contradicts: Level::Snapshot,
            count: 2,
            example: Example::default(),
        };
        Witness {
            committed: 10,
            rolled_back: 1,
            unknown: 0,
            reads: 20,
            writes: 10,
            promised: Some(Level::Serializable),
            found,
            anomalies: names.iter().map(anomaly).collect(),
        }
    }

    #[test]
    fn the_verdict_on_two_histories_is_the_weaker_one() {
        let mut joined = seen(Some(Level::StrictSerializable), &["a"]);
        assert!(!joined.broken());
        joined.join(&seen(Some(Level::ReadCommitted), &["a", "b"]));
        assert_eq!((joined.committed, joined.found), (20, Some(Level::ReadCommitted)));
        let counts: Vec<_> = joined.anomalies.iter().map(|a| (a.name.as_str(), a.count)).collect();
        assert_eq!(counts, [("a", 4), ("b", 2)]);
        assert!(joined.broken());
        joined.join(&seen(None, &[]));
        assert_eq!(joined.found, None);
    }
}
