//! The URL of a DynamoDB target: `dynamodb://REGION[?option=value&…]`.

use std::time::Duration;

use hoap_workload::{Error, ErrorKind, Result};

use crate::OptionHelp;
use crate::options::{number, set_each, unknown};

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

/// The settings that a URL may change. [`OPTIONS`] says what each means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub endpoint: String,
    pub prefix: String,
    pub profile: String,
    pub credentials_file: String,
    pub capacity: Capacity,
    pub read_units: u32,
    pub write_units: u32,
    /// Whether reads of records are strongly consistent.
    pub strong: bool,
    pub conditions: Conditions,
    pub retries: u32,
    pub request_timeout: Duration,
    pub connect_timeout: Duration,
    pub connections: u32,
    pub load_requests: u32,
}

/// The options of a `dynamodb:` URL.
pub const OPTIONS: &[OptionHelp] = &[
    OptionHelp {
        name: "endpoint",
        default: "",
        meaning: "http://HOST:PORT or https://… of the service, such as DynamoDB Local; empty: \
                  Amazon's for the region, or what AWS_ENDPOINT_URL_DYNAMODB says",
    },
    OptionHelp {
        name: "prefix",
        default: "hoap",
        meaning: "what the names of all tables begin with: letters, digits, _ and -, at most 64",
    },
    OptionHelp {
        name: "profile",
        default: "",
        meaning: "the profile of the AWS configuration to use; empty: AWS_PROFILE, else `default`",
    },
    OptionHelp {
        name: "credentials_file",
        default: "",
        meaning: "a file of AWS profiles with credentials; empty: AWS_SHARED_CREDENTIALS_FILE, else \
                  ~/.aws/credentials. The environment's credentials come before it",
    },
    OptionHelp {
        name: "capacity",
        default: "on-demand",
        meaning: "how the tables that a load makes are paid for: on-demand or provisioned",
    },
    OptionHelp {
        name: "read_units",
        default: "100",
        meaning: "read capacity units of each provisioned table; 1 to 1000000",
    },
    OptionHelp {
        name: "write_units",
        default: "100",
        meaning: "write capacity units of each provisioned table; 1 to 1000000",
    },
    OptionHelp {
        name: "consistency",
        default: "eventual",
        meaning: "reads and scans of records: eventual or strong; transactions, notes and checks are \
                  always strong",
    },
    OptionHelp {
        name: "conditions",
        default: "changed",
        meaning: "what a transaction must find as it read it when it commits: changed (what it \
                  writes or read to write) or read (everything that it read)",
    },
    OptionHelp {
        name: "retries",
        default: "0",
        meaning: "times the driver sends a request again that was throttled or failed; 0 to 20",
    },
    OptionHelp {
        name: "request_timeout_ms",
        default: "10000",
        meaning: "milliseconds that a request may take before it is a timeout; 1 to 3600000",
    },
    OptionHelp {
        name: "connect_timeout_ms",
        default: "3000",
        meaning: "milliseconds to wait for a connection; 1 to 3600000",
    },
    OptionHelp {
        name: "connections",
        default: "0",
        meaning: "requests under way at a time, and so connections, all clients together; 0: one for \
                  each client; 0 to 100000",
    },
    OptionHelp {
        name: "load_requests",
        default: "8",
        meaning: "requests of 25 documents that each part of a load sends at a time; 1 to 256",
    },
];

