//! Settings that weaken durability or isolation, or are not the server's default.

use std::collections::BTreeMap;

use hoap_record::{Description, Run};

use crate::finding::{Division, Findings};
use crate::open::Folder;

/// Of a setting: the database, its name, the server's defaults, and whether any other value loses
/// acknowledged writes or isolation.
type Row = (&'static str, &'static str, &'static [&'static str], bool);

/// The defaults of PostgreSQL 14 to 18, MongoDB 8, Redis 8 and Valkey 8, Couchbase 7 and of SQLite
/// and DuckDB as Hoap opens them.
const DEFAULTS: &[Row] = &[
    ("PostgreSQL", "autovacuum", &["on"], false),
    ("PostgreSQL", "checkpoint_timeout", &["5min"], false),
    ("PostgreSQL", "effective_cache_size", &["4GB"], false),
    ("PostgreSQL", "fsync", &["on"], true),
    ("PostgreSQL", "full_page_writes", &["on"], true),
    ("PostgreSQL", "huge_pages", &["try"], false),
    ("PostgreSQL", "jit", &["on"], false),
    ("PostgreSQL", "maintenance_work_mem", &["64MB"], false),
    ("PostgreSQL", "max_connections", &["100"], false),
    ("PostgreSQL", "max_parallel_workers_per_gather", &["2"], false),
    ("PostgreSQL", "max_wal_size", &["1GB"], false),
    ("PostgreSQL", "random_page_cost", &["4"], false),
    ("PostgreSQL", "shared_buffers", &["128MB"], false),
    ("PostgreSQL", "synchronous_commit", &["on", "remote_apply"], true),
    ("PostgreSQL", "wal_compression", &["off"], false),
    ("PostgreSQL", "wal_level", &["replica"], false),
    ("PostgreSQL", "work_mem", &["4MB"], false),
    ("SQLite", "journal_mode", &["wal"], true),
    ("SQLite", "synchronous", &["full", "extra"], true),
    ("SQLite", "cache_size", &["256 MiB"], false),
    ("SQLite", "mmap_size", &["0 MiB"], false),
    ("SQLite", "page_size", &["8192 bytes"], false),
    ("SQLite", "temp_store", &["memory"], false),
    ("SQLite", "threads", &["0"], false),
    ("SQLite", "wal_autocheckpoint", &["4000 pages"], false),
    ("Redis", "appendonly", &["yes"], true),
    ("Redis", "appendfsync", &["always"], true),
    ("Redis", "maxmemory-policy", &["noeviction"], true),
    ("Redis", "io-threads", &["1"], false),
    ("Valkey", "appendonly", &["yes"], true),
    ("Valkey", "appendfsync", &["always"], true),
    ("Valkey", "maxmemory-policy", &["noeviction"], true),
    ("Valkey", "io-threads", &["1"], false),
    ("MongoDB", "transaction_write_concern", &["majority"], true),
    ("MongoDB", "transaction_read_concern", &["snapshot", "majority"], true),
    (
        "Couchbase Server",
        "durability",
        &["majority", "majority_and_persist", "persist_to_majority"],
        true,
    ),
    (
        "Couchbase Server",
        "tx_durability",
        &["majority", "majority_and_persist", "persist_to_majority"],
        true,
    ),
    ("Cassandra", "commitlog_sync", &["batch", "group"], true),
    ("Cassandra", "read_consistency", &["quorum", "local_quorum", "all"], true),
    ("Cassandra", "write_consistency", &["quorum", "local_quorum", "all", "each_quorum"], true),
    ("Amazon DynamoDB", "consistency", &["strong"], true),
];

/// Options of a URL that say where the database is, and how it is reached.
const PLACES: &[&str] = &[
    "schema",
    "sslmode",
    "sslrootcert",
    "tls",
    "keyspace",
    "bucket",
    "scope",
    "database",
    "application_name",
    "endpoint",
    "region",
    "table_prefix",
    "prefix",
    "link",
    "load_folder",
    "replicaSet",
    "authSource",
    "pool",
];

/// Lists the settings of a run's databases.
pub fn run(
    folder: &Folder,
    run: &Run,
    reasons: &BTreeMap<String, String>,
    findings: &mut Findings,
) {
    for (side, of) in [("operational", &run.operational), ("analytical", &run.analytical)] {
        let Some(of) = of else { continue };
        let place = format!("{}/run.json, {side}", folder.at);
        let mut list = |name: &str, what: String| {
            let reason = reasons.get(name).map_or("no reason given", String::as_str);
            findings.add(Division::Tuned, &place, format!("{name}: {what}; {reason}"));
        };
        options(of, &mut list);
        for (name, value) in &of.settings {
            setting(of, name, value, &mut list);
        }
        if let Some(unknown) = of.settings.values().find(|value| value.starts_with("unknown: ")) {
            let text = format!("its settings are not disclosed: {unknown}");
            findings.add(Division::Rehearsal, &place, text);
        }
    }
}

fn setting(of: &Description, name: &str, value: &str, list: &mut impl FnMut(&str, String)) {
    let row = DEFAULTS.iter().find(|row| row.0 == of.name && row.1 == name);
    match row {
        Some((.., defaults, weak)) if !defaults.contains(&value) => {
            let default = defaults[0];
            list(
                name,
                match weak {
                    true => format!("{value} weakens durability or isolation; {default} does not"),
                    false => format!("{value}, by default {default}"),
                },
            );
        }
        Some(_) => {}
        None if name == "durability" => {
            // A database's description says in these words what a failure takes.
            let words = value.to_ascii_lowercase();
            if ["none", "lost", "loses", "may take", "unknown"].iter().any(|w| words.contains(w)) {
                list(name, format!("{value} (weakens durability)"));
            }
        }
        None if name == "isolation" => {
            let words = value.to_ascii_lowercase();
            let weak = ["uncommitted", "local", "available", "eventual", "none"];
            if weak.iter().any(|level| words.contains(level)) {
                list(name, format!("{value} (weakens isolation)"));
            }
        }
        None => {}
    }
}

/// What the URL sets.
fn options(of: &Description, list: &mut impl FnMut(&str, String)) {
    let options = of.url.split_once('?').map_or("", |(_, options)| options);
    for (name, value) in options.split('&').filter_map(|option| option.split_once('=')) {
        if !PLACES.contains(&name) && !of.settings.contains_key(name) {
            list(name, format!("{value}, set by the URL"));
        }
    }
}
