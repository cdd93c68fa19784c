//! Which series of an endpoint are kept, and what is added up.

use std::fmt::Write;

/// Names with the labels that each keeps: `node_cpu_seconds_total{mode!=idle},pg_stat_*{datname}`.
///
/// Series that differ only in labels that are not kept are added up. Without a label in the pattern
/// a name is one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection(Vec<Pattern>);

/// What is kept where nobody chose: CPU, disks, memory and networks of a machine, by the names of
/// Prometheus' `node_exporter`. What an exporter says of its own process (`process_…`) is not the
/// server's.
pub const USUAL: &str = "node_cpu_seconds_total{mode!=idle|iowait},\
                         node_disk_read_bytes_total{device},node_disk_written_bytes_total{device},\
                         node_memory_MemAvailable_bytes,\
                         node_network_receive_bytes_total{device!=lo},\
                         node_network_transmit_bytes_total{device!=lo},\
                         node_pressure_cpu_waiting_seconds_total,\
                         node_pressure_io_waiting_seconds_total";

/// A name, in which `*` is any text, and the labels that are kept.
#[derive(Clone, Debug, PartialEq)]
struct Pattern {
    name: String,
    labels: Labels,
}

#[derive(Clone, Debug, PartialEq)]
enum Labels {
    /// `{*}`.
    All,
    These(Vec<Label>),
}

/// A label that is kept, and which of its values.
#[derive(Clone, Debug, PartialEq)]
struct Label {
    name: String,
    /// Whether the value must be one of these, or none of them. Empty with `false` for any value.
    one_of: bool,
    values: Vec<String>,
}

impl Selection {
    /// Reads a pattern as a user writes it.
    ///
    /// # Errors
    /// Says in one line what is wrong.
    pub fn parse(text: &str) -> Result<Selection, String> {
        let mut patterns = Vec::new();
        let mut rest = text.trim();
        loop {
            let end = rest.find([',', '{']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let name = name.trim();
            let is_name = |c: char| c.is_ascii_alphanumeric() || "_:*".contains(c);
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(format!("{name:?} is no name of a series, in which * is any text"));
            }
            let (labels, after) = match after.strip_prefix('{') {
                Some(inside) => {
                    let (inside, after) = inside
                        .split_once('}')
                        .ok_or_else(|| format!("the labels of {name} have no closing }}"))?;
                    (labels(inside)?, after.trim_start())
                }
                None => (Labels::These(Vec::new()), after),
            };
            patterns.push(Pattern { name: name.to_owned(), labels });
            match after.strip_prefix(',') {
                Some(more) => rest = more,
                None if after.is_empty() => return Ok(Selection(patterns)),
                None => return Err(format!("{after:?} stands where a comma should")),
            }
        }
    }

    /// The name of the series that a sample is part of. `None` where it is not kept.
    ///
    /// A bucket of a histogram (`le`) and a quantile of a summary cannot be added up: they are kept
    /// only where the pattern names that label.
    pub fn series(&self, name: &str, labels: &[(&str, String)]) -> Option<String> {
        let pattern = self.0.iter().find(|pattern| matches(&pattern.name, name))?;
        let kept: Vec<&(&str, String)> = match &pattern.labels {
            Labels::All => labels.iter().collect(),
            Labels::These(these) => {
                let mut kept = Vec::new();
                for label in these {
                    let found = labels.iter().find(|(name, _)| *name == label.name);
                    let value = found.map_or("", |(_, value)| value);
                    if label.values.iter().any(|one| one == value) != label.one_of {
                        return None;
                    }
                    kept.extend(found);
                }
                kept
            }
        };
        let lost = |(name, _): &&(&str, String)| {
            ["le", "quantile"].contains(name) && !kept.iter().any(|(kept, _)| kept == name)
        };
        if labels.iter().any(|label| lost(&label)) {
            return None;
        }
        let mut series = name.to_owned();
        for (n, (name, value)) in kept.into_iter().enumerate() {
            let _ = write!(series, "{}{name}={value:?}", if n == 0 { "{" } else { "," });
        }
        if series.len() > name.len() {
            series.push('}');
        }
        Some(series)
    }
}

