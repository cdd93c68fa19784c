//! What the cluster's and the driver's errors mean for the caller.

use std::time::Duration;

use ErrorKind::{Broken, Missing, Throttled, Timeout, Unavailable};
use hoap_database::failure::{Failure, LOAD_FIRST};
use hoap_record::ErrorKind;
use scylla::deserialize::{DeserializationError, TypeCheckError};
use scylla::errors::{
    ConnectionError, ConnectionPoolError, ConnectionSetupRequestErrorKind, DbError, ExecutionError,
    IntoRowsResultError, MaybeFirstRowError, MetadataError, NewSessionError, PrepareError,
    RequestAttemptError, RowsError, SingleRowError,
};

/// The code of a read that a replica failed.
const READ_FAILURE: &str = "read failure";

/// Whether the table or its keyspace does not exist.
pub(super) fn is_missing(failure: &Failure) -> bool {
    failure.kind == Missing && !failure.may_be_applied
}

/// Whether a replica could not answer a read, such as one that does not know a table yet which
/// somebody has just made.
pub(super) fn failed_on_a_replica(failure: &Failure) -> bool {
    failure.code == READ_FAILURE
}

/// What the driver says of an answer that does not have the types of a statement.
pub(super) fn misfit(e: impl std::fmt::Display) -> Failure {
    Failure::broken(format!("the answer is not of the shape asked for: {e}"))
}

hoap_database::or_fail! {
    DeserializationError => misfit,
    IntoRowsResultError => misfit,
    MaybeFirstRowError => misfit,
    RowsError => misfit,
    SingleRowError => misfit,
    TypeCheckError => misfit,
    PrepareError => |error| executing(error.into()),
    ExecutionError => executing,
    NewSessionError => connecting,
}

const NAME_AND_PASSWORD: &str = "name the user in the URL and put the password into the environment \
                                 variable CASSANDRA_PASSWORD or into ~/.cassandra/credentials";
const REACH: &str = "check that the cluster is up and that hosts and port are its";
const SEE_SERVER: &str =
    "see what the nodes are busy with (nodetool tpstats), or raise the server's request timeout";

/// Whether a node says that there is no such keyspace or table, as its versions do.
fn says_missing(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["unconfigured table", "does not exist", "doesn't exist", "unconfigured columnfamily"]
        .iter()
        .any(|part| text.contains(part))
}

fn unsure(kind: ErrorKind, answer: impl std::fmt::Display, advice: &'static str) -> Failure {
    Failure::of(kind, answer, advice).unsure()
}

/// Sorts an error by what the caller may do about it.
pub(super) fn executing(error: ExecutionError) -> Failure {
    match error {
        ExecutionError::BadQuery(e) => Failure::invalid(e),
        ExecutionError::EmptyPlan => Failure::of(
            Unavailable,
            "no node can be asked",
            "check that the nodes are up, those of option datacenter where one is named",
        ),
        // Only what was prepared anew is sent again, and a statement that is not prepared does
        // nothing.
        ExecutionError::PrepareError(e) => match e {
            PrepareError::ConnectionPoolError(e) => pool(&e),
            PrepareError::AllAttemptsFailed { first_attempt } => {
                Failure { may_be_applied: false, ..attempt(&first_attempt) }
            }
            other => Failure::broken(other),
        },
        // A node whose connections are gone gets nothing sent.
        ExecutionError::ConnectionPoolError(e) => pool(&e),
        ExecutionError::LastAttemptError(e) => attempt(&e),
        ExecutionError::RequestTimeout(after) => unsure(
            Timeout,
            format!("no answer within {} ms", after.as_millis()),
            "see what the nodes are busy with, or raise request_timeout_ms",
        ),
        ExecutionError::SchemaAgreementError(e) => Failure::of(
            Unavailable,
            e,
            "the nodes do not agree on the schema: nodetool describecluster",
        ),
        ExecutionError::MetadataError(e) => Failure::of(Unavailable, e, REACH),
        other => Failure::broken(other),
    }
}