impl Options {
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let milliseconds =
            |value| number(value, 1, 3_600_000).map(|ms| Duration::from_millis(u64::from(ms)));
        let one_of = |first: &str, second: &str| match value {
            _ if value == first => Ok(true),
            _ if value == second => Ok(false),
            _ => Err(format!("`{value}` is not {first} or {second}")),
        };
        match name {
            "endpoint" => {
                let host = value.strip_prefix("http://").or_else(|| value.strip_prefix("https://"));
                let good = |host: &str| {
                    !host.is_empty()
                        && host.bytes().all(|b| b.is_ascii_graphic() && !b"@?#\\".contains(&b))
                };
                if !value.is_empty() && !host.is_some_and(good) {
                    return Err(format!("`{value}` is not http://HOST:PORT or https://HOST:PORT"));
                }
                self.endpoint = value.to_owned();
            }
            "prefix" => {
                let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
                if value.is_empty() || value.len() > 64 || !value.bytes().all(good) {
                    return Err(format!("`{value}` is not 1 to 64 letters, digits, _ and -"));
                }
                self.prefix = value.to_owned();
            }
            "profile" => self.profile = value.to_owned(),
            "credentials_file" => self.credentials_file = value.to_owned(),
            "capacity" => {
                self.capacity = match one_of("on-demand", "provisioned")? {
                    true => Capacity::OnDemand,
                    false => Capacity::Provisioned,
                };
            }
            "read_units" => self.read_units = number(value, 1, 1_000_000)?,
            "write_units" => self.write_units = number(value, 1, 1_000_000)?,
            "consistency" => self.strong = !one_of("eventual", "strong")?,
            "conditions" => {
                self.conditions = match one_of("changed", "read")? {
                    true => Conditions::Changed,
                    false => Conditions::Read,
                };
            }
            "retries" => self.retries = number(value, 0, 20)?,
            "request_timeout_ms" => self.request_timeout = milliseconds(value)?,
            "connect_timeout_ms" => self.connect_timeout = milliseconds(value)?,
            "connections" => self.connections = number(value, 0, 100_000)?,
            "load_requests" => self.load_requests = number(value, 1, 256)?,
            _ => return Err(unknown(OPTIONS)),
        }
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Options {
            endpoint: String::new(),
            prefix: String::new(),
            profile: String::new(),
            credentials_file: String::new(),
            capacity: Capacity::OnDemand,
            read_units: 0,
            write_units: 0,
            strong: false,
            conditions: Conditions::Changed,
            retries: 0,
            request_timeout: Duration::ZERO,
            connect_timeout: Duration::ZERO,
            connections: 0,
            load_requests: 0,
        };
        for option in OPTIONS {
            let set = options.set(option.name, option.default);
            debug_assert_eq!(set, Ok(()), "the default of {} is a good value", option.name);
        }
        options
    }
}

/// Where the service is and how it is to be used.
#[derive(Debug)]
pub(super) struct Place {
    /// The URL, which has no secret: for errors and the run folder.
    pub url: String,
    pub region: String,
    pub options: Options,
}

/// Takes a URL apart.
pub(super) fn parse(url: &str) -> Result<Place> {
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
    let region = region.strip_suffix('/').unwrap_or(region);
    if region.is_empty() || !region.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return Err(malformed("it names no region"));
    }
    let mut options = Options::default();
    set_each(url, query, |name, value| options.set(name, value))?;
    Ok(Place { url: url.to_owned(), region: region.to_owned(), options })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_a_default_that_parses_and_can_be_given() {
        for option in OPTIONS {
            let mut given = Options::default();
            assert_eq!(given.set(option.name, option.default), Ok(()), "{}", option.name);
            assert_eq!(given, Options::default());
        }
        let Options { retries, strong, capacity, .. } = Options::default();
        assert_eq!((retries, strong, capacity), (0, false, Capacity::OnDemand));
    }

    #[test]
    fn a_url_names_region_and_options() {
        let url = "dynamodb://eu-central-1?endpoint=http://127.0.0.1:8000&consistency=strong\
                   &capacity=provisioned&write_units=7&conditions=read&retries=3";
        let Place { url: shown, region, options } = parse(url).unwrap();
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
            ("dynamodb://us-east-1:8000", "all that comes before"),
            ("dynamodb://us-east-1?", "has no value"),
            ("dynamodb://us-east-1?secret_access_key=secret", "the options are endpoint, prefix"),
            ("dynamodb://us-east-1?session_token=secret", "no such option"),
            ("dynamodb://us-east-1?endpoint=localhost:8000", "http://HOST:PORT"),
            ("dynamodb://us-east-1?prefix=a.b", "letters, digits, _ and -"),
            ("dynamodb://us-east-1?capacity=free", "on-demand or provisioned"),
            ("dynamodb://us-east-1?consistency=some", "eventual or strong"),
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
