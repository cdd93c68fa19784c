//! The description of a server: version, cluster, settings.

use std::collections::BTreeMap;

use hoap_database::failure::{Done, Failure};
use hoap_record::Description;
use hoap_record::ErrorKind;
use hoap_record::words::counted;
use redis::{Cmd, RedisResult, Value};

use super::connection::ToServer;
use super::error;
use super::options::Options;

/// The server's own statements: INFO, settings, nodes.
pub(super) struct Stated {
    /// The lines of INFO.
    info: BTreeMap<String, String>,
    /// Settings by name; a managed service may keep them to itself.
    settings: BTreeMap<&'static str, String>,
    /// Addresses of the nodes of its cluster.
    pub nodes: Vec<(String, u16)>,
}

/// The settings that decide which failures a write survives, and what is evicted.
const SETTINGS: &[&str] =
    &["appendonly", "appendfsync", "save", "maxmemory", "maxmemory-policy", "io-threads"];

const UNKNOWN: &str = "unknown";

impl Stated {
    /// Asks the server.
    pub async fn ask(connection: &mut ToServer) -> Done<Stated> {
        let failed = |e| error::of(&e);
        let answer = ask(connection, redis::cmd("INFO")).await.map_err(failed)?;
        let mut stated =
            Stated { info: lines(&answer), settings: BTreeMap::new(), nodes: Vec::new() };
        for name in SETTINGS {
            let mut get = redis::cmd("CONFIG");
            get.arg("GET").arg(*name);
            // It may be refused, and an older server does not know every name.
            let value = match ask(connection, get).await {
                Ok(Value::Array(mut pair)) if pair.len() == 2 => text(&pair.swap_remove(1)),
                _ => None,
            };
            stated.settings.insert(name, value.unwrap_or_else(|| UNKNOWN.to_owned()));
        }
        if stated.is_in_cluster() {
            let mut slots = redis::cmd("CLUSTER");
            slots.arg("SLOTS");
            stated.nodes = nodes(&ask(connection, slots).await.map_err(failed)?);
        }
        Ok(stated)
    }

    fn info(&self, name: &str) -> Option<&str> {
        self.info.get(name).map(String::as_str)
    }

    fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map_or(UNKNOWN, String::as_str)
    }

    /// Whether it is a node of a cluster.
    pub fn is_in_cluster(&self) -> bool {
        self.info("cluster_enabled") == Some("1")
    }

    /// Refuses a server that does not fit the options.
    pub fn check(&self, options: &Options) -> Done<()> {
        let (answer, advice) = match (self.is_in_cluster(), options.cluster) {
            (true, false) => ("it is a node of a cluster", "add cluster=on"),
            (false, true) => ("it is a server alone", "leave cluster=on out"),
            _ => return Ok(()),
        };
        Err(Failure::of(ErrorKind::Invalid, answer, advice))
    }

    /// The description for the run folder.
    pub fn description(&self, url: &str, options: &Options) -> Description {
        let valkey = self.info("valkey_version");
        let version = valkey.or_else(|| self.info("redis_version")).unwrap_or(UNKNOWN);
        let mut settings: BTreeMap<String, String> = self
            .settings
            .iter()
            .map(|(name, value)| {
                let value = if value.is_empty() { "none" } else { value };
                ((*name).to_owned(), value.to_owned())
            })
            .collect();
        let mut add = |name: &str, value: String| settings.insert(name.to_owned(), value);
        add("role", self.info("role").unwrap_or(UNKNOWN).to_owned());
        add("replicas", self.info("connected_slaves").unwrap_or(UNKNOWN).to_owned());
        add("durability", self.durability().to_owned());
        add("memory", self.memory());
        add(
            "cluster",
            match self.is_in_cluster() {
                true => format!(
                    "{}; these settings are of the one named",
                    counted(self.nodes.len(), "node", "nodes")
                ),
                false => "no".to_owned(),
            },
        );
        add(
            "clients",
            match options.pipeline {
                1 => "a connection each".to_owned(),
                many => format!("{many} of a thread share a connection"),
            },
        );
        add(
            "writes",
            match options.wait_replicas {
                0 => "acknowledged by the primary".to_owned(),
                some => format!(
                    "acknowledged by the primary and, within {} ms, {some} of its replicas",
                    options.wait_timeout_ms
                ),
            },
        );
        let name = if valkey.is_some() { "Valkey" } else { "Redis" }.to_owned();
        Description { url: url.to_owned(), name, version: version.to_owned(), settings }
    }

    /// The failures that an acknowledged write survives.
    fn durability(&self) -> &'static str {
        match (self.setting("appendonly"), self.setting("appendfsync"), self.setting("save")) {
            ("no", _, "") => "none: acknowledged writes are lost when the process ends",
            ("no", ..) => {
                "snapshots: acknowledged writes since the last one are lost when the process ends"
            }
            ("yes", "always", _) => "acknowledged writes are on the disk",
            ("yes", "everysec", _) => {
                "acknowledged writes of the last second or two may be lost: in a power failure, and \
                 where the process is killed while it syncs"
            }
            ("yes", "no", _) => {
                "acknowledged writes may be lost in a power failure, as far as the system has not \
                 written them; they survive the end of the process"
            }
            _ => "unknown: the server does not state it; acknowledged writes may be lost",
        }
    }

    fn memory(&self) -> String {
        let policy = self.setting("maxmemory-policy");
        match (self.setting("maxmemory"), policy) {
            (UNKNOWN, _) => UNKNOWN.to_owned(),
            ("0", _) => "no limit".to_owned(),
            (limit, "noeviction") => format!("at {limit} bytes writes are refused"),
            (limit, policy) => {
                format!("at {limit} bytes records are thrown away ({policy}): a run may lose some")
            }
        }
    }
}

