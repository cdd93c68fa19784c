//! Tables that put configurations side by side: a row for what their runs have in common.

use hoap_record::{Latency, Percentile, Step};

use crate::configurations::group::{Group, Member, Place, Spread};
use crate::format::number::Unit;
use crate::format::table::{Cell, Sheet, Table};
use crate::run::interference::{complete, power};
use crate::run::key::StepKey;
use crate::run::measure::{Measure, headline_kinds};

/// A place with the configuration it belongs to.
struct At<'a> {
    label: &'a str,
    place: Place<'a>,
}

fn places<'a>(group: &Group<'a>, which: impl Fn(&Place<'_>) -> bool) -> Vec<At<'a>> {
    let places = group.places().into_iter().filter(|p| which(p));
    places.map(|place| At { label: group.members[place.member].label, place }).collect()
}

/// The columns that say which configuration and which place.
fn keyed<'a>(group: &Group<'_>, id: &str, title: &str) -> Sheet<'a, At<'a>> {
    let places = group.places();
    let open = places.iter().any(|p| p.rate().is_some());
    let arrivals = |p: &Place<'_>| p.key.rate.as_ref().map(|(_, arrivals)| arrivals.clone());
    let mut kinds = places.iter().filter_map(arrivals);
    let first = kinds.next();
    let several = kinds.any(|of| Some(of) != first);
    let again = places.iter().any(|p| p.key.occurrence > 0);
    let (hybrid, repeated) = (group.measure == Measure::Hybrid, repeats(group));
    let clients = if hybrid { "transaction clients" } else { "clients" };
    Sheet::new(id, title)
        .text("configuration", |at: &At<'_>| at.label)
        .number(clients, Unit::Count, |at| at.place.clients() as f64)
        .when(hybrid, |s| {
            s.number("query clients", Unit::Count, |at| at.place.query_clients() as f64)
        })
        .when(open, |s| {
            s.cells("intended", Some(Unit::Rate("/s")), |at| Cell::maybe(at.place.rate()))
        })
        .when(several, |s| s.text("arrivals", move |at| arrivals(&at.place).unwrap_or_default()))
        .when(again, |s| s.text("step", |at| at.place.name.clone()))
        .when(repeated, |s| s.number("runs", Unit::Count, |at| at.place.steps.len() as f64))
}

/// Whether any place was measured more than once.
fn repeats(group: &Group<'_>) -> bool {
    group.places().iter().any(|p| p.steps.len() > 1)
}

/// A column of means, and with repetitions the lowest and the highest.
fn spread<'a>(
    sheet: Sheet<'a, At<'a>>,
    title: &str,
    unit: Unit,
    repeated: bool,
    value: fn(&Step, Measure) -> Result<f64, String>,
    measure: Measure,
) -> Sheet<'a, At<'a>> {
    type End = fn(Spread) -> f64;
    let ends: [(&str, End); 2] = [("lowest", |s| s.low), ("highest", |s| s.high)];
    let of = move |s: &Step| value(s, measure);
    let mut sheet = sheet.cells(title, Some(unit), move |at| at.place.cell(of));
    for (name, end) in ends.into_iter().filter(|_| repeated) {
        sheet = sheet.cells(name, Some(unit), move |at| {
            Cell::maybe(at.place.spread(|s| of(s).ok()).map(end))
        });
    }
    sheet
}

/// The headline measure of every configuration and number of clients (CH2 figure 9, CH2++ figure 8
/// a).
pub fn throughput_by_configuration(group: &Group<'_>) -> Table {
    let measure = group.measure;
    let unit = measure.unit();
    let title = format!("Throughput by configuration ({unit})");
    let sheet = keyed(group, "throughput-by-configuration", &title);
    let value = |s: &Step, m: Measure| m.value(s);
    spread(sheet, unit, measure.rate(), repeats(group), value, measure)
        .rows(places(group, |p| p.clients() > 0))
}

