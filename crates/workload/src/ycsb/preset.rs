//! The named workloads.

/// A workload by name: the properties of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// "a" to "f", "e-update"; commands call it `ycsb-a`.
    pub name: &'static str,
    /// A line for the user.
    pub title: &'static str,
    /// The properties that its file sets.
    pub properties: &'static [(&'static str, &'static str)],
}

impl Preset {
    /// The preset of this name, with or without `ycsb-`.
    pub fn find(name: &str) -> Option<&'static Preset> {
        let short = name.strip_prefix("ycsb-").unwrap_or(name);
        PRESETS.iter().find(|preset| preset.name == short)
    }
}

/// The core workloads: table 2 of the paper (Cooper et al., SoCC 2010) and the files
/// `workloads/workloada` to `workloadf` of YCSB 0.17, without their recordcount and operationcount
/// of 1,000, which are placeholders. F is not in the paper. `e-update` is E as the comparison
/// reports ran it, with updates instead of inserts (spec §1).
pub const PRESETS: [Preset; 7] = [
    Preset {
        name: "a",
        title: "update heavy: 50 % reads, 50 % updates, zipfian",
        properties: &[
            ("readproportion", "0.5"),
            ("updateproportion", "0.5"),
            ("requestdistribution", "zipfian"),
        ],
    },
    Preset {
        name: "b",
        title: "read mostly: 95 % reads, 5 % updates, zipfian",
        properties: &[
            ("readproportion", "0.95"),
            ("updateproportion", "0.05"),
            ("requestdistribution", "zipfian"),
        ],
    },
    Preset {
        name: "c",
        title: "read only, zipfian",
        properties: &[
            ("readproportion", "1"),
            ("updateproportion", "0"),
            ("requestdistribution", "zipfian"),
        ],
    },
    Preset {
        name: "d",
        title: "read latest: 95 % reads, 5 % inserts, the newest records most",
        properties: &[
            ("readproportion", "0.95"),
            ("updateproportion", "0"),
            ("insertproportion", "0.05"),
            ("requestdistribution", "latest"),
        ],
    },
    Preset {
        name: "e",
        title: "short ranges: 95 % scans of 1 to 100 records, 5 % inserts, zipfian",
        properties: &[
            ("readproportion", "0"),
            ("updateproportion", "0"),
            ("scanproportion", "0.95"),
            ("insertproportion", "0.05"),
            ("requestdistribution", "zipfian"),
            ("maxscanlength", "100"),
            ("scanlengthdistribution", "uniform"),
        ],
    },
    Preset {
        name: "e-update",
        title: "short ranges with updates: 95 % scans of 1 to 100 records, 5 % updates, zipfian",
        properties: &[
            ("readproportion", "0"),
            ("updateproportion", "0.05"),
            ("scanproportion", "0.95"),
            ("requestdistribution", "zipfian"),
            ("maxscanlength", "100"),
            ("scanlengthdistribution", "uniform"),
        ],
    },
    Preset {
        name: "f",
        title: "read-modify-write: 50 % reads, 50 % read-modify-writes, zipfian",
        properties: &[
            ("readproportion", "0.5"),
            ("updateproportion", "0"),
            ("readmodifywriteproportion", "0.5"),
            ("requestdistribution", "zipfian"),
        ],
    },
];
