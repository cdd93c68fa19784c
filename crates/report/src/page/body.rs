//! Builds a page: sections, tables with their CSV, charts.

use std::fmt::Write as _;

use hoap_record::{Run, Severity};
use serde_json::{Map, Value};

use super::chart::bars::stacked;
use super::chart::history::{self, Past};
use super::chart::runs::Among;
use super::chart::shares::{self, SharesOf};
use super::chart::spec::Chart;
use super::figures;
use super::markup::{escape, explained, late, table};
use crate::format::number::Unit;
use crate::format::table::Table;
use crate::run::Loaded;
use crate::run::figures::KeyFigure;
use crate::run::remarks::Line;
use crate::run::void;

/// A table of more cells is folded.
const LONG: usize = 4_000;
/// A folded table of more cells, divided by the number of runs, is made from its CSV in the
/// reader's browser when it is opened. So a page of many runs stays small.
const LATE: usize = 6_000;
/// The charts of more runs are folded.
const OPEN_RUNS: usize = 3;

const MANY_RUNS: usize = 10;

/// The sections so far, the links to them, and what they are made of.
#[derive(Debug, Default)]
pub struct Body {
    /// Sections as HTML.
    pub html: String,
    /// Charts by name, as the script takes them.
    pub charts: Map<String, Value>,
    /// Every table of the page, each under an id of its own.
    pub tables: Vec<Table>,
    /// Runs on the page.
    runs: usize,
    /// What the words of each chart of several runs begin with.
    mark: String,
    /// Headings within sections so far, which make their ids unique.
    headings: usize,
    /// (id, words) of each section.
    links: Vec<(String, String)>,
}

impl Body {
    /// The start of a page of these runs.
    pub(super) fn new(runs: &[Loaded]) -> Body {
        let marks = runs.iter().map(|loaded| mark(&loaded.run, runs.len() == 1));
        Body { runs: runs.len(), mark: marks.max().unwrap_or_default(), ..Body::default() }
    }

    /// Whether it has so many runs that what each adds to its size matters: then no run has a heat
    /// map, and charts of one run have no other scale.
    pub(super) fn is_many(&self) -> bool {
        self.runs > MANY_RUNS
    }

    /// Begins a section. `link` is its name among the links.
    pub fn open(&mut self, id: &str, heading: &str, link: &str) {
        let (id, heading) = (escape(id), explained(heading));
        let _ = write!(
            self.html,
            "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n\
             <h2 id=\"{id}-heading\"><a href=\"#{id}\">{heading}</a></h2>\n"
        );
        self.links.push((id, escape(link)));
    }

    /// Ends the section.
    pub fn close(&mut self) {
        self.html.push_str("</section>\n");
    }

    /// A heading within a section, which links to itself. The words are HTML.
    pub fn heading(&mut self, words: &str) {
        self.headings += 1;
        let id = format!("heading-{}-{}", self.headings, slug(words));
        let _ = writeln!(self.html, "<h3 id=\"{id}\"><a href=\"#{id}\">{words}</a></h3>");
    }

    /// What a reader must know of the results above it, a line each. What voids them is red.
    pub fn remarks(&mut self, lines: &[Line]) {
        if lines.is_empty() {
            return;
        }
        let is_grave = |line: &Line| line.severity == Severity::Void;
        let grave = if lines.iter().any(is_grave) { " grave" } else { "" };
        let _ =
            write!(self.html, "<aside class=\"warnings{grave}\" aria-label=\"Warnings\">\n<ul>\n");
        for line in lines {
            let class = if is_grave(line) { " class=\"grave\"" } else { "" };
            let words = escape(&line.words);
            if line.behind.is_empty() {
                let _ = writeln!(self.html, "<li{class}>{words}</li>");
                continue;
            }
            let _ = write!(self.html, "<li{class}>");
            self.behind(&line.words, |body| body.list(&line.behind));
            self.html.push_str("</li>\n");
        }
        self.html.push_str("</ul>\n</aside>\n");
    }

