//! The URL of a DynamoDB target: `dynamodb://REGION[?option=value&…]`.

use std::time::Duration;

use hoap_database::options::{Read, meant, milliseconds, number, prefix, set_each, text};
use hoap_database::url::{Parts, host, redact};
use hoap_record::{Error, ErrorKind, Result};

/// How tables are paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capacity {
    /// By the request.
    OnDemand,
    /// By the hour, for so many units a second.
    Provisioned,
}

/// What a transaction that writes must find as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conditions {
    /// What it writes, or read to write.
    Changed,
    /// Everything that it read.
    Read,
}

/// How a page is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pages {
    /// In the index.
    Index,
    /// By reading all customers up to its end.
    Scan,
}

const PAGES: &[(&str, Pages)] = &[("index", Pages::Index), ("scan", Pages::Scan)];

hoap_database::options! {
    /// The settings that a URL may change.
    pub(super) struct Options {
        endpoint: String = ("endpoint", "", endpoint,
            "http://HOST:PORT or https://… of the service, such as DynamoDB Local; empty: Amazon's \
             for the region, or what AWS_ENDPOINT_URL_DYNAMODB says"),
        prefix: String = ("prefix", "hoap", prefix,
            "what the names of all tables begin with: letters, digits, _ and -, at most 64"),
        profile: String = ("profile", "", text,
            "the profile of the AWS configuration to use; empty: AWS_PROFILE, else `default`"),
        credentials_file: String = ("credentials_file", "", text,
            "a file of AWS profiles with credentials; empty: AWS_SHARED_CREDENTIALS_FILE, else \
             ~/.aws/credentials. The environment's credentials come before it"),
        capacity: Capacity = ("capacity", "on-demand", meant(CAPACITIES),
            "how the tables that a load makes are paid for: on-demand or provisioned"),
        read_units: u32 = ("read_units", "100", number(1..=1_000_000),
            "read capacity units of each provisioned table; 1 to 1000000"),
        write_units: u32 = ("write_units", "100", number(1..=1_000_000),
            "write capacity units of each provisioned table; 1 to 1000000"),
        load_write_units: u32 = ("load_write_units", "0", number(0..=1_000_000),
            "write capacity units of each provisioned table while it is loaded; at its end a load \
             gives all tables of the prefix read_units and write_units; 0: those from the \
             beginning; 0 to 1000000"),
        /// Whether reads of records are strongly consistent.
        strong: bool = ("consistency", "eventual", meant(&[("eventual", false), ("strong", true)]),
            "reads and scans of records: eventual or strong; transactions, notes and checks are \
             always strong"),
        conditions: Conditions = ("conditions", "changed", meant(CONDITIONS),
            "what a transaction must find as it read it when it commits: changed (what it writes \
             or read to write) or read (everything that it read)"),
        pages: Pages = ("pages", "index", meant(PAGES),
            "how Pagination finds a country's customers: index (the index on address.country, a \
             table of entries) or scan (a Scan with a filter, the comparison report's text)"),
        scan_segments: u32 = ("scan_segments", "1", number(1..=1000),
            "segments that pages=scan reads at a time, which is Amazon's parallel scan; 1 to 1000"),
        retries: u32 = ("retries", "0", number(0..=20),
            "times the driver sends a request again that was throttled or failed; 0 to 20"),
        /// Of everything that an operation sends, from its begin.
        answer_timeout: Duration = ("answer_timeout_ms", "310000", milliseconds(1..=86_400_000),
            "milliseconds that an answer may take before the operation is a timeout (a commit: \
             ambiguous), all its requests and retries together; 1 to 86400000. By default \
             request_timeout_ms comes first, and so do the 300 seconds that making a table may take"),
        request_timeout: Duration = ("request_timeout_ms", "10000", milliseconds(1..=3_600_000),
            "milliseconds that a request may take before it is a timeout; 1 to 3600000"),
        connect_timeout: Duration = ("connect_timeout_ms", "3000", milliseconds(1..=3_600_000),
            "milliseconds to wait for a connection; 1 to 3600000"),
        connections: u32 = ("connections", "0", number(0..=100_000),
            "requests under way at a time, and so connections, all clients together; 0: one for \
             each client; 0 to 100000"),
        load_requests: u32 = ("load_requests", "8", number(1..=256),
            "requests of 25 documents that each part of a load sends at a time; 1 to 256"),
    }
}

const CAPACITIES: &[(&str, Capacity)] =
    &[("on-demand", Capacity::OnDemand), ("provisioned", Capacity::Provisioned)];

const CONDITIONS: &[(&str, Conditions)] =
    &[("changed", Conditions::Changed), ("read", Conditions::Read)];

