//! Classes of wrong input, a few of each: refused at once, in one line that says what to do, before
//! anything is opened or written.

use std::time::{Duration, Instant};

use super::Place;

/// A database that is not there: whoever opens it ends with 3, not with 2.
const YCSB: &str = "run ycsb-a --target sqlite:none.db --out out";
const HYBRID: &str = "run ch2pp --operational sqlite:none.db --out out";
const LOAD: &str = "load ch2pp --target sqlite:none.db";

/// The class, what is typed behind which command, and what the answer says.
const WRONG: &[(&str, &str, &[&str], &str)] = &[
    ("no such word", "", &["rn", "run ycsb-z", "experiment go"], "hoap"),
    ("no such flag", YCSB, &["--client 4", "--Clients 4", "-q 1"], "hoap run ycsb-a --help"),
    (
        "a time",
        YCSB,
        &[
            "--duration 60",
            "--duration 1d",
            "--duration .5s",
            "--duration=-5s",
            "--duration 5S",
            "--warmup inf",
            "--tick 1",
            "--recovery-limit soon",
        ],
        "a time is a number with a unit",
    ),
    ("a warm-up", YCSB, &["--warmup automatic", "--warmup auto=5m", "--warmup auto5m"], "auto:10m"),
    ("a warm-up's limit", YCSB, &["--warmup auto:", "--warmup auto:5"], "a time is a number"),
    (
        "an open loop to a level",
        YCSB,
        &[
            "--warmup auto --rate 5",
            "--warmup auto --max-rate --sla p99=1s",
            "--warmup auto -p target=9",
        ],
        "in an open loop the rate decides the throughput",
    ),
    (
        "several drivers to a level",
        YCSB,
        &["--warmup auto --part 1/2 --start-at 2100-01-01T00:00:00Z"],
        "each of several drivers",
    ),
    (
        "reads of what nobody keeps",
        "run ycsb-a --target null: --out out",
        &["--check-reads", "-p dataintegrity=true"],
        "null: keeps no record",
    ),
    ("a quote", YCSB, &["--load='-p", "--load=-p\"x"], "a quote in it has no end"),
    ("no time", YCSB, &["--duration 0s", "--duration 0ms"], "give --duration more"),
    ("no time", HYBRID, &["--duration 0s", "--duration 0h"], "give --duration more"),
    ("a short tick", YCSB, &["--tick 0s", "--tick 9ms"], "give --tick more"),
    ("no time", HYBRID, &["--freshness-every 0s"], "--freshness-every"),
    (
        "a rate",
        YCSB,
        &["--rate 0", "--rate=-5", "--rate 1e308", "--rate inf", "--rate NaN", "--rate 5/s"],
        "a rate is a number above 0",
    ),
    (
        "a property of a binding",
        YCSB,
        &["-p mongodb.url=mongodb://h/d", "-p redis.password=p", "-p hosts=a,b"],
        "YCSB's binding of",
    ),
    ("a zipfian", YCSB, &["-p zipfianconstant=1", "-p zipfianconstant=-1"], "use 0.001 to 0.999"),
    ("a rate of a property", YCSB, &["-p target=-5"], "target"),
    (
        "a count",
        YCSB,
        &["--clients=-1", "--clients 1.5", "--clients 1e3", "--clients four", "--operations 5K"],
        "a count is a whole number",
    ),
    ("a count", HYBRID, &["--tx-clients 4;8", "--query-clients ,"], "a count is a whole number"),
    ("a count", LOAD, &["-w 1.5", "-w 1W", "-w=-1"], "a count is a whole number"),
    ("more than there can be", LOAD, &["-w 5000M"], "more than there can be"),
    ("no client", YCSB, &["--clients 0", "--clients 1,0"], "needs a client"),
    ("no client", HYBRID, &["--tx-clients 0 --query-clients 0"], "no client"),
    ("no operation", YCSB, &["--operations 0"], "give --operations more"),
    (
        "more clients than memory",
        YCSB,
        &["--clients 4294967296", "--clients 18446744073709551615", "--clients 1,900000M"],
        "use fewer clients",
    ),
    ("more clients than memory", HYBRID, &["--tx-clients 4294967296"], "use fewer clients"),
    ("arrivals without a rate", YCSB, &["--arrivals poisson"], "give --rate or --max-rate"),
    ("arrivals without a rate", HYBRID, &["--arrivals constant"], "give --rate or --max-rate"),
    (
        "a bound",
        YCSB,
        &["--max-rate --sla p98=1s", "--max-rate --sla p99", "--max-rate --sla p99=0.1"],
        "hoap run ycsb-a --help",
    ),
    ("a flag without its companion", YCSB, &["--max-rate", "--part 1/2"], "--help"),
    (
        "flags that exclude each other",
        YCSB,
        &[
            "--rate 5 --max-rate --sla p99=1s",
            "--duration 5s --operations 5",
            "--repeat 2 --start-at 2099-01-01T00:00:00Z",
        ],
        "cannot be used with",
    ),
    (
        "what cannot be repeated",
        "run ycsb-d --target sqlite:none.db --out out",
        &["--repeat 2", "--repeat 99 --clients 4"],
        "load and run in turn",
    ),
    ("out of range", YCSB, &["--repeat 0", "--repeat 100"], "1..=99"),
    ("a start that has passed", YCSB, &["--start-at 2020-01-01T00:00:00Z"], "it has passed"),
    (
        "a share",
        YCSB,
        &["--warn-failures 1", "--warn-failures 101%", "--max-failures 1", "--max-failures on"],
        "a share is a number",
    ),
    ("a rule", YCSB, &["--on-error halt", "--on-error slow=stop"], "hoap run ycsb-a --help"),
    (
        "a property",
        YCSB,
        &["-p recordcount", "-p recordcount=many", "-p no.such=1", "-p readproportion=0.9"],
        "",
    ),
    ("a missing file of properties", YCSB, &["-P none.properties"], "none.properties"),
    (
        "an option of a URL",
        "load ch2pp --target",
        &[
            "sqlite:t.db?synchronous=off&synchronous=full",
            "sqlite:t.db?busy_timeout_ms=1&busy_timeout_ms=1",
        ],
        "given twice",
    ),
    (
        "an option of a URL",
        "load ch2pp --target",
        &["sqlite:t.db?speed=max", "sqlite:t.db?synchronous", "sqlite:t.db?synchronous=maybe"],
        "synchronous",
    ),
    #[cfg(feature = "redis")]
    (
        "what the database does not offer",
        "run ch2pp --out out --operational",
        &[
            "redis://127.0.0.1:1",
            "redis://127.0.0.1:1 --dry-run",
            "rediss://127.0.0.1:1 --tx-clients 4",
        ],
        "document transactions on redis|document transactions on rediss",
    ),
    #[cfg(feature = "redis")]
    (
        "what the database does not offer",
        "query ch2pp --analytical",
        &["redis://127.0.0.1:1", "null:"],
        "not applicable, because it",
    ),
    #[cfg(feature = "redis")]
    (
        "what the second database does not offer",
        HYBRID,
        &["--query-clients 1 --analytical redis://127.0.0.1:1"],
        "analytical queries on redis",
    ),
    #[cfg(feature = "asterixdb")]
    (
        "what the database does not offer",
        "run ycsb-a --out out --target",
        &["asterixdb://127.0.0.1:1/x", "asterixdb://127.0.0.1:1/x --dry-run"],
        "records by key on asterixdb",
    ),
    #[cfg(feature = "cassandra")]
    (
        "what the database does not offer",
        "run pagination --out out --target",
        &["cassandra://127.0.0.1:1/x"],
        "CQL has no OFFSET",
    ),
    (
        "no database",
        "run ycsb-a --dry-run --target",
        &["oracle:x", "bench.db"],
        "known ones|SCHEME",
    ),
    ("no database", "load ycsb --dry-run --target", &["oracle:x", "bench.db"], "known ones|SCHEME"),
    #[cfg(not(feature = "duckdb"))]
    (
        "a database that is not built in",
        "run pagination --dry-run --target",
        &["duckdb:x.db"],
        "DuckDB is not part of this build",
    ),
    ("no time", YCSB, &["--max-rate --sla p99=1s --probe-limit 0s"], "give --probe-limit more"),
    (
        "a rate beside a search",
        YCSB,
        &["--max-rate --sla p99=1s -p target=50"],
        "--max-rate finds the rate",
    ),
    ("no URL", "load ch2pp --target", &["bench.db", "oracle:x", "://"], "known ones|SCHEME|such"),
    ("an address", YCSB, &["--metrics localhost", "--metrics 127.0.0.1:99999"], "--metrics"),
    ("an export", YCSB, &["--export ycsb", "--export pdf=x", "--export json=no/such/x"], "export"),
    (
        "a part",
        LOAD,
        &["--part 0/2", "--part 3/2", "--part 1", "--part a/b"],
        "hoap load ch2pp --help",
    ),
    ("data that cannot be", LOAD, &["-w 0", "--scale-down 3", "--extra-fields 129"], ""),
    ("a date", LOAD, &["--run-date 2021-02-30", "--run-date soon"], "hoap load ch2pp --help"),
    (
        "a list of queries",
        "query ch2pp --analytical sqlite:none.db",
        &["--queries 0", "--queries 7-5"],
        "1,5-7",
    ),
    ("a size", "gen ch2pp -o out", &["--split 0", "--split 5mb", "--split 1.5GB"], "a size is"),
];

