//! What the cluster's and the driver's errors mean for the caller.

use hoap_workload::{Error, ErrorKind};
use scylla::errors::{
    ConnectionError, ConnectionPoolError, ConnectionSetupRequestErrorKind, DbError, ExecutionError,
    MetadataError, NewSessionError, PrepareError, RequestAttemptError,
};

use crate::failure::Failure as Meaning;
pub(super) use crate::failure::LOAD_FIRST;

use ErrorKind::{Ambiguous, Broken, Timeout, Unavailable};

/// What was under way when an error came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Something that changes nothing.
    Read,
    /// Something that may have been applied although no answer came.
    Write,
}

/// Why an operation failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The cluster refused, or could not be reached.
    Execution(Box<ExecutionError>),
    /// A record with this key is there already.
    Duplicate(String),
    /// What was asked is wrong in itself.
    Invalid(String),
    /// What is stored is not what this module stores.
    Broken(String),
    /// A table or a column is missing.
    Missing(String),
    /// Somebody else was faster; nothing was applied.
    Conflict(String),
    /// A part of several steps was applied, or may have been.
    Partly(String),
}

/// What an operation gives.
pub(super) type Done<T> = std::result::Result<T, Failure>;

impl From<ExecutionError> for Failure {
    fn from(e: ExecutionError) -> Self {
        Failure::Execution(Box::new(e))
    }
}

impl From<PrepareError> for Failure {
    fn from(e: PrepareError) -> Self {
        ExecutionError::from(e).into()
    }
}

impl Failure {
    /// What the driver says of an answer that does not have the types of a statement.
    pub fn answer(e: impl std::fmt::Display) -> Self {
        Failure::Broken(format!("the answer is not of the shape asked for: {e}"))
    }

    /// Whether the table or its keyspace does not exist.
    pub fn is_missing(&self) -> bool {
        match self {
            Failure::Missing(_) => true,
            Failure::Execution(e) => matches!(
                cause(e),
                Some(RequestAttemptError::DbError(DbError::Invalid, text)) if says_missing(text)
            ),
            _ => false,
        }
    }

    /// Whether a replica could not answer a read, such as one that does not know a table yet which somebody
    /// has just made.
    pub fn failed_on_a_replica(&self) -> bool {
        let Failure::Execution(e) = self else { return false };
        matches!(cause(e), Some(RequestAttemptError::DbError(DbError::ReadFailure { .. }, _)))
    }

    /// Whether it cannot be known what became of it, or no answer came in time.
    pub fn is_unsure(&self) -> bool {
        match self {
            Failure::Execution(e) => {
                matches!(judge(e, Doing::Write).kind, Ambiguous | Timeout)
            }
            _ => false,
        }
    }

    /// Whether the same may go well a moment later.
    pub fn may_pass(&self) -> bool {
        match self {
            Failure::Execution(e) => {
                matches!(judge(e, Doing::Write).kind, Ambiguous | Timeout | Unavailable)
            }
            _ => false,
        }
    }

    /// What went wrong, in words.
    pub fn words(&self) -> String {
        self.meaning(Doing::Write).answer
    }

    /// What it means for the caller.
    fn meaning(&self, doing: Doing) -> Meaning {
        match self {
            Failure::Execution(e) => judge(e, doing),
            Failure::Duplicate(key) => Meaning::duplicate(key),
            Failure::Invalid(answer) => Meaning::invalid(answer),
            Failure::Broken(answer) => Meaning::broken(answer),
            Failure::Missing(answer) => Meaning::missing(answer),
            Failure::Conflict(answer) => Meaning::of(ErrorKind::Conflict, answer, None),
            Failure::Partly(answer) => {
                let advice = "the checks after the run say whether something is there in part";
                Meaning::of(Ambiguous, answer, advice)
            }
        }
    }

    /// As an error that says what was tried.
    pub fn into_error(self, doing: Doing, tried: impl Into<String>) -> Error {
        self.meaning(doing).into_error(tried)
    }
}

const NAME_AND_PASSWORD: &str = "name the user in the URL and put the password into the environment \
                                 variable CASSANDRA_PASSWORD or into ~/.cassandra/credentials";
const REACH: &str = "check that the cluster is up and that hosts and port are its";
const SEE_SERVER: &str =
    "see what the nodes are busy with (nodetool tpstats), or raise the server's request timeout";

/// What a node said, where one did.
fn cause(error: &ExecutionError) -> Option<&RequestAttemptError> {
    match error {
        ExecutionError::LastAttemptError(e) => Some(e),
        ExecutionError::PrepareError(PrepareError::AllAttemptsFailed { first_attempt }) => {
            Some(first_attempt)
        }
        _ => None,
    }
}

/// Whether a node says that there is no such keyspace or table, as its versions do.
fn says_missing(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["unconfigured table", "does not exist", "doesn't exist", "unconfigured columnfamily"]
        .iter()
        .any(|part| text.contains(part))
}

