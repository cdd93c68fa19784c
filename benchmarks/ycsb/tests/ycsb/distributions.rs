//! Spec nosql §1, "Request distributions … with YCSB's constants".

use hoap_data::random::Stream;
use hoap_ycsb::{Distribution, KeySpace, Keys, Properties, Setup};

use crate::statistics::Counts;

/// What `draws` operations of this set-up take. `inserts=N` and `by=age` are as `Draws.java` has
/// them.
pub fn draw(pairs: &str, draws: u64, seed: u64) -> Counts {
    let of = |name: &str| pairs.split(';').find_map(|p| p.strip_prefix(name)?.strip_prefix('='));
    let inserts = of("inserts").map_or(0, |n| n.parse().expect("a number"));
    let setup = setup(pairs);
    let records = setup.records.count;
    let space = setup.key_space(records);
    let mut keys = Keys::new(setup.distribution, &space);
    let mut stream = Stream::new(seed, &[]);
    let mut counts = Counts::new();
    let mut inserted = 0;
    for n in 0..draws {
        while inserted * draws < n * inserts {
            inserted += 1;
        }
        let readable = records + inserted;
        let key = keys.next(&mut stream, readable);
        let counted = if of("by") == Some("age") { readable - 1 - key } else { key };
        *counts.entry(counted).or_default() += 1;
    }
    counts
}

/// The set-up of these properties, with reads for what is not inserted.
pub fn setup(pairs: &str) -> Setup {
    let mut properties = Properties::new();
    // The mix decides nothing here but how much the table is expected to grow.
    properties.set("updateproportion", "0");
    properties.set("readproportion", "1");
    let known = |pair: &&str| !pair.starts_with("inserts=") && !pair.starts_with("by=");
    for pair in pairs.split(';').filter(known) {
        properties.pair(pair).expect("a property");
    }
    if let Some(share) = properties.get("insertproportion") {
        let reads = 1.0 - share.parse::<f64>().expect("a share");
        properties.set("readproportion", &reads.to_string());
    }
    Setup::new(&properties).expect("a set-up")
}

fn count(mut keys: Keys, readable: u64, draws: u64, seed: u64) -> Counts {
    let mut stream = Stream::new(seed, &[]);
    let mut counts = Counts::new();
    for _ in 0..draws {
        *counts.entry(keys.next(&mut stream, readable)).or_default() += 1;
    }
    counts
}

fn space(records: u64) -> KeySpace {
    KeySpace { requests: 0..records, records, expected: 0 }
}

const DRAWS: u64 = 2_000_000;

/// Whether `count` of [`DRAWS`] is what `expected` of ten million are, to six standard deviations
/// of both.
fn like(count: u64, expected: u64) -> bool {
    let (count, expected) = (count as f64, expected as f64 * DRAWS as f64 / 1e7);
    (count - expected).abs() < 6.0 * (1.2 * expected).sqrt()
}

/// The hottest keys and their counts among ten million draws of `CoreWorkload.nextKeynum` of
/// core-0.17.0.jar.
#[test]
fn frequencies_are_those_that_the_jar_printed() {
    let hottest: [(&str, &[(u64, u64)]); 3] = [
        (
            "requestdistribution=zipfian;recordcount=1000;operationcount=1000",
            &[
                (144, 385_109),
                (610, 199_072),
                (213, 160_366),
                (679, 116_714),
                (10, 93_335),
                (545, 77_632),
                (942, 66_040),
                (476, 58_382),
            ],
        ),
        (
            "requestdistribution=zipfian;recordcount=1000;operationcount=10000;insertproportion=0.05",
            &[
                (940, 380_010),
                (799, 308_303),
                (179, 220_842),
                (143, 143_059),
                (284, 121_460),
                (904, 106_744),
            ],
        ),
        (
            "requestdistribution=latest;recordcount=1000",
            &[
                (999, 1_293_240),
                (998, 651_391),
                (997, 511_133),
                (996, 363_841),
                (995, 282_179),
                (994, 230_794),
                (993, 196_879),
                (992, 169_992),
            ],
        ),
    ];
    for (case, expected) in hottest {
        let counts = draw(case, DRAWS, 1);
        for &(key, expected) in expected {
            assert!(like(counts[&key], expected), "{case}: {key} {} {expected}", counts[&key]);
        }
        let mut order: Vec<_> = counts.into_iter().collect();
        order.sort_unstable_by_key(|&(_, count)| std::cmp::Reverse(count));
        let keys = |list: &[(u64, u64)]| list.iter().map(|&(key, _)| key).collect::<Vec<_>>();
        assert_eq!(keys(&order[..expected.len()]), keys(expected), "{case}");
    }
}

