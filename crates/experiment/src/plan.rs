//! The commands of one configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use hoap_record::Time;
use toml::{Table, Value};

use crate::file::{Command, Experiment, Stage};
use crate::rehearsal::scale_down;

/// What one configuration takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The configuration.
    pub label: String,
    /// Its commands in the order in which they run.
    pub cells: Vec<Cell>,
}

/// The steps that a frontier has at least: two of each side alone, and one of both.
const FRONTIER: usize = 5;

/// One command of one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The stage's name.
    pub name: String,
    /// What is done.
    pub command: Command,
    /// The benchmark.
    pub benchmark: String,
    /// Flags by their long names. Texts may be URLs with secrets.
    pub flags: Table,
    /// Where a run writes its folder, from the experiment's folder.
    pub folder: Option<PathBuf>,
}

impl Cell {
    /// The steps of a run, and the least time that all of them take: the warm-up and the measured
    /// time of each. Queries that run so many loops take a time that nobody knows before; it counts
    /// as none.
    pub fn least(&self) -> (usize, Duration) {
        if self.command != Command::Run {
            return (0, Duration::ZERO);
        }
        let numbers = |key: &str, default: &[i64]| match self.flags.get(key) {
            Some(Value::Array(numbers)) => numbers.iter().filter_map(Value::as_integer).collect(),
            Some(value) => value.as_integer().into_iter().collect(),
            None => default.to_vec(),
        };
        let by_loops = self.flags.contains_key("loops");
        let clients = if self.flags.contains_key("frontier") {
            FRONTIER
        } else if matches!(self.benchmark.as_str(), "ch2" | "ch2pp") {
            let (tx, queries) = (numbers("tx-clients", &[4]), numbers("query-clients", &[0, 1]));
            // Queries run alone, too: always by loops, else where transactions do.
            let alone = by_loops || queries.contains(&0);
            let tx = tx.into_iter().chain(alone.then_some(0));
            let pairs = tx.flat_map(|tx| queries.iter().map(move |q| (tx, *q)));
            pairs.filter(|pair| *pair != (0, 0)).collect::<BTreeSet<_>>().len()
        } else {
            numbers("clients", &[1]).len()
        };
        let steps = clients * numbers("rate", &[0]).len();
        let time = |key: &str, default: u64| {
            let given = self.flags.get(key).and_then(Value::as_str);
            given
                .and_then(|text| text.parse::<Time>().ok())
                .map_or(Duration::from_secs(default), |time| time.0)
        };
        let unknown = by_loops || self.flags.contains_key("operations");
        let measured = time("duration", if unknown { 0 } else { 60 });
        let repeat = self.flags.get("repeat").and_then(Value::as_integer).unwrap_or(1).max(1);
        let all = (time("warmup", 5) + measured)
            .checked_mul(u32::try_from(steps as i64 * repeat).unwrap_or(u32::MAX));
        (steps, all.unwrap_or(Duration::MAX))
    }
}

/// The commands of a configuration on these targets, smaller by `by` where it is a rehearsal.
///
/// # Errors
/// Says in words which configuration, target or placeholder is not there.
pub fn plan(
    experiment: &Experiment,
    label: &str,
    targets: &BTreeMap<String, String>,
    by: Option<u32>,
) -> Result<Plan, String> {
    let configuration = experiment.configuration(label)?;
    let needed: Vec<&String> = match configuration.targets.as_slice() {
        [] => experiment.targets.keys().collect(),
        some => some.iter().collect(),
    };
    if let Some(name) = needed.iter().find(|name| !targets.contains_key(**name)) {
        let meaning = &experiment.targets[*name];
        return Err(format!("configuration {label} needs --{name} URL: {meaning}"));
    }
    if let Some(name) = targets.keys().find(|name| !needed.contains(name)) {
        return Err(format!("configuration {label} has no {name}: leave --{name} out"));
    }
    let mut urls = BTreeMap::new();
    for (name, url) in targets {
        let scheme = url.split(':').next().unwrap_or_default();
        let own = [&configuration.options, &experiment.options].map(|all| all.get(scheme));
        let options = own.into_iter().flatten();
        urls.insert(name.clone(), options.fold(url.clone(), |url, options| with(&url, options)));
    }
    let cell = |stage: &Stage| {
        let mut flags = stage.flags.clone();
        flags.extend(configuration.flags.get(&stage.name).cloned().unwrap_or_default());
        for (flag, value) in &mut flags {
            place(value, &urls)
                .map_err(|name| format!("stage {}: {flag} names no target {name:?}", stage.name))?;
        }
        if let Some(by) = by {
            scale_down(&mut flags, stage.command, &stage.benchmark, by);
        }
        let folder =
            (stage.command == Command::Run).then(|| PathBuf::from(label).join(&stage.name));
        let (name, benchmark) = (stage.name.clone(), stage.benchmark.clone());
        Ok(Cell { name, command: stage.command, benchmark, flags, folder })
    };
    let cells = experiment.stages_of(label).map(cell).collect::<Result<_, String>>()?;
    Ok(Plan { label: label.to_owned(), cells })
}

