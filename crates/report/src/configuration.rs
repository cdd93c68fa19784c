//! What a page is made of: runs by configuration, and what lies beside them.
//!
//! A configuration is a system in a setting, such as "PostgreSQL, 3 nodes, fsync on". The user names
//! it; runs of one name belong together, be they repetitions, other numbers of clients or other
//! benchmarks.

use std::path::{Path, PathBuf};

use hoap_record::{Error, ErrorKind, Result};

use crate::Loaded;
use crate::freshness;
use crate::group::groups;
use crate::prices::Priced;
use crate::published::Study;
use crate::table::Table;
use crate::tables;
use crate::void::{VOID, refuse, void};

/// Everything that a page shows.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The runs, in the order in which their configurations were named.
    pub configurations: Vec<Configuration>,
    /// Figures of others, which stand apart.
    pub published: Vec<&'static Study>,
}

/// Runs that belong together.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// Its name, unique on a page.
    pub label: String,
    /// Nodes of the database's cluster, where somebody told.
    pub nodes: Option<u32>,
    /// Its runs, one at least.
    pub runs: Vec<Loaded>,
    /// What it costs, where prices were given.
    pub priced: Option<Priced>,
}

/// What configurations cost under one benchmark's load.
#[derive(Clone, Debug)]
pub struct Costs {
    /// The benchmark.
    pub benchmark: String,
    /// What a reader must know before the first number.
    pub alerts: Vec<String>,
    /// What a month costs and what it does, a row a configuration.
    pub costs: Table,
    /// What that is made of, a row a price.
    pub lines: Table,
    /// Where the prices come from, and what was left out.
    pub notes: Vec<String>,
}

/// A run folder, or a folder of repetitions, as the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The configuration it belongs to. Without one it is a configuration of its own.
    pub label: Option<String>,
    /// The folder.
    pub path: PathBuf,
}

impl Named {
    /// `RUN` or `LABEL=RUN`. A folder whose name holds a "=" is a folder, where there is one.
    pub fn parse(text: &str) -> Named {
        match text.split_once('=') {
            Some((label, path)) if !Path::new(text).exists() && !label.trim().is_empty() => {
                Named { label: Some(label.trim().to_string()), path: path.into() }
            }
            _ => Named { label: None, path: text.into() },
        }
    }
}

impl Configuration {
    /// Refuses runs that are no repetitions of one another, because their transactions wrote otherwise.
    fn check(&self) -> Result<()> {
        for (number, run) in self.runs.iter().enumerate() {
            let same = self.runs[..number].iter().filter(|r| r.run.benchmark == run.run.benchmark);
            for other in same {
                freshness::alike(&other.run, &run.run, || {
                    let (name, label) = (&run.name, &self.label);
                    format!(
                        "take {name} as a run of the configuration {label}, as {} is",
                        other.name
                    )
                })?;
            }
        }
        Ok(())
    }
}

impl Report {
    /// Reads the folders.
    ///
    /// # Errors
    /// Those of [`Loaded::open`]; `Invalid` for a folder that holds no run, and where runs of one
    /// configuration and benchmark measure freshness otherwise ([`freshness::alike`]).
    pub fn open(named: &[Named]) -> Result<Report> {
        let mut report = Report::default();
        for Named { label, path } in named {
            let runs = open(path)?;
            report.add(label.as_deref(), runs, path);
        }
        report.configurations.iter().try_for_each(Configuration::check)?;
        Ok(report)
    }

    /// A report of these runs, each a configuration of its own.
    pub fn of(runs: &[Loaded]) -> Report {
        let mut report = Report::default();
        for run in runs {
            report.add(None, vec![run.clone()], Path::new(&run.name));
        }
        report
    }

    fn add(&mut self, label: Option<&str>, runs: Vec<Loaded>, path: &Path) {
        let known = label.and_then(|l| self.configurations.iter_mut().find(|c| c.label == l));
        match known {
            Some(configuration) => configuration.runs.extend(runs),
            None => {
                let label = match (label, runs.as_slice()) {
                    (Some(label), _) => label.to_string(),
                    (None, [one]) => self.unused(&one.name),
                    (None, _) => self.unused(&folder_name(path)),
                };
                self.configurations.push(Configuration { label, nodes: None, runs, priced: None });
            }
        }
    }

    fn unused(&self, label: &str) -> String {
        let taken = |name: &str| self.configurations.iter().any(|c| c.label == name);
        let numbered = (2..).map(|n| format!("{label} ({n})"));
        let mut names = std::iter::once(label.to_string()).chain(numbered);
        names.find(|name| !taken(name)).unwrap_or_default()
    }

