//! Which operations run, how often, and what they need.

use hoap_database::What;
use hoap_database::path;
use hoap_databases::offers;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::{Map, Value};

use super::queries;
use crate::file::step::Verb;
use crate::plan::action::{Operation, Step};
use crate::workload::Workload;

/// A weight of an operation that the user typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    name: String,
    weight: f64,
}

impl std::str::FromStr for Weight {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Weight, String> {
        let (name, weight) = text.rsplit_once('=').ok_or("a weight is OPERATION=N")?;
        match weight.parse::<f64>() {
            Ok(weight) if weight >= 0.0 && weight.is_finite() => {
                Ok(Weight { name: name.to_owned(), weight })
            }
            _ => Err(format!("{weight:?} is no weight: it is a number that is not negative")),
        }
    }
}

/// The operations that run, by their places in the plan, with their weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix {
    /// Those with a weight.
    pub weights: Vec<(usize, f64)>,
    /// What was typed of it, which is part of the benchmark's name.
    typed: String,
}

impl Mix {
    /// That of the file, but for what the user typed.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] if the file has no such operation, or none is left.
    pub fn new(workload: &Workload, mix: &[Weight], without: &[String]) -> Result<Mix> {
        let operations = &workload.plan.operations;
        let wrong = |answer: String, advice: &str| {
            let tried = format!("run {}", workload.file.name);
            Err(Error::new(ErrorKind::Invalid, tried, answer).advise(advice))
        };
        let mut weights: Vec<f64> = operations.iter().map(|of| of.weight).collect();
        let mut typed = Vec::new();
        let changes = mix.iter().map(|of| (of.name.as_str(), of.weight));
        for (name, weight) in changes.chain(without.iter().map(|name| (name.as_str(), 0.0))) {
            let Some(at) = operations.iter().position(|of| of.name == name) else {
                let names: Vec<&str> = operations.iter().map(|of| of.name.as_str()).collect();
                return wrong(
                    format!("it has no operation {name:?}; there are {}", names.join(", ")),
                    "name one of these",
                );
            };
            typed.push(match weight == 0.0 {
                true => format!("without {name}"),
                false => format!("{name}={weight}"),
            });
            weights[at] = weight;
        }
        let weights: Vec<_> =
            weights.into_iter().enumerate().filter(|(_, weight)| *weight > 0.0).collect();
        Ok(Mix { weights, typed: typed.join(", ") })
    }

    /// The same without its operations.
    pub fn nothing(self) -> Mix {
        Mix { weights: Vec::new(), ..self }
    }

    /// Refuses a mix without an operation.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`].
    pub fn some(&self, workload: &Workload) -> Result<()> {
        match self.weights.is_empty() {
            false => Ok(()),
            true => {
                let tried = format!("run {}", workload.file.name);
                let answer = "no operation has a weight";
                Err(Error::new(ErrorKind::Invalid, tried, answer)
                    .advise("give the file operations: `hoap init own` shows some"))
            }
        }
    }

    /// The queries that operations ask.
    pub fn asks(&self, workload: &Workload) -> Vec<usize> {
        self.operations(workload).filter_map(|of| of.query).collect()
    }

    /// The benchmark's name: that of the file, with what is not of the file.
    pub fn name(&self, workload: &Workload) -> String {
        let comma = if self.typed.is_empty() { "" } else { ", " };
        format!("own: {}{comma}{}", workload.file.name, self.typed)
    }

    /// Whether it writes.
    pub fn writes(&self, workload: &Workload) -> bool {
        let mut steps = self.operations(workload).flat_map(|of| &of.steps);
        steps.any(|step| !step.verb.reads())
    }

    /// The first operation that deletes.
    pub fn deleting<'w>(&'w self, workload: &'w Workload) -> Option<&'w str> {
        let deletes = |of: &&Operation| of.steps.iter().any(|step| step.verb == Verb::Delete);
        self.operations(workload).find(deletes).map(|of| of.name.as_str())
    }

    /// The operations that run.
    pub fn operations<'w>(&'w self, workload: &'w Workload) -> impl Iterator<Item = &'w Operation> {
        self.weights.iter().map(|(at, _)| &workload.plan.operations[*at])
    }

    /// What decides the operations, for the record: their weights, and digests of what they do and
    /// of the queries, if some are asked.
    pub fn noted(&self, workload: &Workload, asks: bool) -> Value {
        let mut noted = Map::new();
        for (at, weight) in &self.weights {
            noted.insert(workload.plan.operations[*at].name.clone(), (*weight).into());
        }
        if !self.weights.is_empty() {
            noted.insert("operations".into(), workload.file.actions.as_str().into());
        }
        if asks {
            noted.insert("queries".into(), workload.file.questions.as_str().into());
        }
        noted.into()
    }

    /// Refuses databases, of the operations and of the queries, that cannot run one of the
    /// operations, by its name, before anything is opened.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`].
    pub fn offered(&self, workload: &Workload, [url, queried]: [&str; 2]) -> Result<()> {
        self.operations(workload).try_for_each(|of| {
            let refused = |mut e: Error| {
                e.tried = format!("run the operation {} of {}", of.name, workload.file.name);
                let rest = format!("--without {:?} runs the others", of.name);
                e.advise(rest)
            };
            if let Some(query) = of.query {
                return queries::offered(workload, queried, &[query]).map_err(refused);
            }
            offers(url, &needs(of)).map_err(refused)
        })
    }
}

/// What an operation needs of the database of operations.
pub fn needs(operation: &Operation) -> Vec<What> {
    if operation.query.is_some() {
        return Vec::new();
    }
    let scans = operation.steps.iter().any(|step| step.verb == Verb::Scan);
    let ranges = scans.then_some(What::Ranges);
    if operation.transaction {
        return [What::Transactions].into_iter().chain(ranges).collect();
    }
    let mut needs: Vec<What> = [What::Operations].into_iter().chain(ranges).collect();
    for step in &operation.steps {
        match step.verb {
            Verb::Find => needs.push(What::Finds),
            Verb::Patch => {
                needs.push(if nested(step) { What::NestedPatches } else { What::Patches })
            }
            _ => {}
        }
    }
    needs
}

/// Whether a patch is of a field within another one.
fn nested(step: &Step) -> bool {
    step.changes.iter().any(|change| !path::is_member(&change.path))
}
