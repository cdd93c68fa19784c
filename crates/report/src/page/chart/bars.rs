//! Charts of one number, a bar a configuration, and of published figures.

use hoap_record::words::counted;

use super::parts::item;
use super::scale::{self, vertical};
use super::spec::{Bar, Chart, Look, Margins, Mark, Number, Plot, Quantity, Sample};
use crate::format::number::Unit;
use crate::tables::{Costed, Failed};

/// A column of a chart by cluster size.
#[derive(Clone, Debug)]
pub struct Column {
    pub nodes: u32,
    pub series: String,
    pub value: f64,
    /// Whether it is published, and no run's.
    pub published: bool,
}

/// Columns by cluster size. Published ones are hollow and dashed, whatever their colour.
pub fn columns(columns: &[Column], label: &str, unit: &str) -> Chart {
    let mut nodes: Vec<u32> = columns.iter().map(|c| c.nodes).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut series: Vec<(&str, bool)> = Vec::new();
    let mut bars: Vec<(Bar, bool)> = Vec::new();
    let (words, label) =
        if unit == "s" { (Quantity::Times, label) } else { (Quantity::Rates, unit) };
    for column in columns {
        let place = series.iter().position(|s| s.0 == column.series).unwrap_or_else(|| {
            series.push((&column.series, column.published));
            series.len() - 1
        });
        let facet = nodes.iter().position(|n| *n == column.nodes);
        let size = counted(column.nodes, "node", "nodes");
        let shown = words.value(column.value);
        let bar = Bar {
            // Only the systems that a size has take room in it.
            lane: bars.iter().filter(|(b, _)| b.facet == facet).count(),
            facet,
            from: Number(0.0),
            value: Some(Number(column.value)),
            colour: Look::colour(place).colour,
            title: format!("{}, {size}: {shown}", column.series),
            label: shown,
        };
        bars.push((bar, column.published));
    }
    let names: Vec<String> = nodes.iter().map(|n| counted(*n, "node", "nodes")).collect();
    let widest = bars.iter().map(|(b, _)| b.lane + 1).max().unwrap_or(1);
    let top = columns.iter().map(|c| c.value).fold(0.0, f64::max);
    // Bars stand on 0: one value alone has no logarithms.
    let y = vertical(words, label, std::iter::once(top));
    let sample = |published| if published { Sample::Hollow } else { Sample::Bar };
    let named = series.iter().enumerate();
    let legend = named.map(|(n, (s, published))| item(s, Look::colour(n), sample(*published)));
    let legend = legend.collect();
    let (hollow, full): (Vec<_>, Vec<_>) = bars.into_iter().partition(|(_, published)| *published);
    let marks = [(full, false), (hollow, true)].into_iter().filter(|(bars, _)| !bars.is_empty());
    let marks = marks.map(|(bars, hollow)| {
        let bars = bars.into_iter().map(|(bar, _)| bar).collect();
        Mark::Bar { lying: false, hollow, bars }
    });
    let marks = marks.collect();
    let (x, fx) = (scale::lanes(widest), Some(scale::bands(&names)));
    Chart::one(legend, Plot { height: 280, x, y, fx, marks, ..Plot::default() })
}

