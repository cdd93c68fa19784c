//! The sections of the page about all of its runs: one list of headings, words, tables and charts.

use hoap_record::Verdict;

use super::around::{
    OfPage, caught_up, failures, ingested, latency, repeat, search, time, verification,
};
use super::body::Body;
use super::witness;
use crate::run::Entry;
use crate::tables;

/// A section about all runs of the page. It has the tables of its id ([`tables::of_section`]).
pub struct Section {
    id: &'static str,
    heading: &'static str,
    link: &'static str,
    /// What a reader must know of it, as HTML.
    about: &'static str,
    /// Whether it is there without a table.
    always: fn(&OfPage<'_>) -> bool,
    /// Writes what stands before its tables, and behind them.
    before: fn(&mut Body, &OfPage<'_>),
    behind: fn(&mut Body, &OfPage<'_>),
}

/// One that has only tables.
const PLAIN: Section = Section {
    id: "",
    heading: "",
    link: "",
    about: "",
    always: |_| false,
    before: |_, _| {},
    behind: |_, _| {},
};

/// All of them, in the order of the page.
pub const SECTIONS: [Section; 11] = [
    Section {
        id: "search-section",
        heading: "Search for the highest rate",
        link: "Highest rate",
        about: "Each probe ran at a rate of its own, until its percentiles rested on enough \
                operations. A rate whose probe broke a bound was probed again, and near a bound \
                every rate was. Between the highest rate that held and the lowest that did not, \
                the probes of a rate scatter across the bound: those rates are undecided.",
        before: search,
        ..PLAIN
    },
    Section {
        id: "freshness-section",
        heading: "Freshness",
        link: "Freshness",
        about: "The age, when a probe begins, of the oldest acknowledged commit that a query begun \
                then would not see; 0 where it would see all. Newest seen is the age of the newest \
                commit that it would see.",
        always: |page| page.entries.iter().any(|e| tables::caught_up(e.run).is_some()),
        behind: caught_up,
        ..PLAIN
    },
    Section {
        id: "ingestion-section",
        heading: "Ingestion",
        link: "Ingestion",
        about: "From the beginning of the load a query counted the documents of all collections in \
                the database of the queries, until none was missing. The end is known to within \
                the time between the last two counts. The rate after the load is that of the \
                documents that came in after the last one was loaded; there is none where that \
                took no longer than one interval of counting.",
        before: ingested,
        ..PLAIN
    },
    Section {
        id: "witness-section",
        heading: "Isolation of the transactions",
        link: "Isolation",
        about: "Between the measured transactions others read small shared lists and replaced some \
                of them with a value more. What they read shows who came before whom. Seen is the \
                strongest level that nothing contradicts; a level above the promise is no promise.",
        behind: |body, page| witness::write(body, page.entries),
        ..PLAIN
    },
    Section {
        id: "failures-section",
        heading: "Failures",
        link: "Failures",
        always: |page| page.entries.iter().any(|e| !e.run.steps.is_empty()),
        before: failures,
        ..PLAIN
    },
    Section {
        id: "time",
        heading: "Over time",
        link: "Over time",
        about: "Shaded: the measured window of each step. Between them: warm-up, which does not count.",
        always: |page| page.panels.iter().any(|p| !p.loaded.samples.is_empty()),
        before: time,
        ..PLAIN
    },
    Section {
        id: "servers",
        heading: "The servers beside the load",
        link: "Servers",
        about: "Over the measured window of each step, read once a second; without series that \
                stayed at 0. Per operation: of the successful operations of a step without \
                queries, of the queries of a step without operations. What else the servers did in \
                that time is part of it.",
        ..PLAIN
    },
    Section {
        id: "latency",
        heading: "Response-time percentiles",
        link: "Percentiles",
        about: "At 99 %, one of a hundred operations took longer.",
        always: |page| page.panels.iter().any(|p| !p.loaded.kinds().is_empty()),
        before: latency,
        ..PLAIN
    },
    Section {
        id: "verification",
        heading: "Checks",
        link: "Checks",
        always: |_| true,
        before: verification,
        ..PLAIN
    },
    Section { id: "setup-section", heading: "Setup", link: "Setup", always: |_| true, ..PLAIN },
    Section {
        id: "repeat",
        heading: "How to repeat",
        link: "Repeat",
        always: |_| true,
        before: repeat,
        ..PLAIN
    },
];

/// Whether a check failed.
fn has_failed(entries: &[Entry<'_>]) -> bool {
    let mut checks = entries.iter().flat_map(|entry| &entry.run.checks);
    checks.any(|check| check.verdict == Verdict::Fail)
}

impl Section {
    /// Writes the section, unless there is nothing to show.
    pub fn write(&self, body: &mut Body, page: &OfPage<'_>) {
        let made = tables::of_section(self.id, page.entries);
        if made.is_empty() && !(self.always)(page) {
            return;
        }
        let audited = made.iter().any(|table| table.id == "audit");
        let heading = if audited { "Checks and audit" } else { self.heading };
        body.open(self.id, heading, self.link);
        if !self.about.is_empty() {
            body.paragraph(self.about);
        }
        (self.before)(body, page);
        for table in &made {
            match table.id.as_str() {
                "ingestion-counts" => body.folded(&table.title, table, &table.id),
                // The sentences above say that all passed.
                "checks" if !has_failed(page.entries) => {
                    body.folded("Each check", table, &table.id);
                }
                "events" => {
                    body.heading("When");
                    body.paragraph(
                        "Failures of one kind with less than three seconds between them are one \
                         event, those of the warm-up included.",
                    );
                    body.filled(table);
                }
                _ => body.filled(table),
            }
        }
        (self.behind)(body, page);
        body.close();
    }
}