    /// Sets something of one configuration, or of all where no label is given.
    ///
    /// # Errors
    /// `Invalid` where no configuration has this label.
    pub fn set(
        &mut self,
        what: &str,
        label: Option<&str>,
        mut set: impl FnMut(&mut Configuration) -> Result<()>,
    ) -> Result<()> {
        let labels: Vec<String> = self.configurations.iter().map(|c| c.label.clone()).collect();
        let mut chosen = self
            .configurations
            .iter_mut()
            .filter(|c| label.is_none_or(|l| l == c.label))
            .peekable();
        if chosen.peek().is_none() {
            let tried = format!("set {what} of {}", label.unwrap_or_default());
            let answer = format!("no run has this label; the labels are {}", labels.join(", "));
            return Err(Error::new(ErrorKind::Invalid, tried, answer)
                .advise("name runs as LABEL=RUN, and use the same label"));
        }
        chosen.try_for_each(&mut set)
    }

    /// What the configurations that have prices cost, for each benchmark.
    ///
    /// # Errors
    /// `Broken` where a run is void; those of [`Priced::cost`].
    pub fn costs(&self) -> Result<Vec<Costs>> {
        let priced = self.configurations.iter().filter(|c| c.priced.is_some());
        for run in priced.flat_map(|c| &c.runs) {
            refuse(&run.run, || format!("price {}", run.name))?;
        }
        let runs = self.named_runs();
        let mut out = Vec::new();
        for group in groups(self, &runs) {
            let costed = tables::costs(&group, |label| {
                let configuration = self.configurations.iter().find(|c| c.label == label)?;
                Some((configuration.label.as_str(), configuration.priced.as_ref()?))
            })?;
            if !costed.is_empty() {
                let entries: Vec<_> = group.runs().iter().map(|(_, run)| run.entry()).collect();
                out.push(Costs {
                    benchmark: group.benchmark.to_string(),
                    alerts: freshness::beside(&entries),
                    costs: tables::cost_table(group.measure, &costed),
                    lines: tables::cost_lines(&costed),
                    notes: tables::cost_notes(&costed),
                });
            }
        }
        Ok(out)
    }

    /// All runs with the names they have on the page, by configuration.
    pub(crate) fn named_runs(&self) -> Vec<Loaded> {
        let mut out: Vec<Loaded> = Vec::new();
        for configuration in &self.configurations {
            let label = &configuration.label;
            for run in &configuration.runs {
                let mut base = match configuration.runs.len() {
                    1 => label.clone(),
                    _ => format!("{label}: {}", run.name),
                };
                if void(&run.run).is_some() {
                    base.push_str(&format!(" ({VOID})"));
                }
                let mut named = Loaded { name: base.clone(), ..run.clone() };
                let mut n = 2;
                while out.iter().any(|other| other.name == named.name) {
                    named.name = format!("{base} ({n})");
                    n += 1;
                }
                out.push(named);
            }
        }
        out
    }
}

/// The run of a folder, or those of its folders in the order of their names: `hoap run --repeat`
/// leaves them as `01`, `02` and so on.
fn open(path: &Path) -> Result<Vec<Loaded>> {
    if Loaded::is_run(path) {
        return Ok(vec![Loaded::open(path)?]);
    }
    let mut inner: Vec<PathBuf> = std::fs::read_dir(path)
        .map(|entries| entries.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    inner.retain(|folder| Loaded::is_run(folder));
    inner.sort();
    if inner.is_empty() {
        // Says what is missing.
        return Ok(vec![Loaded::open(path)?]);
    }
    inner.iter().map(|folder| Loaded::open(folder)).collect()
}

/// The last part of the path, of the real one where the given one ends in none ("." and "..").
pub(crate) fn folder_name(folder: &Path) -> String {
    let real = folder.canonicalize();
    let real = real.as_deref().unwrap_or(folder);
    let last = folder.file_name().or_else(|| real.file_name()).unwrap_or(folder.as_os_str());
    last.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stands_before_the_first_equals_sign() {
        let named = |label: Option<&str>, path: &str| Named {
            label: label.map(String::from),
            path: path.into(),
        };
        assert_eq!(Named::parse("4Q+4A=runs/a=b"), named(Some("4Q+4A"), "runs/a=b"));
        assert_eq!(Named::parse("runs/a"), named(None, "runs/a"));
        assert_eq!(Named::parse("=a"), named(None, "=a"));
        let place = tempfile::tempdir().unwrap();
        let odd = place.path().join("k=v");
        std::fs::create_dir(&odd).unwrap();
        assert_eq!(Named::parse(odd.to_str().unwrap()), named(None, odd.to_str().unwrap()));
    }
}
