//! The text of a metrics endpoint: the text format of Prometheus (0.0.4) and OpenMetrics.
//!
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>. Each line is a comment or a
//! sample: `name{label="value",…} value [time]`. A comment `# TYPE name kind` says what the samples
//! count that follow it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hoap_record::SeriesKind;

use crate::reading::Value;
use crate::select::Selection;

/// The most series that a source has: more are no help in a report, and take time of the driver.
pub const MOST: usize = 200;
/// The longest name of a series with its labels, bytes.
const LONGEST: usize = 1024;
/// The largest value. What is larger is nothing that a server counts, and sums of it are no numbers.
const LARGEST: f64 = 1e100;

/// The series that the selection keeps, in the order of their names, and the first names of those that
/// it does not keep.
///
/// # Errors
/// Says in one line which line is no sample, or that the name of a series is too long.
pub fn read(text: &str, selection: &Selection) -> Result<(Vec<Value>, Vec<String>), String> {
    let mut kinds: HashMap<&str, SeriesKind> = HashMap::new();
    let mut series: BTreeMap<String, (SeriesKind, f64)> = BTreeMap::new();
    let mut others: BTreeSet<&str> = BTreeSet::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix('#') {
            let mut words = comment.split_ascii_whitespace();
            if words.next() == Some("TYPE")
                && let (Some(name), Some(kind)) = (words.next(), words.next())
            {
                let counts = matches!(kind, "counter" | "histogram" | "summary");
                kinds.insert(name, if counts { SeriesKind::Counter } else { SeriesKind::Gauge });
            }
            continue;
        }
        if line.is_empty() {
            continue;
        }
        let sample = Sample::read(line).ok_or_else(|| {
            let begin: String = line.chars().take(60).collect();
            format!("line {} is no sample of the Prometheus text format: {begin:?}", n + 1)
        })?;
        let Some(name) = selection.series(sample.name, &sample.labels) else {
            others.insert(sample.name);
            if others.len() > MOST {
                others.pop_last();
            }
            continue;
        };
        if name.len() > LONGEST {
            let begin: String = name.chars().take(60).collect();
            return Err(format!(
                "line {}: the name of a series has {} bytes, at most {LONGEST} are kept: {begin:?}…",
                n + 1,
                name.len()
            ));
        }
        let kind = kind(sample.name, &kinds);
        // Not a number: a summary without observations. It says nothing.
        if sample.value.is_finite() {
            series.entry(name).or_insert((kind, 0.0)).1 += sample.value;
        }
    }
    let values = series.into_iter().filter(|(_, (_, value))| value.abs() <= LARGEST);
    let values = values.map(|(series, (kind, value))| Value { series, kind, value });
    Ok((values.collect(), others.into_iter().map(str::to_owned).collect()))
}

/// What a sample counts: as its type says, which is that of its family in OpenMetrics, or as its
/// name ends.
fn kind(name: &str, kinds: &HashMap<&str, SeriesKind>) -> SeriesKind {
    let family = ["_total", "_sum", "_count", "_bucket"].iter().find_map(|e| name.strip_suffix(e));
    match (kinds.get(name), family) {
        // A summary's own samples are its quantiles.
        (Some(kind), _) => *kind,
        (None, Some(family)) => kinds.get(family).copied().unwrap_or(SeriesKind::Counter),
        (None, None) => SeriesKind::Gauge,
    }
}

struct Sample<'a> {
    name: &'a str,
    labels: Vec<(&'a str, String)>,
    value: f64,
}

impl<'a> Sample<'a> {
    fn read(line: &'a str) -> Option<Sample<'a>> {
        let end = line.find(['{', ' ', '\t'])?;
        let (name, mut rest) = line.split_at(end);
        if !is_name(name) {
            return None;
        }
        let mut labels = Vec::new();
        if let Some(inside) = rest.strip_prefix('{') {
            rest = inside.trim_start();
            while !rest.starts_with('}') {
                let (label, quoted) = rest.split_once('=')?;
                if !is_name(label.trim()) {
                    return None;
                }
                let (value, after) = quotation(quoted.trim_start().strip_prefix('"')?)?;
                labels.push((label.trim(), value));
                let after = after.trim_start();
                rest = after.strip_prefix(',').unwrap_or(after).trim_start();
                if !after.starts_with([',', '}']) {
                    return None;
                }
            }
            rest = &rest[1..];
        }
        let mut words = rest.split_ascii_whitespace();
        let value = match words.next()? {
            "+Inf" => f64::INFINITY,
            "-Inf" => f64::NEG_INFINITY,
            "NaN" | "Nan" => f64::NAN,
            number => number.parse().ok()?,
        };
        // A time, or an exemplar.
        let more = words.next().is_none_or(|word| word == "#" || word.parse::<f64>().is_ok());
        more.then_some(Sample { name, labels, value })
    }
}

/// Whether a name has the letters of one: it stands as it is in files that others open.
fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == ':');
    begins && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_:.-/".contains(&b))
}

