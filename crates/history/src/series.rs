//! The series of a history: a quantity of a step, over runs that compare.

use std::collections::BTreeMap;

use hoap_record::{Error, ErrorKind, Result};
use hoap_report::compare::Metric;
use hoap_report::tables::moment;

use crate::line::{RunLine, ValueLine};
use crate::store::History;

/// What the runs of a series have in common. Where a run has another, another series begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ground {
    /// The benchmark.
    pub benchmark: String,
    /// The databases, without their versions.
    pub databases: Vec<String>,
    /// The label `branch`, empty without one.
    pub branch: String,
    /// The testbed.
    pub testbed: String,
    /// The data set.
    pub data: BTreeMap<String, String>,
    /// What else makes another workload of it.
    pub workload: BTreeMap<String, String>,
}

impl Ground {
    fn of(run: &RunLine) -> Ground {
        Ground {
            benchmark: run.benchmark.clone(),
            databases: run.databases.clone(),
            branch: run.labels.get("branch").cloned().unwrap_or_default(),
            testbed: run.testbed.clone(),
            data: run.data.clone(),
            workload: run.workload.clone(),
        }
    }

    /// In a line.
    pub fn words(&self) -> String {
        let branch = match self.branch.as_str() {
            "" => String::new(),
            branch => format!(", branch {branch}"),
        };
        format!("{} on {}{branch}, {}", self.benchmark, self.databases.join(" and "), self.testbed)
    }

    /// The names of what differs from another: "testbed", "data.version".
    pub fn differs(&self, other: &Ground) -> Vec<String> {
        let plain = [
            ("benchmark", self.benchmark == other.benchmark),
            ("database", self.databases == other.databases),
            ("branch", self.branch == other.branch),
            ("testbed", self.testbed == other.testbed),
        ];
        let plain = plain.into_iter().filter(|(_, same)| !same).map(|(name, _)| name.to_owned());
        let maps = [(&self.data, &other.data), (&self.workload, &other.workload)];
        let named = maps.into_iter().flat_map(|(ours, theirs)| {
            let names =
                ours.keys().chain(theirs.keys().filter(move |name| !ours.contains_key(*name)));
            names.filter(move |name| ours.get(*name) != theirs.get(*name)).cloned()
        });
        // The name of the benchmark is one of the workload's facts, too.
        plain.chain(named.filter(|name| name != "benchmark")).collect()
    }
}

/// A history as series.
#[derive(Clone, Debug)]
pub struct Timeline<'a> {
    /// The history.
    pub history: &'a History,
    /// Its runs in the order in which they started; places in [`History::runs`].
    pub order: Vec<usize>,
    /// The grounds in the order of their first runs that count.
    pub grounds: Vec<Ground>,
    /// The series, those of a ground together, in the order of the lines.
    pub series: Vec<Series<'a>>,
}

/// A quantity of a step, over runs that compare.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// The place of its ground in [`Timeline::grounds`].
    pub ground: usize,
    /// The step's name.
    pub step: &'a str,
    /// The quantity.
    pub metric: Metric,
    /// The kind of operation, or the query.
    pub kind: Option<&'a str>,
    /// Its values, in the order in which the runs started.
    pub points: Vec<Point<'a>>,
}

/// A value of a series.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The place of its run in [`Timeline::order`].
    pub at: usize,
    /// Its line.
    pub line: &'a ValueLine,
}

impl<'a> Timeline<'a> {
    /// Of a history. Void and partial runs are in the order, and have no points.
    pub fn of(history: &'a History) -> Timeline<'a> {
        let mut order: Vec<usize> = (0..history.runs.len()).collect();
        order.sort_by(|a, b| history.runs[*a].started.cmp(&history.runs[*b].started));
        let mut values: BTreeMap<&str, Vec<&ValueLine>> = BTreeMap::new();
        for value in &history.values {
            values.entry(&value.run).or_default().push(value);
        }
        let mut grounds: Vec<Ground> = Vec::new();
        let mut series: Vec<Series<'a>> = Vec::new();
        let mut places = BTreeMap::new();
        for (at, run) in order.iter().map(|place| &history.runs[*place]).enumerate() {
            if run.excluded.is_some() {
                continue;
            }
            let own = Ground::of(run);
            let ground = grounds.iter().position(|ground| *ground == own).unwrap_or_else(|| {
                grounds.push(own);
                grounds.len() - 1
            });
            for line in values.get(run.run.as_str()).into_iter().flatten().copied() {
                // That of a newer program.
                let Some(metric) = line.quantity() else { continue };
                let key = (ground, line.step.as_str(), line.metric.as_str(), line.kind.as_deref());
                let place = *places.entry(key).or_insert_with(|| {
                    let (step, kind) = (line.step.as_str(), line.kind.as_deref());
                    series.push(Series { ground, step, metric, kind, points: Vec::new() });
                    series.len() - 1
                });
                series[place].points.push(Point { at, line });
            }
        }
        series.sort_by_key(|series| series.ground);
        Timeline { history, order, grounds, series }
    }

    /// The run at a place of the order.
    pub fn run(&self, at: usize) -> &'a RunLine {
        &self.history.runs[self.order[at]]
    }

    /// What a run is called: its commit, or else when it started.
    pub fn name(&self, at: usize) -> String {
        let run = self.run(at);
        match run.labels.get("commit") {
            Some(commit) => short(commit),
            None => moment(&run.started),
        }
    }

    /// The last run that a label names: `KEY=VALUE`, or the beginning of a commit.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where none has it.
    pub fn last_with(&self, label: &str) -> Result<usize> {
        let found = (0..self.order.len()).rev().find(|at| is_of(self.run(*at), label));
        found.ok_or_else(|| {
            let tried = format!("look for {label} in the history");
            Error::new(ErrorKind::Invalid, tried, "no run has this label")
                .advise("name a commit, or another label as KEY=VALUE")
        })
    }
}

/// Whether a label names a run: `KEY=VALUE`, or the beginning of its commit.
pub fn is_of(run: &RunLine, label: &str) -> bool {
    match label.split_once('=') {
        Some((key, value)) => run.labels.get(key).is_some_and(|of| of == value),
        None => {
            let commit = run.labels.get("commit");
            !label.is_empty() && commit.is_some_and(|of| of.starts_with(label))
        }
    }
}

/// A commit as people write it.
fn short(commit: &str) -> String {
    let is_hash = commit.len() >= 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
    if is_hash { commit[..10].to_owned() } else { commit.to_owned() }
}

impl Series<'_> {
    /// "p99 of READ", "ops/s", "mean time of Q07".
    pub fn title(&self) -> String {
        match (self.metric, self.kind) {
            (Metric::Percentile(p), Some(kind)) => format!("{} of {kind}", p.name()),
            (Metric::Query, Some(kind)) => format!("mean time of {kind}"),
            (metric, kind) => metric.title(kind),
        }
    }

    /// The logarithms of its values, with what a comparison adds to them.
    pub fn logarithms(&self) -> Vec<f64> {
        let added = self.metric.added();
        let of = |point: &Point<'_>| (point.line.value + added).max(f64::MIN_POSITIVE).ln();
        self.points.iter().map(of).collect()
    }
}
