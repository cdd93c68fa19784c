//! The sections of the page, in the order in which a reader asks.

use std::fmt::Write as _;

use super::markup::{escape, table};
use super::{figures, measured};
use crate::Loaded;
use crate::measure::Measure;
use crate::table::Table;
use crate::tables::{self, Entry};

/// The sections so far and the links to them.
#[derive(Default)]
pub struct Body {
    /// Sections as HTML.
    pub html: String,
    /// (id, words) of each section.
    links: Vec<(String, String)>,
}

impl Body {
    /// Begins a section. `link` is its name among the links.
    pub fn open(&mut self, id: &str, heading: &str, link: &str) {
        let (id, heading) = (escape(id), escape(heading));
        let _ = write!(self.html, "<section id=\"{id}\">\n<h2>{heading}</h2>\n");
        self.links.push((id, escape(link)));
    }

    /// Ends it.
    pub fn close(&mut self) {
        self.html.push_str("</section>\n");
    }

    /// A paragraph of the page's own words.
    pub fn paragraph(&mut self, words: &str) {
        let _ = writeln!(self.html, "<p>{words}</p>");
    }

    /// Links to all sections.
    pub fn navigation(&self) -> String {
        let links: Vec<String> =
            self.links.iter().map(|(id, name)| format!("<a href=\"#{id}\">{name}</a>")).collect();
        format!("<nav aria-label=\"Sections\">{}</nav>\n", links.join(" "))
    }

    /// A table that has rows.
    pub fn filled(&mut self, made: &Table) {
        if !made.rows.is_empty() {
            table(&mut self.html, made, &made.id);
        }
    }

    /// A table behind a line that opens it.
    pub fn folded(&mut self, summary: &str, made: &Table, id: &str) {
        let _ = write!(self.html, "<details>\n<summary>{}</summary>\n", escape(summary));
        table(&mut self.html, made, id);
        self.html.push_str("</details>\n");
    }
}

/// A run of the page: its number there, and its name where the page has several.
#[derive(Clone, Copy)]
pub struct Panel<'a> {
    pub number: usize,
    pub loaded: &'a Loaded,
    pub name: Option<&'a str>,
}

/// One chart of one run. `label` says in words what it shows, `table` where its numbers are.
pub struct Chart<'a> {
    pub kind: &'a str,
    pub axis: &'a str,
    pub caption: &'a str,
    pub label: &'a str,
    pub table: String,
}

impl Chart<'_> {
    pub fn write(&self, out: &mut String, panel: Panel<'_>) {
        let run = panel.name.map(|name| format!("{}: ", escape(name))).unwrap_or_default();
        let _ = write!(
            out,
            "<figure data-chart=\"{}\" data-axis=\"{}\" data-run=\"{}\">\n\
             <figcaption>{run}{}</figcaption>\n\
             <div class=\"plot\" role=\"img\" aria-label=\"{run}{}\" aria-describedby=\"{}\"></div>\n</figure>\n",
            self.kind,
            self.axis,
            panel.number,
            escape(self.caption),
            escape(self.label),
            escape(&self.table),
        );
    }
}

