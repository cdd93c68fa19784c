//! The server or cluster: connecting to it, and its deployment and version.

use std::time::Duration;

use hoap_database::failure::{Done, Failure};
use hoap_database::{limited, url};
use hoap_record::{Error, ErrorKind, Result, input};
use mongodb::action::Find;
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::options::{ClientOptions, DriverInfo, ReadConcern, Tls};
use mongodb::{Client, Collection, Database};

use super::documentdb::{self, Gateway};
use super::error;
use super::options::Options;
use super::parsed_url::{ParsedUrl, parse};
use crate::error::OrFail;

/// A server or cluster, with the driver's client and its pool of connections.
pub(super) struct Server {
    /// The URL without user and secrets.
    pub shown: String,
    pub database: Database,
    pub options: Options,
    pub facts: Facts,
    /// The settings of the driver, write concern, read concern and so on, for the run folder.
    pub settings: Vec<(String, String)>,
}

/// The server's answer to `hello`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Facts {
    pub version: String,
    pub replica_set: Option<String>,
    /// Whether it is a router of a sharded cluster.
    pub sharded: bool,
    /// Whether it has sessions, which transactions require.
    pub sessions: bool,
    pub wire_version: i32,
    /// Set where the server is DocumentDB, and not MongoDB.
    pub documentdb: Option<Gateway>,
}

impl Facts {
    /// Multi-document transactions: in replica sets since 4.0, in sharded clusters since 4.2.
    pub fn transactions(&self) -> bool {
        self.sessions && (self.sharded || self.replica_set.is_some()) && self.wire_version >= 7
    }

    /// Read concern `snapshot` outside of transactions, since 5.0 (wire version 13).
    pub fn snapshot_reads(&self) -> bool {
        let several = self.sharded || self.replica_set.is_some();
        several && self.wire_version >= 13 && self.documentdb.is_none()
    }
}

/// The password from the environment. No variable is common to MongoDB's programs: these two are
/// ours, the second one in the form of MongoDB's container image.
fn password_outside() -> Result<Option<String>> {
    if let Ok(password) = std::env::var("MONGODB_PASSWORD") {
        return Ok(Some(password));
    }
    let Ok(file) = std::env::var("MONGODB_PASSWORD_FILE") else { return Ok(None) };
    let text = input::text(file.as_ref()).map_err(|e| {
        Error::new(
            ErrorKind::Unavailable,
            format!("read the password in {file} (MONGODB_PASSWORD_FILE)"),
            e,
        )
    })?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

impl Server {
    pub async fn open(url: &str) -> Result<Server> {
        let place = parse(url, password_outside()?.as_deref())?;
        let shown = place.shown.clone();
        let tried = || format!("open {shown}");
        let client_options = client_options(&place).await?;
        let settings = in_force(&client_options);
        // The client and its connections live in this runtime, whichever runtime uses them.
        let failed = |failure: Failure| hide(failure.into_error(tried()), &place);
        let client = Client::with_options(client_options).map_err(|e| failed(error::failure(e)))?;
        let database = client.database(&place.database);
        let asked = async { ask(&database).await.or_fail() };
        let limit = place.options.answer_timeout;
        let facts = limited(&place.shown, Some(limit), asked).await.map_err(failed)?;
        let refused = if place.options.hashed && !facts.sharded {
            Some("sharding=hashed wants a sharded cluster, and this server is no router (mongos)")
        } else if !place.options.documentdb_version.is_empty() && facts.documentdb.is_none() {
            Some("documentdb_version is for DocumentDB, and this server is not it")
        } else {
            None
        };
        if let Some(why) = refused {
            return Err(Error::new(ErrorKind::Invalid, tried(), why));
        }
        Ok(Server { shown: place.shown, database, options: place.options, facts, settings })
    }

    /// A collection whose documents are bytes.
    pub fn collection(&self, name: &str) -> Collection<RawDocumentBuf> {
        self.database.collection(name)
    }

    /// A search through all of a collection that gives each document once: in the order of the keys
    /// where a server would otherwise repeat some.
    pub fn each_once<'a>(&self, find: Find<'a, RawDocumentBuf>) -> Find<'a, RawDocumentBuf> {
        match self.facts.documentdb {
            Some(_) => find.sort(doc! {"_id": 1}),
            None => find,
        }
    }

    /// The read concern of queries.
    pub fn analytics_concern(&self) -> ReadConcern {
        match &self.options.analytics_read_concern {
            Some(concern) => concern.clone(),
            None if self.facts.snapshot_reads() => ReadConcern::snapshot(),
            None => ReadConcern::local(),
        }
    }

    /// Waits for an answer where the layer in front does not: while a session is opened.
    pub async fn limited<T>(&self, answer: impl Future<Output = Done<T>>) -> Done<T> {
        limited(&self.shown, Some(self.options.answer_timeout), answer).await
    }
}

