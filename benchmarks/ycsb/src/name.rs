//! The name of a run, derived from its operations and not from the command.

use std::fmt::Write as _;

use crate::data::{Compressibility, Exponent, FieldLength, RecordSpec};
use crate::distribution::Distribution;
use crate::preset::PRESETS;
use crate::properties::Properties;
use crate::proportions::{Kind, Proportions};
use crate::setup::{ReadFields, ScanFields, ScanLength, Setup};

/// Shares that differ by less are equal.
const SAME_SHARE: f64 = 1e-6;

impl Setup {
    /// The name of the benchmark on a table of these records: `ycsb-a` where proportions,
    /// distribution, fields and scans are those of A (table 2 of the paper and YCSB's files), and
    /// so on. Otherwise it is `ycsb-custom: ` and a description that is unique among set-ups.
    ///
    /// The number of records, their keys and the requested part do not change the name, nor do
    /// parameters that no operation of the mix uses.
    pub fn benchmark(&self, records: &RecordSpec) -> String {
        let preset = PRESETS.iter().find(|preset| {
            let theirs = Setup::new(&Properties::preset(preset)).expect("a preset is a set-up");
            // The comparison reports' scans returned keys alone; the preset leaves that to the
            // flag.
            let keys_alone = preset.name == "ycsb-e-update" && self.scan_fields == ScanFields::None;
            let theirs = match keys_alone {
                true => Setup { scan_fields: ScanFields::None, ..theirs },
                false => theirs,
            };
            self.does_as(&theirs) && of_size(records) == of_size(&theirs.records)
        });
        match preset {
            Some(preset) => preset.name.to_owned(),
            None => format!("ycsb-custom: {}", self.words(records)),
        }
    }

    /// Whether the operations are equal.
    fn does_as(&self, other: &Setup) -> bool {
        let share = |kind| (self.mix.share(kind) - other.mix.share(kind)).abs() < SAME_SHARE;
        let (reads, updates, scans) = uses(&self.mix);
        Kind::ALL.into_iter().all(share)
            && self.distribution == other.distribution
            && (!self.distribution.is_zipfian() || self.exponent == other.exponent)
            && (!reads || self.read_fields == other.read_fields)
            && (!updates || self.write_all_fields == other.write_all_fields)
            && (!scans || self.scan_length == other.scan_length)
            && (!scans || self.scan_fields == other.scan_fields)
    }

    /// "70 % read, 30 % update, uniform, 5 fields of 100 bytes".
    fn words(&self, records: &RecordSpec) -> String {
        let mut out = String::new();
        // The most frequent kind first.
        let mut kinds = self.mix.kinds().to_vec();
        kinds.sort_by(|a, b| self.mix.share(*b).total_cmp(&self.mix.share(*a)));
        for kind in kinds {
            let percent = (self.mix.share(kind) * 1e6).round() / 1e4;
            let _ = write!(out, "{percent} % {}, ", kind.name().to_lowercase());
        }
        out += &in_words(self.distribution);
        if self.distribution.is_zipfian() && self.exponent != Exponent::ycsb() {
            let _ = write!(out, " with constant {}", self.exponent.theta());
        }
        let (reads, updates, scans) = uses(&self.mix);
        if of_size(records) != of_size(&RecordSpec::default()) {
            let (min, max) = records.length.bounds();
            let bytes = match records.length {
                FieldLength::Constant(_) => format!("{max} bytes"),
                FieldLength::Uniform { .. } => format!("{min} to {max} bytes"),
                FieldLength::Zipfian { .. } => format!("{min} to {max} bytes (zipfian)"),
            };
            let fields = if records.fields == 1 { "field" } else { "fields" };
            let _ = write!(out, ", {} {fields} of {bytes}", records.fields);
            if let Some(share) = records.compressibility.share() {
                let _ = write!(out, ", compressible by {share}");
            }
        }
        if reads && self.read_fields == ReadFields::One {
            out += ", reads of one field";
        }
        if updates && self.write_all_fields {
            out += ", updates of all fields";
        }
        if scans {
            let ScanLength { min, max, zipfian } = self.scan_length;
            let _ = write!(out, ", scans of {min} to {max} records");
            out += if zipfian { " (zipfian)" } else { "" };
            out += match self.scan_fields {
                ScanFields::All => "",
                ScanFields::One => ", of one field",
                ScanFields::None => ", of keys alone",
            };
        }
        out
    }
}

/// Whether the mix has operations that read, update, scan.
fn uses(mix: &Proportions) -> (bool, bool, bool) {
    let any = |kinds: &[Kind]| kinds.iter().any(|&kind| mix.share(kind) > 0.0);
    (
        any(&[Kind::Read, Kind::ReadModifyWrite]),
        any(&[Kind::Update, Kind::ReadModifyWrite]),
        any(&[Kind::Scan]),
    )
}

/// How people write a name: "YCSB A", "YCSB E (update)", "YCSB custom: 100 % read, uniform".
pub fn title(name: &str) -> String {
    let name = name.strip_prefix("ycsb-").unwrap_or(name);
    match name.split_once('-').filter(|_| !name.contains(": ")) {
        Some((letter, variant)) => format!("YCSB {} ({variant})", letter.to_uppercase()),
        None if name.contains(": ") => format!("YCSB {name}"),
        None => format!("YCSB {}", name.to_uppercase()),
    }
}

/// The parameters of a record's size, as written and as stored.
fn of_size(records: &RecordSpec) -> (u16, FieldLength, Compressibility) {
    (records.fields, records.length, records.compressibility)
}

