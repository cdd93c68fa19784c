//! What SQLite's result codes mean for the caller.

use hoap_record::ErrorKind;
use rusqlite::ErrorCode;
use rusqlite::ffi;

use hoap_database::failure::Failure;
pub(super) use hoap_database::failure::LOAD_FIRST;

/// Advice for a disk that fails.
pub(super) const DISK: &str = "look for disk errors in the system's log";

/// Sorts an error of SQLite by what the caller may do about it.
pub(super) fn failure(error: rusqlite::Error) -> Failure {
    let (code, answer) = match &error {
        rusqlite::Error::SqliteFailure(code, message) => {
            (Some(*code), message.clone().unwrap_or_else(|| code.to_string()))
        }
        rusqlite::Error::SqlInputError { error, msg, offset, .. } => {
            let place = if *offset >= 0 { format!(" at byte {offset}") } else { String::new() };
            (Some(*error), format!("{msg}{place}"))
        }
        other => (None, other.to_string()),
    };
    let (kind, advice) = match code {
        Some(code) => meaning(code, &answer),
        None if matches!(error, rusqlite::Error::MultipleStatement) => (ErrorKind::Invalid, None),
        None => (ErrorKind::Broken, None),
    };
    // Of what may go wrong in the commit inside a statement that is a transaction of its own, these
    // may leave a whole commit record behind ([`commit`]); SQLite finds everything else before it
    // writes one.
    let code = error.sqlite_error_code();
    let unsure = matches!(code, Some(ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory));
    let failure = Failure::of(kind, answer, advice);
    if unsure { failure.unsure() } else { failure }
}

hoap_database::or_fail! { rusqlite::Error => failure }

fn meaning(error: ffi::Error, answer: &str) -> (ErrorKind, Option<&'static str>) {
    use ErrorKind::{Broken, Cancelled, Conflict, Duplicate, Invalid, Missing, Unavailable};
    match error.code {
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::FileLockingProtocolFailed => (
            Conflict,
            Some("close the other program that writes this file, or raise busy_timeout_ms"),
        ),
        ErrorCode::ConstraintViolation => match error.extended_code {
            ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE => (Duplicate, None),
            _ => (Invalid, None),
        },
        ErrorCode::OperationInterrupted => (Cancelled, None),
        ErrorCode::DiskFull => {
            let room = "make room on the disk and in the folder of temporary files \
                        (SQLITE_TMPDIR), or raise max_pages if it was given";
            (Unavailable, Some(room))
        }
        ErrorCode::ReadOnly => {
            (Unavailable, Some("give this user write permission on the file and its directory"))
        }
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
            (Unavailable, Some("check the path and the permissions on it and its directory"))
        }
        ErrorCode::SystemIoFailure => (Unavailable, Some(DISK)),
        ErrorCode::DatabaseCorrupt => {
            (Unavailable, Some("the file is damaged: name another one and run `hoap load` again"))
        }
        ErrorCode::NotADatabase => {
            (Unavailable, Some("the file is no SQLite database: name another one"))
        }
        ErrorCode::OutOfMemory => (Unavailable, Some("lower cache_mb or set temp_store=file")),
        ErrorCode::NoLargeFileSupport | ErrorCode::AuthorizationForStatementDenied => {
            (Unavailable, None)
        }
        // SQLite has no code of its own for these; the messages are stable since 2000.
        ErrorCode::Unknown
            if answer.starts_with("no such table") || answer.starts_with("no such index") =>
        {
            (Missing, Some(LOAD_FIRST))
        }
        ErrorCode::Unknown
        | ErrorCode::TooBig
        | ErrorCode::TypeMismatch
        | ErrorCode::ParameterOutOfRange => (Invalid, None),
        _ => (Broken, None),
    }
}

/// The error of a COMMIT that failed.
///
/// Where the transaction is still open (such as SQLITE_BUSY) nothing was applied, and the caller
/// rolls it back. Where SQLite has ended it, a failed write or sync of the log may leave a whole
/// commit record behind that a recovery would find: that is ambiguous. A full disk is not: SQLite
/// reports it from the write of a frame, so the commit record is not whole.
pub(super) fn commit(error: rusqlite::Error, still_open: bool) -> Failure {
    let full = error.sqlite_error_code() == Some(ErrorCode::DiskFull);
    Failure { may_be_applied: !still_open && !full, ..failure(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: i32, message: &str) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(message.into()))
    }

    #[test]
    fn every_result_code_has_its_kind() {
        use ErrorKind::{Broken, Cancelled, Conflict, Duplicate, Invalid, Unavailable};
        for (code, kind) in [
            (ffi::SQLITE_BUSY, Conflict),
            (ffi::SQLITE_BUSY_SNAPSHOT, Conflict),
            (ffi::SQLITE_LOCKED, Conflict),
            (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, Duplicate),
            (ffi::SQLITE_CONSTRAINT_UNIQUE, Duplicate),
            (ffi::SQLITE_CONSTRAINT_NOTNULL, Invalid),
            (ffi::SQLITE_INTERRUPT, Cancelled),
            (ffi::SQLITE_FULL, Unavailable),
            (ffi::SQLITE_READONLY, Unavailable),
            (ffi::SQLITE_READONLY_DIRECTORY, Unavailable),
            (ffi::SQLITE_IOERR_FSYNC, Unavailable),
            (ffi::SQLITE_CANTOPEN, Unavailable),
            (ffi::SQLITE_CORRUPT, Unavailable),
            (ffi::SQLITE_NOTADB, Unavailable),
            (ffi::SQLITE_ERROR, Invalid),
            (ffi::SQLITE_INTERNAL, Broken),
        ] {
            assert_eq!(failure(said(code, "x")).kind, kind, "code {code}");
        }
    }

    #[test]
    fn a_message_of_several_lines_becomes_one() {
        let e = failure(said(ffi::SQLITE_ERROR, "near\n \"SELEC\":\nsyntax"));
        assert_eq!(e.answer, "near \"SELEC\": syntax");
    }

    #[test]
    fn a_statement_with_its_commit_inside_may_be_applied_only_where_the_log_may_be_whole() {
        for (code, may_be_applied) in [
            (ffi::SQLITE_IOERR_WRITE, true),
            (ffi::SQLITE_IOERR_FSYNC, true),
            (ffi::SQLITE_NOMEM, true),
            (ffi::SQLITE_FULL, false),
            (ffi::SQLITE_BUSY, false),
            (ffi::SQLITE_READONLY, false),
            (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, false),
        ] {
            assert_eq!(failure(said(code, "x")).may_be_applied, may_be_applied, "code {code}");
        }
    }

    #[test]
    fn only_a_commit_that_sqlite_ended_without_saying_how_may_be_applied() {
        let unsure = |code, still_open| commit(said(code, "x"), still_open).may_be_applied;
        assert!(!unsure(ffi::SQLITE_BUSY, true));
        assert!(!unsure(ffi::SQLITE_FULL, false));
        assert!(unsure(ffi::SQLITE_IOERR_FSYNC, false));
        assert!(unsure(ffi::SQLITE_IOERR_WRITE, false));
        assert!(!unsure(ffi::SQLITE_IOERR_WRITE, true));
    }
}
