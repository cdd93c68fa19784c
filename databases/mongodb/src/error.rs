//! The driver's errors in the terms of [`ErrorKind`].

use hoap_record::ErrorKind;
use mongodb::error::{
    Error as DriverError, ErrorKind as Kind, InsertManyError, TRANSIENT_TRANSACTION_ERROR,
    UNKNOWN_TRANSACTION_COMMIT_RESULT, WriteFailure,
};

use super::sqlstate::sqlstate;
pub(super) use hoap_database::failure::LOAD_FIRST;
use hoap_database::failure::{Done, Failure};
use hoap_database::url::scrub;

/// What an operation was doing when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Reading outside of a transaction, connecting, making collections.
    Reading,
    /// Writing outside of a transaction: applied or not where the answer is lost.
    Writing,
    /// An operation inside of a transaction, which the server aborts then.
    InTransaction,
    /// The commit itself.
    Committing,
}

const REPLICA_SET: &str =
    "transactions want a replica set (one member is enough: rs.initiate()) or a sharded cluster";
const FAILOVER: &str = "the members are electing or going down; look into the server's log";

/// An error of [`Doing::Reading`].
pub(super) fn reading(error: DriverError) -> Failure {
    failure(&error, Doing::Reading)
}

/// Sorts an error of the driver, for `?`: neither it nor [`Failure`] is of this crate.
pub(super) trait OrFail<T> {
    /// The same, with what the error means for the caller.
    fn or_fail(self) -> Done<T>;
}

impl<T> OrFail<T> for Result<T, DriverError> {
    #[inline]
    fn or_fail(self) -> Done<T> {
        self.map_err(reading)
    }
}

/// One of [`Doing::Writing`].
pub(super) fn writing(error: DriverError) -> Failure {
    failure(&error, Doing::Writing)
}

/// One of [`Doing::InTransaction`].
pub(super) fn in_transaction(error: DriverError) -> Failure {
    failure(&error, Doing::InTransaction)
}

/// One of [`Doing::Committing`].
pub(super) fn committing(error: DriverError) -> Failure {
    failure(&error, Doing::Committing)
}

