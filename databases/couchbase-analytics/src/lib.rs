//! Couchbase's Analytics service, Capella Columnar and Enterprise Analytics:
//! `couchbase-analytics://[USER@]HOST[:PORT]/DATABASE[.SCOPE][?option=value&…]`,
//! `couchbases-analytics://` with TLS. The options are in [`OPTIONS`]. The password comes from
//! `CB_PASSWORD`, or from a file.
//!
//! Read [`definition`] first; the rest is in [`hoap_sqlpp::store`].
//!
//! # Mapping
//! With `link` (always, on Couchbase Server) the collections are shadows of the operational ones,
//! made at the first read of the note: the service keeps them up to date, and nothing is loaded
//! here. The note is returned once no mutation is on its way. Without a link (Columnar, Enterprise
//! Analytics) they are standalone collections with the primary key `hoap_key`, loaded like
//! AsterixDB's.
//!
//! # Limits
//! As AsterixDB's: no transactions of several statements here, no records by key.

mod definition;
#[doc(hidden)]
pub mod fuzz;
mod options;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use definition::AnalyticsDefinition;
use hoap_database::Database;
use hoap_database::failure::Done;
use hoap_record::Description;
use hoap_record::Result;
use hoap_sqlpp::store::{Endpoint, StoreEngine};
use hoap_sqlpp::{Request, Service, ServiceAddress, StatementClient};
use options::ParsedUrl;

pub use options::OPTIONS;

/// What it offers, and why not the rest.
pub use hoap_sqlpp::store::{DIALECT, OFFERS};

/// The time limit of the first request.
const FIRST: Duration = Duration::from_secs(30);

/// Opens a `couchbase-analytics:` URL and asks the service whether it answers this user.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong;
/// [`hoap_record::ErrorKind::Unavailable`] where the service cannot be reached or refuses.
pub async fn open(url: &str) -> Result<Database> {
    let parsed = options::parse(url, &|name| std::env::var(name).ok())?;
    let tried = format!("open {}", parsed.shown);
    connect(parsed).await.map_err(|e| e.into_error(tried))
}

async fn connect(parsed: ParsedUrl) -> Done<Database> {
    let options = &parsed.options;
    let address = ServiceAddress {
        service: Service::Analytics,
        base: parsed.base.clone(),
        path: if options.server { "/analytics/service" } else { "/api/v1/request" },
        credentials: parsed.credentials.clone(),
        tls: options.tls(),
        connect_timeout: options.connect_timeout,
        largest_result: u64::from(options.max_result_mb) << 20,
    };
    let client = StatementClient::new(address)?;
    let ask = Request::new("SELECT VALUE 1").set("readonly", true).timeout(FIRST);
    client.execute(&ask).await?;
    let name = if options.server { "Couchbase Analytics" } else { "Couchbase Columnar" };
    let mut settings = BTreeMap::from([
        ("storage".to_owned(), options.storage.to_owned()),
        ("analyze".to_owned(), options.analyze.to_owned()),
        ("tls".to_owned(), parsed.base.starts_with("https").to_string()),
        ("client_certificate".to_owned(), (!options.tls_cert.is_empty()).to_string()),
    ]);
    if !options.link.is_empty() {
        settings.insert("link".to_owned(), options.link.clone());
    }
    let description = Description {
        url: parsed.shown.clone(),
        name: name.to_owned(),
        version: "unknown".to_owned(),
        settings,
    };
    let definition = AnalyticsDefinition::new(&parsed)?;
    let endpoint = Arc::new(Endpoint {
        client,
        definition: Box::new(definition),
        description,
        query_timeout: options.query_timeout,
        answer_timeout: options.answer_timeout,
        indexes: options.indexes,
        folder: None,
        prepared: Default::default(),
    });
    Ok(Database::new(StoreEngine { endpoint }))
}
