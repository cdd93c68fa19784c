//! Tables whose rows belong to runs.

use hoap_record::Run;

use crate::format::table::Sheet;
use crate::run::Entry;
use crate::run::measure::Measure;

/// An item that belongs to a run.
pub struct OfRun<'a, T> {
    pub name: &'a str,
    pub item: T,
}

/// A sheet with a leading column for the run's name where there are several.
pub fn sheet<'a, T: 'a>(entries: &[Entry<'_>], id: &str, title: &str) -> Sheet<'a, OfRun<'a, T>> {
    Sheet::new(id, title)
        .when(entries.len() > 1, |s| s.text("run", |of: &OfRun<'a, T>| of.name.to_string()))
}

/// Each run's items, in order.
pub fn items<'a, T>(entries: &[Entry<'a>], list: impl Fn(&'a Run) -> Vec<T>) -> Vec<OfRun<'a, T>> {
    entries
        .iter()
        .flat_map(|e| list(e.run).into_iter().map(|item| OfRun { name: e.name, item }))
        .collect()
}

/// What runs of one benchmark measure.
pub fn measure_of(entries: &[Entry<'_>]) -> Measure {
    entries.first().map_or(Measure::Hybrid, |e| Measure::of(e.run))
}