/// What an attempt to have a node do something ended with.
fn attempt(error: &RequestAttemptError) -> Failure {
    match error {
        RequestAttemptError::DbError(error, message) => database(error, message),
        RequestAttemptError::BrokenConnectionError(e) => {
            unsure(Unavailable, e, "the connection was lost before the answer: see the node's log")
        }
        RequestAttemptError::SerializationError(_)
        | RequestAttemptError::CqlRequestSerialization(_) => Failure::invalid(error),
        RequestAttemptError::UnableToAllocStreamId => Failure::of(
            Unavailable,
            "too many requests are under way on a connection",
            "raise connections",
        ),
        RequestAttemptError::RepreparedIdChanged { .. } => {
            Failure::of(Unavailable, "the table was made anew meanwhile", "run it again")
        }
        other => Failure::broken(other),
    }
}

/// What a node answered.
fn database(error: &DbError, message: &str) -> Failure {
    // The numbers are in the error, the words in the message.
    let both = || format!("{error}: {message}");
    match error {
        DbError::Invalid if says_missing(message) => Failure::missing(message),
        // A node on which the table is just being dropped. A write may have met others before that.
        DbError::ServerError if message.contains("Unknown CF") => {
            unsure(Missing, message, LOAD_FIRST)
        }
        DbError::Invalid | DbError::SyntaxError | DbError::ConfigError => Failure::invalid(message),
        DbError::AuthenticationError => Failure::of(Unavailable, message, NAME_AND_PASSWORD),
        DbError::Unauthorized => Failure::of(
            Unavailable,
            message,
            "GRANT the user MODIFY and SELECT on the keyspace, for a load CREATE, ALTER and DROP too",
        ),
        DbError::Unavailable { .. } => {
            Failure::of(Unavailable, both(), "bring the nodes up, or lower the consistency")
        }
        DbError::Overloaded | DbError::RateLimitReached { .. } => {
            Failure::of(Throttled, both(), "the cluster takes no more: use fewer clients")
        }
        DbError::IsBootstrapping => Failure::of(Unavailable, both(), "wait until the node is up"),
        // The reads of a lightweight transaction come before it is applied, or after somebody
        // else's is.
        DbError::ReadTimeout { .. } => unsure(Timeout, both(), SEE_SERVER),
        DbError::WriteTimeout { .. } => unsure(Timeout, both(), SEE_SERVER),
        DbError::ReadFailure { .. } => Failure {
            code: READ_FAILURE.to_owned(),
            ..Failure::of(Unavailable, both(), "see the replicas' logs")
        },
        DbError::WriteFailure { .. } => unsure(Unavailable, both(), "see the replicas' logs"),
        DbError::TruncateError | DbError::AlreadyExists { .. } => Failure::new(Unavailable, both()),
        // ServerError, and what newer servers know, such as an unknown outcome of Paxos (0x1700).
        _ => unsure(Broken, both(), "see the nodes' logs"),
    }
}

/// Why there is no connection.
fn pool(error: &ConnectionPoolError) -> Failure {
    let ConnectionPoolError::Broken { last_connection_error } = error else {
        return Failure::of(Unavailable, error, REACH);
    };
    match last_connection_error {
        ConnectionError::ConnectionSetupRequestError(e) => match e.get_error() {
            ConnectionSetupRequestErrorKind::MissingAuthentication => {
                Failure::of(Unavailable, "it wants a user's name and password", NAME_AND_PASSWORD)
            }
            // Nothing was asked of it yet.
            ConnectionSetupRequestErrorKind::DbError(error, message) => {
                Failure { may_be_applied: false, ..database(error, message) }
            }
            other => Failure::of(Unavailable, other, REACH),
        },
        ConnectionError::ConnectTimeout => Failure::of(
            Unavailable,
            "no connection in time",
            "check hosts, port and firewall, or raise connect_timeout_ms",
        ),
        ConnectionError::IoError(e) if e.to_string().contains("ertificate") => Failure::of(
            Unavailable,
            e,
            "name the authority's certificate with tls_ca; the nodes' must name their IP addresses",
        ),
        other => Failure::of(Unavailable, other, REACH),
    }
}

/// No node answered within that time of connecting.
pub(super) fn silent(limit: Duration) -> Failure {
    Failure::of(Unavailable, format!("no answer within {} ms", limit.as_millis()), REACH)
}

