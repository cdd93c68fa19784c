//! What the service's and the driver's errors mean for the caller.

use ErrorKind::{Broken, Conflict, Invalid, Missing, Throttled, Timeout, Unavailable};
use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use hoap_database::failure::{Failure, LOAD_FIRST, chain};
use hoap_record::ErrorKind;

/// What the service's codes say.
pub(super) trait Code {
    /// A condition of a write did not hold.
    fn is_condition(&self) -> bool;
    /// There is no such table.
    fn is_absent(&self) -> bool;
    /// A table of this name is there, or being made or removed.
    fn is_in_use(&self) -> bool;
    /// The service failed at it. What was asked may have been done.
    fn is_of_service(&self) -> bool;
}

impl Code for Failure {
    fn is_condition(&self) -> bool {
        self.code == CONDITION
    }

    fn is_absent(&self) -> bool {
        self.code == ABSENT
    }

    fn is_in_use(&self) -> bool {
        self.code == IN_USE
    }

    fn is_of_service(&self) -> bool {
        UNKNOWN.contains(&self.code.as_str())
    }
}

const CONDITION: &str = "ConditionalCheckFailedException";
const ABSENT: &str = "ResourceNotFoundException";
const IN_USE: &str = "ResourceInUseException";
const CANCELED: &str = "TransactionCanceledException";

const CREDENTIALS: &str = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN), or name a profile that \
     has them with AWS_PROFILE or the option `profile`";
const SIGN_ON: &str = "the profile signs on by single sign-on, which is not built in: after `aws sso login` put what it \
                       gives into the environment with `eval \"$(aws configure export-credentials --format \
                       env)\"`, or into a profile with credential_process = aws configure \
                       export-credentials --profile NAME";
const CAPACITY: &str = "give the tables more capacity, send less, or allow retries";
const PERMISSIONS: &str = "let the identity use dynamodb:GetItem, BatchGetItem, Query, Scan, PutItem, \
                           UpdateItem, DeleteItem, BatchWriteItem, ConditionCheckItem, ListTables, \
                           DescribeTable, CreateTable and DeleteTable on the tables of the prefix";
const ENDPOINT: &str = "check region, endpoint, network and proxy";
const TOO_LARGE: &str = "an item holds 400 KB, its key 2 KB: make the records smaller";

/// The service's errors: kind and advice.
const CODES: &[(&str, ErrorKind, Option<&str>)] = &[
    (CONDITION, Conflict, None),
    ("TransactionConflictException", Conflict, None),
    (CANCELED, Conflict, None),
    ("ProvisionedThroughputExceededException", Throttled, Some(CAPACITY)),
    ("ThrottlingException", Throttled, Some(CAPACITY)),
    ("Throttling", Throttled, Some(CAPACITY)),
    ("RequestLimitExceeded", Throttled, Some(CAPACITY)),
    (ABSENT, Missing, Some(LOAD_FIRST)),
    (IN_USE, Unavailable, Some("wait until the table is made or removed, and try again")),
    ("LimitExceededException", Unavailable, Some("wait until fewer tables are made or removed")),
    ("UnrecognizedClientException", Unavailable, Some(CREDENTIALS)),
    ("InvalidClientTokenId", Unavailable, Some(CREDENTIALS)),
    ("InvalidSignatureException", Unavailable, Some(CREDENTIALS)),
    ("IncompleteSignatureException", Unavailable, Some(CREDENTIALS)),
    ("IncompleteSignature", Unavailable, Some(CREDENTIALS)),
    ("MissingAuthenticationToken", Unavailable, Some(CREDENTIALS)),
    ("MissingAuthenticationTokenException", Unavailable, Some(CREDENTIALS)),
    ("ExpiredTokenException", Unavailable, Some("renew the credentials: their time is over")),
    ("ExpiredToken", Unavailable, Some("renew the credentials: their time is over")),
    ("AccessDeniedException", Unavailable, Some(PERMISSIONS)),
    ("AccessDenied", Unavailable, Some(PERMISSIONS)),
    ("KMSAccessDeniedException", Unavailable, Some("let the identity use the tables' key")),
    ("ItemCollectionSizeLimitExceededException", Invalid, None),
    ("ValidationException", Invalid, None),
    ("SerializationException", Invalid, None),
    ("RequestEntityTooLarge", Invalid, Some(TOO_LARGE)),
    ("IdempotentParameterMismatchException", Broken, None),
];

/// Errors after which a write may have been applied all the same.
const UNKNOWN: &[&str] = &[
    "InternalServerError",
    "InternalFailure",
    "InternalServerErrorException",
    "ServiceUnavailable",
    "ServiceUnavailableException",
    "TransactionInProgressException",
];

// A request that lacks what every request of its kind has.
hoap_database::or_fail! { BuildError => Failure::invalid }

