//! What a page is made of: runs by configuration, and what lies beside them.
//!
//! A configuration is a system in a setting, such as "PostgreSQL, 3 nodes, fsync on". The user
//! names it; runs of one name belong together, be they repetitions, other numbers of clients or
//! other benchmarks.

use std::path::{Path, PathBuf};

use hoap_record::{Error, ErrorKind, Remark, RemarkId, Result};

use crate::prices::{PriceList, Priced};
use crate::published::Study;
use crate::run::freshness;
use crate::run::loaded::{Loaded, folder_name};
use crate::run::void::mark;

/// Everything that a page shows.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The runs, in the order in which their configurations were named.
    pub configurations: Vec<Configuration>,
    /// Figures of others, which stand apart.
    pub published: Vec<&'static Study>,
    /// The experiment that the runs are of.
    pub experiment: Option<Experiment>,
}

/// An experiment of a paper, a report or the user.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// What it shows, in a line.
    pub title: String,
    /// Where it was published.
    pub source: Option<String>,
    /// What was measured with what, and what a reader looks for.
    pub about: String,
    /// The options of URLs that the source had, a sentence for each database.
    pub settings: Vec<String>,
    /// What a repetition has otherwise than the source.
    pub differs: Vec<String>,
    /// Its runs that are not on the page.
    pub missing: Vec<String>,
    /// The divisor of a rehearsal.
    pub scale_down: Option<u32>,
}

impl Experiment {
    /// What a reader must know before the first number.
    pub fn remarks(&self) -> Vec<Remark> {
        let rehearsal = self.scale_down.map(|by| {
            let text = format!(
                "sizes, clients and times are those of the experiment divided by {by}; nothing \
                 here compares with the source's figures"
            );
            Remark::new(RemarkId::Rehearsal, text)
        });
        let missing = (!self.missing.is_empty()).then(|| {
            let text = format!("the experiment is not whole; missing: {}", self.missing.join(", "));
            Remark::new(RemarkId::ExperimentNotWhole, text)
        });
        rehearsal.into_iter().chain(missing).collect()
    }
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
    /// The databases that its runs are of.
    fn databases(&self) -> Vec<&str> {
        let of = self.runs.iter().flat_map(|of| [&of.run.operational, &of.run.analytical]);
        let mut names: Vec<&str> = of.flatten().map(|database| database.name.as_str()).collect();
        names.dedup();
        names
    }

    /// Refuses runs that are no repetitions of one another, because their transactions wrote
    /// otherwise.
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
    /// Returns the errors of [`Loaded::open`]; `Invalid` for a folder that holds no run, and where
    /// runs of one configuration and benchmark measure freshness otherwise ([`freshness::alike`]).
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
    /// Returns `Invalid` where no configuration has this label.
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

    /// Sets the prices of one configuration, or of all whose database the list is of. `file` is for
    /// errors.
    ///
    /// # Errors
    /// Returns `Invalid` where no configuration has this label, or none is of that database.
    pub fn price(&mut self, label: Option<&str>, list: &PriceList, file: &str) -> Result<()> {
        let mut others = Vec::new();
        let mut priced = false;
        self.set("prices", label, |configuration| {
            let names = configuration.databases();
            if list.database.as_ref().is_some_and(|of| !names.contains(&of.as_str())) {
                others.extend(names.into_iter().map(String::from));
                return Ok(());
            }
            priced = true;
            configuration.priced = Some(Priced {
                list: list.clone(),
                file: file.to_owned(),
                nodes: configuration.nodes,
                quantities: Default::default(),
            });
            Ok(())
        })?;
        if priced {
            return Ok(());
        }
        let of = list.database.as_deref().unwrap_or_default();
        let answer = format!("it is a list of {of}, and the runs are of {}", others.join(", "));
        Err(Error::new(ErrorKind::Invalid, format!("price runs by {file}"), answer)
            .advise("name a list of their database"))
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
                if let Some(mark) = mark(&run.run) {
                    base.push_str(&format!(" ({mark})"));
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
