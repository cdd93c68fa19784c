//! Errors of the driver and of the query service, sorted by what the caller may do about them.

use couchbase::error::ErrorKind as Kind;
use hoap_database::failure::{Failure, LOAD_FIRST};
use hoap_record::ErrorKind;
use hoap_sqlpp::{self, Fault};

/// An error of a key-value operation.
pub(super) fn key_value(e: &couchbase::error::Error) -> Failure {
    let (kind, advice) = match e.kind() {
        Kind::DocumentExists => (ErrorKind::Duplicate, ""),
        Kind::DocumentNotFound => (ErrorKind::NotFound, ""),
        Kind::CasMismatch
        | Kind::DocumentLocked
        | Kind::DurabilityWriteInProgress
        | Kind::DurableWriteRecommitInProgress => (ErrorKind::Conflict, ""),
        Kind::DurabilityImpossible | Kind::DurabilityLevelNotAvailable => {
            (ErrorKind::Unavailable, "there are too few nodes for this durability: lower it")
        }
        Kind::AuthenticationFailure => {
            (ErrorKind::Unavailable, "check the user, the password and the user's roles")
        }
        Kind::BucketNotFound => (ErrorKind::Missing, "make the bucket, or name another one"),
        Kind::ScopeNotFound | Kind::CollectionNotFound => (ErrorKind::Missing, LOAD_FIRST),
        Kind::TemporaryFailure | Kind::RateLimitedFailure => {
            (ErrorKind::Throttled, "the node is overloaded, out of memory or warming up")
        }
        Kind::ServiceNotAvailable(_) | Kind::FeatureNotAvailable(_) => (ErrorKind::Unavailable, ""),
        Kind::ServerTimeout => (ErrorKind::Timeout, "raise kv_timeout_ms"),
        Kind::InvalidArgument(_)
        | Kind::EncodingFailure(_)
        | Kind::ValueTooLarge
        | Kind::ValueInvalid
        | Kind::PathInvalid
        | Kind::PathTooBig
        | Kind::PathTooDeep => (ErrorKind::Invalid, ""),
        Kind::DecodingFailure(_)
        | Kind::DocumentNotJSON
        | Kind::PathMismatch
        | Kind::PathNotFound => (ErrorKind::Broken, "the document is none of this benchmark's"),
        // The connection went away while the request was under way, the durability is ambiguous,
        // and whatever else there is.
        _ => return Failure::new(ErrorKind::Unavailable, e.kind()).unsure(),
    };
    Failure::of(kind, e.kind(), advice)
}

/// Whether another writer wrote a document first.
pub(super) fn another_was_faster(e: &couchbase::error::Error) -> bool {
    matches!(e.kind(), Kind::DocumentExists | Kind::CasMismatch | Kind::DocumentNotFound)
}

/// A key-value operation that took too long.
pub(super) fn late(milliseconds: u128) -> Failure {
    let answer = format!("no answer within {milliseconds} ms");
    Failure::of(ErrorKind::Timeout, answer, "look at the nodes, or raise kv_timeout_ms")
}

/// A failed statement of a transaction that is not yet being committed: whatever happened, nothing
/// of it is there.
pub(super) fn in_transaction(e: hoap_sqlpp::Error) -> Failure {
    let conflict = e.fault().is_some_and(|fault| match fault.code {
        DUPLICATE | NOT_FOUND => false,
        // What has expired may be forgotten already.
        EXPIRED | CAS_MISMATCH | NO_TRANSACTION | RELEASED => true,
        DML if fault.reason > 0 => fault.reason == DML_CAS,
        _ => fault.retry || fault.raise == EXPIRED_RAISED || is_conflict(&fault.message),
    });
    let duplicate = e
        .fault()
        .is_some_and(|fault| fault.code == DUPLICATE || (fault.code == DML && is_duplicate(fault)));
    let failure = Failure::from(e);
    match (conflict, duplicate) {
        (_, true) => Failure { kind: ErrorKind::Duplicate, advice: None, ..failure },
        (true, _) => Failure { kind: ErrorKind::Conflict, advice: None, ..failure },
        _ if failure.kind == ErrorKind::Conflict => {
            Failure { kind: ErrorKind::Unavailable, ..failure }
        }
        _ => failure,
    }
}

/// A failed COMMIT; `None` where the transaction is committed all the same.
///
/// The codes are those of the query service's transactions: 17018 says that the commit is done and
/// tidying up after it is not (others do that), 17019 that it cannot be known. 17007 is any other
/// failure, sorted by its cause and its words: the service stages the changes only now, so that an
/// expiry, another writer, or a key that another one inserted comes to light here. Such a
/// transaction is rolled back. A second error, 17008, may follow.
pub(super) fn commit(e: hoap_sqlpp::Error) -> Option<Failure> {
    let fault = e.fault().cloned().unwrap_or_default();
    let (code, text) = (fault.code, fault.message.to_lowercase());
    let ambiguous = code == AMBIGUOUS_COMMIT || text.contains("ambiguous");
    let rolled_back = fault.retry
        || fault.raise == EXPIRED_RAISED
        || is_conflict(&text)
        || (code == COMMIT && is_duplicate(&fault));
    let failure = Failure::from(e);
    let (kind, may_be_applied) = match code {
        POST_COMMIT => return None,
        _ if ambiguous => (ErrorKind::Unavailable, true),
        // What had expired before COMMIT came may be forgotten already.
        EXPIRED | CAS_MISMATCH | NO_TRANSACTION => (ErrorKind::Conflict, false),
        _ if rolled_back => (ErrorKind::Conflict, false),
        COMMIT => (ErrorKind::Unavailable, false),
        // It came twice, or something else ended the transaction: nobody knows how.
        OUT_OF_ORDER | RELEASED => (ErrorKind::Unavailable, true),
        _ if failure.kind == ErrorKind::Conflict => return Some(failure.unsure()),
        _ => return Some(failure),
    };
    Some(Failure { kind, may_be_applied, advice: None, ..failure })
}

/// Whether the words are those of a write-write conflict or of a CAS that is another's.
fn is_conflict(message: &str) -> bool {
    let message = message.to_lowercase();
    ["write write conflict", "write-write conflict", "cas mismatch", "cas_mismatch"]
        .iter()
        .any(|words| message.contains(words))
}

/// Whether the key was there already.
fn is_duplicate(fault: &Fault) -> bool {
    fault.reason == DUPLICATE || fault.message.to_lowercase().contains("duplicate key")
}

/// `raise` of a transaction that ran out of time.
const EXPIRED_RAISED: &str = "expired";
const DML: u64 = 12009;
const DML_CAS: u64 = 12033;
const NO_TRANSACTION: u64 = 17004;
const OUT_OF_ORDER: u64 = 17005;
const COMMIT: u64 = 17007;
const EXPIRED: u64 = 17010;
const RELEASED: u64 = 17011;
const DUPLICATE: u64 = 17012;
const NOT_FOUND: u64 = 17014;
const CAS_MISMATCH: u64 = 17015;
const POST_COMMIT: u64 = 17018;
const AMBIGUOUS_COMMIT: u64 = 17019;
