//! Writes run folders with made-up numbers, to look at pages of many runs: `sample_runs DIR NAME…`,
//! each NAME `ch2pp`, `void` (the same with a check that failed), another benchmark's name, or
//! `search`.
use std::path::PathBuf;

use hoap_record::Bounds;
use hoap_record::search::{Effort, Probe, Search, Time, Undecided};
use hoap_record::{Percentile, Sla};
use hoap_testing::runs;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("sample_runs DIR NAME…"));
    for (name, n) in arguments.zip(1u32..) {
        let (seed, speed) = (u64::from(n), 0.8 + 0.35 * f64::from(n));
        let mut made = match name.as_str() {
            "ch2pp" => runs::folder(seed, speed),
            "void" => runs::folder(seed, speed).void(),
            "search" => runs::plain::folder("ycsb-c", seed, speed),
            plain => runs::plain::folder(plain, seed, speed),
        };
        if name == "search" {
            made.run.search = Some(search());
        }
        made.write(&folder.join(format!("{n:02}-{name}")));
    }
}

fn search() -> Search {
    let slas = [(Percentile::P50, 2_000), (Percentile::P99, 10_000)]
        .map(|(percentile, limit_us)| Sla { percentile, limit_us });
    let probe = |(rate, p50, p99): (f64, u64, u64)| {
        let time = |percentile, us| {
            let operations = (rate * 20.0) as u64;
            Time { percentile, kind: "READ".into(), us, operations }
        };
        let broken = (p99 > 10_000).then(|| format!("READ: p99 is {p99} µs"));
        let times = vec![time(Percentile::P50, p50), time(Percentile::P99, p99)];
        let achieved = rate * 0.999;
        Probe { rate, seconds: 20.0, achieved, failures: 0.0, times, broken, undecided: None }
    };
    let probes = [
        (1_000.0, 310, 1_900),
        (2_000.0, 330, 2_300),
        (4_000.0, 420, 4_100),
        (8_000.0, 1_900, 61_000),
        (8_000.0, 1_850, 58_000),
        (5_657.0, 600, 12_800),
        (5_657.0, 600, 13_100),
        (5_657.0, 600, 12_600),
        (4_757.0, 480, 6_900),
        (4_757.0, 480, 7_100),
        (4_757.0, 480, 6_800),
        (5_187.0, 530, 9_400),
        (5_187.0, 530, 10_700),
        (5_187.0, 530, 10_100),
    ];
    Search {
        bounds: Bounds { slas: slas.to_vec(), failures: 0.0 },
        rate: Some(4_757.0),
        below: Some(5_657.0),
        broken: Some("READ: p99 is 12600 µs, the bound 10000 µs".into()),
        undecided: vec![Undecided {
            rate: 5_187.0,
            why: "READ: p99 is 9400 to 10700 µs in 3 probes, which scatter around the bound of 10000 µs"
                .into(),
        }],
        noise: Some(0.041),
        effort: Effort { shortest_seconds: 1.0, longest_seconds: 10.0, shares: Vec::new() },
        unfinished: None,
        probes: probes.map(probe).to_vec(),
        drivers: None,
    }
}
