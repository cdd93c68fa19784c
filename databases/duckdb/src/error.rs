//! What DuckDB's errors mean for the caller. They have a class, which their message begins with,
//! and no code.

use hoap_database::failure::{Failure, LOAD_FIRST};
use hoap_record::ErrorKind;

/// Advice for a file of another program.
const OTHER: &str =
    "end the other program; several may query a file that all open with read_only=on";
const DISK: &str = "make room on the disk, and look for disk errors in the system's log";
const MEMORY: &str = "raise memory_limit_mb, or lower threads";

/// Sorts an error of DuckDB by what the caller may do about it.
pub(super) fn failure(error: duckdb::Error) -> Failure {
    let answer = match error {
        duckdb::Error::DuckDBFailure(_, Some(message)) => message,
        other => other.to_string(),
    };
    let (kind, advice) = meaning(&answer);
    Failure::of(kind, answer, advice)
}

hoap_database::or_fail! { duckdb::Error => failure }

fn meaning(answer: &str) -> (ErrorKind, Option<&'static str>) {
    use ErrorKind::{Broken, Cancelled, Conflict, Duplicate, Invalid, Missing, Unavailable};
    let class = answer.split_once(" Error:").map_or("", |(class, _)| class);
    let has = |word: &str| answer.contains(word);
    match class {
        "INTERRUPT" => (Cancelled, None),
        _ if has("No space left on device") || has("Could not write file") => {
            (Unavailable, Some(DISK))
        }
        "Catalog" if has("does not exist") && (has("Table ") || has("View ")) => {
            (Missing, Some(LOAD_FIRST))
        }
        "Constraint" if has("uplicate key") => (Duplicate, None),
        "Transaction" | "TransactionContext" if has("onflict") => (Conflict, None),
        "IO" if has("lock on file") => (Unavailable, Some(OTHER)),
        "IO" if has("not a valid DuckDB database") => {
            (Unavailable, Some("the file is no DuckDB database: name another one"))
        }
        "IO" if has("orrupt") => {
            (Unavailable, Some("the file is damaged: name another one and load it anew"))
        }
        "IO" | "Serialization" if has("version") => (
            Unavailable,
            Some("the file is of another version of DuckDB: name another file and load it anew"),
        ),
        "IO" if has("Cannot open file") || has("ermission denied") => {
            (Unavailable, Some("check the path and the permissions on it and its folder"))
        }
        "IO" => (Unavailable, Some(DISK)),
        "Out of Memory" => (Unavailable, Some(MEMORY)),
        "FATAL" | "INTERNAL" => (Broken, None),
        "" => (Broken, None),
        _ => (Invalid, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_its_kind() {
        use ErrorKind::{Broken, Cancelled, Conflict, Invalid, Missing, Unavailable};
        for (answer, kind) in [
            ("INTERRUPT Error: Interrupted!", Cancelled),
            ("Catalog Error: Table with name orders does not exist!\nDid you mean", Missing),
            ("Catalog Error: Scalar Function with name f does not exist!", Invalid),
            ("Parser Error: syntax error at or near \"SELEC\"", Invalid),
            ("Binder Error: Referenced column \"nothing\" not found", Invalid),
            ("TransactionContext Error: Conflict on update!", Conflict),
            ("IO Error: Could not set lock on file \"x\": Conflicting lock is held", Unavailable),
            (
                "IO Error: The file \"x\" exists, but it is not a valid DuckDB database file!",
                Unavailable,
            ),
            (
                "TransactionContext Error: Failed to commit: Could not write file \"x.wal\": No \
                 space left on device",
                Unavailable,
            ),
            (
                "FATAL Error: Failed to create checkpoint because of error: Could not write file \
                 \"x\": File too large",
                Unavailable,
            ),
            ("Out of Memory Error: could not allocate block of size 256.0 KiB", Unavailable),
            ("INTERNAL Error: Attempted to access index 1", Broken),
            ("somehow", Broken),
        ] {
            let e = duckdb::Error::DuckDBFailure(
                duckdb::ffi::Error::new(duckdb::ffi::DuckDBError),
                Some(answer.to_owned()),
            );
            let failure = failure(e);
            assert_eq!(failure.kind, kind, "{answer}");
            assert!(!failure.answer.contains('\n'));
        }
    }
}