/// Sorts an error by what the caller may do about it.
fn judge(error: &ExecutionError, doing: Doing) -> Meaning {
    match error {
        ExecutionError::BadQuery(e) => Meaning::invalid(e),
        ExecutionError::EmptyPlan => Meaning::of(
            Unavailable,
            "no node can be asked",
            "check that the nodes are up, those of option datacenter where one is named",
        ),
        // Only what was prepared anew is sent again, and a statement that is not prepared does nothing.
        ExecutionError::PrepareError(e) => match e {
            PrepareError::ConnectionPoolError(e) => pool(e),
            PrepareError::AllAttemptsFailed { first_attempt } => {
                attempt(first_attempt, Doing::Read)
            }
            other => Meaning::broken(other),
        },
        // A node whose connections are gone gets nothing sent.
        ExecutionError::ConnectionPoolError(e) => pool(e),
        ExecutionError::LastAttemptError(e) => attempt(e, doing),
        ExecutionError::RequestTimeout(after) => Meaning::of(
            if doing == Doing::Write { Ambiguous } else { Timeout },
            format!("no answer within {} ms", after.as_millis()),
            "see what the nodes are busy with, or raise request_timeout_ms",
        ),
        ExecutionError::SchemaAgreementError(e) => Meaning::of(
            Unavailable,
            e,
            "the nodes do not agree on the schema: nodetool describecluster",
        ),
        ExecutionError::MetadataError(e) => Meaning::of(Unavailable, e, REACH),
        other => Meaning::broken(other),
    }
}

/// What an attempt to have a node do something ended with.
fn attempt(error: &RequestAttemptError, doing: Doing) -> Meaning {
    match error {
        RequestAttemptError::DbError(error, message) => database(error, message, doing),
        RequestAttemptError::BrokenConnectionError(e) => match doing {
            Doing::Write => Meaning::of(
                Ambiguous,
                e,
                "the connection was lost before the answer: see the node's log",
            ),
            Doing::Read => {
                Meaning::of(Unavailable, e, "the connection was lost: see the node's log")
            }
        },
        RequestAttemptError::SerializationError(_)
        | RequestAttemptError::CqlRequestSerialization(_) => Meaning::invalid(error),
        RequestAttemptError::UnableToAllocStreamId => Meaning::of(
            Unavailable,
            "too many requests are under way on a connection",
            "raise connections",
        ),
        RequestAttemptError::RepreparedIdChanged { .. } => {
            Meaning::of(Unavailable, "the table was made anew meanwhile", "run it again")
        }
        other => Meaning::broken(other),
    }
}

/// What a node answered.
fn database(error: &DbError, message: &str, doing: Doing) -> Meaning {
    // The numbers are in the error, the words in the message.
    let both = || format!("{error}: {message}");
    match error {
        DbError::Invalid if says_missing(message) => {
            Meaning::of(ErrorKind::Missing, message, LOAD_FIRST)
        }
        // A node on which the table is just being dropped. A write may have met others before that.
        DbError::ServerError if doing == Doing::Read && message.contains("Unknown CF") => {
            Meaning::of(ErrorKind::Missing, message, LOAD_FIRST)
        }
        DbError::Invalid | DbError::SyntaxError | DbError::ConfigError => Meaning::invalid(message),
        DbError::AuthenticationError => Meaning::of(Unavailable, message, NAME_AND_PASSWORD),
        DbError::Unauthorized => Meaning::of(
            Unavailable,
            message,
            "GRANT the user MODIFY and SELECT on the keyspace, for a load CREATE, ALTER and DROP too",
        ),
        DbError::Unavailable { .. } => {
            Meaning::of(Unavailable, both(), "bring the nodes up, or lower the consistency")
        }
        DbError::Overloaded | DbError::RateLimitReached { .. } => {
            Meaning::of(Unavailable, both(), "the cluster takes no more: use fewer clients")
        }
        DbError::IsBootstrapping => Meaning::of(Unavailable, both(), "wait until the node is up"),
        // The reads of a lightweight transaction come before it is applied, or after somebody else's is.
        DbError::ReadTimeout { .. } => {
            Meaning::of(if doing == Doing::Write { Ambiguous } else { Timeout }, both(), SEE_SERVER)
        }
        DbError::WriteTimeout { .. } => Meaning::of(Ambiguous, both(), SEE_SERVER),
        DbError::ReadFailure { .. } => Meaning::of(Unavailable, both(), "see the replicas' logs"),
        DbError::WriteFailure { .. } => Meaning::of(Ambiguous, both(), "see the replicas' logs"),
        DbError::TruncateError | DbError::AlreadyExists { .. } => {
            Meaning::of(Unavailable, both(), None)
        }
        // ServerError, and what newer servers know, such as an unknown outcome of Paxos (0x1700).
        _ if doing == Doing::Write => Meaning::of(Ambiguous, both(), "see the nodes' logs"),
        _ => Meaning::of(Broken, both(), "see the nodes' logs"),
    }
}

