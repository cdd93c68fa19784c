//! Spec nosql §1: "`zipfian` reproduces YCSB's frequencies (chi-squared test against the generators
//! in YCSB's own jar, part of the suite where Java is present)".
//!
//! The jar comes from Maven Central into the folder that HOAP_CACHE names, else into Cargo's.
//! Without Java, or where the jar cannot be fetched, the test says so; the figures that the jar
//! printed once are checked in `distributions` and in hoap-data's tests all the same.

use std::path::Path;

use hoap_ycsb::data::{RecordSpec, Records};

use crate::distributions::draw;
use crate::statistics::{Counts, deviations};

// That crate depends on this one.
#[path = "../../../../crates/testing/src/ycsb_jar.rs"]
mod ycsb_jar;

const DRAWS: u64 = 1_000_000;

/// What `nextKeynum` is asked for. Every distribution, several record counts, a part of the
/// records, room for inserts, tables that grow meanwhile: E with twice and with twenty times the
/// operations of its records, and without a number of them (`operationcount=0`, which is what a
/// duration alone means), and D.
const CASES: [&str; 17] = [
    "requestdistribution=zipfian;operationcount=1;recordcount=10",
    "requestdistribution=zipfian;operationcount=1;recordcount=1000",
    "requestdistribution=zipfian;operationcount=1;recordcount=100000",
    "requestdistribution=zipfian;operationcount=10000;recordcount=1000;insertproportion=0.05",
    "requestdistribution=zipfian;operationcount=1;recordcount=1000;insertstart=300;insertcount=200",
    "requestdistribution=zipfian;operationcount=2000;recordcount=1000;insertproportion=0.05;inserts=100",
    "requestdistribution=zipfian;operationcount=20000;recordcount=1000;insertproportion=0.05;inserts=1000",
    "requestdistribution=zipfian;operationcount=0;recordcount=1000;insertproportion=0.05;inserts=1000",
    "requestdistribution=latest;recordcount=1000",
    "requestdistribution=latest;recordcount=50000",
    "requestdistribution=latest;recordcount=1000;insertproportion=0.05;inserts=50;by=age",
    GROWS,
    "requestdistribution=hotspot;recordcount=1000",
    "requestdistribution=hotspot;recordcount=3000;hotspotdatafraction=0.01;hotspotopnfraction=0.5",
    "requestdistribution=exponential;recordcount=1000",
    "requestdistribution=exponential;recordcount=1000;exponential.percentile=80;exponential.frac=0.1",
    "requestdistribution=uniform;recordcount=1000;insertstart=100",
];

/// D on a table that grows to four times its size.
const GROWS: &str =
    "requestdistribution=latest;recordcount=1000;insertproportion=0.05;inserts=3000;by=age";

#[test]
fn draws_and_keys_are_those_of_ycsbs_jar() {
    let printed = match run_jar() {
        Ok(printed) => printed,
        Err(why) => {
            eprintln!("not compared with YCSB's jar: {why}");
            return;
        }
    };
    let keys = Records::new(RecordSpec::default()).expect("valid");
    let mut cases = 0;
    for part in printed.split("case ").skip(1) {
        let (case, lines) = part.split_once('\n').expect("a line");
        let mut theirs = Counts::new();
        for line in lines.lines() {
            let [number, count, text] =
                line.split(' ').collect::<Vec<_>>().try_into().expect("three words");
            let number: u64 = number.parse().expect("a key number");
            theirs.insert(number, count.parse().expect("a count"));
            let mut ours = String::new();
            keys.append_key(keys.key(number), &mut ours);
            assert_eq!(ours, text, "key {number}");
        }
        let ours = draw(case, DRAWS, 12);
        let deviations = deviations(&ours, &theirs);
        eprintln!("{case}: chi-squared {deviations:+.2} standard deviations from its mean");
        assert!(deviations < 5.5, "{case}: {deviations}");
        cases += 1;

        // The test would see another distribution, and another room for inserts.
        let others: &[(&str, &str)] = match case {
            GROWS => &[("latest", "latest-exact")],
            _ if case == CASES[1] => &[("zipfian", "zipfian-exact")],
            _ if case.contains("operationcount=20000;") => {
                &[("operationcount=20000", "operationcount=1000")]
            }
            _ => &[],
        };
        for (theirs_has, other) in others {
            let other = draw(&case.replace(theirs_has, other), DRAWS, 12);
            assert!(crate::statistics::deviations(&other, &theirs) > 50.0, "{case}");
        }
    }
    assert_eq!(cases, CASES.len());
}

/// What the jar prints for [`CASES`], or why there is nothing.
fn run_jar() -> Result<String, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/workload/ycsb/Draws.java");
    let draws = DRAWS.to_string();
    let arguments: Vec<&str> = std::iter::once(draws.as_str()).chain(CASES).collect();
    let class = "site.ycsb.workloads.Draws";
    ycsb_jar::run(&source, class, &arguments, env!("CARGO_TARGET_TMPDIR"))
}
