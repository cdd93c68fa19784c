//! The description of a cluster: version, nodes, keyspace, settings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hoap_database::failure::{Done, Failure};
use hoap_record::Description;
use hoap_record::ErrorKind;
use scylla::statement::Consistency;

use super::connection::Connection;
use super::options::{Options, name_of};
use super::replication::Keyspace;
use super::schema;
use crate::error::OrFail;

const UNKNOWN: &str = "unknown";

/// The settings that decide which failures a write survives and how fast a read is, as
/// `system_views.settings` (Cassandra 4.0 and later) of one node has them.
const SETTINGS: &[&str] = &[
    "commitlog_sync",
    "commitlog_sync_period",
    "commitlog_sync_period_in_ms",
    "row_cache_size",
    "row_cache_size_in_mb",
    "key_cache_size",
    "read_request_timeout",
    "read_request_timeout_in_ms",
    "write_request_timeout",
    "write_request_timeout_in_ms",
    "cas_contention_timeout",
    "concurrent_reads",
    "concurrent_writes",
];

/// Asks the cluster for its description. Refuses one that does not fit the options.
pub(super) async fn describe(connection: &Connection) -> Done<Description> {
    let options = connection.options();
    let state = connection.session.get_cluster_state();
    let nodes = state.get_nodes_info();
    let datacenters: BTreeSet<&str> =
        nodes.iter().filter_map(|node| node.datacenter.as_deref()).collect();
    if !options.datacenter.is_empty() && !datacenters.contains(options.datacenter.as_str()) {
        let all: Vec<_> = datacenters.into_iter().collect();
        let answer = format!("the cluster has no datacenter {}", options.datacenter);
        let advice = format!("its datacenters are {}", all.join(", "));
        return Err(Failure { advice: Some(advice.into()), ..Failure::invalid(answer) });
    }
    let keyspace = schema::keyspace(connection).await?;
    check_keyspace(connection, keyspace.as_ref())?;
    let scylla = nodes.iter().any(|node| node.sharder().is_some());
    let (name, version) = version(connection, scylla).await?;
    let mut settings = settings(connection).await;
    let durability = durability(&settings, keyspace.as_ref());
    let mut add = |name: &str, value: String| settings.insert(name.to_owned(), value);
    add("nodes", nodes.len().to_string());
    add("datacenters", datacenters.into_iter().collect::<Vec<_>>().join(", "));
    add("keyspace", describe_keyspace(keyspace.as_ref()));
    add("read_consistency", name_of(options.read_consistency).to_owned());
    add("write_consistency", name_of(options.write_consistency).to_owned());
    add("writes", writes(options).to_owned());
    add(
        "routing",
        match (options.token_aware, options.datacenter.as_str()) {
            (true, "") => "to a replica of the key".to_owned(),
            (true, named) => format!("to a replica of the key in {named}"),
            (false, "") => "to each node in turn".to_owned(),
            (false, named) => format!("to each node of {named} in turn"),
        },
    );
    add("clients", "those of a thread share a session of the driver".to_owned());
    add("retries", "none by the driver, none speculative".to_owned());
    add("durability", durability);
    Ok(Description { url: connection.place.url.clone(), name, version, settings })
}

/// Refuses options that an existing keyspace contradicts.
fn check_keyspace(connection: &Connection, keyspace: Option<&Keyspace>) -> Done<()> {
    let Some(keyspace) = keyspace else { return Ok(()) };
    let options = connection.options();
    let differs = |option: &str| {
        let answer = format!(
            "option `{option}`: the keyspace {} is there and has {}",
            connection.place.keyspace,
            describe_keyspace(Some(keyspace))
        );
        let advice = "ALTER KEYSPACE, drop it, or leave the option out";
        Err(Failure::of(ErrorKind::Invalid, answer, advice))
    };
    match (&options.replication, options.durable_writes) {
        (Some(wanted), _) if !wanted.is_of(keyspace) => differs("replication"),
        (_, Some(wanted)) if wanted != keyspace.durable_writes => differs("durable_writes"),
        _ => Ok(()),
    }
}

fn describe_keyspace(keyspace: Option<&Keyspace>) -> String {
    let Some(keyspace) = keyspace else { return "not made yet".to_owned() };
    let class = keyspace.class().unwrap_or(UNKNOWN);
    let copies = keyspace.replication.iter().filter(|(name, _)| *name != "class");
    let copies: Vec<_> = copies.map(|(name, copies)| format!("{name}: {copies}")).collect();
    let durable = if keyspace.durable_writes { "" } else { ", no commit log" };
    format!("{class}, {}{durable}", copies.join(", "))
}