/// A value up to its closing quote, and what follows it.
fn quotation(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    loop {
        match chars.next()? {
            (at, '"') => return Some((value, &text[at + 1..])),
            (_, '\\') => value.push(match chars.next()?.1 {
                'n' => '\n',
                other => other,
            }),
            (_, c) => value.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, pattern: &str) -> Vec<(String, SeriesKind, f64)> {
        let (values, _) = read(text, &Selection::parse(pattern).unwrap()).unwrap();
        values.into_iter().map(|v| (v.series, v.kind, v.value)).collect()
    }

    /// The example of the format's own page, and a sample of OpenMetrics with an exemplar.
    #[test]
    fn the_format_is_read_as_its_description_has_it() {
        let text = r#"
# HELP http_requests_total The total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400"}    3 1395066363000

# Escaping in label values:
msdos_file_access_time_seconds{path="C:\\DIR\\FILE.TXT",error="Cannot find file:\n\"FILE.TXT\""} 1.458255915e9

# Minimalistic line:
metric_without_timestamp_and_labels 12.47

# A weird metric from before the epoch:
something_weird{problem="division by zero"} +Inf -3982045

# TYPE rpc_duration_seconds summary
rpc_duration_seconds{quantile="0.01"} 3102
rpc_duration_seconds_sum 1.7560473e+07
rpc_duration_seconds_count 2693
# TYPE foo counter
foo_total{a="b",} 17.0 1520879607.789 # {trace_id="KOO5S4vxi0o"} 0.67
# TYPE free gauge
free_total 5
"#;
        use SeriesKind::{Counter, Gauge};
        let all = values(text, "*");
        let expected = [
            ("foo_total", Counter, 17.0),
            ("free_total", Gauge, 5.0),
            ("http_requests_total", Counter, 1030.0),
            ("metric_without_timestamp_and_labels", Gauge, 12.47),
            ("msdos_file_access_time_seconds", Gauge, 1.458_255_915e9),
            ("rpc_duration_seconds_count", Counter, 2693.0),
            ("rpc_duration_seconds_sum", Counter, 17_560_473.0),
        ];
        assert_eq!(all, expected.map(|(name, kind, value)| (name.to_owned(), kind, value)));
        let path = "msdos_file_access_time_seconds{path=\"C:\\\\DIR\\\\FILE.TXT\"}";
        assert_eq!(values(text, "msdos*{path}")[0].0, path);
        let (kept, others) = read(text, &Selection::parse("foo_total").unwrap()).unwrap();
        assert_eq!((kept.len(), others.len()), (1, 8), "{others:?}");
    }

    #[test]
    fn what_is_no_sample_is_named_by_its_line() {
        for wrong in [
            "<html>",
            "a",
            "a{",
            "a{b}",
            "a{b=\"",
            "a{b=\"c\"",
            "a{b=\"c\"x} 1",
            "a x",
            "a 1 x",
            "{a=\"b\"} 1",
            "=1+1 1",
            "-a 1",
            "@a 1",
            "a\u{1b}[2J 1",
            "a,b 1",
            "a\u{202e} 1",
            "a{=b=\"c\"} 1",
            "a{b\u{1b}=\"c\"} 1",
            "a{b=\"c\" d=\"e\"} 1",
        ] {
            let text = format!("ok 1\n{wrong}\n");
            let e = read(&text, &Selection::parse("*").unwrap()).unwrap_err();
            assert!(e.starts_with("line 2 is no sample"), "{wrong}: {e}");
        }
    }

    #[test]
    fn values_and_names_beyond_their_bounds_are_not_kept() {
        assert_eq!(values("a{l=\"1\"} 1e308\na{l=\"2\"} 1e308\nb 1e101\nc -1e100\n", "*").len(), 1);
        let long = format!("a{{b=\"{}\"}} 1\n", "x".repeat(1 << 20));
        let e = read(&long, &Selection::parse("a{b}").unwrap()).unwrap_err();
        assert!(e.starts_with("line 1: the name of a series has 1048583 bytes"), "{e}");
        assert!(read(&long, &Selection::parse("a").unwrap()).is_ok());
    }
}