fn labels(inside: &str) -> Result<Labels, String> {
    if inside.trim() == "*" {
        return Ok(Labels::All);
    }
    let label = |text: &str| {
        let (name, one_of, values) = match (text.split_once("!="), text.split_once('=')) {
            (Some((name, values)), _) => (name, false, values),
            (None, Some((name, values))) => (name, true, values),
            (None, None) => (text, false, ""),
        };
        let name = name.trim();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(format!("{text:?} is no label: write NAME, NAME=VALUE|… or NAME!=VALUE|…"));
        }
        let any = name.len() == text.trim().len();
        let values = if any { Vec::new() } else { values.split('|').map(unquoted).collect() };
        Ok(Label { name: name.to_owned(), one_of, values })
    };
    Ok(Labels::These(inside.split(',').map(label).collect::<Result<_, _>>()?))
}

fn unquoted(value: &str) -> String {
    value.trim().trim_matches('"').to_owned()
}

/// Whether the name is that of the pattern, in which `*` is any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(begin) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(pattern: &str, name: &str, labels: &[(&str, &str)]) -> Option<String> {
        let labels: Vec<_> = labels.iter().map(|(n, v)| (*n, (*v).to_owned())).collect();
        Selection::parse(pattern).unwrap().series(name, &labels)
    }

    #[test]
    fn a_pattern_chooses_names_and_the_labels_that_are_kept() {
        let cpu = |mode| series(USUAL, "node_cpu_seconds_total", &[("cpu", "1"), ("mode", mode)]);
        assert_eq!(cpu("user").as_deref(), Some("node_cpu_seconds_total{mode=\"user\"}"));
        assert_eq!((cpu("idle"), cpu("iowait")), (None, None));
        let all = |pattern| series(pattern, "a_b_total", &[("x", "1"), ("y", "\"2\n")]);
        assert_eq!(all("a_b_total").as_deref(), Some("a_b_total"));
        assert_eq!(all("z, a*{*}").as_deref(), Some("a_b_total{x=\"1\",y=\"\\\"2\\n\"}"));
        assert_eq!(all("*_total{x=1|2}").as_deref(), Some("a_b_total{x=\"1\"}"));
        assert_eq!(all("a*b*{ x = \"2\" }"), None);
        assert_eq!(all("a*c*"), None);
        // A label that a sample lacks is empty, as Prometheus has it.
        assert_eq!(all("a*{z!=1}").as_deref(), Some("a_b_total"));
        assert_eq!(all("a*{z=1}"), None);
    }

    #[test]
    fn what_cannot_be_added_up_is_kept_only_by_its_label() {
        let bucket = |pattern| series(pattern, "t_bucket", &[("le", "0.1"), ("job", "x")]);
        assert_eq!(bucket("*"), None);
        assert_eq!(bucket("t_bucket{le}").as_deref(), Some("t_bucket{le=\"0.1\"}"));
        assert_eq!(series("*", "t", &[("quantile", "0.5")]), None);
    }

    #[test]
    fn a_wrong_pattern_is_refused_in_one_line() {
        for (wrong, why) in [
            ("", "\"\" is no name"),
            ("a,,b", "\"\" is no name"),
            ("a b", "\"a b\" is no name"),
            ("a{", "no closing }"),
            ("a{x}b", "\"b\" stands where a comma should"),
            ("a{}", "\"\" is no label"),
            ("a{x-y}", "\"x-y\" is no label"),
        ] {
            let e = Selection::parse(wrong).unwrap_err();
            assert!(e.contains(why) && !e.contains('\n'), "{wrong}: {e}");
        }
    }

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name, is) in [
            ("a*", "a", true),
            ("*", "", true),
            ("a*a", "a", false),
            ("a*b*c", "abbc", true),
            ("a*b*c", "acb", false),
            ("*b", "ab", true),
        ] {
            assert_eq!(matches(pattern, name), is, "{pattern} {name}");
        }
    }
}
