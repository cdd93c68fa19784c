//! The driver's errors in the terms of [`ErrorKind`].

use hoap_record::ErrorKind;
use mongodb::error::{
    Error as DriverError, ErrorKind as Kind, InsertManyError, TRANSIENT_TRANSACTION_ERROR,
    UNKNOWN_TRANSACTION_COMMIT_RESULT, WriteFailure,
};

use super::sqlstate::sqlstate;
use hoap_database::failure::Failure;
pub(super) use hoap_database::failure::LOAD_FIRST;
use hoap_database::url::scrub;

const REPLICA_SET: &str =
    "transactions want a replica set (one member is enough: rs.initiate()) or a sharded cluster";
const FAILOVER: &str = "the members are electing or going down; look into the server's log";

hoap_database::or_fail! { DriverError => failure }

/// Sorts an error by what the caller may do about it.
pub(super) fn failure(error: DriverError) -> Failure {
    let (kind, advice, unsure) = meaning(&error);
    let failure = Failure::of(kind, answer(&error), advice);
    if unsure { failure.unsure() } else { failure }
}

/// The failure of something that wants a collection which is not there: the server takes it for an
/// empty one.
pub(super) fn no_collection() -> Failure {
    Failure::missing("no such collection")
}

/// Whether the result of a commit is unknown and it may be sent again.
pub(super) fn is_unknown_commit(error: &DriverError) -> bool {
    error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT)
}

/// Whether all that failed in an unordered insertion is that keys were there already; then their
/// positions.
pub(super) fn only_duplicates(error: &DriverError) -> Option<Vec<usize>> {
    let Kind::InsertMany(InsertManyError { write_errors, write_concern_error, .. }) =
        error.kind.as_ref()
    else {
        return None;
    };
    let errors = write_errors.as_ref().filter(|errors| !errors.is_empty())?;
    (write_concern_error.is_none() && errors.iter().all(|e| e.code == DUPLICATE_KEY))
        .then(|| errors.iter().map(|e| e.index).collect())
}

/// Whether the server does not have the command that it was sent: CommandNotFound,
/// CommandNotSupported, APIStrictError.
pub(super) fn has_no_command(error: &DriverError) -> bool {
    matches!(error.kind.as_ref(), Kind::Command(e) if [59, 115, 323].contains(&e.code))
}

const DUPLICATE_KEY: i32 = 11000;

