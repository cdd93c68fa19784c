//! One driver machine's part of the checks that need all driver machines ([`hoap_workload::contribution`]):
//! the writes that its clients remember, by the machine's clock.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hoap_database::engine::RecordStore;
use hoap_workload::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use crate::data::{Key, Records};
use crate::sample::{Memory, Place, Write};
use crate::workload::Ycsb;

/// The largest difference assumed between the clocks of driver machines. Of two acknowledged writes
/// of two machines that follow each other more closely, either may be the last one.
pub const CLOCKS: Duration = Duration::from_secs(1);

/// The writes that a driver remembers, and its inserts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// Acknowledged inserts.
    pub inserted: u64,
    /// Inserts of unknown outcome.
    pub unsure_inserts: u64,
    /// One key in 2^level is in the sample.
    level: u32,
    writes: Vec<Acknowledged>,
    unsure: Vec<Unsure>,
}

/// An acknowledged write that may be the driver's last one of its field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Acknowledged {
    key: String,
    /// `None`: all fields.
    field: Option<u16>,
    version: u64,
    /// Nanoseconds since 1970.
    start: u64,
    end: u64,
}

/// A write of unknown outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Unsure {
    key: String,
    field: Option<u16>,
    version: u64,
}

impl<K: RecordStore> Ycsb<K> {
    /// The contribution of this driver, with the memory of its clients.
    pub fn contribution(&self, memory: &Memory) -> Contribution {
        let unsure_inserts = self.shared.owed.tried();
        Contribution::of(memory, unsure_inserts, &self.shared.records, self.shared.began)
    }
}

impl Contribution {
    /// `began` is the time at which the clock of the samples began.
    fn of(memory: &Memory, unsure_inserts: u64, records: &Records, began: SystemTime) -> Self {
        let began = began.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        let key = |place: &Place| {
            let mut text = String::new();
            records.append_key(place.0, &mut text);
            text
        };
        let sample = &memory.sample;
        let mut writes = Vec::new();
        for (place, all) in &sample.last {
            // Compared on this machine's own clock, which needs no allowance.
            let latest_start = all.iter().map(|w| w.start).max().unwrap_or(0);
            let last = all.iter().filter(|w| w.end >= latest_start);
            writes.extend(last.map(|w| Acknowledged {
                key: key(place),
                field: place.1,
                version: w.version,
                start: began.saturating_add(w.start),
                end: began.saturating_add(w.end),
            }));
        }
        let unsure = sample.unsure.iter().flat_map(|(place, versions)| {
            let one = |&version| Unsure { key: key(place), field: place.1, version };
            versions.iter().map(one).collect::<Vec<_>>()
        });
        let unsure = unsure.collect();
        let (inserted, level) = (memory.count.inserted, sample.level);
        Contribution { inserted, unsure_inserts, level, writes, unsure }
    }

    /// The contribution by a clock that is behind the driver's by so many nanoseconds.
    pub fn set_back(mut self, ahead: i64) -> Self {
        for write in &mut self.writes {
            for time in [&mut write.start, &mut write.end] {
                *time = time.saturating_add_signed(ahead.saturating_neg());
            }
        }
        self
    }

