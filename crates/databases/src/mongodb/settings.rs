//! The description of the server for the run folder.

use std::collections::BTreeMap;

use hoap_record::Description;

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
    for (name, value) in [
        ("deployment", deployment),
        ("transaction_write_concern", commit),
        ("transaction_read_concern", level(&options.transaction_read_concern).to_owned()),
        ("analytics_read_concern", level(&server.analytics_concern()).to_owned()),
        ("analytics_read_preference", options.analytics_read_preference.to_string()),
        ("sharding", if options.hashed { "hashed" } else { "none" }.to_owned()),
    ] {
        settings.insert(name.to_owned(), value);
    }
    Description {
        url: server.shown.clone(),
        name: "MongoDB".to_owned(),
        version: facts.version.clone(),
        settings,
    }
}
