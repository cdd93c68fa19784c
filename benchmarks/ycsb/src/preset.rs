//! The named workloads.

/// A workload by name: the properties of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// "ycsb-a" to "ycsb-f", "ycsb-e-update".
    pub name: &'static str,
    /// A line for the user.
    pub about: &'static str,
    /// The properties that its file sets.
    pub properties: &'static [(&'static str, &'static str)],
}

/// The core workloads: table 2 of the paper (Cooper et al., SoCC 2010) and the files
/// `workloads/workloada` to `workloadf` of YCSB 0.17, without their recordcount and operationcount
/// of 1,000, which are placeholders. F is not in the paper. `e-update` is E as the comparison
/// reports ran it, with updates instead of inserts (spec §1).
pub static PRESETS: [Preset; 7] = [
    Preset {
        name: "ycsb-a",
        about: "YCSB A: 50 % reads, 50 % updates",
        properties: &[
            ("readproportion", "0.5"),
            ("updateproportion", "0.5"),
            ("requestdistribution", "zipfian"),
        ],
    },
    Preset {
        name: "ycsb-b",
        about: "YCSB B: 95 % reads, 5 % updates",
        properties: &[
            ("readproportion", "0.95"),
            ("updateproportion", "0.05"),
            ("requestdistribution", "zipfian"),
        ],
    },
    Preset {
        name: "ycsb-c",
        about: "YCSB C: reads",
        properties: &[
            ("readproportion", "1"),
            ("updateproportion", "0"),
            ("requestdistribution", "zipfian"),
        ],
    },
    Preset {
        name: "ycsb-d",
        about: "YCSB D: 95 % reads of the latest, 5 % inserts",
        properties: &[
            ("readproportion", "0.95"),
            ("updateproportion", "0"),
            ("insertproportion", "0.05"),
            ("requestdistribution", "latest"),
        ],
    },
    Preset {
        name: "ycsb-e",
        about: "YCSB E: 95 % scans, 5 % inserts",
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
        name: "ycsb-e-update",
        about: "YCSB E as the comparison reports ran it: 95 % scans, 5 % updates",
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
        name: "ycsb-f",
        about: "YCSB F: 50 % reads, 50 % read-modify-writes",
        properties: &[
            ("readproportion", "0.5"),
            ("updateproportion", "0"),
            ("readmodifywriteproportion", "0.5"),
            ("requestdistribution", "zipfian"),
        ],
    },
];
