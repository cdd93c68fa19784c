//! The sections of the page, in the order in which a reader asks.

use std::fmt::Write as _;

use super::figures;
use super::markup::{escape, table};
use crate::Loaded;
use crate::number::Unit;
use crate::table::Table;
use crate::tables::{self, Entry};

/// Links to the sections.
pub const NAVIGATION: &str = "<nav aria-label=\"Sections\"><a href=\"#result\">Result</a> \
    <a href=\"#transactions-section\">Transactions</a> <a href=\"#queries\">Queries</a> \
    <a href=\"#time\">Over time</a> <a href=\"#latency\">Percentiles</a> \
    <a href=\"#verification\">Checks</a> <a href=\"#setup-section\">Setup</a> \
    <a href=\"#repeat\">Repeat</a></nav>\n";

/// Writes all sections.
pub fn write(out: &mut String, runs: &[Loaded], entries: &[Entry<'_>]) {
    result(out, entries);
    transactions(out, runs, entries);
    queries(out, runs, entries);
    time(out, runs);
    latency(out, runs);
    verification(out, entries);
    setup(out, entries);
    repeat(out, entries);
}

fn open(out: &mut String, id: &str, heading: &str) {
    let _ = write!(out, "<section id=\"{id}\">\n<h2>{heading}</h2>\n");
}

const CLOSE: &str = "</section>\n";

/// A table that has rows.
fn filled(out: &mut String, made: &Table) {
    if !made.rows.is_empty() {
        table(out, made, &made.id);
    }
}

/// A table behind a line that opens it.
fn folded(out: &mut String, summary: &str, made: &Table, id: &str) {
    let _ = write!(out, "<details>\n<summary>{}</summary>\n", escape(summary));
    table(out, made, id);
    out.push_str("</details>\n");
}

/// One chart of one run. `label` says in words what it shows, `table` where its numbers are.
struct Chart<'a> {
    kind: &'a str,
    run: usize,
    caption: &'a str,
    label: &'a str,
    table: String,
}

impl Chart<'_> {
    fn write(&self, out: &mut String, several: Option<&str>) {
        let run = several.map(|name| format!("{}: ", escape(name))).unwrap_or_default();
        let _ = write!(
            out,
            "<figure data-chart=\"{}\" data-run=\"{}\">\n<figcaption>{run}{}</figcaption>\n\
             <div class=\"plot\" role=\"img\" aria-label=\"{run}{}\" aria-describedby=\"{}\"></div>\n</figure>\n",
            self.kind,
            self.run,
            escape(self.caption),
            escape(self.label),
            self.table,
        );
    }
}

/// What `chart` writes for each run that has something to draw, side by side.
fn panels(
    out: &mut String,
    runs: &[Loaded],
    which: impl Fn(&Loaded) -> bool,
    chart: impl Fn(usize, &Loaded, &mut String, Option<&str>),
) {
    if !runs.iter().any(&which) {
        return;
    }
    out.push_str("<div class=\"panels\">\n");
    for (i, run) in runs.iter().enumerate().filter(|(_, run)| which(run)) {
        out.push_str("<div>\n");
        chart(i, run, out, (runs.len() > 1).then_some(run.name.as_str()));
        out.push_str("</div>\n");
    }
    out.push_str("</div>\n");
}

const NO_SCRIPT: &str = "<noscript><p>The charts need JavaScript. The tables hold the same \
                         numbers.</p></noscript>\n";