/// Why there is no connection.
fn pool(error: &ConnectionPoolError) -> Meaning {
    let ConnectionPoolError::Broken { last_connection_error } = error else {
        return Meaning::of(Unavailable, error, REACH);
    };
    match last_connection_error {
        ConnectionError::ConnectionSetupRequestError(e) => match e.get_error() {
            ConnectionSetupRequestErrorKind::MissingAuthentication => {
                Meaning::of(Unavailable, "it wants a user's name and password", NAME_AND_PASSWORD)
            }
            ConnectionSetupRequestErrorKind::DbError(error, message) => {
                database(error, message, Doing::Read)
            }
            other => Meaning::of(Unavailable, other, REACH),
        },
        ConnectionError::ConnectTimeout => Meaning::of(
            Unavailable,
            "no connection in time",
            "check hosts, port and firewall, or raise connect_timeout_ms",
        ),
        ConnectionError::IoError(e) if e.to_string().contains("ertificate") => Meaning::of(
            Unavailable,
            e,
            "name the authority's certificate with tls_ca; the nodes' must name their IP addresses",
        ),
        other => Meaning::of(Unavailable, other, REACH),
    }
}

/// Sorts an error of connecting by what the caller may do about it.
pub(super) fn connecting(error: &NewSessionError, tried: impl Into<String>) -> Error {
    let judged = match error {
        NewSessionError::FailedToResolveAnyHostname(hosts) => Meaning::of(
            Unavailable,
            format!("no address is known for {}", hosts.join(", ")),
            "check the hosts' names",
        ),
        NewSessionError::MetadataError(MetadataError::ConnectionPoolError(e)) => pool(e),
        NewSessionError::IllegalConfig(_) => Meaning::invalid(error),
        other => Meaning::of(Unavailable, other, REACH),
    };
    judged.into_error(tried)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ErrorKind::Invalid;
    use scylla::errors::WriteType;
    use scylla::statement::Consistency::Quorum;

    use super::*;

    fn of(error: &ExecutionError, doing: Doing, tried: &str) -> Error {
        judge(error, doing).into_error(tried)
    }

    fn said(error: DbError, doing: Doing) -> Error {
        let attempt = RequestAttemptError::DbError(error, "so it\nsaid".to_owned());
        of(&ExecutionError::LastAttemptError(attempt), doing, "try")
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
        for (error, for_read, for_write) in [
            (write(WriteType::Simple), Ambiguous, Ambiguous),
            (write(WriteType::Cas), Ambiguous, Ambiguous),
            (read, Timeout, Ambiguous),
            (few, Unavailable, Unavailable),
            (DbError::Overloaded, Unavailable, Unavailable),
            (DbError::Unauthorized, Unavailable, Unavailable),
            (DbError::AuthenticationError, Unavailable, Unavailable),
            (DbError::Invalid, Invalid, Invalid),
            (DbError::SyntaxError, Invalid, Invalid),
            (DbError::ServerError, Broken, Ambiguous),
            (DbError::Other(0x1700), Broken, Ambiguous),
        ] {
            for (doing, kind) in [(Doing::Read, for_read), (Doing::Write, for_write)] {
                let e = said(error.clone(), doing);
                assert_eq!(e.kind, kind, "{error:?}");
                assert!(e.to_string().contains("so it said"), "{e}");
            }
        }
    }

    #[test]
    fn a_table_that_is_just_being_dropped_is_missing_to_a_read() {
        let said = |doing| {
            let text = "java.lang.IllegalArgumentException: Unknown CF 55b423c0-e6c9-11f1-a1b1";
            let attempt = RequestAttemptError::DbError(DbError::ServerError, text.to_owned());
            of(&ExecutionError::LastAttemptError(attempt), doing, "t").kind
        };
        assert_eq!((said(Doing::Read), said(Doing::Write)), (ErrorKind::Missing, Ambiguous));
    }

    /// A write whose answer did not come may have been applied; a read cannot.
    #[test]
    fn an_answer_that_does_not_come_is_ambiguous_only_for_a_write() {
        let late = ExecutionError::RequestTimeout(Duration::from_millis(7));
        assert_eq!(of(&late, Doing::Write, "t").kind, Ambiguous);
        let e = of(&late, Doing::Read, "t");
        assert_eq!(e.kind, Timeout);
        assert!(e.to_string().contains("within 7 ms"), "{e}");
        assert_eq!(of(&ExecutionError::EmptyPlan, Doing::Write, "t").kind, Unavailable);
        let nobody = ExecutionError::ConnectionPoolError(ConnectionPoolError::Initializing);
        assert_eq!(of(&nobody, Doing::Write, "t").kind, Unavailable);
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
            let attempt = RequestAttemptError::DbError(DbError::Invalid, text.to_owned());
            let failure = Failure::from(ExecutionError::LastAttemptError(attempt));
            assert!(failure.is_missing() && !failure.is_unsure());
            let e = failure.into_error(Doing::Read, "t");
            assert_eq!(e.kind, ErrorKind::Missing);
            assert_eq!(e.advice.as_deref(), Some(LOAD_FIRST));
        }
    }
}
