//! The heat map of response times over time.

use super::runs::Among;
use super::scale;
use super::spec::{Chart, Item, Look, Mark, Number, Plot, Quantity, Sample};
use crate::format::number::latency;
use crate::run::heat::{Heat, edge};
use crate::run::measure::headline_kinds;

/// From this share of a column's operations on, in words, and how dense it is drawn. Rare ones are
/// to be seen, too: the tail is what the chart is for.
const SHARES: [(f64, &str, f64); 6] = [
    (0.0, "< 0.3 %", 0.2),
    (0.003, "0.3–1 %", 0.32),
    (0.01, "1–3 %", 0.45),
    (0.03, "3–10 %", 0.6),
    (0.1, "10–30 %", 0.8),
    (0.3, "≥ 30 %", 1.0),
];

impl Among<'_> {
    /// Response times over time, a plot for each kind of operation.
    pub fn heat(self) -> Chart {
        let of = |run: &crate::run::Loaded| -> Vec<i32> {
            let columns = run.heat.iter().flat_map(|h| &h.columns);
            columns.flat_map(|c| c.counts.keys().copied()).collect()
        };
        let rows = || self.all.iter().flat_map(|run| of(run));
        let (first, last) = (rows().min().unwrap_or(0), rows().max().unwrap_or(0));
        let colour = self.colour_of_run();
        let y = scale::logarithmic(Quantity::Times, "response time", edge(first), edge(last + 1));
        let kinds = headline_kinds(&self.run.run);
        let plot = |kind: &&str| {
            let parts: Vec<&Heat> = self.run.heat.iter().filter(|h| h.kind == **kind).collect();
            let columns = || parts.iter().flat_map(|h| &h.columns);
            let cells = columns().map(|column| {
                let all: u64 = column.counts.values().sum();
                let level = |row: i32| match column.counts.get(&row) {
                    None => '-',
                    Some(count) => {
                        let share = *count as f64 / all.max(1) as f64;
                        let level = SHARES.iter().rposition(|(least, ..)| share >= *least);
                        char::from(b'0' + level.unwrap_or(0) as u8)
                    }
                };
                let (low, high) = (column.counts.keys().min(), column.counts.keys().max());
                let (low, high) = (low.copied().unwrap_or(first), high.copied().unwrap_or(first));
                let levels: String = (low..=high).map(level).collect();
                let (from, to) = (Number(column.from_seconds), Number(column.to_seconds));
                (from, to, (low - first) as usize, levels)
            });
            let words = |row| format!("{} to {}", latency(edge(row)), latency(edge(row + 1)));
            let mark = Mark::Heat {
                colour,
                opacity: SHARES.iter().map(|s| s.2).collect(),
                rows: (first..=last + 1).map(|row| (Number(edge(row)), words(row))).collect(),
                cells: cells.collect(),
            };
            let name = if kinds.len() > 1 { kind.to_string() } else { String::new() };
            let (x, y, marks) = (self.time_axis(), y.clone(), vec![mark]);
            Plot { name, height: 260, x, y, marks, ..Plot::default() }
        };
        let drawn = kinds.iter().filter(|kind| self.run.heat.iter().any(|h| h.kind == ***kind));
        let plots = drawn.map(plot).collect();
        let legend = SHARES.iter().map(|(_, words, opacity)| Item {
            label: words.to_string(),
            look: Look { colour, ..Look::default() },
            sample: Sample::Bar,
            opacity: Some(*opacity),
        });
        Chart { legend: legend.collect(), plots, least: 330, ..Chart::default() }
    }
}