/// Response times of every configuration, number of clients and kind (CH2 figure 10, CH2++ figure 8
/// b). With repetitions each is the mean of the runs' values.
pub fn latency_by_configuration(group: &Group<'_>) -> Table {
    let kinds = kinds(group);
    let title = if repeats(group) {
        "Response times by configuration, means of the runs' values"
    } else {
        "Response times by configuration"
    };
    let mut sheet = Sheet::new("latency-by-configuration", title)
        .text("configuration", |(at, _): &(At<'_>, String)| at.label)
        .text("step", |(at, _)| at.place.name.clone())
        .text(group.measure.operation(), |(_, kind)| kind.clone());
    for time in TimeOf::SHOWN {
        sheet = sheet.cells(time.name(), Some(Unit::Latency), move |(at, kind)| {
            Cell::maybe(at.place.latency(kind, |l| time.of(l)).map(|s| s.mean))
        });
    }
    let rows = places(group, |p| p.clients() > 0).into_iter().flat_map(|at| {
        let of = move |kind: &String| {
            let At { label, place } = &at;
            (At { label, place: place.clone() }, kind.clone())
        };
        kinds.iter().map(of).collect::<Vec<_>>()
    });
    sheet.rows(rows)
}

/// A number of the response times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeOf {
    /// Their mean.
    Mean,
    /// One of their percentiles.
    Percentile(Percentile),
}

impl TimeOf {
    /// What the table of configurations shows.
    const SHOWN: [TimeOf; 4] = [
        TimeOf::Mean,
        TimeOf::Percentile(Percentile::P50),
        TimeOf::Percentile(Percentile::P95),
        TimeOf::Percentile(Percentile::P99),
    ];

    /// Such as "mean" or "p99".
    pub fn name(self) -> &'static str {
        match self {
            TimeOf::Mean => "mean",
            TimeOf::Percentile(percentile) => percentile.name(),
        }
    }

    /// Its value, microseconds.
    pub fn of(self, latency: &Latency) -> f64 {
        match self {
            TimeOf::Mean => latency.mean_us,
            TimeOf::Percentile(percentile) => percentile.of(latency) as f64,
        }
    }
}

/// The kinds of operations that the group is about.
pub fn kinds(group: &Group<'_>) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for (_, run) in group.members.iter().flat_map(|m| &m.runs) {
        for kind in headline_kinds(&run.run) {
            if !kinds.iter().any(|k| k == kind) {
                kinds.push(kind.to_string());
            }
        }
    }
    kinds
}

/// Power and QpH of every configuration and number of clients (CH2 figure 11, CH2++ figure 9).
pub fn power_by_configuration(group: &Group<'_>) -> Table {
    let sheet = keyed(group, "power-by-configuration", "Power by configuration");
    let repeated = repeats(group);
    spread(sheet, "power", Unit::Seconds, repeated, |s, _| power(s), group.measure)
        .cells("QpH", Some(Unit::Rate("QpH")), |at| {
            at.place.cell(|s| complete(s, s.queries_per_hour))
        })
        .rows(places(group, |p| p.query_clients() > 0))
}

