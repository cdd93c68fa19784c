//! The properties of YCSB's bindings for the databases that Hoap has. What they say of a database,
//! its URL says here.

use hoap_record::{Error, ErrorKind, Result};

/// A binding's properties, and where they go.
struct Binding {
    /// The database, as users know it.
    database: &'static str,
    /// The scheme of its URLs.
    scheme: &'static str,
    /// The beginnings of its properties' names, with a dot at the end, or whole names.
    names: &'static [&'static str],
    /// Properties and what says the same.
    same: &'static [(&'static str, Same)],
}

/// What says the same as a property.
#[derive(Clone, Copy)]
enum Same {
    /// This part of the URL.
    Url(&'static str),
    /// This option of the URL.
    Option(&'static str),
}
use Same::{Option as Opt, Url};

/// By the README of each binding of YCSB 0.17; ScyllaDB's is of its fork.
const BINDINGS: &[Binding] = &[
    Binding {
        database: "Cassandra",
        scheme: "cassandra",
        names: &["cassandra.", "hosts", "port"],
        same: &[
            ("hosts", Url("the hosts")),
            ("port", Url("the port")),
            ("cassandra.keyspace", Url("the keyspace")),
            ("cassandra.username", Url("the user")),
            ("cassandra.readconsistencylevel", Opt("read_consistency")),
            ("cassandra.writeconsistencylevel", Opt("write_consistency")),
            ("cassandra.coreconnections", Opt("connections")),
            ("cassandra.maxconnections", Opt("connections")),
            ("cassandra.connecttimeoutmillis", Opt("connect_timeout_ms")),
            ("cassandra.readtimeoutmillis", Opt("request_timeout_ms")),
            ("cassandra.useSSL", Opt("tls")),
        ],
    },
    Binding {
        database: "ScyllaDB",
        scheme: "cassandra",
        names: &["scylla."],
        same: &[
            ("scylla.hosts", Url("the hosts")),
            ("scylla.port", Url("the port")),
            ("scylla.keyspace", Url("the keyspace")),
            ("scylla.username", Url("the user")),
            ("scylla.readconsistencylevel", Opt("read_consistency")),
            ("scylla.writeconsistencylevel", Opt("write_consistency")),
            ("scylla.lwt", Opt("lwt")),
        ],
    },
    Binding {
        database: "Couchbase",
        scheme: "couchbase",
        names: &["couchbase."],
        same: &[
            ("couchbase.host", Url("the host")),
            ("couchbase.bucket", Url("the bucket")),
            ("couchbase.persistTo", Opt("durability")),
            ("couchbase.replicateTo", Opt("durability")),
            ("couchbase.kvEndpoints", Opt("kv_connections")),
        ],
    },
    Binding {
        database: "DynamoDB",
        scheme: "dynamodb",
        names: &["dynamodb."],
        same: &[
            ("dynamodb.region", Url("the region")),
            ("dynamodb.endpoint", Opt("endpoint")),
            ("dynamodb.consistentReads", Opt("consistency")),
            ("dynamodb.awsCredentialsFile", Opt("credentials_file")),
            ("dynamodb.connectMax", Opt("connections")),
        ],
    },
    Binding {
        database: "MongoDB",
        scheme: "mongodb",
        names: &["mongodb."],
        same: &[
            ("mongodb.url", Url("the whole")),
            ("mongodb.writeConcern", Opt("w")),
            ("mongodb.readPreference", Opt("readPreference")),
            ("mongodb.maxconnections", Opt("maxPoolSize")),
        ],
    },
    Binding {
        database: "PostgreSQL",
        scheme: "postgres",
        names: &["postgrenosql.", "db.", "jdbc."],
        same: &[
            ("postgrenosql.url", Url("the whole")),
            ("postgrenosql.user", Url("the user")),
            ("db.url", Url("the whole")),
            ("db.user", Url("the user")),
        ],
    },
    Binding {
        database: "Redis",
        scheme: "redis",
        names: &["redis."],
        same: &[
            ("redis.host", Url("the host")),
            ("redis.port", Url("the port")),
            ("redis.cluster", Opt("cluster")),
            ("redis.timeout", Opt("response_timeout_ms")),
        ],
    },
];

/// Refuses a property of YCSB that belongs to one of its bindings, and says what to write in its
/// place. Its value may be a secret and is not repeated.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] for such a property.
pub fn refuse_property_of_binding(property: &str) -> Result<()> {
    let has = |name: &&str| match name.ends_with('.') {
        true => property.starts_with(name),
        false => property == *name,
    };
    let Some(binding) = BINDINGS.iter().find(|binding| binding.names.iter().any(has)) else {
        return Ok(());
    };
    let name = property.to_ascii_lowercase();
    let secret = ["pass", "secret", "auth"].iter().any(|word| name.contains(word));
    let advice = match binding.same.iter().find(|(theirs, _)| *theirs == property) {
        Some((_, Url(part))) => format!("{part} of the --target URL says it"),
        Some((_, Opt(option))) => format!("the option {option} of the --target URL says it"),
        None if secret => "secrets come from the environment or from --config".to_owned(),
        None => "`hoap targets` lists the options of the --target URL".to_owned(),
    };
    let scheme = crate::known().find(|scheme| scheme.names.contains(&binding.scheme));
    let form = scheme.map_or("", |scheme| scheme.form);
    let answer = format!("it belongs to YCSB's binding of {}", binding.database);
    let advice = format!("remove it: {advice}, {form}");
    Err(Error::new(ErrorKind::Invalid, format!("set property {property}"), answer).advise(advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(property: &str) -> String {
        refuse_property_of_binding(property).unwrap_err().to_string()
    }

    #[test]
    fn the_advice_names_what_says_the_same() {
        for (property, answer) in [
            (
                "mongodb.url",
                "set property mongodb.url: it belongs to YCSB's binding of MongoDB; \
              remove it: the whole of the --target URL says it, mongodb://",
            ),
            ("redis.cluster", "the option cluster of the --target URL says it, redis://"),
            ("redis.password", "secrets come from the environment or from --config"),
            ("hosts", "binding of Cassandra"),
            ("db.passwd", "secrets come from"),
            ("dynamodb.debug", "`hoap targets` lists the options"),
        ] {
            assert!(refused(property).contains(answer), "{}", refused(property));
        }
        for other in ["recordcount", "host", "hostsx", "redis", "cassandra", "table"] {
            assert_eq!(refuse_property_of_binding(other), Ok(()), "{other}");
        }
    }

    /// Of the databases that are built in.
    #[test]
    fn every_option_named_is_one_and_every_property_is_its_bindings() {
        for binding in BINDINGS {
            let scheme = crate::known().find(|s| s.names.contains(&binding.scheme));
            let scheme = scheme.expect("a known scheme");
            for (property, same) in binding.same {
                assert!(refused(property).contains(binding.database), "{property}");
                if let Opt(option) = same
                    && scheme.built_in()
                {
                    let there = scheme.options.iter().any(|help| help.name == *option);
                    assert!(there, "{} has no option {option}", binding.scheme);
                }
            }
        }
    }
}