/// Sorts an error of connecting by what the caller may do about it.
pub(super) fn connecting(error: NewSessionError) -> Failure {
    match &error {
        NewSessionError::FailedToResolveAnyHostname(hosts) => Failure::of(
            Unavailable,
            format!("no address is known for {}", hosts.join(", ")),
            "check the hosts' names",
        ),
        NewSessionError::MetadataError(MetadataError::ConnectionPoolError(e)) => pool(e),
        NewSessionError::IllegalConfig(_) => Failure::invalid(error),
        other => Failure::of(Unavailable, other, REACH),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ErrorKind::Invalid;
    use scylla::errors::WriteType;
    use scylla::statement::Consistency::Quorum;

    use super::*;

    fn said(error: DbError, text: &str) -> Failure {
        let attempt = RequestAttemptError::DbError(error, text.to_owned());
        executing(ExecutionError::LastAttemptError(attempt))
    }

    /// Its kind, and whether a write may be applied.
    fn meaning(failure: &Failure) -> (ErrorKind, bool) {
        (failure.kind, failure.may_be_applied)
    }

    #[test]
    fn every_answer_of_a_node_has_its_kind() {
        let write = |write_type| DbError::WriteTimeout {
            consistency: Quorum,
            received: 1,
            required: 2,
            write_type,
        };
        let read = DbError::ReadTimeout {
            consistency: Quorum,
            received: 1,
            required: 2,
            data_present: false,
        };
        let few = DbError::Unavailable { consistency: Quorum, required: 2, alive: 1 };
        for (error, kind, may_be_applied) in [
            (write(WriteType::Simple), Timeout, true),
            (write(WriteType::Cas), Timeout, true),
            (read, Timeout, true),
            (few, Unavailable, false),
            (DbError::Overloaded, Throttled, false),
            (DbError::Unauthorized, Unavailable, false),
            (DbError::AuthenticationError, Unavailable, false),
            (DbError::Invalid, Invalid, false),
            (DbError::SyntaxError, Invalid, false),
            (DbError::ServerError, Broken, true),
            (DbError::Other(0x1700), Broken, true),
        ] {
            let failure = said(error.clone(), "so it\nsaid");
            assert_eq!(meaning(&failure), (kind, may_be_applied), "{error:?}");
            assert!(failure.answer.contains("so it said"), "{failure:?}");
        }
    }

    #[test]
    fn a_table_that_is_just_being_dropped_is_missing_to_a_read() {
        let text = "java.lang.IllegalArgumentException: Unknown CF 55b423c0-e6c9-11f1-a1b1";
        let failure = said(DbError::ServerError, text);
        assert_eq!(meaning(&failure), (Missing, true));
        assert!(!is_missing(&failure));
    }

    /// A write whose answer did not come may have been applied; a read cannot.
    #[test]
    fn an_answer_that_does_not_come_is_ambiguous_only_for_a_write() {
        let late = executing(ExecutionError::RequestTimeout(Duration::from_millis(7)));
        assert_eq!(meaning(&late), (Timeout, true));
        assert!(late.answer.contains("within 7 ms"), "{late:?}");
        let nobody = ExecutionError::ConnectionPoolError(ConnectionPoolError::Initializing);
        for unsent in [ExecutionError::EmptyPlan, nobody] {
            assert_eq!(meaning(&executing(unsent)), (Unavailable, false));
        }
        // A statement that could not be prepared was not run.
        let text = "so it said".to_owned();
        let first_attempt = RequestAttemptError::DbError(DbError::ServerError, text);
        let unprepared = PrepareError::AllAttemptsFailed { first_attempt };
        assert_eq!(meaning(&executing(unprepared.into())), (Broken, false));
    }

    #[test]
    fn a_table_that_is_missing_is_one_to_load() {
        for text in [
            "unconfigured table usertable",
            "Keyspace bench does not exist",
            "Keyspace 'bench' doesn't exist",
            "keyspace bench does not exist",
            "table usertable does not exist",
        ] {
            let failure = said(DbError::Invalid, text);
            assert!(is_missing(&failure));
            assert_eq!(meaning(&failure), (Missing, false));
            assert_eq!(failure.advice.as_deref(), Some(LOAD_FIRST));
        }
    }
}