    /// A paragraph. The words are HTML.
    pub fn paragraph(&mut self, words: &str) {
        let _ = writeln!(self.html, "<p>{words}</p>");
    }

    /// A list. The words are escaped.
    pub fn list(&mut self, items: &[String]) {
        if items.is_empty() {
            return;
        }
        self.html.push_str("<ul>\n");
        for item in items {
            let _ = writeln!(self.html, "<li>{}</li>", escape(item));
        }
        self.html.push_str("</ul>\n");
    }

    /// Links to all sections.
    pub fn navigation(&self) -> String {
        let links: Vec<String> = self
            .links
            .iter()
            .map(|(id, name)| format!("<li><a href=\"#{id}\">{name}</a></li>"))
            .collect();
        format!("<nav aria-label=\"Sections\"><ul>{}</ul></nav>\n", links.join("\n"))
    }

    /// A table that has rows. A very long one is folded.
    pub fn filled(&mut self, made: &Table) {
        if made.rows.is_empty() {
            return;
        }
        if made.rows.len() * made.columns.len() > LONG {
            self.folded(&made.title.clone(), made, &made.id.clone());
            return;
        }
        table(&mut self.html, made, &made.id);
        self.tables.push(made.clone());
    }

    /// A table that is folded behind a line.
    pub fn folded(&mut self, summary: &str, made: &Table, id: &str) {
        let _ = write!(self.html, "<details>\n<summary>{}</summary>\n", escape(summary));
        if made.rows.len() * made.columns.len() > LATE / self.runs.max(1) {
            late(&mut self.html, made, id);
        } else {
            table(&mut self.html, made, id);
        }
        self.html.push_str("</details>\n");
        self.tables.push(Table { id: id.to_string(), ..made.clone() });
    }

    /// A figure. `name` is unique on the page, `label` says in words what it shows, `table` is the
    /// id of the table of its numbers. Of a chart of one run `panel` says which.
    pub(super) fn chart(&mut self, figure: &Figure<'_>, panel: Option<Panel<'_>>, chart: Chart) {
        let mark = match panel {
            None => self.mark.clone(),
            Some(panel) => {
                let name = panel.name.map(|name| format!("{}: ", escape(name)));
                let mark = mark(&panel.loaded.run, panel.name.is_none());
                format!("{mark}{}", name.unwrap_or_default())
            }
        };
        let _ = write!(
            self.html,
            "<figure id=\"chart-{}\" data-chart=\"{}\">\n<figcaption>{mark}{}</figcaption>\n\
             <div class=\"plot\" role=\"img\" aria-label=\"{mark}{}\" aria-describedby=\"{}\"></div>\n</figure>\n",
            escape(&figure.name.replace(' ', "-")),
            escape(figure.name),
            escape(figure.caption),
            escape(figure.label),
            escape(figure.table),
        );
        let mut chart = chart;
        // The page of many runs stays small.
        if panel.is_some() && self.is_many() {
            chart.plots.iter_mut().for_each(|plot| plot.y.switch = false);
        }
        // Nothing in a chart fails to be JSON.
        let chart = serde_json::to_value(chart.shared()).unwrap_or_default();
        self.charts.insert(figure.name.to_string(), chart);
    }

    /// A figure of the shares of things that ended within a time: a plot each. Shorter times than
    /// `least`, seconds, are one place.
    pub fn shares(&mut self, figure: &Figure<'_>, plots: &[SharesOf], least: f64) {
        self.chart(figure, None, shares::shares(plots, least));
    }

    /// A figure of counts: a bar for each of `rows`, in parts where there are several `series`. A
    /// part has the numbers of its row and its series.
    pub fn counts(
        &mut self,
        figure: &Figure<'_>,
        (rows, series): (&[String], &[&str]),
        parts: &[(usize, usize, u64)],
        label: &str,
    ) {
        let parts: Vec<_> = parts.iter().map(|(r, s, count)| (*r, *s, *count as f64)).collect();
        self.chart(figure, None, stacked(rows, series, &parts, label, Unit::Count));
    }