/// As above, by hundreds of 1,000 keys.
#[test]
fn frequencies_by_hundreds_are_those_that_the_jar_printed() {
    let hundreds = [
        (
            "requestdistribution=hotspot;recordcount=1000",
            [
                4_001_405, 4_000_108, 249_138, 249_918, 250_063, 249_567, 249_616, 250_112,
                249_968, 250_105,
            ],
        ),
        (
            "requestdistribution=exponential;recordcount=1000",
            [
                131_290, 185_110, 262_953, 374_453, 529_438, 752_594, 1_065_607, 1_511_339,
                2_143_084, 3_044_132,
            ],
        ),
    ];
    for (case, expected) in hundreds {
        let mut seen = [0; 10];
        for (key, count) in draw(case, DRAWS, 2) {
            seen[(key / 100) as usize] += count;
        }
        for (seen, expected) in seen.into_iter().zip(expected) {
            assert!(like(seen, expected), "{case}: {seen} {expected}");
        }
    }
}

/// Spec §1: the hottest key takes 3.78 % whatever the record count, "a true zipfian takes 12.9 % at
/// 1,000 keys, 6.5 % at one million".
#[test]
fn zipfian_exact_draws_over_the_records_there_are() {
    let hottest = |distribution, records: u64| {
        let counts = count(Keys::new(distribution, &space(records)), records, DRAWS, 3);
        assert!(counts.keys().all(|&key| key < records));
        counts.values().max().copied().unwrap() as f64 / DRAWS as f64
    };
    for (records, share) in [(1000, 0.129), (1_000_000, 0.065)] {
        let seen = hottest(Distribution::ZipfianExact, records);
        assert!((seen - share).abs() < 0.001, "{records}: {seen}");
    }
    let seen = hottest(Distribution::Zipfian, 1_000_000);
    assert!((seen - 0.0378).abs() < 0.001, "{seen}");

    // Every rank has a record of its own: counts in order are those of the ranks.
    let counts = count(Keys::new(Distribution::ZipfianExact, &space(20)), 20, DRAWS, 4);
    assert_eq!(counts.len(), 20);
    let mut order: Vec<u64> = counts.into_values().collect();
    order.sort_unstable_by(|a, b| b.cmp(a));
    let zeta: f64 = (1..=20).map(|rank| f64::from(rank).powf(-0.99)).sum();
    for (rank, share) in [(0, 1.0 / zeta), (1, 0.5f64.powf(0.99) / zeta)] {
        assert!((order[rank] as f64 / DRAWS as f64 - share).abs() < 0.002, "{rank}");
    }
}

/// Draws by age, of ten million with so many inserts in between, as core-0.17.0.jar printed them:
/// its generator keeps the first record count in eta, so that in a table that grows to four times
/// its size the records of age 2 to 7 are drawn ever more rarely.
#[test]
fn latest_is_that_of_the_jar_while_the_table_grows_and_latest_exact_is_a_zipfian() {
    let expected = [
        (0, 1_158_681),
        (1, 584_345),
        (2, 39_594),
        (3, 89_586),
        (4, 118_816),
        (5, 135_650),
        (6, 148_392),
        (7, 158_878),
        (8, 152_644),
        (9, 136_734),
        (10, 123_611),
        (14, 90_103),
    ];
    let latest =
        "requestdistribution=latest;recordcount=1000;insertproportion=0.05;inserts=3000;by=age";
    let (ours, exact) =
        (draw(latest, DRAWS, 13), draw(&latest.replace("latest;", "latest-exact;"), DRAWS, 13));
    for (age, expected) in expected {
        assert!(like(ours[&age], expected), "age {age}: {} {expected}", ours[&age]);
    }
    // Of a true zipfian over n items the rank r has 1 / (r + 1)^0.99 of the share of rank 0; Gray's
    // method has it exactly for two ranks and closely for the others.
    for age in [1, 2, 5, 10, 100] {
        let (share, law) = (exact[&age] as f64 / exact[&0] as f64, (age as f64 + 1.0).powf(-0.99));
        assert!((0.8..1.25).contains(&(share / law)), "age {age}: {share} {law}");
    }
    assert!(crate::statistics::deviations(&ours, &exact) > 50.0);
}

