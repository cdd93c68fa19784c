//! Charts of one run over time.

use hoap_record::{GRACE, Gap, Step};

use super::parts::{item, items, note};
use super::runs::Among;
use super::scale::{self, vertical};
use super::spec::{
    Chart, Look, Margins, Mark, Number, Plot, Point, Quantity, Sample, Series, Word,
};
use crate::format::number::decimals;
use crate::run::measure::headline_kinds;
use crate::run::ticks::Tick;
use crate::run::{Loaded, step_name};

/// Most events that the charts over time mark.
const EVENTS: usize = 100;

/// The ticks of a run. What ended after a window is no part of any rate.
fn ticks(run: &Loaded) -> impl Iterator<Item = &Tick> {
    run.ticks.all.iter().filter(|t| t.phase != GRACE)
}

impl Among<'_> {
    /// The headline measure over time.
    pub fn throughput(self) -> Chart {
        let measure = self.measure();
        let unit = measure.unit();
        self.over_time(Quantity::Rates, unit, |tick| Some(tick.rate(measure.period())))
    }

    /// The 99th percentile of the response times over time.
    pub fn p99(self) -> Chart {
        self.over_time(Quantity::Times, "p99", |tick| tick.p99_seconds)
    }

    /// Seconds since the run's start.
    pub fn time_axis(self) -> super::spec::Axis {
        let steps = self.run.run.steps.iter().map(|s| s.start_seconds + s.seconds);
        let samples = self.run.samples.iter().filter(|s| s.phase != GRACE);
        let end = steps.chain(samples.map(|s| s.at_seconds)).fold(0.0, f64::max);
        let end = if end > 0.0 && end.is_finite() { end } else { 1.0 };
        scale::from_zero(Quantity::Moments, "seconds since the run's start", end)
    }

    fn over_time(
        self,
        words: Quantity,
        label: &str,
        value: impl Fn(&Tick) -> Option<f64>,
    ) -> Chart {
        let run = &self.run.run;
        let kinds = headline_kinds(run);
        let all = self.all.iter().flat_map(|run| ticks(run));
        let y = vertical(words, label, all.filter_map(&value));
        let y = if words == Quantity::Rates { y.linear() } else { y };
        let x = self.time_axis();
        let window = |s: &Step| (Number(s.start_seconds), Number(s.start_seconds + s.seconds));
        let windows = run.steps.iter().map(|s| (window(s).0, window(s).1, String::new()));
        // What went wrong: a band as long as it lasted, with a line where it began for those that
        // are short.
        let events = run.events.iter().take(EVENTS).map(|e| {
            let (from, to) = (decimals(e.from_seconds, 1), decimals(e.to_seconds, 1));
            let words = format!("{} × {}\n{}, {from}–{to} s", e.count, e.what, e.side);
            (Number(e.from_seconds), Number(e.to_seconds), words)
        });
        let events: Vec<_> = events.collect();
        let begins = events.iter().map(|(from, ..)| (*from, None)).collect();
        let still = |gap: &Gap| {
            let (from, to) = (gap.from_seconds, gap.from_seconds + gap.seconds);
            let words =
                format!("a driver did not run, {}–{} s", decimals(from, 1), decimals(to, 1));
            (Number(from), Number(to), words)
        };
        let still: Vec<_> = run.steps.iter().flat_map(|s| &s.standstills).map(still).collect();
        let failed = Look::line("bad", "2 2");
        let mut marks = vec![
            Mark::Band { colour: "ink", opacity: 0.06, spans: windows.collect() },
            Mark::Band { colour: "bad", opacity: 0.12, spans: events.clone() },
            Mark::Rule { look: failed, upright: true, at: begins },
        ];
        let stood_still = !still.is_empty();
        marks.extend(stood_still.then_some(Mark::Band {
            colour: "ink",
            opacity: 0.3,
            spans: still,
        }));
        let several = kinds.len() > 1;
        let series = self.series();
        let look = |kind: &str| match several {
            true => self.look(series.iter().position(|s| s == kind).unwrap_or(0)),
            false => Look::line(self.colour_of_run(), "none"),
        };
        for kind in &kinds {
            let of_kind: Vec<&Tick> = ticks(self.run).filter(|t| t.kind == *kind).collect();
            for of_step in of_kind.chunk_by(|a, b| a.step == b.step) {
                let number = of_step[0].step;
                let step = run.steps.iter().find(|s| s.number == number);
                let title = step.map_or_else(|| format!("step {number}"), step_name);
                let title = if several { format!("{title}\n{kind}") } else { title };
                let point = |t: &&Tick| -> Option<Point> {
                    let at = (t.at_seconds * 10.0).round() / 10.0;
                    Some((Number(at), Number(value(t)?), 0, String::new()))
                };
                // A gap is a gap: no line joins what lies on both sides of it.
                for part in of_step.chunk_by(|a, b| value(a).is_some() == value(b).is_some()) {
                    let points = part.iter().filter_map(point).collect();
                    let (look, title) = (Look { symbol: None, ..look(kind) }, title.clone());
                    marks.push(Mark::Line(Series { look, title, points, ..Series::default() }));
                }
            }
        }
        let words = run.steps.iter().map(|s| Word {
            x: Number(s.start_seconds + s.seconds / 2.0),
            room: Number(s.seconds),
            long: step_name(s),
            short: s.number.to_string(),
        });
        marks.push(Mark::Words { words: words.collect() });
        let kinds = kinds.iter().filter(|_| several).map(|kind| (kind.to_string(), look(kind)));
        let kinds = kinds.map(|(kind, look)| (kind, Look { symbol: None, ..look }));
        let mut legend = items(&kinds.collect::<Vec<_>>(), Sample::Line);
        if !events.is_empty() {
            legend.push(item("operations failed", failed, Sample::Line));
        }
        if stood_still {
            legend.push(note("dark: a driver did not run"));
        }
        let margins = Margins::Headed;
        Chart::one(legend, Plot { height: 254, margins, x, y, marks, ..Plot::default() })
    }
}