/// Kind, advice, and whether a write may be applied all the same.
type Meaning = (ErrorKind, Option<&'static str>, bool);

/// What an error means. Of a transaction that lost its server before the commit the driver says
/// that it is transient.
fn meaning(error: &DriverError) -> Meaning {
    use ErrorKind::{Broken, Conflict, Invalid, Unavailable};
    let unavailable = |advice| (Unavailable, Some(advice), false);
    if is_unknown_commit(error) {
        return (Unavailable, None, true);
    }
    match error.kind.as_ref() {
        Kind::ServerSelection { message, .. } if message.contains("wire version") => {
            unavailable(TOO_OLD)
        }
        Kind::ServerSelection { .. } | Kind::DnsResolve { .. } => {
            unavailable("check hosts, ports, replicaSet and TLS, and that the servers run")
        }
        _ if error.contains_label(TRANSIENT_TRANSACTION_ERROR) => (Conflict, None, false),
        Kind::Authentication { message, .. } if is_of_connection(message) => {
            unavailable(POSTGRES_DOWN)
        }
        Kind::Authentication { .. } => unavailable(CREDENTIALS),
        Kind::InvalidTlsConfig { .. } => unavailable("check the tls options"),
        Kind::SessionsNotSupported => unavailable(REPLICA_SET),
        Kind::Transaction { message, .. } if message.contains("not supported") => {
            unavailable(REPLICA_SET)
        }
        Kind::IncompatibleServer { .. } => unavailable(TOO_OLD),
        Kind::Io(_) | Kind::ConnectionPoolCleared { .. } | Kind::Shutdown => {
            (Unavailable, None, true)
        }
        Kind::InvalidResponse { .. } | Kind::Internal { .. } => (Broken, None, false),
        Kind::Command(e) => of_code(e.code, &e.message),
        Kind::Write(WriteFailure::WriteError(e)) => of_code(e.code, &e.message),
        Kind::Write(WriteFailure::WriteConcernError(_)) => (Unavailable, Some(CONCERN), true),
        Kind::InsertMany(e) => match (&e.write_concern_error, &e.write_errors) {
            (_, Some(errors)) if !errors.is_empty() => of_code(errors[0].code, &errors[0].message),
            (Some(_), _) => (Unavailable, Some(CONCERN), true),
            _ => (Broken, None, false),
        },
        _ => (Invalid, None, false),
    }
}

const TOO_OLD: &str = "take a newer server: see docs/targets/mongodb.md";
const CREDENTIALS: &str =
    "check the user, authSource, and the password in MONGODB_PASSWORD or MONGODB_PASSWORD_FILE";
const CONCERN: &str =
    "it is written, and not by as many members as w asks for: look at the replica set";

/// What a server's error code means (`src/mongo/base/error_codes.yml` of its source).
fn of_code(code: i32, message: &str) -> Meaning {
    use ErrorKind::{Cancelled, Conflict, Duplicate, Invalid, Missing, Timeout, Unavailable};
    let advised = |kind, advice| (kind, Some(advice), false);
    let cut_short = |advice| (Unavailable, Some(advice), true);
    match code {
        DUPLICATE_KEY | 11001 => (Duplicate, None, false),
        // WriteConflict, NoSuchTransaction, SnapshotUnavailable, LockTimeout,
        // PreparedTransactionInProgress
        112 | 251 | 246 | 24 | 267 => (Conflict, None, false),
        // MaxTimeMSExpired, ExceededTimeLimit
        50 | 262 => (Timeout, None, true),
        // Interrupted, CursorKilled
        11601 | 237 => (Cancelled, None, true),
        // Unauthorized
        13 => advised(
            Unavailable,
            "grant this user readWrite on the database; to learn from it, read is enough",
        ),
        // AuthenticationFailed
        18 => advised(Unavailable, CREDENTIALS),
        // NamespaceNotFound
        26 => advised(Missing, LOAD_FIRST),
        2 | 17007 if message.contains("hint") || message.contains("index") => {
            advised(Missing, LOAD_FIRST)
        }
        // QueryPlanKilled, by whoever dropped the collection or an index.
        175 if message.contains("dropped") => advised(Missing, LOAD_FIRST),
        // IllegalOperation: transaction numbers on a server alone.
        20 if message.contains("Transaction numbers") => advised(Unavailable, REPLICA_SET),
        // NotWritablePrimary, NotPrimaryNoSecondaryOk, LegacyNotPrimary: nothing was applied.
        10107 | 13435 | 10058 => advised(Unavailable, FAILOVER),
        // ShutdownInProgress, PrimarySteppedDown, InterruptedAtShutdown,
        // InterruptedDueToReplStateChange, NotPrimaryOrSecondary, HostUnreachable, HostNotFound,
        // NetworkTimeout, SocketException
        91 | 189 | 11600 | 11602 | 13436 | 6 | 7 | 89 | 9001 => cut_short(FAILOVER),
        // WriteConcernFailed, UnsatisfiableWriteConcern
        64 | 100 => cut_short(CONCERN),
        SERIALIZATION_FAILURE | DEADLOCK_DETECTED => (Conflict, None, false),
        ADMIN_SHUTDOWN | CRASH_SHUTDOWN | CANNOT_CONNECT_NOW => cut_short(POSTGRES_DOWN),
        TOO_MANY_CONNECTIONS => advised(Unavailable, "raise PostgreSQL's max_connections"),
        // InternalError, of DocumentDB's gateway that lost PostgreSQL.
        1 if is_of_connection(message) => cut_short(POSTGRES_DOWN),
        // OutOfDiskSpace
        14031 => advised(Unavailable, "make room on the server's disk"),
        _ => (Invalid, None, false),
    }
}

// What DocumentDB's gateway does not translate is PostgreSQL's.
const SERIALIZATION_FAILURE: i32 = sqlstate(b"40001");
const DEADLOCK_DETECTED: i32 = sqlstate(b"40P01");
const ADMIN_SHUTDOWN: i32 = sqlstate(b"57P01");
const CRASH_SHUTDOWN: i32 = sqlstate(b"57P02");
const CANNOT_CONNECT_NOW: i32 = sqlstate(b"57P03");
const TOO_MANY_CONNECTIONS: i32 = sqlstate(b"53300");
const POSTGRES_DOWN: &str = "PostgreSQL behind the gateway is going down; look into its log";

fn is_of_connection(message: &str) -> bool {
    ["connection", "connecting to server", "Pool error"].iter().any(|word| message.contains(word))
}

/// Everything that the error says, without the driver's decoration.
fn answer(error: &DriverError) -> String {
    let words = match error.kind.as_ref() {
        Kind::Command(e) => format!("{} ({}, code {})", e.message, e.code_name, e.code),
        Kind::Write(WriteFailure::WriteError(e)) => format!("{} (code {})", e.message, e.code),
        Kind::Write(WriteFailure::WriteConcernError(e)) => {
            format!("{} ({}, code {})", e.message, e.code_name, e.code)
        }
        Kind::InsertMany(e) => match (&e.write_errors, &e.write_concern_error) {
            (Some(errors), _) if !errors.is_empty() => {
                format!("{} (code {})", errors[0].message, errors[0].code)
            }
            (_, Some(e)) => format!("{} ({}, code {})", e.message, e.code_name, e.code),
            _ => "an insertion failed without a reason".to_owned(),
        },
        other => other.to_string(),
    };
    scrub(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_kinds() {
        for (code, kind, unsure) in [
            (11000, ErrorKind::Duplicate, false),
            (112, ErrorKind::Conflict, false),
            (251, ErrorKind::Conflict, false),
            (16_777_220, ErrorKind::Conflict, false),
            (ADMIN_SHUTDOWN, ErrorKind::Unavailable, true),
            (50, ErrorKind::Timeout, true),
            (11601, ErrorKind::Cancelled, true),
            (13, ErrorKind::Unavailable, false),
            (18, ErrorKind::Unavailable, false),
            (10107, ErrorKind::Unavailable, false),
            (91, ErrorKind::Unavailable, true),
            (11602, ErrorKind::Unavailable, true),
            (64, ErrorKind::Unavailable, true),
            (26, ErrorKind::Missing, false),
            (9, ErrorKind::Invalid, false),
        ] {
            let (meant, _, applied) = of_code(code, "");
            assert_eq!((meant, applied), (kind, unsure), "{code}");
        }
        let killed = of_code(175, "PlanExecutor killed: collection dropped. UUID 1");
        assert_eq!(killed.0, ErrorKind::Missing);
        let alone = "Transaction numbers are only allowed on a replica set member or mongos";
        assert_eq!(of_code(20, alone).1, Some(REPLICA_SET));
        let hint = "hint provided does not correspond to an existing index";
        assert_eq!(of_code(2, hint), (ErrorKind::Missing, Some(LOAD_FIRST), false));
    }
}