fn result(out: &mut String, entries: &[Entry<'_>]) {
    open(out, "result", "Result");
    for entry in entries {
        if entries.len() > 1 {
            let _ = writeln!(out, "<h3>{}</h3>", escape(entry.name));
        }
        figures::write(out, entry.run);
    }
    out.push_str(NO_SCRIPT);
    filled(out, &tables::overview(entries));
    out.push_str(CLOSE);
}

fn transactions(out: &mut String, runs: &[Loaded], entries: &[Entry<'_>]) {
    let made = tables::transactions(entries);
    if made.rows.is_empty() {
        return;
    }
    open(out, "transactions-section", "Transactions");
    let any = |run: &Loaded| run.run.steps.iter().any(|s| s.tx_clients > 0);
    panels(out, runs, any, |run, loaded, out, name| {
        let chart = Chart {
            kind: "tpm",
            run,
            caption: "NewOrder transactions per minute (tpM) against transaction clients",
            label: &tpm_in_words(loaded),
            table: made.id.clone(),
        };
        chart.write(out, name);
    });
    panels(out, runs, any, |run, _, out, name| {
        let chart = Chart {
            kind: "latency",
            run,
            caption: "NewOrder response times against transaction clients",
            label: "Line chart of the 50th, 95th and 99th percentile of NewOrder response times \
                    against transaction clients, without and with queries",
            table: made.id.clone(),
        };
        chart.write(out, name);
    });
    table(out, &made, &made.id);
    let isolation = tables::isolation(entries);
    if !isolation.rows.is_empty() {
        out.push_str("<h3>Isolation</h3>\n");
        out.push_str(
            "<p>What each side takes from the other at equal numbers of clients. A tpM ratio below 1: \
             queries slow transactions down. A power ratio above 1: transactions slow queries \
             down.</p>\n",
        );
        table(out, &isolation, &isolation.id);
    }
    out.push_str("<h3>All transactions</h3>\n");
    filled(out, &tables::operations(entries));
    let failures = tables::failures(entries);
    if failures.rows.is_empty() {
        out.push_str("<p>No transaction and no query failed.</p>\n");
    }
    filled(out, &failures);
    out.push_str(CLOSE);
}

fn tpm_in_words(loaded: &Loaded) -> String {
    let points: Vec<String> = loaded
        .run
        .steps
        .iter()
        .filter_map(|s| Some(format!("{} at {}", Unit::Rate("tpM").show(s.tpm?), s.name)))
        .collect();
    format!("Line chart of tpM against transaction clients: {}", points.join("; "))
}

fn queries(out: &mut String, runs: &[Loaded], entries: &[Entry<'_>]) {
    let rates = tables::query_rates(entries);
    if rates.rows.is_empty() {
        return;
    }
    open(out, "queries", "Queries");
    out.push_str(
        "<p>Power is the geometric mean of the 22 mean times; QpH is 22 × 3600 s through their sum, \
         times the streams. Both need all 22 queries.</p>\n",
    );
    table(out, &rates, &rates.id);
    let any = |run: &Loaded| run.run.steps.iter().any(|s| !s.queries.is_empty());
    panels(out, runs, any, |run, loaded, out, name| {
        let table = format!("query-times-{run}");
        let chart = Chart {
            kind: "queries",
            run,
            caption: "Mean time of each query, by step",
            label: "Bar chart of the mean time of each query in each step",
            table: table.clone(),
        };
        chart.write(out, name);
        let made = tables::query_times(loaded.entry());
        folded(out, "Numbers of this chart", &made, &table);
    });
    let detail = tables::query_detail(entries);
    folded(out, "Each query in each step: fastest, slowest, failures", &detail, &detail.id);
    out.push_str(CLOSE);
}

fn time(out: &mut String, runs: &[Loaded]) {
    if runs.iter().all(|r| r.samples.is_empty()) {
        return;
    }
    open(out, "time", "Over time");
    out.push_str(
        "<p>Shaded: the measured window of each step. Between them: warm-up, which does not \
         count.</p>\n",
    );
    panels(
        out,
        runs,
        |r| !r.samples.is_empty(),
        |run, loaded, out, name| {
            let table = format!("ticks-{run}");
            for (kind, caption) in [
                ("throughput", "NewOrder transactions per minute (tpM) over time"),
                ("p99", "NewOrder response time over time, 99th percentile of each tick"),
            ] {
                if kind == "p99" {
                    out.push_str("</figure>\n");
                }
                Chart { kind, run, caption, label: caption, table: table.clone() }.write(out, name);
            }
            folded(out, "Numbers of these charts", &tables::ticks(loaded), &table);
        },
    );
    out.push_str(CLOSE);
}

fn latency(out: &mut String, runs: &[Loaded]) {
    if runs.iter().all(|r| r.kinds().is_empty()) {
        return;
    }
    open(out, "latency", "Response-time percentiles");
    out.push_str(
        "<p>How long the slowest share of the transactions took: at 99 %, one of a hundred took \
         longer.</p>\n",
    );
    panels(
        out,
        runs,
        |r| !r.kinds().is_empty(),
        |run, loaded, out, name| {
            let table = format!("percentiles-{run}");
            let chart = Chart {
                kind: "percentiles",
                run,
                caption: "Response times by percentile, each kind of transaction",
                label: "Line charts of response time against percentile, a chart for each kind of \
                    transaction and a line for each step",
                table: table.clone(),
            };
            chart.write(out, name);
            folded(out, "Numbers of these charts", &tables::percentiles(loaded), &table);
        },
    );
    out.push_str(CLOSE);
}

fn verification(out: &mut String, entries: &[Entry<'_>]) {
    open(out, "verification", "Checks and audit");
    for entry in entries {
        if entries.len() > 1 {
            let _ = writeln!(out, "<h3>{}</h3>", escape(entry.name));
        }
        let groups = tables::groups(entry.run);
        if groups.is_empty() {
            out.push_str("<p>This run made no checks: nothing here is verified.</p>\n");
            continue;
        }
        out.push_str("<ul>\n");
        for (when, sentence) in groups {
            let _ = writeln!(out, "<li>{}</li>", escape(&format!("{when}: {sentence}")));
        }
        out.push_str("</ul>\n");
    }
    filled(out, &tables::checks(entries));
    filled(out, &tables::audit(entries));
    out.push_str(CLOSE);
}

fn setup(out: &mut String, entries: &[Entry<'_>]) {
    open(out, "setup-section", "Setup");
    for made in [tables::databases(entries), tables::configuration(entries), tables::setup(entries)]
    {
        filled(out, &made);
    }
    out.push_str(CLOSE);
}

fn repeat(out: &mut String, entries: &[Entry<'_>]) {
    open(out, "repeat", "How to repeat");
    for entry in entries {
        let name = if entries.len() > 1 { format!("{}: with", entry.name) } else { "With".into() };
        let _ = write!(
            out,
            "<p>{}:</p>\n<pre><code>{}</code></pre>\n",
            escape(&format!("{name} hoap {}", entry.run.hoap)),
            escape(&quoted(&entry.run.command))
        );
    }
    out.push_str(CLOSE);
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