/// The share of operations that failed, a bar a configuration and kind of operation, a part an
/// error.
pub fn failed(failed: &[Failed<'_>]) -> Chart {
    let mut rows: Vec<String> = Vec::new();
    let mut errors: Vec<&str> = Vec::new();
    let mut parts = Vec::new();
    for f in failed {
        let row = format!("{}, {}", f.label, f.kind);
        let r = rows.iter().position(|known| *known == row).unwrap_or_else(|| {
            rows.push(row);
            rows.len() - 1
        });
        let e = errors.iter().position(|known| *known == f.error).unwrap_or_else(|| {
            errors.push(&f.error);
            errors.len() - 1
        });
        parts.push((r, e, f.failed as f64 / f.ended.max(1) as f64));
    }
    stacked(&rows, &errors, &parts, "share of the operations", Unit::Share)
}

/// A bar of a chart of one number.
pub struct Row {
    /// The configuration.
    pub name: String,
    /// Its number, which gives the colour; of a published one any.
    pub number: usize,
    /// The number.
    pub value: f64,
    /// Whether it is published, and no run's.
    pub published: bool,
}

/// One number, a lying bar a row. Published ones are hollow and dashed.
pub fn rows(rows: &[Row], label: &str, unit: Unit) -> Chart {
    let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    let parts: Vec<_> = rows.iter().enumerate().map(|(n, row)| (n, 0, row.value)).collect();
    let mut chart = stacked(&names, &[""], &parts, label, unit);
    let marks = &mut chart.plots[0].marks;
    if let Some(Mark::Bar { mut bars, .. }) = marks.pop() {
        for bar in &mut bars {
            let row = &rows[bar.lane];
            bar.colour = if row.published { "c6" } else { Look::colour(row.number).colour };
        }
        let (hollow, full): (Vec<_>, Vec<_>) =
            bars.into_iter().partition(|bar| rows[bar.lane].published);
        let both = [(full, false), (hollow, true)].into_iter().filter(|(bars, _)| !bars.is_empty());
        marks.extend(both.map(|(bars, hollow)| Mark::Bar { lying: true, hollow, bars }));
    }
    chart
}

/// One number of the costs, a bar a configuration.
pub fn costs(costed: &[Costed<'_>], label: &str, value: fn(&Costed<'_>) -> Option<f64>) -> Chart {
    let rows: Vec<String> = costed.iter().map(|c| c.label.to_string()).collect();
    let parts = costed.iter().enumerate().filter_map(|(r, c)| Some((r, 0, value(c)?)));
    let mut chart = stacked(&rows, &[""], &parts.collect::<Vec<_>>(), label, Unit::Price);
    for mark in &mut chart.plots[0].marks {
        let Mark::Bar { bars, .. } = mark else { continue };
        for bar in bars {
            bar.colour = Look::colour(costed[bar.lane].number).colour;
        }
    }
    chart
}

/// Bars of a few rows, in parts where there are several series. `parts` are row, series and value.
pub fn stacked(
    rows: &[String],
    series: &[&str],
    parts: &[(usize, usize, f64)],
    label: &str,
    unit: Unit,
) -> Chart {
    let total = |row: usize| parts.iter().filter(|p| p.0 == row).map(|p| p.2).sum::<f64>();
    let most = (0..rows.len()).map(total).fold(0.0, f64::max);
    let bars = parts.iter().enumerate().map(|(n, (row, place, value))| {
        let last = parts[n + 1..].iter().all(|p| p.0 != *row);
        let name = match series[*place] {
            "" => rows[*row].clone(),
            part => format!("{}, {part}", rows[*row]),
        };
        Bar {
            facet: None,
            lane: *row,
            from: Number(parts[..n].iter().filter(|p| p.0 == *row).map(|p| p.2).sum()),
            value: Some(Number(*value)),
            colour: if series == [""] { "c0" } else { Look::part(*place).colour },
            // The last part has the sum of all.
            label: if last { unit.show(total(*row)) } else { String::new() },
            title: format!("{name}: {}", unit.show(*value)),
        }
    });
    let bars = bars.collect();
    let legend = series.iter().enumerate().filter(|_| series != [""]);
    let legend = legend.map(|(n, s)| item(s, Look::part(n), Sample::Bar)).collect();
    let end = if most > 0.0 { most } else { 1.0 };
    let x = scale::from_zero(Quantity::of(unit), label, end);
    let marks = vec![Mark::Bar { lying: true, hollow: false, bars }];
    let (height, y) = (46 + rows.len() * 26, scale::bands(rows));
    Chart::one(legend, Plot { height, margins: Margins::Names, x, y, marks, ..Plot::default() })
}

/// Whether an axis shows both: neither is more than so many times as high as the other.
pub fn share_an_axis(
    own: impl IntoIterator<Item = f64>,
    stated: impl IntoIterator<Item = f64>,
) -> bool {
    const FAR: f64 = 10.0;
    let (own, stated) =
        (own.into_iter().fold(0.0, f64::max), stated.into_iter().fold(0.0, f64::max));
    own > 0.0 && stated > 0.0 && own.max(stated) <= FAR * own.min(stated)
}
