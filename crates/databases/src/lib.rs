//! The databases that `hoap` knows, by the schemes of their URLs: each is a crate under `databases/`,
//! and those with a network driver, and DuckDB, are behind a Cargo feature of the same name.
//!
//! A URL names a database; its scheme selects the crate from one table ([`known`]), and [`open`]
//! opens it.
//!
//! What all databases do alike is in front of their engines: see [`hoap_database::Database`]. Every
//! database has the same files, as far as it needs them: `lib.rs` documents the mapping and the
//! promises and has `open`; `database.rs` has the engine; `options.rs` reads the URL;
//! `documents.rs`, `transaction.rs`, `analytics.rs`, `key_value.rs` and `shop.rs` implement a
//! capability of [`hoap_database::engine`] each; `bulk.rs` loads; `error.rs` classifies failures. The
//! types of a role have one name: `TransactionSession` and `OpenTransaction`, `QuerySession`,
//! `RecordSession`, `BatchWriter`, `ParsedUrl`.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use hoap_database::answering::{Expected, unless_another};
use hoap_database::failure::Failure;
use hoap_database::{Database, Offers, What, opening};
use hoap_record::{Error, ErrorKind, Result};

mod bindings;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod presets;

pub use bindings::refuse_property_of_binding;
#[cfg(feature = "asterixdb")]
pub use hoap_asterixdb as asterixdb;
#[cfg(feature = "cassandra")]
pub use hoap_cassandra as cassandra;
#[cfg(feature = "couchbase")]
pub use hoap_couchbase as couchbase;
#[cfg(feature = "couchbase-analytics")]
pub use hoap_couchbase_analytics as couchbase_analytics;
pub use hoap_database::options::OptionHelp;
pub use hoap_database::url;
#[cfg(feature = "duckdb")]
pub use hoap_duckdb as duckdb;
#[cfg(feature = "dynamodb")]
pub use hoap_dynamodb as dynamodb;
#[cfg(feature = "mongodb")]
pub use hoap_mongodb as mongodb;
pub use hoap_null as null;
#[cfg(feature = "postgres")]
pub use hoap_postgres as postgres;
#[cfg(feature = "redis")]
pub use hoap_redis as redis;
pub use hoap_sqlite as sqlite;

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
    /// What it offers to benchmarks, whatever its server says.
    pub offers: Offers,
    /// What the texts of its queries are written in, if it answers some.
    pub dialect: Option<&'static str>,
    /// How a URL is opened, if it is built in.
    pub open: Option<Opener>,
}

impl Scheme {
    /// A database that is known and not built in.
    pub const fn absent(
        names: &'static [&'static str],
        database: &'static str,
        form: &'static str,
    ) -> Scheme {
        Scheme {
            names,
            database,
            form,
            options: &[],
            offers: Offers(&[]),
            dialect: None,
            open: None,
        }
    }

    /// Whether this build can open it.
    pub fn built_in(&self) -> bool {
        self.open.is_some()
    }

    /// What it offers to benchmarks. Nothing where it is not built in.
    pub fn capabilities(&self) -> impl Iterator<Item = What> {
        self.offers.all().filter(|_| self.built_in())
    }
}

/// A database that is being opened.
pub type Opening<'a> = Pin<Box<dyn Future<Output = Result<Database>> + Send + 'a>>;
/// How a URL is opened.
pub type Opener = for<'a> fn(&'a str) -> Opening<'a>;

/// Every database that `hoap` knows, built in or not, and those that were added.
pub fn known() -> impl Iterator<Item = &'static Scheme> + Clone {
    SCHEMES.iter().chain(ADDED.get().into_iter().flatten().copied())
}