/// Name and version of the database.
async fn version(connection: &Connection, scylla: bool) -> Done<(String, String)> {
    let one = async |text: &str| {
        let answer = connection.run(text, Consistency::One, ()).await?;
        let rows = answer.into_rows_result().or_fail()?;
        let row = rows.maybe_first_row::<(Option<String>,)>().or_fail()?;
        Done::Ok(row.and_then(|(text,)| text).unwrap_or_else(|| UNKNOWN.to_owned()))
    };
    if scylla {
        let version = one("SELECT version FROM system.versions").await;
        return Ok(("ScyllaDB".to_owned(), version.unwrap_or_else(|_| UNKNOWN.to_owned())));
    }
    // Cassandra does not know the column.
    if let Ok(version) = one("SELECT dse_version FROM system.local").await {
        return Ok(("DataStax Enterprise".to_owned(), version));
    }
    Ok(("Cassandra".to_owned(), one("SELECT release_version FROM system.local").await?))
}

/// The settings of a node, as far as it states them.
async fn settings(connection: &Connection) -> BTreeMap<String, String> {
    let text = "SELECT name, value FROM system_views.settings";
    let asked = async {
        let answer = connection.run(text, Consistency::One, ()).await?;
        let rows = answer.into_rows_result().or_fail()?;
        let rows = rows.rows::<(String, Option<String>)>().or_fail()?;
        rows.collect::<Result<HashMap<_, _>, _>>().or_fail()
    };
    let all = asked.await.unwrap_or_default();
    let known = SETTINGS.iter().filter_map(|name| {
        let value = all.get(*name)?.clone()?;
        Some(((*name).to_owned(), value))
    });
    known.collect()
}

fn writes(options: &Options) -> &'static str {
    match options.lwt {
        true => {
            "inserts and updates are lightweight transactions, which look whether the key is there"
        }
        false => "an insert replaces what is there, an update makes what is not",
    }
}

/// The failures that an acknowledged write survives on a node.
fn durability(settings: &BTreeMap<String, String>, keyspace: Option<&Keyspace>) -> String {
    if keyspace.is_some_and(|keyspace| !keyspace.durable_writes) {
        return "none: without a commit log a node that ends loses what it has not written to tables"
            .to_owned();
    }
    let period = ["commitlog_sync_period", "commitlog_sync_period_in_ms"];
    let period = period.iter().find_map(|name| settings.get(*name));
    match settings.get("commitlog_sync").map(String::as_str) {
        Some("periodic") => {
            let period = period.map_or("the sync period".to_owned(), |p| {
                if p.ends_with(|c: char| c.is_ascii_digit()) {
                    format!("{p} ms")
                } else {
                    p.clone()
                }
            });
            format!(
                "a power failure may take the acknowledged writes of the last {period} from a node; they \
                 are lost where it takes them from every replica"
            )
        }
        Some("batch" | "group") => {
            "acknowledged writes are on the disks of their replicas".to_owned()
        }
        _ => "unknown: the cluster does not state how its commit log is synced".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durability_says_what_an_acknowledged_write_survives() {
        let of = |pairs: &[(&str, &str)]| {
            let settings = pairs.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
            durability(&settings, None)
        };
        let periodic = of(&[("commitlog_sync", "periodic"), ("commitlog_sync_period", "10000ms")]);
        assert!(periodic.contains("of the last 10000ms"), "{periodic}");
        let older = of(&[("commitlog_sync", "periodic"), ("commitlog_sync_period_in_ms", "7")]);
        assert!(older.contains("of the last 7 ms"), "{older}");
        assert!(of(&[("commitlog_sync", "batch")]).contains("on the disks"));
        assert!(of(&[]).contains("unknown"));
        let keyspace = Keyspace {
            replication: [("class", "org.x.SimpleStrategy"), ("replication_factor", "2")]
                .map(|(n, v)| (n.to_owned(), v.to_owned()))
                .into(),
            durable_writes: false,
        };
        assert!(durability(&BTreeMap::new(), Some(&keyspace)).starts_with("none"));
        let text = describe_keyspace(Some(&keyspace));
        assert_eq!(text, "SimpleStrategy, replication_factor: 2, no commit log");
    }
}
