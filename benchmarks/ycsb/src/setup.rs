//! The parameters of a workload.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use hoap_data::Part;
use hoap_workload::{Error, ErrorKind, Result};

use crate::data::{Exponent, RecordSpec};
use crate::distribution::{Distribution, KeySpace};
use crate::proportions::{Kind, Proportions};

/// The fields of a read (`readallfields`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ReadFields {
    All,
    /// One, drawn at random.
    One,
}

/// The fields of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ScanFields {
    All,
    /// One, drawn at random.
    One,
    /// Keys only: the comparison reports' scans.
    None,
}

/// The number of records of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanLength {
    /// The minimum, at least 1 (`minscanlength`).
    pub min: u32,
    /// The maximum (`maxscanlength`).
    pub max: u32,
    /// Whether the lengths are zipfian, short ones being more frequent; else they are uniform
    /// (`scanlengthdistribution`).
    pub zipfian: bool,
}

/// A workload with all its parameters. Made from [`Properties`](crate::Properties); fields that no
/// YCSB property sets may be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The collection (`table`).
    pub table: String,
    /// All records of the table; the count is [`Setup::record_count`] or 1,000.
    pub records: RecordSpec,
    /// `recordcount`, where it was set.
    pub record_count: Option<u64>,
    /// `insertstart`: the first record of a load and of the requests.
    pub insert_start: u64,
    /// `insertcount`, where it was set: the number of records that a load writes and requests
    /// select from.
    pub insert_count: Option<u64>,
    /// Shares of the kinds of operations.
    pub mix: Proportions,
    /// The distribution of their records.
    pub distribution: Distribution,
    /// That of the zipfian distributions (`zipfianconstant`).
    pub exponent: Exponent,
    /// Length of scans.
    pub scan_length: ScanLength,
    /// Fields of reads, including those of a read-modify-write.
    pub read_fields: ReadFields,
    /// Fields of scans.
    pub scan_fields: ScanFields,
    /// Whether updates set all fields or one (`writeallfields`).
    pub write_all_fields: bool,
    /// Whether every value read is checked (`dataintegrity`).
    pub check_reads: bool,
    /// Operations of the run (`operationcount`, where it is not 0).
    pub operations: Option<u64>,
    /// Number of clients (`threadcount`).
    pub clients: Option<u32>,
    /// Target rate in operations per second (`target`); `None`: unlimited.
    pub rate: Option<f64>,
    /// Longest duration of the run (`maxexecutiontime`).
    pub duration: Option<Duration>,
    /// Where a run writes what YCSB would print (`exportfile`).
    pub export_file: Option<PathBuf>,
    /// Properties that were given and have no effect here, each with the reason.
    pub without_effect: Vec<String>,
    /// This driver among several. Each inserts every `of`-th new record, so that no two insert the
    /// same one. It reads loaded records and its own.
    pub part: Part,
}

impl Setup {
    /// Checks conditions that involve several properties.
    pub(super) fn validate(&self) -> Result<()> {
        let refuse = |answer: String, advice: &str| {
            Err(Error::new(ErrorKind::Invalid, "set up the workload", answer).advise(advice))
        };
        let (start, count) = (self.insert_start, self.requests(self.records.count));
        if self.record_count.is_some() || self.insert_count.is_some() {
            let records = self.records.count;
            if count.end > records || count.is_empty() {
                return refuse(
                    format!(
                        "insertstart {start} and insertcount {} do not fit recordcount {records}",
                        count.end.saturating_sub(start)
                    ),
                    "let recordcount be at least insertstart + insertcount",
                );
            }
        }
        let ScanLength { min, max, .. } = self.scan_length;
        if min == 0 || min > max {
            return refuse(
                format!("minscanlength {min} and maxscanlength {max}"),
                "use at least 1, and a least length that is not above the greatest",
            );
        }
        crate::data::Records::new(self.records)
            .map(|_| ())
            .map_err(|e| Error::new(ErrorKind::Invalid, "set up the records", e))
    }

    /// The numbers of the records that a load writes and requests select from, in a table of this
    /// many.
    pub fn requests(&self, records: u64) -> Range<u64> {
        let rest = records.saturating_sub(self.insert_start);
        let count = self.insert_count.unwrap_or(rest);
        self.insert_start..self.insert_start.saturating_add(count)
    }

    /// The records that a load of this set-up writes: all, or `insertcount` records from
    /// `insertstart` on.
    pub fn load_spec(&self) -> RecordSpec {
        let Range { start, end } = self.requests(self.records.count);
        RecordSpec { start, count: end.saturating_sub(start), ..self.records }
    }

    /// The records that the requests of a run select from, in a table of this many.
    pub fn key_space(&self, records: u64) -> KeySpace {
        // Without a number of operations (YCSB's operationcount=0) there is no room for new
        // records.
        let operations = self.operations.unwrap_or(0);
        // CoreWorkload.init: "2 is fudge factor".
        let expected = operations as f64 * self.mix.share(Kind::Insert) * 2.0;
        KeySpace { requests: self.requests(records), records, expected: expected as u64 }
    }
}
