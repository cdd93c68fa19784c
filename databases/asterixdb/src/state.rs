//! The cluster's description of itself.

use std::collections::BTreeMap;
use std::time::Duration;

use hoap_database::failure::{Done, Failure};
use hoap_record::Description;
use hoap_record::ErrorKind;
use hoap_sqlpp::StatementClient;
use reqwest::Method;
use serde_json::Value;

use super::options::Options;

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
    let version = match get("/admin/version").await?["git.build.version"].as_str() {
        Some(told) => told.to_owned(),
        None => program_version(&get("/admin/cluster/cc/config").await?),
    };
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

/// The version in the name of the controller's program, `…/asterix-app-VERSION.jar`: a build
/// outside a git repository tells no version. Where there is no such name, "unknown".
fn program_version(controller: &Value) -> String {
    let paths = controller["classpath"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let named = |path: &str| {
        let file = path.rsplit(['/', '\\']).next()?;
        file.strip_prefix("asterix-app-")?.strip_suffix(".jar").map(str::to_owned)
    };
    paths.filter_map(named).next().unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_version_of_a_build_without_one_is_in_the_name_of_its_program() {
        let program = |path: &str| program_version(&json!({ "classpath": ["/a/etc", path] }));
        assert_eq!(program("/a/repo/asterix-app-0.9.10-SNAPSHOT.jar"), "0.9.10-SNAPSHOT");
        assert_eq!(program("C:\\a\\asterix-app-0.9.9.jar"), "0.9.9");
        assert_eq!(program("/asterix-app-1/other-2.jar"), "unknown");
        assert_eq!(program_version(&json!({ "classpath": 1 })), "unknown");
        assert_eq!(program_version(&Value::Null), "unknown");
    }
}
