//! Apache AsterixDB: `asterixdb://HOST[:PORT]/DATAVERSE[?option=value&…]`. The options are in
//! [`OPTIONS`].
//!
//! Read [`definition`] first; the rest is in [`hoap_sqlpp::store`].
//!
//! # Mapping
//! A collection is a dataset of the open type `{hoap_key: string}` with that field as its primary
//! key: a document's own fields are at the top, as the published queries expect them. The dataset
//! `hoap_note` has the note of the load, `hoap_load` its progress. A load makes the dataverse.
//!
//! # Writing
//! A statement is atomic for each document, not as a whole: a batch of a load is an UPSERT, its
//! progress another one after it, and a resumed load writes the last batch again. With
//! `load_folder` a collection is one LOAD of files. Notes are numbered; of two INSERTs with the
//! same number one fails.
//!
//! # Durability
//! A statement is acknowledged when its log is on the disks of the nodes.
//!
//! # Limits
//! No transactions of several statements, no update of fields; a scan is no snapshot.

mod definition;
#[doc(hidden)]
pub mod fuzz;
mod options;
mod state;

use std::path::Path;
use std::sync::Arc;

use definition::AsterixDefinition;
use hoap_database::Database;
use hoap_database::failure::Done;
use hoap_record::Result;
use hoap_sqlpp::store::{Endpoint, Folder, StoreEngine};
use hoap_sqlpp::{Service, ServiceAddress, StatementClient};
use options::ParsedUrl;

pub use options::OPTIONS;

/// What it offers, and why not the rest.
pub use hoap_sqlpp::store::{DIALECT, OFFERS};

/// Opens an `asterixdb:` URL and asks the cluster for its version and nodes.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong;
/// [`hoap_record::ErrorKind::Unavailable`] where the cluster cannot be reached or is not ready.
pub async fn open(url: &str) -> Result<Database> {
    let parsed = options::parse(url)?;
    let tried = format!("open {}", parsed.shown);
    connect(parsed).await.map_err(|e| e.into_error(tried))
}

async fn connect(parsed: ParsedUrl) -> Done<Database> {
    let options = parsed.options;
    let address = ServiceAddress {
        service: Service::AsterixDb,
        base: format!("http://{}:{}", parsed.host, parsed.port),
        path: "/query/service",
        credentials: None,
        tls: Default::default(),
        connect_timeout: options.connect_timeout,
        largest_result: u64::from(options.max_result_mb) << 20,
    };
    let client = StatementClient::new(address)?;
    let (description, nodes) = state::describe(&client, &parsed.shown, &options).await?;
    let folder = (!options.load_folder.is_empty()).then(|| {
        // A name of its own, by which the next load finds what a killed one left.
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let dataverse: String = parsed.dataverse.chars().map(plain).collect();
        let own = format!("hoap-load-{}-{dataverse}", parsed.port);
        Folder { path: Path::new(&options.load_folder).join(own), nodes }
    });
    let definition = AsterixDefinition::new(parsed.dataverse, &options)?;
    let endpoint = Arc::new(Endpoint {
        client,
        definition: Box::new(definition),
        description,
        query_timeout: options.query_timeout,
        answer_timeout: options.answer_timeout,
        indexes: options.indexes,
        folder,
        prepared: Default::default(),
    });
    Ok(Database::new(StoreEngine { endpoint }))
}
