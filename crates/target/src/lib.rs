//! The databases, a module each behind a Cargo feature of the same name.
//!
//! A target is named by a URL; its scheme selects the database from one table ([`known`]).

use std::future::Future;
use std::pin::Pin;

use hoap_workload::capability::Target;
use hoap_workload::{Error, ErrorKind, Result};

#[cfg(feature = "sqlite")]
pub mod sqlite;

/// A database that `hoap` knows, whether or not it is part of this build.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// The scheme of its URLs first, then other spellings of it.
    pub names: &'static [&'static str],
    /// The database's name.
    pub database: &'static str,
    /// What its URLs look like.
    pub form: &'static str,
    /// The options after the `?` of its URLs.
    pub options: &'static [OptionHelp],
    open: Option<Opener>,
}

impl Scheme {
    /// Whether this build can open it.
    pub fn built_in(&self) -> bool {
        self.open.is_some()
    }
}

/// What one option of a URL means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionHelp {
    /// Its name.
    pub name: &'static str,
    /// Its value where the URL does not give it.
    pub default: &'static str,
    /// What it does, with the unit and the values allowed.
    pub meaning: &'static str,
}

type Opening<'a> = Pin<Box<dyn Future<Output = Result<Box<dyn Target>>> + Send + 'a>>;
type Opener = for<'a> fn(&'a str) -> Opening<'a>;

/// Every database that `hoap` knows, built in or not.
pub fn known() -> &'static [Scheme] {
    SCHEMES
}

/// Opens the database that a URL names.
///
/// # Errors
/// [`ErrorKind::Invalid`] where the URL is wrong or names a database that is not built in;
/// [`ErrorKind::Unavailable`] where the database cannot be reached or refuses. No message repeats
/// the URL of a database that takes a password.
pub async fn open(url: &str) -> Result<Box<dyn Target>> {
    let invalid = |tried: String, answer: String| Error::new(ErrorKind::Invalid, tried, answer);
    let built_in = || {
        let names = SCHEMES.iter().filter(|s| s.built_in());
        names.map(|s| s.form).collect::<Vec<_>>().join(", ")
    };
    let Some((name, _)) = url.split_once(':') else {
        return Err(invalid("open a target".into(), "a target is a URL, SCHEME:REST".into())
            .advise(format!("this build has {}", built_in())));
    };
    let Some(scheme) = SCHEMES.iter().find(|s| s.names.contains(&name)) else {
        let all: Vec<_> = SCHEMES.iter().map(|s| s.names[0]).collect();
        return Err(invalid(format!("open {name}:…"), "no such kind of database".into())
            .advise(format!("the known ones are {}", all.join(", "))));
    };
    match scheme.open {
        Some(open) => open(url).await,
        None => Err(invalid(
            format!("open {name}:…"),
            format!("{} is not part of this build", scheme.database),
        )
        .advise(format!("this build has {}", built_in()))),
    }
}

#[cfg(feature = "sqlite")]
const SQLITE: (&[OptionHelp], Option<Opener>) =
    (sqlite::OPTIONS, Some(|url| Box::pin(async move { sqlite::open(url) })));
#[cfg(not(feature = "sqlite"))]
const SQLITE: (&[OptionHelp], Option<Opener>) = (&[], None);

const SCHEMES: &[Scheme] = &[
    Scheme {
        names: &["sqlite"],
        database: "SQLite",
        form: "sqlite:PATH[?option=value&…]",
        options: SQLITE.0,
        open: SQLITE.1,
    },
    absent(&["duckdb"], "DuckDB", "duckdb:PATH"),
    absent(&["postgres", "postgresql"], "PostgreSQL", "postgres://USER@HOST/DATABASE"),
    absent(&["mongodb", "mongodb+srv"], "MongoDB", "mongodb://HOST/DATABASE"),
    absent(&["couchbase", "couchbases"], "Couchbase", "couchbase://HOST/BUCKET"),
    absent(
        &["couchbase-analytics", "couchbases-analytics"],
        "Couchbase Analytics, Capella Columnar",
        "couchbase-analytics://HOST/DATABASE",
    ),
    absent(&["asterixdb"], "Apache AsterixDB", "asterixdb://HOST/DATAVERSE"),
    absent(&["cassandra"], "Apache Cassandra", "cassandra://HOST/KEYSPACE"),
    absent(&["dynamodb"], "Amazon DynamoDB", "dynamodb://REGION"),
    absent(&["redis", "rediss"], "Redis", "redis://HOST"),
    absent(&["null"], "nothing: it measures the client", "null:"),
];

/// A database that is known and not built in.
const fn absent(
    names: &'static [&'static str],
    database: &'static str,
    form: &'static str,
) -> Scheme {
    Scheme { names, database, form, options: &[], open: None }
}
