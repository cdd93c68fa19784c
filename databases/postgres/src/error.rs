//! What PostgreSQL's SQLSTATE codes mean for the caller.
//!
//! The codes are those of appendix A of PostgreSQL's manual.

use std::error::Error as _;

use hoap_record::ErrorKind;

pub(super) use hoap_database::failure::LOAD_FIRST;
use hoap_database::failure::{Failure, chain};
use tokio_postgres::error::Severity;

use super::layer::Stopped;

/// Whether the connection is gone, so that nothing more can be learned from it.
pub(super) fn is_lost(failure: &Failure) -> bool {
    match failure.code.as_str() {
        "" => failure.kind == ErrorKind::Unavailable,
        // 57P01 to 57P05: the server ended the session.
        code => code.starts_with("08") || code.starts_with("57P0") || code.ends_with(FATAL),
    }
}

/// What follows the SQLSTATE of an error with which the server ended the session.
const FATAL: &str = " FATAL";

/// Whether a standby ended the statement, or the session, in order to replay what its primary did:
/// of a statement 40001 or 40P01, of a session one of these, 57P01 or 57P04, as the version has it.
/// Only the words are the same (`errdetail_recovery_conflict` in PostgreSQL's postgres.c).
fn is_replayed_over(error: &tokio_postgres::Error) -> bool {
    let words = "conflict with recovery";
    error.as_db_error().is_some_and(|e| e.message().contains(words))
}

/// What to do about the conflicts of a standby.
const REPLAY: &str = "the standby replays what its primary changed: hot_standby_feedback=on or a \
                      longer max_standby_streaming_delay there make this rarer";

/// Why a connection was ended here, as a failure.
pub(super) fn stopped(stopped: Stopped) -> Failure {
    let (kind, advice) = match stopped {
        Stopped::TooLong(_) => (ErrorKind::Broken, ""),
        Stopped::InClear => (
            ErrorKind::Unavailable,
            "switch TLS on in the server; sslmode=disable sends the password in clear",
        ),
    };
    Failure::of(kind, stopped, advice)
}

/// Why a connection was ended here, if an error is of that.
pub(super) fn why_stopped(error: &tokio_postgres::Error) -> Option<Stopped> {
    let io: &std::io::Error = error.source()?.downcast_ref()?;
    io.get_ref()?.downcast_ref().copied()
}

/// Whether a statement met a table that was dropped between its planning and its start, for which
/// PostgreSQL has no code of its own but that of an internal error.
fn is_removed(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().is_some_and(|e| {
        e.code().code() == "XX000" && e.message().starts_with("could not open relation with OID")
    })
}

/// Whether the statement was cancelled: by request, or by `statement_timeout`.
pub(super) fn is_cancelled(error: &tokio_postgres::Error) -> bool {
    error.code().is_some_and(|code| code.code() == "57014")
}

/// Sorts an error of a statement by what the caller may do about it.
pub(super) fn failure(error: tokio_postgres::Error) -> Failure {
    let io = |e: &(dyn std::error::Error + 'static)| e.is::<std::io::Error>();
    let (kind, advice) = match error.code() {
        Some(_) if is_removed(&error) => (ErrorKind::Missing, Some(LOAD_FIRST)),
        Some(_) if is_replayed_over(&error) => (ErrorKind::Conflict, Some(REPLAY)),
        Some(code) => meaning(code.code()),
        None if error.is_closed() || error.source().is_some_and(io) => {
            (ErrorKind::Unavailable, Some(RESTARTED))
        }
        None => (ErrorKind::Broken, None),
    };
    let mut code = error.code().map_or_else(String::new, |code| code.code().to_owned());
    // Transaction resolution unknown, statement completion unknown.
    let unknown = ["08007", "40003"].contains(&code.as_str());
    if error.as_db_error().and_then(|e| e.parsed_severity()) == Some(Severity::Fatal) {
        code.push_str(FATAL);
    }
    let failure = Failure { code, ..Failure::of(kind, answer(&error), advice) };
    if unknown || is_lost(&failure) { failure.unsure() } else { failure }
}

hoap_database::or_fail! { tokio_postgres::Error => failure }

/// The failure of an attempt to connect.
pub(super) fn connect(error: &tokio_postgres::Error) -> Failure {
    if let Some(why) = why_stopped(error) {
        return stopped(why);
    }
    let words = error.to_string();
    let (kind, advice) = match error.code() {
        Some(code) => match meaning(code.code()) {
            (ErrorKind::Invalid | ErrorKind::Broken, advice) => (ErrorKind::Unavailable, advice),
            meaning => meaning,
        },
        None if words.contains("TLS") => (
            ErrorKind::Unavailable,
            Some("see sslmode and sslrootcert in docs/targets/postgres.md"),
        ),
        None if wants_password(error) => {
            (ErrorKind::Unavailable, Some("set PGPASSWORD, or write ~/.pgpass"))
        }
        None => (ErrorKind::Unavailable, Some("check the host and the port, and that it runs")),
    };
    Failure::of(kind, answer(error), advice)
}

/// Whether another password, or one at all, might have helped.
pub(super) fn wants_password(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => code.code() == "28P01",
        None => answer(error).contains("password missing"),
    }
}