    /// The memory of the driver for a table of these records, to be merged with that of others.
    /// `name` is the name of its file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming the file, for a key that the table cannot have.
    pub fn memory(self, name: &str, records: &Records) -> Result<Memory> {
        let fields = records.spec().fields;
        let place = |key: &str, field: Option<u16>| -> Result<(Key, Option<u16>)> {
            match (records.parse_key(key), field) {
                (Some(key), None) => Ok((key, None)),
                (Some(key), Some(field)) if field < fields => Ok((key, Some(field))),
                _ => {
                    let answer = format!("no record has a key {key:?} with field {field:?}");
                    Err(Error::new(ErrorKind::Invalid, format!("read {name}"), answer))
                }
            }
        };
        let mut memory = Memory::nothing();
        memory.count.inserted = self.inserted;
        let sample = &mut memory.sample;
        (sample.level, sample.clocks) = (self.level, CLOCKS.as_nanos() as u64);
        let mut last: HashMap<Place, Vec<Write>> = HashMap::new();
        for Acknowledged { key, field, version, start, end } in self.writes {
            last.entry(place(&key, field)?).or_default().push(Write { version, start, end });
        }
        sample.last = last;
        for Unsure { key, field, version } in self.unsure {
            sample.unsure.entry(place(&key, field)?).or_default().push(version);
        }
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use hoap_workload::contribution::{read, write};

    use super::*;
    use crate::data::RecordSpec;
    use crate::sample::{Count, Sample};

    fn records() -> Records {
        Records::new(RecordSpec::default()).unwrap()
    }

    /// A driver whose clock began at this many seconds after 1970, with its writes of field 1 of
    /// the first record: version, start and end, in seconds.
    fn driver(began: u64, writes: &[(u64, u64, u64)]) -> Contribution {
        const SECOND: u64 = 1_000_000_000;
        let mut memory = Memory::nothing();
        for &(version, start, end) in writes {
            let mut client = Sample::new();
            let write = Write { version, start: start * SECOND, end: end * SECOND };
            client.acknowledged((records().key(0), Some(1)), write);
            client.unsure((records().key(1), None), version + 100);
            memory.merge(Memory::of(client, Count { inserted: 2, ..Count::default() }));
        }
        let began = UNIX_EPOCH + Duration::from_secs(began);
        Contribution::of(&memory, 1, &records(), began)
    }

    fn joined(drivers: &[Contribution]) -> Memory {
        let mut all = Memory::nothing();
        for driver in drivers {
            let mut text = Vec::new();
            write(driver, &mut text).unwrap();
            let read: Contribution = read("ledger.json", &text).unwrap();
            assert_eq!(read, *driver);
            all.merge(read.memory("ledger.json", &records()).unwrap());
        }
        all
    }

    /// Spec §1, "the last acknowledged write is there", with writers on machines whose clocks
    /// differ slightly.
    #[test]
    fn the_last_write_of_all_drivers_counts_as_far_as_clocks_can_tell() {
        let acceptable = |drivers: &[Contribution]| {
            let mut versions = joined(drivers).sample.acceptable(records().key(0), 1).unwrap();
            versions.sort_unstable();
            versions
        };
        let early = driver(1000, &[(1, 0, 5), (2, 6, 7)]);
        assert_eq!(acceptable(std::slice::from_ref(&early)), [2], "one machine's clock is exact");
        // Its clock began ten seconds later: 1016 to 1018.
        let late = driver(1010, &[(3, 6, 8)]);
        assert_eq!(acceptable(&[early.clone(), late.clone()]), [3]);
        assert_eq!(acceptable(&[late, early.clone()]), [3]);
        // The clock of the late one is ten seconds fast: 1006 to 1008.
        let same = driver(1010, &[(3, 6, 8)]).set_back(10_000_000_000);
        assert_eq!(acceptable(&[early.clone(), same]), [2, 3]);
        // 1008 to 1009 begins one second after 1007, which the clocks cannot order.
        let close = driver(1000, &[(4, 8, 9)]);
        assert_eq!(acceptable(&[early.clone(), close.clone()]), [2, 4]);

        let all = joined(&[early, close]);
        assert_eq!(all.count.inserted, 6);
        assert_eq!(all.sample.acceptable(records().key(1), 0), None, "nothing acknowledged");
        assert_eq!(all.sample.keys().len(), 2);
    }

    #[test]
    fn a_key_that_no_record_has_is_refused_by_the_files_name() {
        for (key, field) in [("nobody", None), ("user1", Some(99))] {
            let mut wrong = driver(0, &[(1, 0, 1)]);
            (wrong.writes[0].key, wrong.writes[0].field) = (key.into(), field);
            let e = wrong.memory("a/ledger.json", &records()).unwrap_err();
            assert!(e.to_string().contains("a/ledger.json") && e.to_string().contains(key), "{e}");
        }
    }
}
