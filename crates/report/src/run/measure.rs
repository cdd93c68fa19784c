//! What a run measures: the number in its headline, its charts and its lines.

use hoap_record::{Operation, Run, Step};

use crate::format::number::Unit;

/// The kind of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Transactions beside queries: those of the headline's kind per minute.
    Hybrid,
    /// Operations that count alike: those of all kinds per second.
    Plain,
}

/// Why a step with transactions has no tpM.
pub fn none_committed(step: &Step) -> String {
    format!("no {} committed", step.headline().unwrap_or("operation"))
}

impl Measure {
    /// That of a run.
    pub fn of(run: &Run) -> Measure {
        Measure::of_headline(headline(run))
    }

    /// That of a step.
    pub fn of_step(step: &Step) -> Measure {
        Measure::of_headline(step.headline())
    }

    /// That of the only kind that a headline counts, if it counts only one.
    pub fn of_headline(kind: Option<&str>) -> Measure {
        if kind.is_some() { Measure::Hybrid } else { Measure::Plain }
    }

    /// The unit of its numbers as words show it.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::Hybrid => "tpM",
            Measure::Plain => "ops/s",
        }
    }

    /// The unit of a column, which is its heading too.
    pub fn rate(self) -> Unit {
        Unit::Rate(self.unit())
    }

    /// The seconds over which it counts.
    pub fn period(self) -> f64 {
        match self {
            Measure::Hybrid => 60.0,
            Measure::Plain => 1.0,
        }
    }

    /// What it calls one of its operations.
    pub fn operation(self) -> &'static str {
        self.operation_or_more().0
    }

    /// What it calls one of its operations, and several.
    pub fn operation_or_more(self) -> (&'static str, &'static str) {
        match self {
            Measure::Hybrid => ("transaction", "transactions"),
            Measure::Plain => ("operation", "operations"),
        }
    }

    /// What it calls several of them.
    pub fn operations_word(self) -> &'static str {
        match self {
            Measure::Hybrid => "transactions",
            Measure::Plain => "operations",
        }
    }

    /// What it calls the clients of its operations.
    pub fn clients(self) -> &'static str {
        match self {
            Measure::Hybrid => "transaction clients",
            Measure::Plain => "clients",
        }
    }

    /// Its number for a step, also for one that is not whole.
    pub fn recorded(self, step: &Step) -> Option<f64> {
        match self {
            Measure::Hybrid => step.tpm,
            Measure::Plain => (step.tx_clients > 0).then(|| operations_per_second(step)),
        }
    }

    /// Its number for a whole step, or why there is none.
    pub fn value(self, step: &Step) -> Result<f64, String> {
        match (self.recorded(step), step.partial.as_ref()) {
            (_, Some(why)) => Err(why.clone()),
            (Some(value), None) => Ok(value),
            (None, None) if step.tx_clients > 0 => Err(none_committed(step)),
            (None, None) => Err("no transactions".to_string()),
        }
    }
}

/// The only kind of transaction that a run's headline counts; `None` if it counts operations of all
/// kinds.
pub fn headline(run: &Run) -> Option<&str> {
    run.steps.first().map_or(run.headline.as_deref(), Step::headline)
}

/// What a headline of this kind is, in words.
pub fn rate_words(headline: Option<&str>) -> String {
    match headline {
        Some(kind) => format!("{kind} transactions per minute (tpM)"),
        None => "Operations per second".into(),
    }
}

/// Whose response times stand beside it, in words.
pub fn times_words(headline: Option<&str>) -> String {
    match headline {
        Some(kind) => format!("{kind} response times"),
        None => "Response times of each kind".into(),
    }
}

/// The kinds of operations of a run, each once, in the order of the record.
pub fn kinds(run: &Run) -> Vec<&str> {
    each_once(run.steps.iter().flat_map(|step| &step.transactions))
}

/// The same of those that its headline counts.
pub fn headline_kinds(run: &Run) -> Vec<&str> {
    each_once(run.steps.iter().flat_map(headline_operations))
}

fn each_once<'a>(operations: impl Iterator<Item = &'a Operation>) -> Vec<&'a str> {
    let mut kinds: Vec<&str> = Vec::new();
    for operation in operations {
        if !kinds.contains(&operation.kind.as_str()) {
            kinds.push(&operation.kind);
        }
    }
    kinds
}

/// The operations of a step that its headline counts.
pub fn headline_operations(step: &Step) -> impl Iterator<Item = &Operation> {
    step.transactions.iter().filter(move |operation| step.counts(&operation.kind))
}

/// Successes per second of all kinds together.
pub fn operations_per_second(step: &Step) -> f64 {
    step.transactions.iter().map(|o| o.per_second).sum()
}

/// Operations of a step that were given up.
pub fn failed(step: &Step) -> u64 {
    step.transactions.iter().fold(0, |all, o| all.saturating_add(o.failed()))
}

/// Operations and queries of a step that failed.
pub fn all_failed(step: &Step) -> u64 {
    step.queries.iter().fold(failed(step), |all, q| all.saturating_add(q.failed))
}

/// Of an open loop that did not reach its rate: the rates that were intended, begun and completed,
/// and why.
pub fn shortfall(step: &Step) -> Option<String> {
    let why = step.rate_shortfall.as_ref()?;
    let rate = |value: Option<f64>| match value {
        Some(value) => format!("{} ops/s", Unit::Rate("ops/s").show(value)),
        None => "an unrecorded rate".to_string(),
    };
    let (intended, begun) = (rate(step.rate_intended), rate(step.rate_achieved));
    let completed = rate(Some(operations_per_second(step)));
    Some(format!("{intended} intended, {begun} begun, {completed} completed: {why}"))
}

/// Whether more began than was intended: what the warm-up had left, and no rate that was not
/// reached.
pub fn exceeded(step: &Step) -> bool {
    let more = step.rate_achieved.zip(step.rate_intended).is_some_and(|(begun, of)| begun > of);
    more && step.not_started.unwrap_or(0) == 0
}

/// What the steps of a chart differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Closed loop: the number of clients.
    Clients,
    /// Open loop: the intended rate.
    Rate,
}

impl Axis {
    /// Both of them.
    pub const ALL: [Axis; 2] = [Axis::Clients, Axis::Rate];

    /// That of a step.
    pub fn of(step: &Step) -> Axis {
        if step.rate_intended.is_some() { Axis::Rate } else { Axis::Clients }
    }

    /// Where a step stands on it.
    pub fn place(self, step: &Step) -> f64 {
        match self {
            Axis::Clients => step.tx_clients as f64,
            Axis::Rate => step.rate_intended.unwrap_or(0.0),
        }
    }

    /// Its name in the page's data.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Clients => "clients",
            Axis::Rate => "rate",
        }
    }

    /// What stands beside it, for a run of this kind.
    pub fn label(self, measure: Measure) -> &'static str {
        match self {
            Axis::Clients => measure.clients(),
            Axis::Rate => "intended operations per second",
        }
    }
}