fn endpoint(value: &str) -> Read<String> {
    let rest = value.strip_prefix("http://").or_else(|| value.strip_prefix("https://"));
    let good = |b: u8| b.is_ascii_graphic() && !b"@?#\\".contains(&b);
    // What should be a port may be a password, also in a path that looks like one more URL.
    let named = |rest: &str| {
        host(rest.split('/').next().unwrap_or_default()).is_ok() && redact(value) == value
    };
    match rest {
        None if value.is_empty() => Ok(String::new()),
        Some(rest) if rest.bytes().all(good) && named(rest) => Ok(value.to_owned()),
        _ => Err(format!("`{}` is not http://HOST:PORT or https://HOST:PORT", redact(value))),
    }
}

/// Where the service is and how it is to be used.
#[derive(Debug)]
pub(super) struct ParsedUrl {
    /// The URL, which has no secret: for errors and the run folder.
    pub url: String,
    pub region: String,
    pub options: Options,
}

/// Takes a URL apart.
pub(super) fn parse(url: &str) -> Result<ParsedUrl> {
    // As long as it may hold a secret key no part is shown.
    let malformed = |answer: &str| {
        Error::new(ErrorKind::Invalid, "open dynamodb:…", answer).advise(
            "write dynamodb://REGION[?option=value&…], such as dynamodb://us-east-1; credentials are \
             taken from the environment or the files of the AWS command line",
        )
    };
    let (base, query) = match url.split_once('?') {
        Some((base, query)) => (base, Some(query)),
        None => (url, None),
    };
    let Some(region) = base.strip_prefix("dynamodb://") else {
        return Err(malformed("it names no region"));
    };
    if region.contains(['@', ':']) {
        return Err(malformed("a region is all that comes before the options"));
    }
    Parts::of(url).map_err(malformed)?;
    let region = region.strip_suffix('/').unwrap_or(region);
    if region.is_empty() || !region.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return Err(malformed("it names no region"));
    }
    let mut options = Options::default();
    set_each(url, query, |name, value| options.set(name, value))?;
    Ok(ParsedUrl { url: url.to_owned(), region: region.to_owned(), options })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_region_and_options() {
        let url = "dynamodb://eu-central-1?endpoint=http://127.0.0.1:8000&consistency=strong\
                   &capacity=provisioned&write_units=7&conditions=read&retries=3";
        let ParsedUrl { url: shown, region, options } = parse(url).unwrap();
        assert_eq!((shown.as_str(), region.as_str()), (url, "eu-central-1"));
        assert_eq!(options.endpoint, "http://127.0.0.1:8000");
        assert!(options.strong);
        assert_eq!((options.capacity, options.write_units), (Capacity::Provisioned, 7));
        assert_eq!((options.conditions, options.retries), (Conditions::Read, 3));
    }

    #[test]
    fn a_wrong_url_names_what_is_wrong_and_no_secret() {
        for (url, word) in [
            ("dynamodb:", "no region"),
            ("dynamodb://", "no region"),
            ("dynamodb://us east", "no region"),
            ("dynamodb://AKID:secret@us-east-1", "environment"),
            ("dynamodb://us-east-1?profile=u:secret@h", "an @ after"),
            ("dynamodb://us-east-1:8000", "all that comes before"),
            ("dynamodb://us-east-1?", "has no value"),
            ("dynamodb://us-east-1?secret_access_key=secret", "the options are endpoint, prefix"),
            ("dynamodb://us-east-1?session_token=secret", "no such option"),
            ("dynamodb://us-east-1?endpoint=localhost:8000", "http://HOST:PORT"),
            ("dynamodb://us-east-1?endpoint=http://h:x:secret", "`http://h:***` is not"),
            ("dynamodb://us-east-1?endpoint=http://h://i:x:secret", "is not http://HOST:PORT"),
            ("dynamodb://us-east-1?endpoint=http://h&capacity=x:secret", "`***` is not one of"),
            ("dynamodb://us-east-1?prefix=a.b", "letters, digits, _ and -"),
            ("dynamodb://us-east-1?capacity=free", "on-demand, provisioned"),
            ("dynamodb://us-east-1?consistency=some", "eventual, strong"),
            ("dynamodb://us-east-1?read_units=0", "from 1 to 1000000"),
            ("dynamodb://us-east-1?retries=-1", "from 0 to 20"),
        ] {
            let e = parse(url).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
            let text = e.to_string();
            assert!(text.contains(word), "{url}: {e}");
            assert!(!text.contains("=secret") && !text.contains(":secret"), "{url}: {e}");
        }
    }
}
