//! The description of the server for the run folder.

use std::collections::BTreeMap;

use hoap_record::Description;

use super::documentdb::Gateway;
use super::server::{Server, level};

pub(super) fn description(server: &Server) -> Description {
    let (facts, options) = (&server.facts, &server.options);
    let mut settings: BTreeMap<String, String> = server.settings.iter().cloned().collect();
    let deployment = match (&facts.replica_set, facts.sharded) {
        (_, true) => "sharded cluster".to_owned(),
        (Some(name), false) => format!("replica set {name}"),
        (None, false) => "one server alone".to_owned(),
    };
    let commit = match &options.transaction_write_concern {
        Some(concern) => match &concern.w {
            Some(mongodb::options::Acknowledgment::Nodes(n)) => n.to_string(),
            _ => "majority".to_owned(),
        },
        None => "as write_concern".to_owned(),
    };
    let isolation = level(&options.transaction_read_concern);
    let told = [
        ("durability", format!("transactions are acknowledged at w: {commit}")),
        ("isolation", format!("{isolation} in transactions")),
        ("replicas", deployment.clone()),
        ("deployment", deployment),
        ("transaction_write_concern", commit),
        ("transaction_read_concern", level(&options.transaction_read_concern).to_owned()),
        ("analytics_read_concern", level(&server.analytics_concern()).to_owned()),
        ("analytics_read_preference", options.analytics_read_preference.to_string()),
        ("sharding", if options.hashed { "hashed" } else { "none" }.to_owned()),
    ];
    settings.extend(told.map(|(name, value)| (name.to_owned(), value)));
    let (name, version) = match &facts.documentdb {
        Some(gateway) => ("DocumentDB", of_documentdb(server, gateway, &mut settings)),
        None => ("MongoDB", facts.version.clone()),
    };
    Description { url: server.shown.clone(), name: name.to_owned(), version, settings }
}

/// Its version, and what its settings are behind MongoDB's names.
fn of_documentdb(
    server: &Server,
    gateway: &Gateway,
    settings: &mut BTreeMap<String, String>,
) -> String {
    let (facts, options) = (&server.facts, &server.options);
    let durable = "PostgreSQL's synchronous_commit";
    let isolation = match level(&options.transaction_read_concern) {
        "snapshot" => "REPEATABLE READ",
        _ => "READ COMMITTED",
    };
    let (version, told_by) = match (&*gateway.versions, &*options.documentdb_version) {
        ("", "") => ("not told", "nobody"),
        ("", told) => (told, "the URL"),
        (told, _) => (told, "the gateway"),
    };
    let protocol = format!("MongoDB's {}, wire version {}", facts.version, facts.wire_version);
    for (name, value) in [
        ("deployment", "a gateway over PostgreSQL"),
        ("protocol", &protocol),
        ("transaction_isolation", isolation),
        ("transaction_write_concern", durable),
        ("version_told_by", told_by),
        ("write_concern", durable),
    ] {
        settings.insert(name.to_owned(), value.to_owned());
    }
    version.to_owned()
}
