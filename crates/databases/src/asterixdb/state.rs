//! The cluster's description of itself.

use std::collections::BTreeMap;
use std::time::Duration;

use hoap_record::Description;
use hoap_workload::ErrorKind;
use reqwest::Method;
use serde_json::Value;

use super::options::Options;
use crate::failure::{Done, Failure};
use crate::sqlpp::StatementClient;

/// The time limit of each request.
const LIMIT: Duration = Duration::from_secs(30);

/// The configuration that decides speed and durability.
const SETTINGS: &[&str] = &[
    "compiler.cbo",
    "compiler.groupmemory",
    "compiler.joinmemory",
    "compiler.parallelism",
    "compiler.sortmemory",
    "txn.commitprofiler.enabled",
    "txn.log.buffer.numpages",
    "txn.log.buffer.pagesize",
];

/// The description of the cluster, and the names of its nodes.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where it does not answer or lacks nodes.
pub(super) async fn describe(
    client: &StatementClient,
    url: &str,
    options: &Options,
) -> Done<(Description, Vec<String>)> {
    let get = async |path: &str| -> Done<Value> {
        let (status, text) = client.call(Method::GET, path, LIMIT).await?;
        serde_json::from_str(&text).map_err(|_| {
            Failure::of(
                ErrorKind::Unavailable,
                format!("{path} answered HTTP {status} and no JSON: is it AsterixDB?"),
                "check the port: it is that of the cluster controller's API",
            )
        })
    };
    let cluster = get("/admin/cluster").await?;
    let state = cluster["state"].as_str().unwrap_or("unknown").to_owned();
    if state != "ACTIVE" {
        return Err(Failure::of(
            ErrorKind::Unavailable,
            format!("the cluster is {state}"),
            "wait until all nodes are there, and look into their logs",
        ));
    }
    let version = get("/admin/version").await?;
    let version = version["git.build.version"].as_str().unwrap_or("unknown").to_owned();
    let all = || cluster["ncs"].as_array().into_iter().flatten();
    let nodes: Vec<_> =
        all().filter_map(|node| node["node_id"].as_str().map(str::to_owned)).collect();
    let partitions: usize =
        all().map(|node| node["partitions"].as_array().map_or(0, Vec::len)).sum();
    let mut settings = BTreeMap::from([
        ("nodes".to_owned(), nodes.len().to_string()),
        ("partitions".to_owned(), partitions.to_string()),
        ("storage".to_owned(), options.storage.to_owned()),
        (
            "durability".to_owned(),
            "a statement is acknowledged when its log is on the disk of each node".to_owned(),
        ),
    ]);
    for name in SETTINGS {
        match &cluster["config"][*name] {
            Value::Null => {}
            Value::String(text) => drop(settings.insert((*name).to_owned(), text.clone())),
            other => drop(settings.insert((*name).to_owned(), other.to_string())),
        }
    }
    for (name, megabytes) in options.memory().into_iter().filter(|(_, megabytes)| *megabytes > 0) {
        settings.insert(name.to_owned(), megabytes.to_string());
    }
    if !options.load_folder.is_empty() {
        settings.insert("load_folder".to_owned(), options.load_folder.clone());
    }
    let name = "AsterixDB".to_owned();
    Ok((Description { url: url.to_owned(), name, version, settings }, nodes))
}
