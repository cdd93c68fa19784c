//! Flags from a file, and secrets among them.

use serde_json::json;

use super::*;
use crate::args::{Command, Gen, Made, Named, OrFile};

fn parse_with(toml: &str, words: &[&str]) -> Result<Cli, ParseError> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("hoap.toml");
    std::fs::write(&file, toml).unwrap();
    let mut argv: Vec<OsString> = vec!["hoap".into(), "--config".into(), file.into()];
    argv.extend(words.iter().map(OsString::from));
    parse(argv)
}

#[test]
fn a_file_gives_flags_and_the_command_line_wins() {
    let toml = "warehouses = 7\nseed = 3\n[load]\ntarget = \"sqlite:x.db\"\nresume = true\n\
                run-date = 2022-05-01\n[load.ch2pp]\n\
                scale-down = 20\n[load.ch2]\nno-such = 1\n[run]\ntx-clients = [1, 2]\n";
    let cli = parse_with(toml, &["load", "ch2pp", "-w", "2"]).unwrap();
    let Command::Load { benchmark: Named(load), .. } = cli.command else { panic!("{cli:?}") };
    let data = load.source().unwrap().parameters();
    assert_eq!((&data["warehouses"], &data["seed"]), (&json!(2), &json!(3)));
    assert_eq!(load.loading().target, "sqlite:x.db");
    assert_eq!(data["run_date"], "2022-05-01");
    assert!(load.loading().resume);
    assert_eq!(data["scale_down"], 20);
}