/// What `chart` writes for each run that has something to draw, side by side.
pub fn panels(
    body: &mut Body,
    runs: &[Panel<'_>],
    which: impl Fn(&Loaded) -> bool,
    chart: impl Fn(&mut Body, Panel<'_>),
) {
    if !runs.iter().any(|p| which(p.loaded)) {
        return;
    }
    body.html.push_str("<div class=\"panels\">\n");
    for panel in runs.iter().filter(|p| which(p.loaded)) {
        body.html.push_str("<div>\n");
        chart(body, *panel);
        body.html.push_str("</div>\n");
    }
    body.html.push_str("</div>\n");
}

/// Writes all sections.
pub fn write(body: &mut Body, runs: &[Loaded], entries: &[Entry<'_>]) {
    let name = |run| (runs.len() > 1).then_some(run);
    let panels: Vec<Panel<'_>> = runs
        .iter()
        .enumerate()
        .map(|(number, loaded)| Panel { number, loaded, name: name(loaded.name.as_str()) })
        .collect();
    result(body, entries);
    measured::write(body, &panels);
    failures(body, entries);
    time(body, &panels);
    latency(body, &panels);
    verification(body, entries);
    setup(body, entries);
    repeat(body, entries);
}

const NO_SCRIPT: &str = "<noscript><p>The charts need JavaScript. The tables hold the same \
                         numbers.</p></noscript>\n";

fn result(body: &mut Body, entries: &[Entry<'_>]) {
    body.open("result", "Result", "Result");
    for entry in entries {
        if entries.len() > 1 {
            let _ = writeln!(body.html, "<h3>{}</h3>", escape(entry.name));
        }
        figures::write(&mut body.html, entry.run);
    }
    body.html.push_str(NO_SCRIPT);
    body.filled(&tables::overview(entries));
    body.close();
}

fn failures(body: &mut Body, entries: &[Entry<'_>]) {
    if entries.iter().all(|e| e.run.steps.is_empty()) {
        return;
    }
    body.open("failures-section", "Failures", "Failures");
    let failures = tables::failures(entries);
    if failures.rows.is_empty() {
        let hybrid = entries.iter().all(|e| Measure::of(e.run) == Measure::Hybrid);
        body.paragraph(if hybrid {
            "No transaction and no query failed."
        } else {
            "No operation failed."
        });
    }
    body.filled(&failures);
    body.close();
}

fn time(body: &mut Body, runs: &[Panel<'_>]) {
    if runs.iter().all(|p| p.loaded.samples.is_empty()) {
        return;
    }
    body.open("time", "Over time", "Over time");
    body.paragraph(
        "Shaded: the measured window of each step. Between them: warm-up, which does not count.",
    );
    panels(
        body,
        runs,
        |r| !r.samples.is_empty(),
        |body, panel| {
            let table = format!("ticks-{}", panel.number);
            let captions = match panel.loaded.measure() {
                Measure::Hybrid => [
                    "NewOrder transactions per minute (tpM) over time",
                    "NewOrder response time over time, 99th percentile of each tick",
                ],
                Measure::Plain => [
                    "Operations per second over time, each kind",
                    "Response time over time, each kind, 99th percentile of each tick",
                ],
            };
            for (kind, caption) in ["throughput", "p99"].into_iter().zip(captions) {
                Chart { kind, axis: "time", caption, label: caption, table: table.clone() }
                    .write(&mut body.html, panel);
            }
            body.folded("Numbers of these charts", &tables::ticks(panel.loaded), &table);
        },
    );
    body.close();
}

fn latency(body: &mut Body, runs: &[Panel<'_>]) {
    if runs.iter().all(|p| p.loaded.kinds().is_empty()) {
        return;
    }
    body.open("latency", "Response-time percentiles", "Percentiles");
    body.paragraph("How long the slowest share took: at 99 %, one of a hundred took longer.");
    if runs.iter().any(|p| p.loaded.run.steps.iter().any(|s| s.rate_intended.is_some())) {
        body.paragraph(
            "In an open loop a response time counts from the intended start. Its two parts have charts \
             of their own: “wait” until the actual start, “service” from there to the end.",
        );
    }
    panels(
        body,
        runs,
        |r| !r.kinds().is_empty(),
        |body, panel| {
            let table = format!("percentiles-{}", panel.number);
            let operation = panel.loaded.measure().operation();
            let caption = format!("Response times by percentile, each kind of {operation}");
            let label = format!(
                "Line charts of response time against percentile, a chart for each kind of {operation} \
                 and a line for each step"
            );
            let (kind, axis) = ("percentiles", "percentile");
            Chart { kind, axis, caption: &caption, label: &label, table: table.clone() }
                .write(&mut body.html, panel);
            body.folded("Numbers of these charts", &tables::percentiles(panel.loaded), &table);
        },
    );
    body.close();
}

fn verification(body: &mut Body, entries: &[Entry<'_>]) {
    let audit = tables::audit(entries);
    let heading = if audit.rows.is_empty() { "Checks" } else { "Checks and audit" };
    body.open("verification", heading, "Checks");
    for entry in entries {
        if entries.len() > 1 {
            let _ = writeln!(body.html, "<h3>{}</h3>", escape(entry.name));
        }
        let groups = tables::groups(entry.run);
        if groups.is_empty() {
            body.paragraph("This run made no checks: nothing here is verified.");
            continue;
        }
        body.html.push_str("<ul>\n");
        for (when, sentence) in groups {
            let _ = writeln!(body.html, "<li>{}</li>", escape(&format!("{when}: {sentence}")));
        }
        body.html.push_str("</ul>\n");
    }
    body.filled(&tables::checks(entries));
    body.filled(&audit);
    body.close();
}

fn setup(body: &mut Body, entries: &[Entry<'_>]) {
    body.open("setup-section", "Setup", "Setup");
    for made in [tables::databases(entries), tables::configuration(entries), tables::setup(entries)]
    {
        body.filled(&made);
    }
    body.close();
}

fn repeat(body: &mut Body, entries: &[Entry<'_>]) {
    body.open("repeat", "How to repeat", "Repeat");
    for entry in entries {
        let name = if entries.len() > 1 { format!("{}: with", entry.name) } else { "With".into() };
        let _ = write!(
            body.html,
            "<p>{}:</p>\n<pre><code>{}</code></pre>\n",
            escape(&format!("{name} hoap {}", entry.run.hoap)),
            escape(&quoted(&entry.run.command))
        );
    }
    body.close();
}

/// The command as a shell takes it.
fn quoted(command: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,.:/@%".contains(c);
    let words = command.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