/// Adds databases, once, before the first URL is read.
pub fn add(databases: &[&'static Scheme]) {
    let _ = ADDED.set(databases.to_vec());
}

static ADDED: OnceLock<Vec<&Scheme>> = OnceLock::new();

/// Opens the database that a URL names.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where the URL is wrong or names a database that is not built in;
/// [`ErrorKind::Unavailable`] where the database cannot be reached or refuses. No message repeats
/// the URL of a database that takes a password.
pub async fn open(url: &str) -> Result<Database> {
    let url = &*presets::expanded(url)?;
    let (name, _, open) = scheme_of(url)?;
    let attempt = async { open(url).await.map_err(Failure::from) };
    let opened = opening(url, unless_another(Expected::of(url), attempt)).await;
    opened.flatten().map_err(|failure| failure.into_error(format!("open {name}:…")))
}

/// Refuses a URL whose database lacks one of these. Nothing is opened: what only a server knows of
/// itself is not seen.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where the scheme is unknown or not built in, and with the reason
/// where a capability is lacking.
pub fn offers(url: &str, needed: &[What]) -> Result<()> {
    let (name, scheme, _) = scheme_of(url)?;
    needed.iter().try_for_each(|what| {
        scheme.offers.has(*what).map_err(|because| {
            let tried = format!("{} on {name}:…", what.in_words());
            invalid(tried, format!("not applicable, because {because}"))
                .advise("`hoap targets` lists what each database offers")
        })
    })
}

/// What queries are written in for the database of this URL, which is not opened.
///
/// # Errors
/// Fails where it answers no queries.
pub fn dialect(url: &str) -> Result<&'static str> {
    offers(url, &[What::Analytics])?;
    let (name, scheme, _) = scheme_of(url)?;
    let none = || invalid(format!("find the texts for {name}:…"), "it has none".into());
    scheme.dialect.ok_or_else(none)
}

/// The scheme of a URL as it is spelled there, its line, and how it is opened.
fn scheme_of(url: &str) -> Result<(&str, &'static Scheme, Opener)> {
    let built_in = || {
        let names = known().filter(|s| s.built_in());
        names.map(|s| s.form).collect::<Vec<_>>().join(", ")
    };
    // What is no scheme may be a part of something with a password in it.
    let good = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    let scheme = url.split_once(':').map(|(name, _)| name).filter(|name| name.bytes().all(good));
    let Some(name) = scheme else {
        return Err(invalid("open a target".into(), "a target is a URL, SCHEME:REST".into())
            .advise(format!("this build has {}", built_in())));
    };
    let Some(scheme) = known().find(|s| s.names.contains(&name)) else {
        let all: Vec<_> = known().map(|s| s.names[0]).collect();
        return Err(invalid(format!("open {name}:…"), "no such kind of database".into())
            .advise(format!("the known ones are {}", all.join(", "))));
    };
    match scheme.open {
        Some(open) => Ok((name, scheme, open)),
        None => Err(invalid(
            format!("open {name}:…"),
            format!("{} is not part of this build", scheme.database),
        )
        .advise(format!("this build has {}", built_in()))),
    }
}

fn invalid(tried: String, answer: String) -> Error {
    Error::new(ErrorKind::Invalid, tried, answer)
}

/// A line of [`SCHEMES`]: the names of a database behind a feature, and how its module opens it if
/// the feature is on.
macro_rules! scheme {
    (
        $feature:literal, $names:expr, $database:expr, $form:expr,
        $module:ident $($dialect:ident)?, |$url:ident| $open:expr
    ) => {{
        #[cfg(feature = $feature)]
        const SCHEME: Scheme = Scheme {
            options: $module::OPTIONS,
            offers: $module::OFFERS,
            $(dialect: Some($module::$dialect),)?
            open: Some(|$url| Box::pin(async move { $open })),
            ..Scheme::absent($names, $database, $form)
        };
        #[cfg(not(feature = $feature))]
        const SCHEME: Scheme = Scheme::absent($names, $database, $form);
        SCHEME
    }};
}

