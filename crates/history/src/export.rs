//! A history for other programs: the CSV of Apache Otava and the JSON of Bencher.

use std::collections::BTreeSet;

use hoap_record::output::Kind;
use hoap_record::{Error, ErrorKind, Result};
use hoap_report::compare::Metric;
use hoap_report::format::csv::row;
use hoap_report::statistics::width;
use serde_json::{Map, Value, json};

use crate::line::{RunLine, ValueLine};
use crate::series::{Series, Timeline};

/// What begins a CSV for Otava.
const COLUMNS: [&str; 4] = ["time", "commit", "branch", "run"];

/// A CSV for Otava.
pub const OTAVA: Kind =
    Kind { name: "a CSV of a history", begins: |head| head.starts_with("time,commit,branch,run,") };

/// A JSON for Bencher.
pub const BENCHER: Kind = Kind {
    name: "the JSON of a history",
    begins: |head| head.starts_with("{\n  \"") && head.contains("\"value\": "),
};

/// The series of the runs that compare with the last one that counts.
fn last<'a, 'b>(timeline: &'b Timeline<'a>) -> Result<(usize, Vec<&'b Series<'a>>)> {
    let ends = |series: &Series<'_>| series.points.last().map(|point| point.at);
    let last = timeline.series.iter().filter_map(|of| Some((ends(of)?, of.ground))).max();
    let Some((at, ground)) = last else {
        let answer = "it has no run that is neither void nor partial";
        return Err(Error::new(ErrorKind::Invalid, "export the history", answer));
    };
    Ok((at, timeline.series.iter().filter(|of| of.ground == ground).collect()))
}

/// A row for each run that compares with the last one, a column for each series that all of them
/// have: Otava takes no empty cell. Also how many series were left out.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where no run counts.
pub fn otava(timeline: &Timeline<'_>) -> Result<(String, usize)> {
    let (_, series) = last(timeline)?;
    let runs: BTreeSet<usize> =
        series.iter().flat_map(|of| &of.points).map(|point| point.at).collect();
    let whole: Vec<&&Series<'_>> =
        series.iter().filter(|of| of.points.len() == runs.len()).collect();
    let mut header: Vec<String> = COLUMNS.map(String::from).into();
    header.extend(whole.iter().map(|of| column(of)));
    let mut text = row(header.iter().map(String::as_str));
    for (number, at) in runs.iter().enumerate() {
        let RunLine { started, labels, run, .. } = timeline.run(*at);
        let label = |key: &str| labels.get(key).cloned().unwrap_or_default();
        let mut cells = vec![started.clone(), label("commit"), label("branch"), run.clone()];
        cells.extend(whole.iter().map(|of| of.points[number].line.value.to_string()));
        text.push_str(&row(cells.iter().map(String::as_str)));
    }
    Ok((text, series.len() - whole.len()))
}

/// The name of a series' column: "8 clients READ p99".
fn column(of: &Series<'_>) -> String {
    let kind = of.kind.map(|kind| format!(" {kind}")).unwrap_or_default();
    format!("{}{kind} {}", of.step, of.metric.name())
}

/// The values of the last run that counts, in Bencher's metric format: times in nanoseconds as
/// `latency`, operations per second as `throughput`, each with its 95 % interval where there is one.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where no run counts.
pub fn bencher(timeline: &Timeline<'_>) -> Result<String> {
    let (at, series) = last(timeline)?;
    let mut all = Map::new();
    for of in series {
        let Some(point) = of.points.last().filter(|point| point.at == at) else { continue };
        let (measure, times) = match of.metric {
            Metric::Ops => ("throughput", 1.0),
            Metric::Tpm | Metric::Qph => (of.metric.name(), 1.0),
            _ => ("latency", 1e9),
        };
        let name = format!("{} {}", timeline.grounds[of.ground].benchmark, column(of));
        all.insert(name, json!({ measure: of_point(point.line, of.metric, times) }));
    }
    // Nothing in it fails to be JSON.
    Ok(serde_json::to_string_pretty(&all).unwrap_or_default() + "\n")
}

fn of_point(line: &ValueLine, metric: Metric, times: f64) -> Value {
    let mut value = json!({ "value": line.value * times });
    if let Some((error, freedom)) = line.error.zip(line.freedom) {
        let half = width(0.95, freedom) * error;
        let end = |of: f64| ((line.value + metric.added()) * of.exp() - metric.added()) * times;
        if half.is_finite() {
            value["lower_value"] = json!(end(-half).max(0.0));
            value["upper_value"] = json!(end(half));
        }
    }
    value
}
