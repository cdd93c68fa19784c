//! `hoap doctor`: what it proves on sound databases, and what it says of broken ones. A sound one
//! is empty again afterwards; one that was not empty is left as it was.

#[cfg(feature = "mongodb")]
mod on_documentdb;
#[cfg(feature = "mongodb")]
mod on_mongo_wire;
#[cfg(feature = "postgres")]
mod on_pgbouncer;
#[cfg(feature = "postgres")]
mod on_postgres;
#[cfg(feature = "redis")]
mod on_redis;
mod scripted;
mod sqlite;

use std::process::{Command, Stdio};

use hoap_testing::urls::{own, server};
use serde_json::Value;

use super::End;

/// The program, with words and variables.
fn hoap(words: &[&str], variables: &[(&str, &str)]) -> End {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hoap"));
    let command = command.arg("doctor").args(words).envs(variables.iter().copied());
    let end = End::of(command.stdin(Stdio::null()).output().unwrap());
    assert!(!end.err.contains("panicked"), "{end:#?}");
    assert!(!format!("{end:?}").contains("secret"), "{end:#?}");
    end
}

/// Examines a sound database: each of these steps passes, and these are skipped.
fn sound(words: &[&str], variables: &[(&str, &str)], passed: &[&str], skipped: &[&str]) -> Value {
    let end = hoap(&[words, &["--json"]].concat(), variables);
    assert_eq!(end.code, 0, "{end:#?}");
    let found = end.value();
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

/// The URL of a place that no other test has, without its password.
#[allow(dead_code)]
fn place(variable: &str) -> String {
    own(&server(variable)).replacen(":hoap-secret@", "@", 1)
}

/// A server on which what it has is proved, and what it has not is said.
#[allow(unused_macros)]
macro_rules! proved {
    ($module:ident, $server:literal, [$($flag:literal)?], $variables:expr, $passed:expr, $skipped:expr) => {
        mod $module {
            #[test]
            fn what_it_has_is_proved_and_what_it_has_not_is_said() {
                let url = super::place($server);
                super::sound(&[$($flag,)? &url], $variables, $passed, $skipped);
            }
        }
    };
}

#[cfg(feature = "asterixdb")]
proved!(
    on_asterixdb,
    "HOAP_TEST_ASTERIXDB",
    ["--analytical"],
    &[],
    &["loads", "documents", "queries, tuned texts", "queries, naive texts"],
    &["transactions"]
);
#[cfg(feature = "cassandra")]
proved!(
    on_cassandra,
    "HOAP_TEST_CASSANDRA",
    [],
    &[],
    &["loads", "documents", "records", "removes"],
    &["queries", "transactions"]
);
#[cfg(feature = "dynamodb")]
proved!(
    on_dynamodb,
    "HOAP_TEST_DYNAMODB",
    [],
    &[("AWS_ACCESS_KEY_ID", "x"), ("AWS_SECRET_ACCESS_KEY", "x")],
    &["loads", "documents", "transactions", "forced conflict", "clients", "records"],
    &["queries"]
);

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
