//! What the observed servers did: charts among those over time.

use super::body::{Body, Figure, Panel};
use super::chart::machine;
use crate::format::table::Cell;
use crate::run::observed::Class;
use crate::tables;

/// Charts of what the servers did, one for each class of their series.
pub fn charts(body: &mut Body, panel: Panel<'_>) {
    for class in Class::ALL {
        let numbers = tables::observed_over_time(panel.loaded, class);
        let moves = |row: &Vec<Cell>| row.last().and_then(Cell::number).is_some_and(|v| v != 0.0);
        if !numbers.rows.iter().any(moves) {
            continue;
        }
        let table = format!("{}-{}", numbers.id, panel.number);
        let name = &format!("observed-{}-{}", class.name(), panel.number);
        let figure = Figure { name, caption: &numbers.title, label: &numbers.title, table: &table };
        body.chart(&figure, Some(panel), machine::observed(panel.loaded, class));
        body.folded("Numbers of this chart", &numbers, &table);
    }
}