/// The driver's options: the URL's, else our defaults.
async fn client_options(place: &ParsedUrl) -> Result<ClientOptions> {
    let parsed = ClientOptions::parse(&place.connection).await;
    let mut options = parsed.map_err(|e| {
        let kind = match e.kind.as_ref() {
            mongodb::error::ErrorKind::DnsResolve { .. } => ErrorKind::Unavailable,
            _ => ErrorKind::Invalid,
        };
        let words = e.kind.to_string();
        hide(Error::new(kind, format!("open {}", place.shown), words), place)
    })?;
    if let Some(Tls::Enabled(tls)) = &options.tls {
        for file in [&tls.ca_file_path, &tls.cert_key_file_path].into_iter().flatten() {
            // The driver reads them whole, and waits for the writer of a pipe.
            input::bytes(file, input::MOST_TEXT).map_err(|e| {
                let answer = format!("{}: {e}", file.display());
                Error::new(ErrorKind::Invalid, format!("open {}", place.shown), answer)
            })?;
        }
    }
    options.app_name.get_or_insert_with(|| "hoap".to_owned());
    options.driver_info = Some(
        DriverInfo::builder().name("hoap").version(env!("CARGO_PKG_VERSION").to_owned()).build(),
    );
    options.retry_writes.get_or_insert(false);
    options.retry_reads.get_or_insert(false);
    options.max_pool_size.get_or_insert(10_000);
    // Many clients begin at the same time; the driver's limit of two at a time would make them
    // queue.
    options.max_connecting.get_or_insert(16);
    options.connect_timeout.get_or_insert(Duration::from_secs(10));
    options.server_selection_timeout.get_or_insert(Duration::from_secs(10));
    Ok(options)
}

/// An error that does not repeat the password, in whatever form the driver had it, however short it
/// is.
fn hide(mut error: Error, place: &ParsedUrl) -> Error {
    let secret = place.password.as_deref().filter(|p| !p.is_empty());
    let told =
        |secret: &str| error.answer.contains(secret) || error.answer.contains(&url::encode(secret));
    if secret.is_some_and(told) {
        error.answer = "its words repeat the password: not shown".to_owned();
    }
    error
}

/// The name of a read concern.
pub(super) fn level(concern: &ReadConcern) -> &str {
    use mongodb::options::ReadConcernLevel::{
        Available, Custom, Linearizable, Local, Majority, Snapshot,
    };
    match &concern.level {
        Local => "local",
        Majority => "majority",
        Linearizable => "linearizable",
        Available => "available",
        Snapshot => "snapshot",
        Custom(name) => name,
        _ => "unknown",
    }
}