async fn ask(connection: &mut ToServer, command: Cmd) -> RedisResult<Value> {
    connection.send(&command).await?.extract_error()
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Value::SimpleString(text) | Value::VerbatimString { text, .. } => Some(text.clone()),
        _ => None,
    }
}

/// `name:value` of each line.
pub(super) fn lines(info: &Value) -> BTreeMap<String, String> {
    let text = text(info).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.trim().split_once(':'));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The addresses in an answer to CLUSTER SLOTS: ranges, each with first slot, last slot and nodes.
pub(super) fn nodes(slots: &Value) -> Vec<(String, u16)> {
    let array = |value: &Value| match value {
        Value::Array(values) => values.clone(),
        _ => Vec::new(),
    };
    let mut nodes = Vec::new();
    for range in array(slots) {
        for node in array(&range).iter().skip(2) {
            let [host, port, ..] = &array(node)[..] else { continue };
            let (Some(host), Value::Int(port)) = (text(host), port) else { continue };
            // A node that does not know its own address yet has none.
            if let (false, Ok(port)) = (host.is_empty(), u16::try_from(*port)) {
                nodes.push((host, port));
            }
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(settings: &[(&'static str, &str)]) -> Stated {
        let settings = settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Stated { info: BTreeMap::new(), settings, nodes: Vec::new() }
    }

    #[test]
    fn durability_says_what_an_acknowledged_write_survives() {
        for (appendonly, appendfsync, save, words) in [
            ("no", "everysec", "", "none: acknowledged writes are lost"),
            ("no", "everysec", "3600 1", "since the last one are lost"),
            ("yes", "always", "", "are on the disk"),
            ("yes", "everysec", "", "the last second or two"),
            ("yes", "no", "", "as far as the system"),
            ("unknown", "unknown", "unknown", "unknown"),
        ] {
            let stated =
                stated(&[("appendonly", appendonly), ("appendfsync", appendfsync), ("save", save)]);
            assert!(stated.durability().contains(words), "{appendonly} {appendfsync} {save}");
        }
        assert!(stated(&[]).durability().contains("unknown"));
        let evicting = stated(&[("maxmemory", "1000"), ("maxmemory-policy", "allkeys-lru")]);
        assert!(evicting.memory().contains("thrown away (allkeys-lru)"));
        assert_eq!(stated(&[("maxmemory", "0")]).memory(), "no limit");
    }

    #[test]
    fn nodes_are_read_from_slots() {
        let text = b"*2\r\n*4\r\n:0\r\n:5\r\n*3\r\n$9\r\n127.0.0.1\r\n:7001\r\n$1\r\na\r\n*3\r\n$9\r\n\
                     127.0.0.1\r\n:7004\r\n$1\r\nd\r\n*3\r\n:6\r\n:9\r\n*3\r\n$9\r\n127.0.0.1\r\n:7001\r\n\
                     $1\r\na\r\n";
        let slots = redis::parse_redis_value(text).unwrap();
        let host = || "127.0.0.1".to_owned();
        assert_eq!(nodes(&slots), [(host(), 7001), (host(), 7004)]);
        assert!(nodes(&Value::Nil).is_empty());
    }
}
