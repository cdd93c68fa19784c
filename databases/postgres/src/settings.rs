//! The description of the server: version and settings.

use std::collections::BTreeMap;

use hoap_database::failure::{Done, Failure};
use hoap_record::Description;
use hoap_record::ErrorKind;
use tokio_postgres::SimpleQueryMessage;

use super::server::{Role, Server};
use crate::error::OrFail;

/// Settings that decide durability and speed, of `pg_settings`.
const NAMES: &[&str] = &[
    "autovacuum",
    "checkpoint_timeout",
    "data_checksums",
    "effective_cache_size",
    "fsync",
    "full_page_writes",
    "huge_pages",
    "jit",
    "lc_collate",
    "maintenance_work_mem",
    "max_connections",
    "max_parallel_workers_per_gather",
    "max_wal_size",
    "random_page_cost",
    "shared_buffers",
    "ssl",
    "synchronous_commit",
    "synchronous_standby_names",
    "wal_compression",
    "wal_level",
    "wal_sync_method",
    "work_mem",
];

/// The description, read over a connection of its own. Blocks the thread, since a description is no
/// operation. Where the server cannot be reached the description says so.
pub(super) fn description(server: &Server) -> Description {
    // A thread of its own: the caller's may run a runtime already.
    let read = std::thread::scope(|scope| {
        let panicked = |_| Err(Failure::broken("the reading thread panicked"));
        scope.spawn(|| read_all(server)).join().unwrap_or_else(panicked)
    });
    let (version, mut settings) = read.unwrap_or_else(|failure| {
        let e = failure.into_error(format!("read the settings of {}", server.url));
        let unknown = BTreeMap::from([("settings".to_owned(), format!("unknown: {e}"))]);
        ("unknown".to_owned(), unknown)
    });
    let options = &server.options;
    let is = |name: &str, value: &str| settings.get(name).is_some_and(|there| there == value);
    let durability = match (options.unlogged, is("fsync", "off"), is("synchronous_commit", "off")) {
        (true, ..) => "none: a crash of the server empties the tables",
        (_, true, _) => "none: nothing waits for the disk (fsync = off)",
        (.., true) => "the last commits may be lost (synchronous_commit = off)",
        _ => "a commit is on disk when it is acknowledged",
    };
    let replicas = match settings.get("synchronous_standby_names").map(String::as_str) {
        None | Some("") => "a commit waits for none".to_owned(),
        Some(names) => format!("a commit waits for {names}"),
    };
    for (name, value) in [
        ("durability", durability.to_owned()),
        ("replicas", replicas),
        ("schema", options.schema.clone()),
        ("isolation", options.isolation.to_owned()),
        ("sslmode", options.sslmode.word().to_owned()),
        (
            "pool",
            match options.pool {
                0 => "a connection for each client".to_owned(),
                n => format!("{n} connections"),
            },
        ),
    ] {
        settings.insert(name.to_owned(), value);
    }
    Description { url: server.url.clone(), name: "PostgreSQL".to_owned(), version, settings }
}

type Read = (String, BTreeMap<String, String>);

fn read_all(server: &Server) -> Done<Read> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| Failure::new(ErrorKind::Unavailable, e))?;
    runtime.block_on(async {
        let connection = server.connect(Role::Client).await?;
        // `current_setting` with its unit, of what this version has.
        let names: Vec<_> = NAMES.iter().map(|name| format!("'{name}'")).collect();
        let text = format!(
            "SELECT name, current_setting(name) FROM pg_settings WHERE name IN ({})
             UNION ALL SELECT 'version', current_setting('server_version')
             UNION ALL SELECT 'in_recovery',
                CASE WHEN pg_is_in_recovery() THEN 'on (a standby)' ELSE 'off' END
             UNION ALL SELECT 'encrypted', coalesce((SELECT version || ' ' || cipher
                FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), 'no')",
            names.join(", ")
        );
        let rows = async { connection.client.simple_query(&text).await.or_fail() };
        let rows = server.limited(rows).await?;
        let mut settings = BTreeMap::new();
        for row in rows {
            if let SimpleQueryMessage::Row(row) = row
                && let (Some(name), Some(value)) = (row.get(0), row.get(1))
            {
                settings.insert(name.to_owned(), value.to_owned());
            }
        }
        Ok((settings.remove("version").unwrap_or_default(), settings))
    })
}