/// Sorts an error by what the caller may do about it.
pub(super) fn of<E>(error: &SdkError<E>) -> Failure
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    let lost =
        |answer: String, advice: &'static str| Failure::of(Unavailable, answer, advice).unsure();
    match error {
        SdkError::ServiceError(service) => {
            let status = service.raw().status().as_u16();
            served(service.err().code(), service.err().message(), status)
        }
        SdkError::ConstructionFailure(_) => Failure::new(Invalid, chain(error)),
        SdkError::TimeoutError(_) => slow(chain(error)),
        SdkError::DispatchFailure(failure) => {
            let answer = chain(error);
            let text = answer.to_ascii_lowercase();
            let unsent = |advice: &'static str| Failure::of(Unavailable, &answer, advice);
            if text.contains("feature(s) enabled: sso") || text.contains("sso session") {
                unsent(SIGN_ON)
            } else if text.contains("credential") || text.contains("identity") {
                unsent(CREDENTIALS)
            } else if text.contains("(connect)")
                || text.contains("connect timeout")
                || text.contains("dns error")
            {
                unsent(ENDPOINT)
            } else if text.contains("certificate") {
                unsent("the service's certificate is not trusted: check endpoint and system")
            } else if failure.is_timeout() {
                slow(answer)
            } else {
                lost(answer, "the connection was lost before the answer")
            }
        }
        // A broken answer: of a proxy, of something else than DynamoDB, or cut off.
        _ => lost(chain(error), "check that the endpoint is DynamoDB's"),
    }
}

fn slow(answer: String) -> Failure {
    Failure::of(Timeout, answer, "see what the service is busy with, or raise request_timeout_ms")
}

/// An error that the service answered.
pub(super) fn served(code: Option<&str>, message: Option<&str>, status: u16) -> Failure {
    let code = code.unwrap_or_default();
    // What follows repeats the request's headers, a session's token among them.
    let message = message.unwrap_or_default();
    let message = message.split("The Canonical String").next().unwrap_or_default();
    let mut answer = format!("{code}: {message}");
    if code.is_empty() {
        answer = format!("the answer has HTTP status {status} and no error of DynamoDB in it");
    }
    let failure = |kind, advice: Option<&'static str>| Failure {
        code: code.to_owned(),
        ..Failure::of(kind, answer, advice)
    };
    if code == CANCELED {
        let (kind, advice) = canceled(message);
        return failure(kind, advice);
    }
    if let Some((_, kind, advice)) = CODES.iter().find(|(known, ..)| *known == code) {
        let large = *kind == Invalid && message.contains("exceed");
        return failure(*kind, if large { Some(TOO_LARGE) } else { *advice });
    }
    if status >= 500 || UNKNOWN.contains(&code) {
        return failure(Unavailable, Some("the service failed: look at its health")).unsure();
    }
    failure(Broken, Some("check that the endpoint is DynamoDB's"))
}

/// Why a transaction was cancelled, by the reasons that the message lists. Nothing of it was
/// applied.
fn canceled(message: &str) -> (ErrorKind, Option<&'static str>) {
    let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if has(&["ConditionalCheckFailed", "TransactionConflict"]) {
        (Conflict, None)
    } else if has(&["Throttling", "ProvisionedThroughputExceeded", "RequestLimitExceeded"]) {
        (Throttled, Some(CAPACITY))
    } else if has(&["ValidationError", "ItemCollectionSizeLimitExceeded"]) {
        (Invalid, Some(TOO_LARGE))
    } else {
        (Conflict, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_of_the_service_has_its_kind() {
        for (code, kind) in [
            ("ProvisionedThroughputExceededException", Throttled),
            ("ThrottlingException", Throttled),
            ("RequestLimitExceeded", Throttled),
            ("ConditionalCheckFailedException", Conflict),
            ("TransactionConflictException", Conflict),
            ("ResourceNotFoundException", Missing),
            ("UnrecognizedClientException", Unavailable),
            ("AccessDeniedException", Unavailable),
            ("ExpiredTokenException", Unavailable),
            ("ValidationException", Invalid),
            ("SomethingNewException", Broken),
        ] {
            let failure = served(Some(code), Some("some words"), 400);
            assert_eq!((failure.kind, failure.may_be_applied), (kind, false), "{code}");
            let e = failure.into_error("try");
            assert_eq!(e.answer, format!("{code}: some words"));
        }
    }

    #[test]
    fn what_the_service_failed_at_may_be_applied() {
        for (code, status) in
            [(Some("InternalServerError"), 500), (Some("ServiceUnavailable"), 503), (None, 502)]
        {
            let failure = served(code, None, status);
            assert_eq!((failure.kind, failure.may_be_applied), (Unavailable, true));
        }
    }

    #[test]
    fn a_cancelled_transaction_is_what_its_reasons_say() {
        let kind = |reasons: &str| {
            let words = format!(
                "Transaction cancelled, please refer cancellation reasons for specific reasons \
                 [{reasons}]"
            );
            served(Some(CANCELED), Some(&words), 400).kind
        };
        assert_eq!(kind("None, ConditionalCheckFailed"), Conflict);
        assert_eq!(kind("TransactionConflict, ThrottlingError"), Conflict);
        assert_eq!(kind("None, ProvisionedThroughputExceeded"), Throttled);
        assert_eq!(kind("ThrottlingError"), Throttled);
        assert_eq!(kind("ValidationError, None"), Invalid);
    }

    /// What AWS answers to a wrong signature repeats the headers that were signed.
    #[test]
    fn no_token_is_shown() {
        let words = "The request signature we calculated does not match.\n\nThe Canonical String for \
                     this request should have been\n'POST\n/\n\nx-amz-security-token:hunter2\n'";
        let code = Some("InvalidSignatureException");
        let e = served(code, Some(words), 400).into_error("open");
        assert!(!e.to_string().contains("hunter2") && !e.to_string().contains('\n'), "{e}");
        assert!(e.to_string().contains("AWS_ACCESS_KEY_ID"), "{e}");
    }
}
