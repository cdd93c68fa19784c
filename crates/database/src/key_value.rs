//! Records of numbered fields under a key: what the operations of YCSB read and write.
//!
//! The caller owns the buffers and reuses them: nothing here allocates per operation.

/// The table of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The collection.
    pub name: String,
    /// Names of the fields, by their numbers: `field0`, `field1`, …
    pub fields: Vec<String>,
}

/// Which fields of a record an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// All.
    All,
    /// This one.
    One(u16),
    /// None: the key alone (the comparison reports' scans).
    None,
}

/// Values of numbered fields, in one reused buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    bytes: Vec<u8>,
    /// Number of each field and the end of its value.
    ends: Vec<(u16, usize)>,
}

impl Record {
    /// Removes everything and keeps the buffers.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Adds a field whose value `fill` appends.
    pub fn push(&mut self, field: u16, fill: impl FnOnce(&mut Vec<u8>)) {
        fill(&mut self.bytes);
        self.ends.push((field, self.bytes.len()));
    }

    /// Numbers and values of the fields, in the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u16, &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |&(field, end)| {
            let value = &self.bytes[start..end];
            start = end;
            (field, value)
        })
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Records of a scan and their keys, in reused buffers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    keys: Vec<String>,
    records: Vec<Record>,
    len: usize,
}

impl Scanned {
    /// Removes everything and keeps the buffers.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds an empty record for the caller to fill.
    pub fn push(&mut self, key: &str) -> &mut Record {
        if self.len == self.keys.len() {
            self.keys.push(String::new());
            self.records.push(Record::default());
        }
        let (k, record) = (&mut self.keys[self.len], &mut self.records[self.len]);
        k.clear();
        k.push_str(key);
        record.clear();
        self.len += 1;
        record
    }

    /// Keys and records, in the order of the scan.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Record)> {
        self.keys[..self.len].iter().map(String::as_str).zip(&self.records)
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the scan found nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_used_again_and_hold_what_was_put_in() {
        let mut scanned = Scanned::default();
        for round in 0..3u8 {
            scanned.clear();
            assert!(scanned.is_empty());
            for key in ["a", "bb"] {
                let record = scanned.push(key);
                assert!(record.is_empty());
                record.push(4, |out| out.extend_from_slice(key.as_bytes()));
                record.push(2, |out| out.push(round));
            }
            let mut seen = scanned.iter();
            for wanted in ["a", "bb"] {
                let (key, record) = seen.next().unwrap();
                assert_eq!(key, wanted);
                let fields: Vec<(u16, &[u8])> = record.iter().collect();
                assert_eq!(fields, [(4, wanted.as_bytes()), (2, &[round])]);
            }
            assert_eq!(seen.len(), 0);
        }
    }
}
