//! `--scale-down N`: the same experiment, small enough for a laptop. It shows that everything works
//! and measures nothing that can be compared.

use hoap_record::count::count;
use toml::{Table, Value};

/// The shortest time that a step keeps, in seconds.
const SHORTEST_STEP: f64 = 1.0;
/// The same of its warm-up.
const SHORTEST_WARMUP: f64 = 0.1;
/// The fewest records and customers that keep every operation meaningful.
const FEWEST: i64 = 1000;

/// Divides the sizes, numbers of clients and times among these flags by `by`, down to what still
/// runs. Shares, rates of the mix and every other flag stay.
pub fn scale_down(flags: &mut Table, command: super::file::Command, benchmark: &str, by: u32) {
    let by = i64::from(by.max(1));
    for (key, value) in flags.iter_mut() {
        match (key.as_str(), &mut *value) {
            ("warehouses", Value::Integer(n)) => *n = (*n / by).max(1),
            ("customers", Value::Integer(n)) => *n = (*n / by).max(FEWEST),
            ("customers-per-country", Value::Integer(n)) => *n = (*n).min(100),
            ("rate", Value::Integer(n)) => *n = (*n / by).max(1),
            ("rate" | "tx-clients" | "clients", Value::Array(numbers)) => divide(numbers, by),
            ("frontier", Value::String(most)) => fewer(most, by),
            ("duration" | "probe-limit" | "round-up", Value::String(time)) => {
                shorten(time, by, SHORTEST_STEP)
            }
            ("warmup", Value::String(time)) => shorten(time, by, SHORTEST_WARMUP),
            ("property", Value::Array(pairs)) => pairs.iter_mut().for_each(|p| property(p, by)),
            _ => {}
        }
    }
    let ch2 = matches!(benchmark, "ch2" | "ch2pp");
    if ch2 && command == super::file::Command::Load {
        flags.insert("scale-down".into(), Value::Integer(divisor(by)));
    }
}

/// Numbers of clients, or rates: each divided, none twice.
fn divide(numbers: &mut Vec<Value>, by: i64) {
    let mut seen = Vec::new();
    numbers.retain_mut(|value| {
        if let Value::Integer(n) = value {
            *n = if *n == 0 { 0 } else { (*n / by).max(1) };
        }
        let new = !seen.contains(value);
        seen.push(value.clone());
        new
    });
}

/// Numbers with commas between, each divided. One that is none stays, and is refused where it is
/// used.
fn fewer(most: &mut String, by: i64) {
    let divided = |n: &str| match n.parse::<i64>() {
        Ok(n) => (n / by).max(1).to_string(),
        Err(_) => n.to_owned(),
    };
    *most = most.split(',').map(divided).collect::<Vec<_>>().join(",");
}

/// The largest divisor of 100, which the data takes, that is not above `by`.
fn divisor(by: i64) -> i64 {
    [100, 50, 25, 20, 10, 5, 4, 2].into_iter().find(|d| *d <= by).unwrap_or(1)
}

/// A time as flags have it. One that is not understood stays, and is refused where it is used.
fn shorten(time: &mut String, by: i64, shortest: f64) {
    if let Ok(parsed) = time.parse::<hoap_record::Time>() {
        let seconds = (parsed.0.as_secs_f64() / by as f64).max(shortest);
        *time = format!("{}ms", (seconds * 1000.0).round());
    }
}

/// A property of YCSB that is a number of records or operations.
fn property(pair: &mut Value, by: i64) {
    let Value::String(text) = pair else { return };
    let Some((key, number)) = text.split_once('=') else { return };
    let counts = ["recordcount", "operationcount", "insertcount"].contains(&key.trim());
    if let (true, Ok(number)) = (counts, count::<u64>(number.trim())) {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        *text = format!("{}={}", key.trim(), (number / by).max(FEWEST));
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::Command;
    use super::*;

    #[test]
    fn sizes_clients_and_times_shrink_and_nothing_else_does() {
        let mut flags: Table = toml::from_str(
            r#"
            warehouses = 1000
            tx-clients = [4, 8, 64, 160]
            query-clients = [0, 1]
            frontier = "256,32"
            duration = "10m"
            round-up = "1m"
            warmup = "5s"
            freshness = "on"
            property = ["recordcount=50M", "maxscanlength=100"]
            customers = 50_000_000
            "#,
        )
        .unwrap();
        scale_down(&mut flags, Command::Load, "ch2pp", 40);
        let expected: Table = toml::from_str(
            r#"
            warehouses = 25
            tx-clients = [1, 4]
            query-clients = [0, 1]
            frontier = "6,1"
            duration = "15000ms"
            round-up = "1500ms"
            warmup = "125ms"
            freshness = "on"
            property = ["recordcount=1250000", "maxscanlength=100"]
            customers = 1_250_000
            scale-down = 25
            "#,
        )
        .unwrap();
        assert_eq!(flags, expected);
        scale_down(&mut flags, Command::Run, "ch2pp", 1_000_000);
        assert_eq!(flags["warehouses"].as_integer(), Some(1));
        assert_eq!(flags["duration"].as_str(), Some("1000ms"));
        assert_eq!(flags["property"][0].as_str(), Some("recordcount=1000"));
        assert_eq!(flags["scale-down"].as_integer(), Some(25), "the load alone makes data");
    }
}