fn usage(end: Result<Cli, ParseError>) -> String {
    match end {
        Err(ParseError::Usage(failure)) => format!("{failure:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_password_is_refused_among_the_words_and_taken_from_the_file() {
    let url = "postgres://u:hunter2@h/d";
    let words = ["load", "ch2pp", "--target"].map(OsString::from);
    for typed in [vec![url.to_owned()], vec![format!("--target={url}")]] {
        let hoap = std::iter::once("hoap".into()).chain(words.clone());
        let argv = hoap.chain(typed.into_iter().map(OsString::from)).collect();
        let why = usage(parse(argv));
        assert!(why.contains("code: 2") && why.contains("u:***@h"), "{why}");
        assert!(why.contains("--config") && !why.contains("hunter2"), "{why}");
    }
    let cli = parse_with(&format!("target = \"{url}\""), &["load", "ch2pp"]).unwrap();
    let Command::Load { benchmark: Named(load), .. } = cli.command else { panic!("{cli:?}") };
    assert_eq!(load.loading().target, url);
    // What the parser says of the file's words hides them too.
    let end = parse_with(&format!("warehouses = \"{url}\""), &["load", "ch2pp", "--target", "x:"]);
    assert!(!usage(end).contains("hunter2"));
}

/// The parser splits lists at commas and repeats a value with its quotes and spaces.
#[test]
fn an_error_repeats_no_part_of_a_password() {
    for c in (' '..='~').chain(['é', '語']).filter(|c| !['"', '\\'].contains(c)) {
        // Longer than what the name of a temporary folder has by chance.
        let url = format!("postgres://u:Zq7Xw9Gb{c}Kw4Ym2Pt@h/d");
        let wrong = [
            format!("warehouses = \"{url}\"\ntarget = \"x:\""),
            format!("target = \"{url}\"\nseed = \"many\""),
            format!("target = \"{url}\"\n[load]\nresume = \"{url}\""),
            format!("target = [\"{url}\", \"x:\"]\nseed = [1, 2]"),
            format!("seed = 1\ntarget = \"{url}"),
        ];
        for toml in &wrong {
            let why = usage(parse_with(toml, &["load", "ch2pp"]));
            assert!(!why.contains("Zq7Xw9Gb") && !why.contains("Kw4Ym2Pt"), "{toml}: {why}");
        }
    }
}

#[test]
fn flags_that_benchmarks_share_come_from_the_file_too() {
    let toml = "[gen]\nthreads = 3\nsplit = \"5MB\"\n[gen.shop]\ncustomers = 2000\n[gen.ch2]\n\
                warehouses = 5\n";
    let cli = parse_with(toml, &["gen", "shop", "-o", "d"]).unwrap();
    let Command::Gen(Gen { benchmark: Some(Named(made)), threads, .. }) = cli.command else {
        panic!("another command")
    };
    let Made { data, output, .. } = made;
    assert_eq!(data.source().unwrap().parameters()["customers"], 2000);
    assert_eq!(threads.map(|n| n.get()), Some(3));
    assert_eq!(output.split.map(|size| size.0), Some(5_000_000));
    let end = parse_with("[gen.ycsb]\ncustomers = 1", &["gen", "ycsb", "-o", "d"]);
    assert!(matches!(end, Err(ParseError::Usage(_))));
}

#[test]
fn a_list_is_given_as_the_flag_takes_several_values() {
    let toml = "property = [\"recordcount=7\", \"fieldcount=2\"]\ntarget = \"sqlite:x\"";
    let pairs = pairs_of(parse_with(toml, &["load", "ycsb"]).unwrap());
    assert_eq!(pairs, ["recordcount=7", "fieldcount=2"]);
    let toml = "queries = [1, \"5-7\"]\nanalytical = \"sqlite:x\"";
    let Command::Query(OrFile::Named(query)) = parse_with(toml, &["query", "ch2"]).unwrap().command
    else {
        panic!("another command")
    };
    assert_eq!(query.queries.0, [1, 5, 6, 7]);
}

/// The pairs that a command gets from a file and words, in the order in which they are set.
fn pairs(toml: &str, words: &str) -> Result<Vec<String>, ParseError> {
    let words: Vec<&str> =
        "load ycsb --target sqlite:x".split(' ').chain(words.split_whitespace()).collect();
    Ok(pairs_of(parse_with(toml, &words)?))
}

/// Those of a load, which shows its flags.
fn pairs_of(cli: Cli) -> Vec<String> {
    let flags = format!("{:?}", cli.command);
    let from = flags.find("pairs: ").expect("flags of YCSB") + "pairs: ".len();
    let list = &flags[from..from + flags[from..].find(']').unwrap() + 1];
    serde_json::from_str(list).unwrap()
}

#[test]
fn a_table_of_properties_is_what_p_takes() {
    let toml = "[properties]\nrecordcount = 7\nreadproportion = 0.95\nreadallfields = true\n\
                requestdistribution = \"latest\"\na.b = 1\n\"c.d\" = 2";
    let all = [
        "a.b=1",
        "c.d=2",
        "readallfields=true",
        "readproportion=0.95",
        "recordcount=7",
        "requestdistribution=latest",
    ];
    let mut made = pairs(toml, "").unwrap();
    made.sort();
    assert_eq!(made, all);
    // The command's own comes last and wins; of another command it is for another time.
    let toml = "[load.ycsb.properties]\nfieldcount = 3\n[properties]\nfieldcount = 2\n\
                [run.ycsb-a.properties]\nfieldcount = 4";
    assert_eq!(pairs(toml, "").unwrap(), ["fieldcount=2", "fieldcount=3"]);
}

#[test]
fn a_typed_property_wins_over_its_namesake_in_the_table() {
    let toml = "[properties]\nfieldcount = 2\nrecordcount = 7";
    for typed in [
        "-p fieldcount=9",
        "-pfieldcount=9",
        "--property fieldcount=9",
        "--property=fieldcount=9",
        "-p=fieldcount=9",
    ] {
        assert_eq!(pairs(toml, typed).unwrap(), ["fieldcount=9", "recordcount=7"], "{typed}");
    }
    assert!(pairs(toml, "-P some.properties").unwrap().is_empty());
}

#[test]
fn what_is_no_property_is_refused_in_the_table() {
    for (toml, says) in [
        ("[properties]\n\"a=b\" = 1", "no name"),
        ("[properties]\n\"\" = 1", "no name"),
        ("[properties]\nrecordcount = [1]", "properties.recordcount"),
    ] {
        let why = match pairs(toml, "") {
            Err(ParseError::Usage(failure)) => failure.message().to_owned(),
            other => panic!("{toml}: {other:?}"),
        };
        assert!(why.contains(says), "{toml}: {why}");
    }
    // Other benchmarks have no properties.
    let end = parse_with("[properties]\na = 1", &["load", "ch2pp", "--target", "sqlite:x"]);
    assert!(usage(end).contains("unknown key"));
}

#[test]
fn unknown_keys_bad_values_and_missing_files_are_errors() {
    for toml in ["warehuoses = 7", "[load]\nclients = 3", "seed = { a = 1 }", "seed ="] {
        let end = parse_with(toml, &["load", "ch2pp", "--target", "sqlite:x"]);
        assert!(matches!(end, Err(ParseError::Usage(_))), "{toml}");
    }
    let end = parse_with("seed = \"many\"", &["load", "ch2pp", "--target", "sqlite:x"]);
    assert!(matches!(end, Err(ParseError::Usage(_))));
    let why = usage(parse_with("seed = 1\n\nfo\r = 2", &["load", "ch2pp", "--target", "sqlite:x"]));
    assert!(why.contains("line 3: ") && !why.contains("\\r"), "{why}");
    let argv = ["hoap", "targets", "--config", "no/such/file"].map(OsString::from);
    assert!(matches!(parse(argv.into()), Err(ParseError::Usage(_))));
}

#[test]
fn labels_that_are_typed_stand_beside_those_of_the_file() {
    let toml = "[run.label]\ntestbed = \"lab\"\ncommit = \"old\"\nrelease.major = 3\n";
    let list = "[run]\nlabel = [\"testbed=lab\", \"commit=old\", \"release.major=3\"]\n";
    let run = ["run", "ycsb-c", "--target", "null:"];
    for (toml, typed) in [
        (toml, &["--label", "commit=new"][..]),
        (toml, &["--label=commit=new"]),
        (list, &["--label", "commit=new"]),
    ] {
        let words = [&run[..], typed].concat();
        let Ok(Cli { command: Command::Run { mut benchmark, .. }, .. }) = parse_with(toml, &words)
        else {
            panic!("{toml}")
        };
        let label = &benchmark.0.common().labels.label;
        let pairs: Vec<_> = label.iter().map(|l| format!("{}={}", l.key, l.value)).collect();
        for wanted in ["commit=new", "testbed=lab", "release.major=3"] {
            assert!(pairs.iter().any(|pair| pair == wanted), "{typed:?}: {pairs:?}");
        }
        assert_eq!(pairs.len(), 3, "{pairs:?}");
    }
    let wrong = parse_with("[run.label]\ncommit = [1]\n", &run);
    assert!(usage(wrong).contains("label.commit"));
    let none = parse_with("[run.clients]\none = 1\n", &run);
    assert!(usage(none).contains("must be text, a number"));
}
