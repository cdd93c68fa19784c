//! The services' error codes, and what they mean for the caller.

use hoap_database::failure::LOAD_FIRST;
use hoap_record::ErrorKind;

/// Whose codes they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// AsterixDB: `ASX` and `HYR` codes in the messages.
    AsterixDb,
    /// Couchbase's Analytics service, Capella Columnar, Enterprise Analytics: 20000 to 25999.
    Analytics,
    /// Couchbase's query service: 1000 to 19999.
    Query,
}

/// Family, first and last code, kind, advice. The first line that fits counts.
pub(super) type Line = (&'static str, u64, u64, ErrorKind, &'static str);

/// The codes of a service.
pub(super) fn of(service: Service) -> &'static [Line] {
    match service {
        Service::AsterixDb => ASTERIXDB,
        Service::Analytics => ANALYTICS,
        Service::Query => QUERY,
    }
}

const NOT_READY: &str = "wait until all nodes are there, and look into their logs";
const RIGHTS: &str = "check the user, the password and the user's roles";
const FOLDER: &str = "let every node see load_folder under the path that hoap sees, and read it";
const MEMORY: &str = "give the server more memory, or ask for less";

/// The messages of AsterixDB 0.9.8 (`asx_errormsg/en.properties`, Hyracks's
/// `errormsg/en.properties`).
#[rustfmt::skip]
const ASTERIXDB: &[Line] = &[
    ("ASX", 30, 30, ErrorKind::Timeout, "raise query_timeout_ms"),
    ("ASX", 32, 33, ErrorKind::Unavailable, NOT_READY),
    ("ASX", 41, 41, ErrorKind::Cancelled, ""),
    ("ASX", 0, 99, ErrorKind::Invalid, ""),
    ("ASX", 1050, 1050, ErrorKind::Missing, LOAD_FIRST),
    ("ASX", 1063, 1063, ErrorKind::Missing, LOAD_FIRST),
    ("ASX", 1076, 1077, ErrorKind::Missing, LOAD_FIRST),
    ("ASX", 1108, 1108, ErrorKind::Unavailable, FOLDER),
    ("ASX", 1000, 1999, ErrorKind::Invalid, ""),
    ("ASX", 3077, 3077, ErrorKind::Unavailable, FOLDER),
    ("ASX", 3000, 3999, ErrorKind::Invalid, ""),
    ("ASX", 4000, 4999, ErrorKind::Unavailable, NOT_READY),
    ("HYR", 3, 3, ErrorKind::Unavailable, NOT_READY),
    ("HYR", 6, 6, ErrorKind::Unavailable, "use fewer clients"),
    ("HYR", 9, 9, ErrorKind::Unavailable, MEMORY),
    ("HYR", 10, 10, ErrorKind::Unavailable, NOT_READY),
    ("HYR", 25, 25, ErrorKind::Cancelled, ""),
    ("HYR", 26, 26, ErrorKind::Unavailable, NOT_READY),
    ("HYR", 33, 33, ErrorKind::Duplicate, ""),
    ("HYR", 48, 48, ErrorKind::Duplicate, ""),
    ("HYR", 89, 90, ErrorKind::Unavailable, MEMORY),
    ("HYR", 91, 91, ErrorKind::Timeout, ""),
    ("HYR", 0, 9999, ErrorKind::Unavailable, "look into the server's log"),
];

/// Error codes of the Analytics service, by its manual's ranges: 20 access, 21 API, 22 connection
/// to the data service, 23 execution, 24 compilation, 25 internal.
#[rustfmt::skip]
const ANALYTICS: &[Line] = &[
    ("", 20000, 20999, ErrorKind::Unavailable, RIGHTS),
    ("", 21002, 21002, ErrorKind::Timeout, "raise query_timeout_ms"),
    ("", 21007, 21007, ErrorKind::Cancelled, ""),
    ("", 21000, 21999, ErrorKind::Invalid, ""),
    ("", 22000, 22999, ErrorKind::Unavailable, "look at the link to the data service"),
    ("", 23000, 23000, ErrorKind::Unavailable, NOT_READY),
    ("", 23007, 23007, ErrorKind::Unavailable, "use fewer clients"),
    ("", 23008, 23008, ErrorKind::Unavailable, MEMORY),
    ("", 23011, 23011, ErrorKind::Unavailable, MEMORY),
    ("", 23000, 23999, ErrorKind::Unavailable, ""),
    ("", 24006, 24006, ErrorKind::Missing, "make the link, or name another one"),
    ("", 24025, 24025, ErrorKind::Missing, LOAD_FIRST),
    ("", 24034, 24034, ErrorKind::Missing, LOAD_FIRST),
    ("", 24044, 24045, ErrorKind::Missing, LOAD_FIRST),
    ("", 24000, 24999, ErrorKind::Invalid, ""),
    ("", 25000, 25999, ErrorKind::Unavailable, "look into the server's log"),
];

