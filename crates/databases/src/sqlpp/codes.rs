//! The services' error codes, and what they mean for the caller.

use hoap_workload::ErrorKind;

use super::error::Service;
use crate::failure::LOAD_FIRST;

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

/// The messages of AsterixDB 0.9.8 (`asx_errormsg/en.properties`, Hyracks's `errormsg/en.properties`).
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

/// Error codes of the Analytics service, by its manual's ranges: 20 access, 21 API, 22 connection to the data
/// service, 23 execution, 24 compilation, 25 internal.
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

/// Error codes of Couchbase's query service, by its manual.
#[rustfmt::skip]
const QUERY: &[Line] = &[
    ("", 1080, 1080, ErrorKind::Timeout, "raise the time limit"),
    ("", 1191, 1193, ErrorKind::Unavailable, "the service is busy: use fewer clients"),
    ("", 1000, 1999, ErrorKind::Invalid, ""),
    ("", 2000, 2999, ErrorKind::Unavailable, ""),
    ("", 3000, 3999, ErrorKind::Invalid, ""),
    ("", 4040, 4090, ErrorKind::Invalid, "prepare the statement again"),
    ("", 4000, 4000, ErrorKind::Missing, LOAD_FIRST),
    ("", 4000, 4999, ErrorKind::Invalid, ""),
    ("", 5000, 5999, ErrorKind::Unavailable, ""),
    ("", 10000, 10999, ErrorKind::Unavailable, RIGHTS),
    ("", 12003, 12004, ErrorKind::Missing, LOAD_FIRST),
    ("", 12009, 12009, ErrorKind::Conflict, ""),
    ("", 12016, 12016, ErrorKind::Missing, LOAD_FIRST),
    ("", 12021, 12021, ErrorKind::Missing, LOAD_FIRST),
    ("", 12015, 12015, ErrorKind::Unavailable, ""),
    ("", 13014, 13014, ErrorKind::Unavailable, RIGHTS),
    ("", 17007, 17007, ErrorKind::Conflict, ""),
    ("", 17010, 17010, ErrorKind::Timeout, "raise txtimeout"),
    ("", 17012, 17012, ErrorKind::Duplicate, ""),
    ("", 17014, 17014, ErrorKind::NotFound, ""),
    ("", 17015, 17015, ErrorKind::Conflict, ""),
];