fn in_words(distribution: Distribution) -> String {
    match distribution {
        Distribution::Hotspot { data, operations } => {
            format!("hotspot of {data} of the records in {operations} of the requests")
        }
        Distribution::Exponential { percentile, fraction } => {
            format!("exponential with {percentile} % in {fraction} of the records")
        }
        other => other.name().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A preset with these properties on top, on a table of its own records.
    fn name(preset: &str, more: &[&str]) -> String {
        let preset = PRESETS.iter().find(|p| p.name == preset).expect("a preset");
        let mut properties = Properties::preset(preset);
        more.iter().for_each(|pair| properties.pair(pair).expect("a pair"));
        let setup = Setup::new(&properties).expect("a set-up");
        setup.benchmark(&setup.records)
    }

    /// Spec §1, the table of workloads.
    #[test]
    fn a_letter_is_what_does_as_the_letter() {
        for preset in &PRESETS {
            let free =
                ["recordcount=7", "operationcount=9", "insertorder=ordered", "threadcount=3"];
            for pairs in [&[][..], &free] {
                assert_eq!(name(preset.name, pairs), preset.name);
            }
        }
        // The name follows the operations, not the preset asked for.
        assert_eq!(name("ycsb-a", &["readproportion=1", "updateproportion=0"]), "ycsb-c");
        assert_eq!(
            name("ycsb-f", &["readmodifywriteproportion=0", "updateproportion=0.50"]),
            "ycsb-a"
        );
        assert_eq!(
            name("ycsb-e", &["insertproportion=0", "updateproportion=0.05"]),
            "ycsb-e-update"
        );
        // A has no scans.
        assert_eq!(name("ycsb-a", &["maxscanlength=5"]), "ycsb-a");
        assert_eq!(name("ycsb-c", &["writeallfields=true"]), "ycsb-c");
    }

    #[test]
    fn names_have_titles() {
        for (name, wanted) in [
            ("ycsb-a", "YCSB A"),
            ("ycsb-e-update", "YCSB E (update)"),
            ("ycsb-custom: 70 % read, 30 % scan-x", "YCSB custom: 70 % read, 30 % scan-x"),
        ] {
            assert_eq!(title(name), wanted);
        }
    }

    /// Every property that changes the operations changes the name, each to a different one.
    #[test]
    fn what_is_no_letter_says_what_it_does() {
        let e = "95 % scan, 5 % insert, zipfian";
        let scans = |what: &str| format!("{e}, scans of {what}");
        let cases: [(&str, &[&str], &str); 16] = [
            (
                "a",
                &["readproportion=0.7", "updateproportion=0.3"],
                "70 % read, 30 % update, zipfian",
            ),
            (
                "a",
                &["readproportion=0.9995", "updateproportion=0.0005"],
                "99.95 % read, 0.05 % update, zipfian",
            ),
            ("c", &["requestdistribution=uniform"], "100 % read, uniform"),
            ("c", &["requestdistribution=zipfian-exact"], "100 % read, zipfian-exact"),
            ("d", &["requestdistribution=latest-exact"], "95 % read, 5 % insert, latest-exact"),
            (
                "c",
                &["requestdistribution=hotspot"],
                "100 % read, hotspot of 0.2 of the records in 0.8 of the requests",
            ),
            (
                "c",
                &["requestdistribution=exponential", "exponential.frac=0.1"],
                "100 % read, exponential with 95 % in 0.1 of the records",
            ),
            ("c", &["fieldcount=1"], "100 % read, zipfian, 1 field of 100 bytes"),
            ("c", &["fieldlength=50"], "100 % read, zipfian, 10 fields of 50 bytes"),
            (
                "c",
                &["fieldlengthdistribution=uniform"],
                "100 % read, zipfian, 10 fields of 1 to 100 bytes",
            ),
            (
                "c",
                &["fieldlengthdistribution=zipfian"],
                "100 % read, zipfian, 10 fields of 1 to 100 bytes (zipfian)",
            ),
            ("c", &["readallfields=false"], "100 % read, zipfian, reads of one field"),
            (
                "f",
                &["writeallfields=true"],
                "50 % read, 50 % read-modify-write, zipfian, updates of all fields",
            ),
            ("e", &["maxscanlength=1000"], &scans("1 to 1000 records")),
            ("e", &["scanlengthdistribution=zipfian"], &scans("1 to 100 records (zipfian)")),
            ("e", &["readallfields=false"], &scans("1 to 100 records, of one field")),
        ];
        let mut seen = std::collections::BTreeSet::new();
        for (preset, more, words) in cases {
            let preset = format!("ycsb-{preset}");
            assert_eq!(name(&preset, more), format!("ycsb-custom: {words}"), "{preset} {more:?}");
            assert!(seen.insert(words), "{words}");
        }
    }

    /// The records are those of the table, not those in the run's properties.
    #[test]
    fn the_records_are_those_of_the_table() {
        let setup = Setup::new(&Properties::preset(&PRESETS[0])).expect("a set-up");
        let records = RecordSpec { fields: 3, ..RecordSpec::default() };
        let named = setup.benchmark(&records);
        assert_eq!(named, "ycsb-custom: 50 % read, 50 % update, zipfian, 3 fields of 100 bytes");
    }

    /// The reports' scans return keys; E's do not.
    #[test]
    fn scans_of_keys_alone_are_the_reports_e() {
        for (preset, expected) in [
            ("ycsb-e-update", "ycsb-e-update"),
            (
                "ycsb-e",
                "ycsb-custom: 95 % scan, 5 % insert, zipfian, scans of 1 to 100 records, of keys alone",
            ),
        ] {
            let preset = PRESETS.iter().find(|p| p.name == preset).expect("a preset");
            let mut setup = Setup::new(&Properties::preset(preset)).expect("a set-up");
            setup.scan_fields = ScanFields::None;
            assert_eq!(setup.benchmark(&setup.records), expected);
        }
    }
}