/// The URL with those of the options that it has not.
fn with(url: &str, options: &str) -> String {
    let mut url = url.to_owned();
    for option in options.split('&') {
        let name = option.split('=').next().unwrap_or_default();
        let own = url.split_once('?').map_or("", |(_, own)| own);
        if own.split('&').all(|o| o.split('=').next() != Some(name)) {
            let before = if url.contains('?') { '&' } else { '?' };
            url = format!("{url}{before}{option}");
        }
    }
    url
}

/// Puts the URLs of targets in the place of their names.
fn place(value: &mut Value, targets: &BTreeMap<String, String>) -> Result<(), String> {
    match value {
        Value::String(text) => {
            let named = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            if let Some(name) = named {
                *text = targets.get(name).ok_or(name)?.clone();
            }
            Ok(())
        }
        Value::Array(values) => values.iter_mut().try_for_each(|value| place(value, targets)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        title = "T"
        about = "A"
        targets = { operational = "where transactions run", analytical = "where queries run" }
        [[stage]]
        name = "load"
        command = "load"
        benchmark = "ch2pp"
        flags = { target = "{operational}", warehouses = 1000 }
        [[stage]]
        name = "both"
        command = "run"
        benchmark = "ch2pp"
        only = ["4Q+4A"]
        flags = { operational = "{operational}", analytical = "{analytical}", tx-clients = [4, 160], query-clients = [0, 1], duration = "10m", warmup = "1m" }
        [[stage]]
        name = "alone"
        command = "run"
        benchmark = "ch2pp"
        only = ["4Q+0A"]
        flags = { operational = "{operational}", tx-clients = [4, 160], query-clients = [0] }
        [[configuration]]
        label = "4Q+4A"
        about = ""
        flags.load = { warehouses = 2000 }
        [[configuration]]
        label = "4Q+0A"
        about = ""
        targets = ["operational"]
    "#;

    fn targets(names: &[&str]) -> BTreeMap<String, String> {
        names.iter().map(|n| (n.to_string(), format!("url-of-{n}"))).collect()
    }

    #[test]
    fn a_configuration_has_its_stages_its_targets_and_its_flags() {
        let experiment = Experiment::parse(FILE).unwrap();
        let both = targets(&["operational", "analytical"]);
        let made = plan(&experiment, "4Q+4A", &both, None).unwrap();
        let names: Vec<&str> = made.cells.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["load", "both"]);
        assert_eq!(made.cells[0].flags["warehouses"].as_integer(), Some(2000));
        assert_eq!(made.cells[0].folder, None);
        assert_eq!(made.cells[1].flags["analytical"].as_str(), Some("url-of-analytical"));
        assert_eq!(made.cells[1].folder, Some("4Q+4A/both".into()));
        assert_eq!(made.cells[1].least(), (5, Duration::from_secs(5 * 660)));
        let alone = plan(&experiment, "4Q+0A", &targets(&["operational"]), Some(20)).unwrap();
        assert_eq!(alone.cells[0].flags["warehouses"].as_integer(), Some(50));
        assert_eq!(alone.cells[1].flags["tx-clients"].as_array().map(Vec::len), Some(2));
        assert_eq!(alone.cells[1].least(), (2, Duration::from_secs(2 * 65)));
    }

    #[test]
    fn the_sources_options_are_those_of_the_scheme_and_the_users_win() {
        let text = FILE
            .replace(
                "about = \"A\"",
                "about = \"A\"\noptions = { couchbase = \"durability=none&kv=1\" }",
            )
            .replace("label = \"4Q+0A\"", "label = \"4Q+0A\"\noptions = { couchbase = \"kv=2\" }");
        let experiment = Experiment::parse(&text).unwrap();
        let url = |given: &str| {
            let targets = BTreeMap::from([("operational".to_owned(), given.to_owned())]);
            let made = plan(&experiment, "4Q+0A", &targets, None).unwrap();
            made.cells[0].flags["target"].as_str().unwrap().to_owned()
        };
        assert_eq!(url("couchbase://h/b"), "couchbase://h/b?kv=2&durability=none");
        assert_eq!(url("couchbase://h/b?kv=3"), "couchbase://h/b?kv=3&durability=none");
        assert_eq!(url("sqlite:x"), "sqlite:x");
    }

    #[test]
    fn a_target_too_few_or_too_many_is_named() {
        let experiment = Experiment::parse(FILE).unwrap();
        let of = |label, names: &[&str]| plan(&experiment, label, &targets(names), None);
        for (label, names, says) in [
            ("8Q", &["operational"][..], "no configuration \"8Q\"; there are 4Q+4A, 4Q+0A"),
            ("4Q+4A", &["operational"], "needs --analytical URL: where queries run"),
            ("4Q+0A", &["operational", "analytical"], "leave --analytical out"),
        ] {
            let told = of(label, names).unwrap_err();
            assert!(told.contains(says), "no {says:?} in {told:?}");
        }
        let less = FILE.replace("only = [\"4Q+4A\"]", "");
        let experiment = Experiment::parse(&less).unwrap();
        let told = plan(&experiment, "4Q+0A", &targets(&["operational"]), None);
        assert!(told.unwrap_err().contains("analytical names no target \"analytical\""));
    }
}