/// What each configuration did at its best, and how fast its data came in (CH2++ table 3).
pub fn summary_by_configuration(group: &Group<'_>) -> Table {
    let measure = group.measure;
    let any = |of: &dyn Fn(&Member<'_>) -> bool| group.members.iter().any(of);
    let p99 = group.headline.map_or("p99".to_owned(), |kind| format!("{kind} p99"));
    let power = any(&|m| m.power().is_some());
    let best = move |m: &Member<'_>| m.best(measure).map(|(_, s)| s.mean);
    Sheet::new("summary-by-configuration", "Configurations")
        .text("configuration", |m: &Member<'_>| m.label)
        .text("system", |m| m.system.clone())
        .when(any(&|m| m.nodes.is_some()), |s| {
            s.cells("nodes", Some(Unit::Count), |m| Cell::maybe(m.nodes.map(f64::from)))
        })
        .number("runs", Unit::Count, |m| m.runs.len() as f64)
        .when(any(&|m| m.load_rate().is_some()), |s| {
            s.cells("load", Some(Unit::Rate("documents/s")), |m| Cell::maybe(m.load_rate()))
        })
        .when(any(&|m| m.stored().is_some()), |s| {
            s.cells("stored", Some(Unit::Bytes), |m| Cell::maybe(m.stored()))
        })
        .when(any(&|m| m.ingestion_rate().is_some()), |s| {
            let rate = Some(Unit::Rate("documents/s"));
            s.cells("ingestion", rate, |m| Cell::maybe(m.ingestion_rate()))
        })
        .when(any(&move |m| best(m).is_some()), |s| {
            s.cells("highest", Some(measure.rate()), move |m| Cell::maybe(best(m)))
                .text("with", move |m| {
                    m.best(measure).map(|(p, _)| p.name.clone()).unwrap_or_default()
                })
                .cells(p99, Some(Unit::Latency), move |m| {
                    let best = m.best(measure);
                    Cell::maybe(best.and_then(|(p, _)| p.worst_p99()).map(|s| s.mean))
                })
        })
        .when(power, |s| {
            s.cells("power", Some(Unit::Seconds), |m| {
                Cell::maybe(m.power().map(|(_, power)| power.mean))
            })
            .cells("QpH", Some(Unit::Rate("QpH")), |m| {
                let qph = |(p, _): (Place<'_>, Spread)| p.spread(|s| s.queries_per_hour);
                Cell::maybe(m.power().and_then(qph).map(|s| s.mean))
            })
            .text("queries with", |m| m.power().map(|(p, _)| p.name.clone()).unwrap_or_default())
        })
        .text("checks", Member::checks)
        .rows(group.members.clone())
}

/// Mean time of a query in the steps of a place.
pub fn query_mean(place: &Place<'_>, kind: &str) -> Cell {
    place.cell(|s| {
        let query = s.queries.iter().find(|q| q.kind == kind);
        match query {
            Some(q) if q.failed > 0 => Err(q.error.clone().unwrap_or_else(|| "it failed".into())),
            Some(q) => q.mean_seconds.ok_or_else(|| "not measured".to_string()),
            None => Err("not measured".to_string()),
        }
    })
}

/// The places with query clients that more than one configuration has, by name: what can be
/// compared query by query.
pub fn shared_query_places<'a>(group: &Group<'a>) -> Vec<(String, Vec<(&'a str, Place<'a>)>)> {
    let all = places(group, |p| p.query_clients() > 0);
    let mut keys: Vec<&StepKey> = Vec::new();
    for at in &all {
        if !keys.contains(&&at.place.key) {
            keys.push(&at.place.key);
        }
    }
    keys.sort_by_key(|key| (key.query_clients, key.tx_clients));
    let mut out = Vec::new();
    for key in keys {
        let here: Vec<(&str, Place<'_>)> = all
            .iter()
            .filter(|at| at.place.key == *key)
            .map(|at| (at.label, at.place.clone()))
            .collect();
        if here.len() > 1 && here.iter().any(|(_, place)| !place.steps.is_empty()) {
            out.push((here[0].1.name.clone(), here));
        }
    }
    out
}

/// Mean time of each query, a column a configuration, at one place of all (CH2++ figure 10).
pub fn queries_by_configuration(name: &str, places: &[(&str, Place<'_>)]) -> Table {
    let mut kinds: Vec<String> = places
        .iter()
        .flat_map(|(_, p)| p.steps.iter().flat_map(|s| s.queries.iter().map(|q| q.kind.clone())))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    let title = format!("Mean time of each query by configuration, {name}");
    let mut sheet =
        Sheet::new("queries-by-configuration", title).text("query", |kind: &String| kind.clone());
    for (label, place) in places {
        sheet =
            sheet.cells(*label, Some(Unit::Seconds), move |kind: &String| query_mean(place, kind));
    }
    sheet.rows(kinds)
}

/// Throughput and response time by cluster size and system: each configuration whose number of
/// nodes is known, at the number of clients where it did most (the comparison reports' figures).
pub fn cluster_sizes(group: &Group<'_>) -> Table {
    let measure = group.measure;
    let mut members: Vec<Member<'_>> =
        group.members.iter().filter(|m| m.nodes.is_some()).cloned().collect();
    members.sort_by(|a, b| (&a.system, a.nodes).cmp(&(&b.system, b.nodes)));
    fn at<'a>(m: &Member<'a>, measure: Measure) -> Option<Place<'a>> {
        m.best(measure).map(|(place, _)| place)
    }
    let failed = move |m: &Member<'_>| at(m, measure).and_then(|p| p.failed()).map(|s| s.mean);
    Sheet::new("cluster-sizes", "Throughput and response time by cluster size")
        .text("system", |m: &Member<'_>| m.system.clone())
        .text("configuration", |m| m.label)
        .cells("nodes", Some(Unit::Count), |m| Cell::maybe(m.nodes.map(f64::from)))
        .text("step", move |m| at(m, measure).map(|p| p.name.clone()).unwrap_or_default())
        .cells(measure.unit(), Some(measure.rate()), move |m| {
            Cell::maybe(m.best(measure).map(|(_, s)| s.mean))
        })
        .cells("mean", Some(Unit::Latency), move |m| {
            Cell::maybe(at(m, measure).and_then(|p| p.mean_latency()).map(|s| s.mean))
        })
        .cells("p99", Some(Unit::Latency), move |m| {
            Cell::maybe(at(m, measure).and_then(|p| p.worst_p99()).map(|s| s.mean))
        })
        .when(members.iter().any(|m| failed(m).is_some_and(|share| share > 0.0)), |s| {
            s.cells("failed", Some(Unit::Share), move |m| Cell::maybe(failed(m)))
        })
        .rows(members)
}

/// Operations that failed in a configuration, by kind of operation and error.
pub struct Failed<'a> {
    /// The configuration.
    pub label: &'a str,
    /// Kind of operation.
    pub kind: String,
    /// Kind of error.
    pub error: String,
    /// How many.
    pub failed: u64,
    /// Operations of the kind that ended, however.
    pub ended: u64,
}

/// What failed in all whole steps of each configuration.
pub fn failed<'a>(group: &Group<'a>) -> Vec<Failed<'a>> {
    let mut out: Vec<Failed<'a>> = Vec::new();
    for member in &group.members {
        let all = || member.runs.iter().flat_map(|(_, run)| &run.run.steps);
        let steps = || all().filter(|step| step.partial.is_none());
        let operations = || steps().flat_map(|s| &s.transactions);
        for operation in operations() {
            for (error, count) in &operation.failures {
                let known = out.iter_mut().find(|f| {
                    (f.label, &f.kind, &f.error) == (member.label, &operation.kind, error)
                });
                if let Some(known) = known {
                    known.failed = known.failed.saturating_add(*count);
                    continue;
                }
                let same = operations().filter(|o| o.kind == operation.kind);
                let ended = same.fold(0u64, |n, o| {
                    o.failures.values().fold(n.saturating_add(o.count), |n, f| n.saturating_add(*f))
                });
                let (kind, error) = (operation.kind.clone(), error.clone());
                out.push(Failed { label: member.label, kind, error, failed: *count, ended });
            }
        }
    }
    out
}

/// The share of operations that failed, by configuration, operation and kind of error.
pub fn failed_shares(group: &Group<'_>) -> Table {
    Sheet::new("failed-shares", "Share of operations that failed, all whole steps together")
        .text("configuration", |f: &Failed<'_>| f.label)
        .text("operation", |f| f.kind.clone())
        .text("error", |f| f.error.clone())
        .number("failed", Unit::Count, |f| f.failed as f64)
        .number("of", Unit::Count, |f| f.ended as f64)
        .number("share", Unit::Share, |f| f.failed as f64 / f.ended.max(1) as f64)
        .rows(failed(group))
}
