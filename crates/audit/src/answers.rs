//! Answers to queries: against those on record, and against each other.
//!
//! An answer is known of data as it was loaded. So what is looked at is what was asked before the
//! first transaction on data that no other run had written to.

use hoap_record::Run;

use crate::finding::Findings;
use crate::open::Folder;

/// What is known of answers to queries; the benchmarks know it.
pub trait Known {
    /// How many rows the answer to a query ("Q01") of this run has.
    fn rows(&self, run: &Run, query: &str) -> Option<u64>;

    /// What is wrong with an answer that the run kept: the text of its file. `None` where it is as
    /// on record, or none is on record.
    fn wrong(&self, run: &Run, answer: &[u8]) -> Option<String>;

    /// How the answers of two runs to one query differ.
    fn differ(&self, run: &Run, answers: [&[u8]; 2]) -> Option<String>;
}

/// Nothing is known.
impl Known for () {
    fn rows(&self, _: &Run, _: &str) -> Option<u64> {
        None
    }

    fn wrong(&self, _: &Run, _: &[u8]) -> Option<String> {
        None
    }

    fn differ(&self, _: &Run, _: [&[u8]; 2]) -> Option<String> {
        None
    }
}

/// Holds the answers of all runs.
pub(crate) fn held(folders: &[Folder], known: &dyn Known, findings: &mut Findings) {
    let runs = || folders.iter().filter_map(|folder| Some((folder, folder.run.as_ref()?)));
    for (folder, run) in runs().filter(|(_, run)| fresh(run)) {
        rows(folder, run, known, findings);
        for (file, text) in folder.answers.iter().filter(|_| unwritten(run) == run.steps.len()) {
            findings.made_again += 1;
            if let Some(what) = known.wrong(run, text) {
                findings.void(&format!("{}/{file}", folder.at), what);
            }
        }
    }
    let mut first: Vec<(&Folder, &Run)> = Vec::new();
    for (folder, run) in runs().filter(|(_, run)| fresh(run) && unwritten(run) == run.steps.len()) {
        match first.iter().find(|(_, of)| same_questions(of, run)) {
            None if folder.answers.is_empty() => {}
            None => first.push((folder, run)),
            Some((of, _)) => each(of, folder, run, known, findings),
        }
    }
}

/// The answers of a run against those of the first that was asked the same.
fn each(first: &Folder, folder: &Folder, run: &Run, known: &dyn Known, findings: &mut Findings) {
    for (file, text) in &folder.answers {
        let Some(other) = first.answers.get(file) else { continue };
        findings.made_again += 1;
        if let Some(what) = known.differ(run, [other, text]) {
            let text = format!("it is another answer than {}/{file}: {what}", first.at);
            findings.void(&format!("{}/{file}", folder.at), text);
        }
    }
}

/// The number of rows of each execution, once a query.
fn rows(folder: &Folder, run: &Run, known: &dyn Known, findings: &mut Findings) {
    for step in &run.steps[..unwritten(run)] {
        for query in &step.queries {
            let Some(rows) = known.rows(run, &query.kind) else { continue };
            let mut of = folder.executions.iter().filter(|e| {
                e.step == step.number
                    && e.query == query.kind
                    && e.error.is_empty()
                    && ["warmup", "measured", "extra"].contains(&e.phase.as_str())
            });
            findings.made_again += 1;
            if let Some(other) = of.find(|e| e.rows != rows) {
                let place =
                    format!("{}/queries.csv, step {}, {}", folder.at, step.number, query.kind);
                let text = format!("rows is {}, and the answer on record has {rows}", other.rows);
                findings.void(&place, text);
            }
        }
    }
}

/// Whether nobody had written to the data since it was loaded.
fn fresh(run: &Run) -> bool {
    run.drivers.is_empty() && run.load.as_ref().is_some_and(|load| load.runs_before == Some(0))
}

/// How many steps there are before the first that may write.
fn unwritten(run: &Run) -> usize {
    run.steps.iter().position(|step| step.tx_clients > 0).unwrap_or(run.steps.len())
}

/// Whether their queries asked the same of the same data.
fn same_questions(one: &Run, other: &Run) -> bool {
    let asked =
        |run: &Run| ["params", "params-seed"].map(|flag| run.configuration.get(flag).cloned());
    one.benchmark == other.benchmark && one.data == other.data && asked(one) == asked(other)
}