    /// A figure of series over the runs of a history, a small plot each. `names` has a name for each
    /// run, in their order.
    pub fn history(&mut self, figure: &Figure<'_>, names: &[String], series: &[Past]) {
        self.chart(figure, None, history::history(names, series));
    }

    /// Key figures side by side.
    pub fn figures(&mut self, figures: &[KeyFigure]) {
        figures::all(&mut self.html, figures);
    }

    /// Content that stands side by side where there is room, if there is any.
    pub fn beside(&mut self, write: impl FnOnce(&mut Body)) {
        let before = self.html.len();
        self.html.push_str("<div class=\"panels\">\n");
        let empty = self.html.len();
        write(self);
        match self.html.len() == empty {
            true => self.html.truncate(before),
            false => self.html.push_str("</div>\n"),
        }
    }

    /// Content that is folded behind a line.
    pub fn behind(&mut self, summary: &str, write: impl FnOnce(&mut Body)) {
        let _ = write!(self.html, "<details>\n<summary>{}</summary>\n", escape(summary));
        write(self);
        self.html.push_str("</details>\n");
    }
}

/// The words of a heading as a part of an id.
fn slug(words: &str) -> String {
    let letters = words.to_lowercase();
    let letters =
        letters.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    letters.collect::<Vec<_>>().join("-")
}

/// What a chart of a run begins with, so that none is shown elsewhere as what it is not. Among
/// several runs the name of a marked one has its mark.
fn mark(run: &Run, alone: bool) -> String {
    void::mark(run).filter(|_| alone).map(|mark| format!("{mark}: ")).unwrap_or_default()
}

/// A run of the page: its number there, and its name where the page has several.
#[derive(Clone, Copy)]
pub struct Panel<'a> {
    pub number: usize,
    pub loaded: &'a Loaded,
    pub name: Option<&'a str>,
    /// The number of its configuration, where the page compares several of its benchmark.
    pub configuration: Option<usize>,
}

impl<'a> Panel<'a> {
    /// The runs of its benchmark, which share scales and colours.
    pub fn peers(&self, all: &[Panel<'a>]) -> Vec<&'a Loaded> {
        let of = |run: &Loaded| (run.run.benchmark.clone(), run.measure());
        let own = of(self.loaded);
        all.iter().map(|p| p.loaded).filter(|run| of(run) == own).collect()
    }

    /// The run among these.
    pub fn among<'b>(&self, all: &'b [&'a Loaded]) -> Among<'b> {
        Among { run: self.loaded, all, configuration: self.configuration }
    }
}

/// The words of a chart.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a> {
    /// Unique on the page.
    pub name: &'a str,
    /// The line above it.
    pub caption: &'a str,
    /// What it shows, for who does not see it.
    pub label: &'a str,
    /// The id of the table of its numbers.
    pub table: &'a str,
}

/// What `chart` writes for each run that has something to draw, side by side; of many runs each
/// behind a line with its name.
pub fn panels(
    body: &mut Body,
    runs: &[Panel<'_>],
    which: impl Fn(&Loaded) -> bool,
    chart: impl Fn(&mut Body, Panel<'_>),
) {
    let drawn: Vec<&Panel<'_>> = runs.iter().filter(|p| which(p.loaded)).collect();
    if drawn.is_empty() {
        return;
    }
    if drawn.len() > OPEN_RUNS {
        for panel in drawn {
            body.behind(panel.name.unwrap_or("run"), |body| chart(body, *panel));
        }
        return;
    }
    body.beside(|body| {
        for panel in drawn {
            body.html.push_str("<div>\n");
            chart(body, *panel);
            body.html.push_str("</div>\n");
        }
    });
}