#[test]
fn wrong_input_is_refused_before_anything_is_opened_or_written() {
    let p = Place::new();
    let mut tried = 0;
    for (class, command, typed, says) in WRONG {
        for words in *typed {
            let begun = Instant::now();
            let end = p.fails(&format!("{command} {words}"), 2, &[]);
            let error = end.err.lines().find(|line| line.starts_with("hoap: ")).unwrap();
            let said = says.split('|').any(|says| error.contains(says));
            assert!(said, "{class}: {command} {words}: no {says:?} in {error:?}");
            assert!(begun.elapsed() < Duration::from_secs(30), "{class}: {words} took long");
            tried += 1;
        }
    }
    assert!(tried > 90, "{tried}");
    assert_eq!(std::fs::read_dir(p.0.path()).unwrap().count(), 0, "something was written");
}

/// As people write them.
#[test]
fn times_and_counts_are_read_as_people_write_them() {
    let p = Place::new();
    p.ok("run ycsb-c --target null:?latency_us=1000 --duration 0.2s --warmup 0m0.1s --rate 0.1k \
          --clients 0.002k --out run");
    let run = p.json("run/run.json");
    assert_eq!(run["configuration"]["duration"], "200ms");
    assert_eq!(
        (&run["steps"][0]["rate_intended"], &run["steps"][0]["clients"]),
        (&100.0.into(), &2.into())
    );
}

/// Transactions where there are none are refused with the reason before anything is opened: at this
/// address nobody answers.
#[cfg(feature = "cassandra")]
#[test]
fn transactions_where_there_are_none_are_refused_before_connecting() {
    let p = Place::new();
    let run = "run ch2 --operational cassandra://127.0.0.1:1/x --tx-clients 1 --query-clients 0";
    let because = ["transactions on cassandra:…: not applicable, because", "one partition"];
    p.fails(run, 2, &because);
    p.fails(&format!("{run} --allow-non-transactional"), 2, &["--allow-non-transactional"]);
}

/// What `hoap targets` lists for a database and what is refused for it are one.
#[test]
fn what_a_database_does_not_offer_is_refused_with_the_reason_and_the_rest_is_not() {
    for scheme in hoap_databases::known().filter(|scheme| scheme.built_in()) {
        let name = scheme.names[0];
        for what in hoap_database::What::ALL {
            let refused = hoap_databases::offers(&format!("{name}:x"), &[what]);
            let offered = scheme.capabilities().any(|offered| offered == what);
            assert_eq!(refused.is_ok(), offered, "{what} on {name}");
            if let Err(e) = refused {
                assert!(e.to_string().contains("not applicable, because "), "{e}");
            }
        }
    }
}
