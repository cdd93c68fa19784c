//! `hoap doctor`: what it proves on sound databases, and what it says of broken ones. A sound one
//! is empty again afterwards; one that was not empty is left as it was.

#[cfg(feature = "asterixdb")]
mod on_asterixdb;
#[cfg(feature = "cassandra")]
mod on_cassandra;
#[cfg(feature = "mongodb")]
mod on_documentdb;
#[cfg(feature = "dynamodb")]
mod on_dynamodb;
#[cfg(feature = "mongodb")]
mod on_mongo_wire;
#[cfg(feature = "postgres")]
mod on_postgres;
#[cfg(feature = "redis")]
mod on_redis;
mod scripted;
mod sqlite;

use std::process::{Command, Stdio};

use serde_json::Value;

/// How an examination ended.
#[derive(Debug)]
struct End {
    code: i32,
    out: String,
    err: String,
}

/// The program, with words and variables.
fn hoap(words: &[&str], variables: &[(&str, &str)]) -> End {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hoap"));
    let command = command.arg("doctor").args(words).envs(variables.iter().copied());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let end = End {
        code: output.status.code().unwrap_or(-1),
        out: text(output.stdout),
        err: text(output.stderr),
    };
    assert!(!end.err.contains("panicked"), "{end:#?}");
    assert!(!format!("{end:?}").contains("secret"), "{end:#?}");
    end
}

/// Examines a sound database: each of these steps passes, and these are skipped.
fn sound(words: &[&str], variables: &[(&str, &str)], passed: &[&str], skipped: &[&str]) -> Value {
    let end = hoap(&[words, &["--json"]].concat(), variables);
    assert_eq!(end.code, 0, "{end:#?}");
    let found: Value = serde_json::from_str(&end.out).unwrap();
    let checks = found["checks"].as_array().unwrap();
    for (names, verdict) in [(passed, "pass"), (skipped, "skip")] {
        for name in names {
            let check = checks.iter().find(|c| c["name"] == *name);
            let check = check.unwrap_or_else(|| panic!("no step {name}: {checks:#?}"));
            assert_eq!(check["verdict"], verdict, "{check:#}");
        }
    }
    assert!(checks.iter().all(|c| c["verdict"] != "fail"), "{checks:#?}");
    // It is as empty as before: a second examination finds nothing in its way.
    assert_eq!(checks.iter().filter(|c| c["name"] == "removes").count(), 1);
    found
}

/// Examines a broken database: this step fails, for a reason with these words.
fn broken(words: &[&str], variables: &[(&str, &str)], step: &str, says: &[&str]) {
    let end = hoap(words, variables);
    assert_eq!(end.code, 1, "{end:#?}");
    let lines: Vec<&str> = end.err.lines().filter(|l| l.starts_with("hoap: ")).collect();
    let [line] = lines[..] else { panic!("not one line of error: {end:#?}") };
    assert!(line.contains(&format!("first {step}: ")), "{line}");
    for words in says {
        assert!(line.contains(words), "no {words:?}: {line}");
    }
    assert!(end.out.contains("FAIL") && end.out.contains("hoap doctor "), "{end:#?}");
}

/// The URL with another name of the database, and without its password.
#[allow(dead_code)]
fn place(variable: &str, name: &str) -> String {
    let server = hoap_testing::urls::server(variable).replacen(":hoap-secret@", "@", 1);
    let (base, query) = server.split_once('?').unwrap_or((&server, ""));
    let host = base.rsplit_once('/').map_or(base, |(host, _)| host);
    let name = format!("doctor_{name}_{}", std::process::id());
    format!("{host}/{name}?{query}").trim_end_matches('?').to_owned()
}

/// Steps of a database with both sides.
const BOTH_SIDES: [&str; 11] = [
    "connects",
    "empty place",
    "loads",
    "documents",
    "queries, tuned texts",
    "queries, naive texts",
    "transactions",
    "forced conflict",
    "clients",
    "removes",
    "records",
];