/// Any failed INSERT, UPDATE or DELETE outside of a transaction.
pub(super) const DML: u64 = 12009;

const BUSY: &str = "the service is busy: use fewer clients";
const LIMIT: &str = "raise the limit on this user's requests and results";
const PLACE: &str =
    "run `hoap load` first, or make the bucket if it is the bucket that is not there";
const TX_MEMORY: &str = "raise the query service's memory quota for transactions";

/// Error codes of Couchbase's query service, by its manual and its source (`errors/codes.go`, 7.6).
#[rustfmt::skip]
const QUERY: &[Line] = &[
    ("", 1080, 1080, ErrorKind::Timeout, "raise the time limit"),
    ("", 1180, 1182, ErrorKind::Unavailable, NOT_READY),
    ("", 1191, 1192, ErrorKind::Throttled, BUSY),
    ("", 1193, 1194, ErrorKind::Unavailable, LIMIT),
    ("", 1195, 1195, ErrorKind::Unavailable, ""),
    ("", 1196, 1196, ErrorKind::Throttled, BUSY),
    ("", 1197, 1198, ErrorKind::Unavailable, RIGHTS),
    ("", 1199, 1199, ErrorKind::Throttled, BUSY),
    ("", 1200, 1200, ErrorKind::Unavailable, RIGHTS),
    ("", 1201, 1201, ErrorKind::Throttled, BUSY),
    ("", 1202, 1203, ErrorKind::Unavailable, ""),
    ("", 1204, 1204, ErrorKind::Unavailable, MEMORY),
    ("", 1000, 1999, ErrorKind::Invalid, ""),
    ("", 2000, 2999, ErrorKind::Unavailable, ""),
    ("", 3000, 3999, ErrorKind::Invalid, ""),
    ("", 4040, 4090, ErrorKind::Invalid, "prepare the statement again"),
    ("", 4000, 4000, ErrorKind::Missing, LOAD_FIRST),
    ("", 4000, 4999, ErrorKind::Invalid, ""),
    ("", 5000, 5999, ErrorKind::Unavailable, ""),
    ("", 10000, 10999, ErrorKind::Unavailable, RIGHTS),
    ("", 12003, 12003, ErrorKind::Missing, PLACE),
    ("", 12004, 12004, ErrorKind::Missing, LOAD_FIRST),
    ("", DML, DML, ErrorKind::Unavailable, ""),
    ("", 12015, 12015, ErrorKind::Unavailable, ""),
    ("", 12016, 12016, ErrorKind::Missing, LOAD_FIRST),
    ("", 12020, 12020, ErrorKind::Missing, "make the bucket, or name another one"),
    ("", 12021, 12021, ErrorKind::Missing, LOAD_FIRST),
    ("", 12033, 12033, ErrorKind::Conflict, ""),
    ("", 12037, 12037, ErrorKind::Unavailable, RIGHTS),
    ("", 13014, 13014, ErrorKind::Unavailable, RIGHTS),
    ("", 17001, 17003, ErrorKind::Invalid, ""),
    ("", 17007, 17007, ErrorKind::Unavailable, ""),
    ("", 17010, 17010, ErrorKind::Timeout, "raise txtimeout_ms"),
    ("", 17012, 17012, ErrorKind::Duplicate, ""),
    ("", 17013, 17013, ErrorKind::Unavailable, "a statement of the transaction still runs"),
    ("", 17014, 17014, ErrorKind::NotFound, ""),
    ("", 17015, 17015, ErrorKind::Conflict, ""),
    ("", 17016, 17016, ErrorKind::Unavailable, TX_MEMORY),
    ("", 17017, 17017, ErrorKind::Unavailable, "look at the data nodes"),
    ("", 17020, 17020, ErrorKind::Unavailable, "look at the data nodes"),
    ("", 17021, 17021, ErrorKind::Throttled, BUSY),
    ("", 17096, 17096, ErrorKind::Unavailable, NOT_READY),
    ("", 17097, 17097, ErrorKind::Unavailable, "take an edition that has transactions"),
    ("", 17098, 17098, ErrorKind::Unavailable, MEMORY),
    ("", 17099, 17099, ErrorKind::Unavailable, "look into the query service's log"),
];