// A static: every crate that inlines a use of a constant compiles the functions in it once more,
// and here those are all databases.
static SCHEMES: &[Scheme] = &[
    Scheme {
        options: sqlite::OPTIONS,
        offers: sqlite::OFFERS,
        dialect: Some(sqlite::DIALECT),
        open: Some(|url| Box::pin(async move { sqlite::open(url) })),
        ..Scheme::absent(&["sqlite"], "SQLite", "sqlite:PATH[?option=value&…]")
    },
    scheme!("duckdb", &["duckdb"], "DuckDB", "duckdb:PATH[?option=value&…]", duckdb DIALECT, |url| {
        duckdb::open(url)
    }),
    scheme!(
        "postgres",
        &["postgres", "postgresql"],
        "PostgreSQL",
        "postgres://[USER@]HOST[:PORT]/DATABASE[?option=value&…]",
        postgres DIALECT,
        |url| postgres::open(url).await
    ),
    scheme!(
        "mongodb",
        &["mongodb", "mongodb+srv"],
        "MongoDB",
        "mongodb://[USER@]HOST[:PORT][,…]/DATABASE[?option=value&…]",
        mongodb DIALECT,
        |url| mongodb::open(url).await
    ),
    scheme!(
        "couchbase",
        &["couchbase", "couchbases"],
        "Couchbase",
        "couchbase://[USER@]HOST[:PORT][,HOST…]/BUCKET[?option=value&…]",
        couchbase,
        |url| couchbase::open(url).await
    ),
    scheme!(
        "couchbase-analytics",
        &["couchbase-analytics", "couchbases-analytics"],
        "Couchbase Analytics, Capella Columnar",
        "couchbase-analytics://[USER@]HOST[:PORT]/DATABASE[.SCOPE][?option=value&…]",
        couchbase_analytics DIALECT,
        |url| couchbase_analytics::open(url).await
    ),
    scheme!(
        "asterixdb",
        &["asterixdb"],
        "Apache AsterixDB",
        "asterixdb://HOST[:PORT]/DATAVERSE[?option=value&…]",
        asterixdb DIALECT,
        |url| asterixdb::open(url).await
    ),
    scheme!(
        "cassandra",
        &["cassandra"],
        "Apache Cassandra, DataStax Enterprise, ScyllaDB",
        "cassandra://HOST[:PORT]/KEYSPACE[?option=value&…]",
        cassandra,
        |url| cassandra::open(url).await
    ),
    scheme!(
        "dynamodb",
        &["dynamodb"],
        "Amazon DynamoDB",
        "dynamodb://REGION[?option=value&…]",
        dynamodb,
        |url| dynamodb::open(url).await
    ),
    scheme!(
        "redis",
        &["redis", "rediss"],
        "Redis, Valkey",
        "redis://HOST[:PORT][?option=value&…]",
        redis,
        |url| redis::open(url).await
    ),
    Scheme {
        options: null::OPTIONS,
        offers: null::OFFERS,
        open: Some(|url| Box::pin(async move { null::open(url) })),
        ..Scheme::absent(&["null"], "nothing: it measures the client", "null:[?option=value&…]")
    },
];

#[cfg(test)]
mod tests {
    use hoap_database::url::{FILES, PLACES};

    #[test]
    fn who_answers_queries_says_what_they_are_written_in() {
        for scheme in super::known().filter(|scheme| scheme.built_in()) {
            let answers = scheme.offers.has(hoap_database::What::Analytics).is_ok();
            assert_eq!(scheme.dialect.is_some(), answers, "{}", scheme.database);
        }
    }

    #[test]
    fn every_scheme_is_one_of_a_place_or_of_a_file() {
        for name in super::known().flat_map(|scheme| scheme.names) {
            assert!(PLACES.contains(name) != FILES.contains(name), "{name}");
        }
        for name in FILES.iter().chain(&PLACES) {
            assert!(super::known().any(|scheme| scheme.names.contains(name)), "{name}");
        }
    }
}