/// Spec §1, "Zeta for a growing N is extended": a table that grew is drawn from as one that always
/// was that large, and popular records stay popular.
#[test]
fn a_growing_table() {
    let grown = |distribution, from: u64, to: u64| {
        let mut keys = Keys::new(distribution, &space(from));
        let mut stream = Stream::new(5, &[]);
        for readable in from..to {
            assert!(keys.next(&mut stream, readable) < readable);
        }
        count(keys, to, DRAWS, 6)
    };
    let (seen, fresh) = (
        grown(Distribution::LatestExact, 1000, 3000),
        count(Keys::new(Distribution::LatestExact, &space(3000)), 3000, DRAWS, 7),
    );
    assert!(crate::statistics::deviations(&seen, &fresh) < 5.5);

    let hottest = |counts: &Counts| *counts.iter().max_by_key(|(_, count)| **count).unwrap().0;
    let before = count(Keys::new(Distribution::ZipfianExact, &space(1000)), 1000, DRAWS, 8);
    let after = grown(Distribution::ZipfianExact, 1000, 3000);
    assert_eq!(hottest(&before), hottest(&after));
    assert!(after.keys().any(|&key| key >= 2900), "new records are drawn, too");
    let share = after[&hottest(&after)] as f64 / DRAWS as f64;
    let zeta: f64 = (1..=3000).map(|rank| f64::from(rank).powf(-0.99)).sum();
    assert!((share * zeta - 1.0).abs() < 0.02, "{share}");
}

#[test]
fn sequential_takes_turns_among_all_clients() {
    let keys = Keys::new(Distribution::Sequential, &KeySpace { requests: 5..8, ..space(10) });
    let (mut one, mut two) = (keys.clone(), keys);
    let mut stream = Stream::new(9, &[]);
    let mut next = |keys: &mut Keys| keys.next(&mut stream, 10);
    let seen = [next(&mut one), next(&mut two), next(&mut two), next(&mut one), next(&mut two)];
    assert_eq!(seen, [5, 6, 7, 5, 6]);
}

/// Tables of one and two records, hot sets of none and of all, requests for a part: every draw is a
/// record that is there.
#[test]
fn small_tables_and_extreme_parameters() {
    let hotspot = |data, operations| Distribution::Hotspot { data, operations };
    let exponential = |percentile, fraction| Distribution::Exponential { percentile, fraction };
    let all = [
        Distribution::Uniform,
        Distribution::Zipfian,
        Distribution::ZipfianExact,
        Distribution::Latest,
        Distribution::LatestExact,
        Distribution::Sequential,
        hotspot(0.0, 0.8),
        hotspot(1.0, 0.2),
        hotspot(0.2, 0.0),
        hotspot(0.5, 1.0),
        exponential(95.0, 0.857),
        exponential(0.001, 1e9),
        exponential(99.999, 1e-9),
    ];
    for distribution in all {
        for records in [1, 2, 3, 50] {
            for expected in [0, 100] {
                let space = KeySpace { expected, ..space(records) };
                let counts = count(Keys::new(distribution, &space), records, 2000, 10);
                assert!(counts.keys().all(|&k| k < records), "{distribution:?} {counts:?}");
            }
        }
        let part = KeySpace { requests: 20..30, records: 50, expected: 0 };
        let counts = count(Keys::new(distribution, &part), 50, 2000, 11);
        let by_age = matches!(
            distribution,
            Distribution::Latest | Distribution::LatestExact | Distribution::Exponential { .. }
        );
        // The scrambled zipfian's range ends one record later, as YCSB's.
        let end = if distribution == Distribution::Zipfian { 31 } else { 30 };
        assert!(by_age || counts.keys().all(|k| (20..end).contains(k)), "{distribution:?}");
    }
}
