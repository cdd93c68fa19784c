//! What a database promises, and what it runs on: with what a result must be read.

use hoap_record::{Description, Run};

use crate::format::number::{bytes, latency};

/// Settings that say what a database promises, by the names under which every database records them.
const PROMISES: [&str; 3] = ["durability", "isolation", "replicas"];
/// What the user may say of a server, by the names of labels behind "server.", and the word before
/// each; in the order in which it is told.
pub const SERVER_FACTS: [(&str, &str); 5] = [
    ("instance", ""),
    ("disks", "disks "),
    ("memory", "memory "),
    ("price", "price "),
    ("where", ""),
];

/// A database of a run.
pub struct Promised<'a> {
    /// Which one.
    pub database: &'a Description,
    /// Name and value of each fact; none of what nobody told.
    pub facts: Vec<(&'static str, Option<String>)>,
}

/// Each database of the run; each has the same facts in the same order.
pub fn promised(run: &Run) -> Vec<Promised<'_>> {
    let of = [&run.operational, &run.analytical];
    let each = of.into_iter().enumerate().filter_map(|(at, of)| {
        let database = of.as_ref()?;
        let promise = |name: &'static str| (name, database.settings.get(name).cloned());
        let mut facts: Vec<_> = PROMISES.into_iter().map(promise).collect();
        let side = if at == 0 { "operational" } else { "analytical" };
        let trip = run.round_trip_us.get(side).map(|us| latency(*us as f64 / 1e6));
        facts.push(("round trip", trip));
        // What was loaded is in the first.
        facts.push(("data", (at == 0).then(|| data(run, database)).flatten()));
        facts.push(("server", server(run, database)));
        Some(Promised { database, facts })
    });
    each.collect()
}

/// Where a database is, as its URL tells.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Driver,
    SameMachine,
    Elsewhere,
}

impl Place {
    fn of(url: &str) -> Place {
        let Some((_, rest)) = url.split_once("://") else { return Place::Driver };
        let hosts = rest.split(['/', '?']).next().unwrap_or_default();
        let hosts = hosts.rsplit('@').next().unwrap_or_default();
        let near = |host: &str| {
            host.is_empty()
                || host.starts_with("[::1]")
                || host.starts_with("127.")
                || host.split(':').next() == Some("localhost")
        };
        if hosts.split(',').all(near) { Place::SameMachine } else { Place::Elsewhere }
    }
}

/// "7.32 MB stored on disk: fits the memory of 32.0 GB".
fn data(run: &Run, database: &Description) -> Option<String> {
    let load = run.load.as_ref()?;
    let (size, told) = match &load.stored {
        Some(stored) => (stored.bytes, format!("stored {}", stored.medium.place())),
        None => (load.bytes, "as JSON".to_owned()),
    };
    let said = run.labels.get("server.memory").and_then(|text| size_of(text));
    let own =
        (Place::of(&database.url) != Place::Elsewhere).then_some(run.host.memory_bytes as f64);
    let fits = match said.or(own) {
        Some(memory) if size as f64 <= memory => {
            format!(", less than its memory of {}", bytes(memory))
        }
        Some(memory) => format!(", more than its memory of {}", bytes(memory)),
        None => String::new(),
    };
    Some(format!("{} {told}{fits}", bytes(size as f64)))
}

/// What the user told, and what the URL tells.
fn server(run: &Run, database: &Description) -> Option<String> {
    let told = SERVER_FACTS.iter().filter_map(|(name, before)| {
        Some(format!("{before}{}", run.labels.get(&format!("server.{name}"))?))
    });
    let place = match Place::of(&database.url) {
        Place::Driver => Some("in the driver's process".to_owned()),
        Place::SameMachine => Some("on the driver's machine".to_owned()),
        Place::Elsewhere => None,
    };
    let told: Vec<String> = told.chain(place).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// "32 GiB" in bytes.
fn size_of(text: &str) -> Option<f64> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = text[..at].parse().ok()?;
    let power = |base: f64, unit: char| "KMGT".find(unit).map(|n| base.powi(n as i32 + 1));
    let mut unit = text[at..].trim().chars();
    let first = unit.next()?.to_ascii_uppercase();
    let factor = match unit.as_str() {
        "B" => power(1e3, first)?,
        "iB" => power(1024.0, first)?,
        _ => return None,
    };
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_tells_where_a_database_is() {
        for (url, place) in [
            ("sqlite:kv.db", Place::Driver),
            ("postgres://me:***@127.0.0.1:5432/d", Place::SameMachine),
            ("postgres:///d?host=/run/pg", Place::SameMachine),
            ("redis://localhost", Place::SameMachine),
            ("mongodb://[::1]:27017,127.0.0.2/d", Place::SameMachine),
            ("redis://cache", Place::Elsewhere),
            ("mongodb://localhost,db2/d", Place::Elsewhere),
            ("redis://localhost.example", Place::Elsewhere),
        ] {
            assert!(Place::of(url) == place, "{url}");
        }
    }

    #[test]
    fn a_size_of_memory_has_a_unit() {
        for (text, size) in [
            ("32 GiB", Some(32.0 * 1024.0 * 1024.0 * 1024.0)),
            ("1.5GB", Some(1.5e9)),
            ("64", None),
            ("GB", None),
            ("a lot", None),
        ] {
            assert_eq!(size_of(text), size, "{text}");
        }
    }
}