/// The settings of the driver, for the run folder.
fn in_force(options: &ClientOptions) -> Vec<(String, String)> {
    let concern = match &options.write_concern {
        Some(concern) => {
            let w = concern.w.as_ref().map_or("server's".to_owned(), |w| match w {
                mongodb::options::Acknowledgment::Nodes(n) => n.to_string(),
                mongodb::options::Acknowledgment::Majority => "majority".to_owned(),
                other => format!("{other:?}"),
            });
            let journal = concern.journal.map_or("server's".to_owned(), |j| j.to_string());
            format!("w={w}, journal={journal}")
        }
        None => "server's".to_owned(),
    };
    let read = options.read_concern.as_ref().map_or("server's".to_owned(), |c| level(c).to_owned());
    let flag = |flag: Option<bool>| flag.unwrap_or_default().to_string();
    vec![
        ("write_concern".to_owned(), concern),
        ("read_concern".to_owned(), read),
        ("retry_writes".to_owned(), flag(options.retry_writes)),
        ("retry_reads".to_owned(), flag(options.retry_reads)),
        ("max_pool_size".to_owned(), options.max_pool_size.unwrap_or_default().to_string()),
        ("tls".to_owned(), matches!(options.tls, Some(Tls::Enabled(_))).to_string()),
    ]
}

/// Asks the server for its version and deployment.
async fn ask(database: &Database) -> mongodb::error::Result<Facts> {
    let hello = match database.run_command(doc! {"hello": 1}).await {
        // Before 4.4.2, and imitations.
        Err(e) if error::has_no_command(&e) => database.run_command(doc! {"isMaster": 1}).await?,
        answer => answer?,
    };
    let build = database.run_command(doc! {"buildInfo": 1}).await?;
    Ok(facts(&hello, &build))
}

fn facts(hello: &Document, build: &Document) -> Facts {
    Facts {
        version: build.get_str("version").unwrap_or("unknown").to_owned(),
        replica_set: hello.get_str("setName").ok().map(str::to_owned),
        sharded: hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid"),
        sessions: hello.contains_key("logicalSessionTimeoutMinutes"),
        wire_version: hello.get_i32("maxWireVersion").unwrap_or_default(),
        documentdb: documentdb::gateway(hello),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_repeats_a_password_however_short() {
        for (password, words) in [
            ("x", "no user in u:x@h"),
            ("ab", "ab is not encoded"),
            ("@", "cannot read %40"),
            ("longer", "no user in u:longer@h"),
        ] {
            let place = parse("mongodb://u@h/d", Some(password)).unwrap();
            let error =
                |words| Error::new(ErrorKind::Invalid, "open mongodb://h/d", words).advise("look");
            let told = hide(error(words), &place);
            assert!(told.answer.contains("not shown") && told.kind == ErrorKind::Invalid, "{told}");
            let other = error("no host");
            assert_eq!(hide(other.clone(), &place), other, "{password}");
        }
        let place = parse("mongodb://h/d", None).unwrap();
        let error = Error::new(ErrorKind::Invalid, "open mongodb://h/d", "words");
        assert_eq!(hide(error.clone(), &place), error);
    }

    #[test]
    fn transactions_want_a_replica_set_or_a_cluster() {
        let build = doc! {"version": "8.0.4"};
        let of = |hello: Document| facts(&hello, &build);
        let set =
            of(doc! {"setName": "rs", "maxWireVersion": 25, "logicalSessionTimeoutMinutes": 30});
        assert!(set.transactions() && set.snapshot_reads() && !set.sharded);
        let router =
            of(doc! {"msg": "isdbgrid", "maxWireVersion": 25, "logicalSessionTimeoutMinutes": 30});
        assert!(router.transactions() && router.snapshot_reads() && router.sharded);
        let alone = of(doc! {"maxWireVersion": 25, "logicalSessionTimeoutMinutes": 30});
        assert!(!alone.transactions() && !alone.snapshot_reads());
        let old =
            of(doc! {"setName": "rs", "maxWireVersion": 9, "logicalSessionTimeoutMinutes": 30});
        assert!(old.transactions() && !old.snapshot_reads());
    }
}