fn failure(error: &DriverError, doing: Doing) -> Failure {
    let (kind, advice) = meaning(error, doing);
    Failure::of(kind, answer(error), advice)
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

fn meaning(error: &DriverError, doing: Doing) -> (ErrorKind, Option<&'static str>) {
    let lost = match doing {
        Doing::Writing => ErrorKind::Ambiguous,
        Doing::Committing => ErrorKind::Ambiguous,
        Doing::InTransaction => ErrorKind::Conflict,
        Doing::Reading => ErrorKind::Unavailable,
    };
    let in_transaction = matches!(doing, Doing::InTransaction | Doing::Committing);
    match error.kind.as_ref() {
        Kind::ServerSelection { message, .. } if message.contains("wire version") => {
            return (ErrorKind::Unavailable, Some(TOO_OLD));
        }
        Kind::ServerSelection { .. } | Kind::DnsResolve { .. } if doing != Doing::Committing => {
            let advice = "check hosts, ports, replicaSet and TLS, and that the servers run";
            return (ErrorKind::Unavailable, Some(advice));
        }
        _ => {}
    }
    if in_transaction && error.contains_label(TRANSIENT_TRANSACTION_ERROR) {
        return (ErrorKind::Conflict, None);
    }
    if is_unknown_commit(error) {
        return (ErrorKind::Ambiguous, None);
    }
    match error.kind.as_ref() {
        Kind::Authentication { message, .. } if is_of_connection(message) => {
            (ErrorKind::Unavailable, Some(POSTGRES_DOWN))
        }
        Kind::Authentication { .. } => (ErrorKind::Unavailable, Some(CREDENTIALS)),
        Kind::InvalidTlsConfig { .. } => (ErrorKind::Unavailable, Some("check the tls options")),
        Kind::SessionsNotSupported => (ErrorKind::Unavailable, Some(REPLICA_SET)),
        Kind::Transaction { message, .. } if message.contains("not supported") => {
            (ErrorKind::Unavailable, Some(REPLICA_SET))
        }
        Kind::IncompatibleServer { .. } => (ErrorKind::Unavailable, Some(TOO_OLD)),
        Kind::Io(_) | Kind::ConnectionPoolCleared { .. } | Kind::Shutdown => (lost, None),
        Kind::InvalidResponse { .. } | Kind::Internal { .. } => (ErrorKind::Broken, None),
        Kind::Command(e) => of_code(e.code, &e.message, doing),
        Kind::Write(WriteFailure::WriteError(e)) => of_code(e.code, &e.message, doing),
        Kind::Write(WriteFailure::WriteConcernError(_)) => (ErrorKind::Ambiguous, Some(CONCERN)),
        Kind::InsertMany(e) => match (&e.write_concern_error, &e.write_errors) {
            (_, Some(errors)) if !errors.is_empty() => {
                of_code(errors[0].code, &errors[0].message, doing)
            }
            (Some(_), _) => (ErrorKind::Ambiguous, Some(CONCERN)),
            _ => (ErrorKind::Broken, None),
        },
        _ => (ErrorKind::Invalid, None),
    }
}

const TOO_OLD: &str = "take a newer server: see docs/targets/mongodb.md";
const CREDENTIALS: &str =
    "check the user, authSource, and the password in MONGODB_PASSWORD or MONGODB_PASSWORD_FILE";
const CONCERN: &str =
    "it is written, and not by as many members as w asks for: look at the replica set";

/// Kind and advice of a server's error code (`src/mongo/base/error_codes.yml` of its source).
fn of_code(code: i32, message: &str, doing: Doing) -> (ErrorKind, Option<&'static str>) {
    use ErrorKind::{
        Ambiguous, Cancelled, Conflict, Duplicate, Invalid, Missing, Timeout, Unavailable,
    };
    let cut_short = match doing {
        Doing::Writing | Doing::Committing => Ambiguous,
        _ => Unavailable,
    };
    match code {
        DUPLICATE_KEY | 11001 => (Duplicate, None),
        // WriteConflict, NoSuchTransaction, SnapshotUnavailable, LockTimeout,
        // PreparedTransactionInProgress
        112 | 251 | 246 | 24 | 267 => (Conflict, None),
        // MaxTimeMSExpired, ExceededTimeLimit
        50 | 262 => match doing {
            Doing::Writing | Doing::Committing => (Ambiguous, None),
            Doing::Reading | Doing::InTransaction => (Timeout, None),
        },
        // Interrupted, CursorKilled
        11601 | 237 => (Cancelled, None),
        // Unauthorized
        13 => (Unavailable, Some("grant this user readWrite on the database")),
        // AuthenticationFailed
        18 => (Unavailable, Some(CREDENTIALS)),
        // NamespaceNotFound
        26 => (Missing, Some(LOAD_FIRST)),
        2 | 17007 if message.contains("hint") || message.contains("index") => {
            (Missing, Some(LOAD_FIRST))
        }
        // QueryPlanKilled, by whoever dropped the collection or an index.
        175 if message.contains("dropped") => (Missing, Some(LOAD_FIRST)),
        // IllegalOperation: transaction numbers on a server alone.
        20 if message.contains("Transaction numbers") => (Unavailable, Some(REPLICA_SET)),
        // NotWritablePrimary, NotPrimaryNoSecondaryOk, LegacyNotPrimary: nothing was applied.
        10107 | 13435 | 10058 => (Unavailable, Some(FAILOVER)),
        // ShutdownInProgress, PrimarySteppedDown, InterruptedAtShutdown,
        // InterruptedDueToReplStateChange, NotPrimaryOrSecondary, HostUnreachable, HostNotFound,
        // NetworkTimeout, SocketException
        91 | 189 | 11600 | 11602 | 13436 | 6 | 7 | 89 | 9001 => (cut_short, Some(FAILOVER)),
        // WriteConcernFailed, UnsatisfiableWriteConcern
        64 | 100 => (Ambiguous, Some(CONCERN)),
        SERIALIZATION_FAILURE | DEADLOCK_DETECTED => (Conflict, None),
        ADMIN_SHUTDOWN | CRASH_SHUTDOWN | CANNOT_CONNECT_NOW => (cut_short, Some(POSTGRES_DOWN)),
        TOO_MANY_CONNECTIONS => (Unavailable, Some("raise PostgreSQL's max_connections")),
        // InternalError, of DocumentDB's gateway that lost PostgreSQL.
        1 if is_of_connection(message) => (cut_short, Some(POSTGRES_DOWN)),
        // OutOfDiskSpace
        14031 => (Unavailable, Some("make room on the server's disk")),
        _ => (Invalid, None),
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
        use Doing::{Committing, InTransaction, Reading, Writing};
        for (code, doing, kind) in [
            (11000, Writing, ErrorKind::Duplicate),
            (112, InTransaction, ErrorKind::Conflict),
            (251, InTransaction, ErrorKind::Conflict),
            (16_777_220, InTransaction, ErrorKind::Conflict),
            (ADMIN_SHUTDOWN, Committing, ErrorKind::Ambiguous),
            (50, Reading, ErrorKind::Timeout),
            (50, Writing, ErrorKind::Ambiguous),
            (50, Committing, ErrorKind::Ambiguous),
            (50, InTransaction, ErrorKind::Timeout),
            (11601, Reading, ErrorKind::Cancelled),
            (13, Writing, ErrorKind::Unavailable),
            (18, Reading, ErrorKind::Unavailable),
            (10107, Writing, ErrorKind::Unavailable),
            (91, Writing, ErrorKind::Ambiguous),
            (91, Reading, ErrorKind::Unavailable),
            (11602, Committing, ErrorKind::Ambiguous),
            (64, Writing, ErrorKind::Ambiguous),
            (26, Reading, ErrorKind::Missing),
            (9, Reading, ErrorKind::Invalid),
        ] {
            assert_eq!(of_code(code, "", doing).0, kind, "{code} {doing:?}");
        }
        let killed = of_code(175, "PlanExecutor killed: collection dropped. UUID 1", Reading);
        assert_eq!(killed.0, ErrorKind::Missing);
        let alone = "Transaction numbers are only allowed on a replica set member or mongos";
        assert_eq!(of_code(20, alone, InTransaction).1, Some(REPLICA_SET));
        let hint = "hint provided does not correspond to an existing index";
        assert_eq!(of_code(2, hint, Reading), (ErrorKind::Missing, Some(LOAD_FIRST)));
    }
}