/// Everything that the error says, in one line.
fn answer(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(e) => format!("{} (SQLSTATE {})", e.message(), e.code().code()),
        None => chain(error),
    }
}

/// What to do about a key or document with U+0000: neither `text` nor `jsonb` can hold it.
pub(super) const NO_NUL: &str =
    "PostgreSQL's text cannot hold U+0000: take it out of the key or document";
const RESTARTED: &str = "look into the server's log; the session connects again by itself";

/// Kind and advice of each SQLSTATE; the first line whose beginning fits.
#[rustfmt::skip]
const MEANINGS: &[(&str, ErrorKind, &str)] = &[
    ("08", ErrorKind::Unavailable, RESTARTED),
    ("22021", ErrorKind::Invalid, NO_NUL),
    ("22P05", ErrorKind::Invalid, NO_NUL),
    ("23505", ErrorKind::Duplicate, ""),
    ("25006", ErrorKind::Unavailable, "the server or the session is read-only: name the primary"),
    ("28P01", ErrorKind::Unavailable, "check the user, and the password in PGPASSWORD or ~/.pgpass"),
    ("28", ErrorKind::Unavailable, "check the user and sslmode against the server's pg_hba.conf"),
    ("3D000", ErrorKind::Missing, "create the database, or name another one"),
    ("3F000", ErrorKind::Missing, LOAD_FIRST),
    ("40003", ErrorKind::Unavailable, ""),
    ("40", ErrorKind::Conflict, ""),
    ("42501", ErrorKind::Unavailable, "grant this user the privilege, or name another user"),
    ("42P01", ErrorKind::Missing, LOAD_FIRST),
    ("53100", ErrorKind::Unavailable, "make room on the server's disk"),
    ("53300", ErrorKind::Unavailable, "use fewer clients or pool=N, or raise max_connections"),
    ("53", ErrorKind::Unavailable, "give the server more of what it lacks"),
    ("55P03", ErrorKind::Conflict, ""),
    ("55", ErrorKind::Unavailable, ""),
    ("57014", ErrorKind::Cancelled, ""),
    ("57", ErrorKind::Unavailable, RESTARTED),
    ("58", ErrorKind::Unavailable, "look into the server's log"),
    ("XX001", ErrorKind::Unavailable, "the server's data is damaged: look into its log"),
    ("XX002", ErrorKind::Unavailable, "the server's data is damaged: look into its log"),
    ("XX", ErrorKind::Broken, "look into the server's log"),
    ("F0", ErrorKind::Unavailable, "check the server's configuration"),
    // What is left is wrong in itself: data, syntax, names, transaction states, limits.
    ("", ErrorKind::Invalid, ""),
];

fn meaning(code: &str) -> (ErrorKind, Option<&'static str>) {
    let found = MEANINGS.iter().find(|(beginning, ..)| code.starts_with(beginning));
    let &(_, kind, advice) = found.expect("the last beginning is empty");
    (kind, (!advice.is_empty()).then_some(advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sqlstate_has_its_kind() {
        use ErrorKind::{Broken, Cancelled, Conflict, Duplicate, Invalid, Missing, Unavailable};
        for (code, kind) in [
            ("40001", Conflict),
            ("40P01", Conflict),
            ("55P03", Conflict),
            ("22021", Invalid),
            ("22P05", Invalid),
            ("23505", Duplicate),
            ("23514", Invalid),
            ("57014", Cancelled),
            ("57P01", Unavailable),
            ("57P03", Unavailable),
            ("08006", Unavailable),
            ("40003", Unavailable),
            ("53300", Unavailable),
            ("53100", Unavailable),
            ("28P01", Unavailable),
            ("28000", Unavailable),
            ("3D000", Missing),
            ("3F000", Missing),
            ("42501", Unavailable),
            ("42P01", Missing),
            ("25006", Unavailable),
            ("25P02", Invalid),
            ("42601", Invalid),
            ("22P02", Invalid),
            ("XX000", Broken),
            ("", Invalid),
        ] {
            assert_eq!(meaning(code).0, kind, "{code}");
        }
        assert_eq!(meaning("42P01").1, Some(LOAD_FIRST));
        assert_eq!(meaning("22P05").1, Some(NO_NUL));
        assert_eq!(meaning("42601").1, None);
    }
}
