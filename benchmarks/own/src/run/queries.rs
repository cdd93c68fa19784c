//! The queries of a file, with their texts in the dialect of a database and their parameters.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hoap_conduct::caller::Caller;
use hoap_conduct::queries::{AskedQueries, Asking, Asks, Parameters};
use hoap_data::Part;
use hoap_data::random::Stream;
use hoap_database::{AnalyticalSession, Answer};
use hoap_workload::answers::Query;
use hoap_workload::{Error, ErrorKind, Local, Result};

use super::shared::Shared;
use super::slots::{Slot, Values};
use crate::file::range::Range;
use crate::file::step::Expect;
use crate::file::wrong::listed;
use crate::load::loaded;
use crate::plan::action;
use crate::workload::{NAME, Workload};

/// Separates the random numbers of query clients from those of operations.
const STREAM: u64 = u64::from_be_bytes(*b"own asks");

/// The queries of a file on a database of this dialect.
#[derive(Clone)]
pub struct Asked {
    /// What all clients share.
    shared: Arc<Shared>,
    dialect: &'static str,
}

/// Refuses a database that has no text of one of these queries, by its name, before anything is
/// opened.
///
/// # Errors
/// [`ErrorKind::Invalid`].
pub fn offered(workload: &Workload, url: &str, queries: &[usize]) -> Result<()> {
    let dialect = hoap_databases::dialect(url)?;
    let texts = |at: &usize| workload.plan.queries[*at].texts.iter().map(|(of, _)| of.as_str());
    match queries.iter().find(|at| !texts(at).any(|of| of == dialect)) {
        None => Ok(()),
        Some(at) => {
            let name = workload.asked[*at].name;
            let scheme = url.split(':').next().unwrap_or_default();
            let tried = format!("ask {name} of {} on {scheme}:…", workload.file.name);
            let known: Vec<&str> = texts(at).collect();
            let answer = format!("it has no text in {dialect}; it has {}", listed(&known));
            let advice = format!("write text.{dialect} in [queries.{name}]");
            Err(Error::new(ErrorKind::Invalid, tried, answer).advise(advice))
        }
    }
}

impl Asked {
    /// Those of a file, whose texts are there.
    pub fn new(shared: Arc<Shared>, dialect: &'static str) -> Asked {
        Asked { shared, dialect }
    }

    fn of(&self, query: &Query) -> &'static action::Query {
        &self.shared.workload.plan.queries[usize::from(query.number) - 1]
    }

    /// The parameters of a query, drawn from these random numbers.
    pub fn drawn(&self, query: &Query, mut random: Stream) -> Parameters {
        let of = self.of(query);
        let mut slots: Vec<Slot> = Vec::new();
        slots.resize_with(of.slots, Slot::default);
        for draw in &of.draws {
            slots[draw.slot] = Slot::Document(self.shared.there(draw, &mut random));
        }
        let values = Values { shared: &self.shared, slots: &slots };
        let param = |(name, source): &(String, _)| (name.clone(), values.of(source, &mut random));
        of.params.iter().map(param).collect()
    }
}

impl Asks for Asked {
    fn queries(&self) -> &'static [Query] {
        &self.shared.workload.asked
    }

    /// Each stream begins with another one.
    fn nth(&self, stream: usize, nth: usize) -> usize {
        (stream + nth) % self.queries().len()
    }

    fn parameters(&self, query: &Query, stream: usize, turn: usize) -> Parameters {
        let path = [STREAM, stream as u64, turn as u64, query.number.into()];
        self.drawn(query, Stream::new(self.shared.seed, &path))
    }

    fn text(&self, query: &Query) -> &str {
        let texts = &self.of(query).texts;
        texts.iter().find(|(of, _)| of == self.dialect).map_or("", |(_, text)| text)
    }

    fn placed(&self, query: &Query, mut error: Error) -> Error {
        if matches!(error.kind, ErrorKind::Invalid | ErrorKind::Broken) {
            error.tried = format!("{}, {} in {}", error.tried, query.name, self.dialect);
        }
        error
    }

    fn hold(&self, query: &Query, answer: &Answer) -> Result<()> {
        let Some(Expect::Between(Range { low, high })) = self.of(query).expect else {
            return Ok(());
        };
        let rows = answer.rows.len() as i64;
        match (low..=high).contains(&rows) {
            true => Ok(()),
            false => {
                let answer = match high {
                    i64::MAX => format!("{rows} rows came back, not {low} at least"),
                    high if high == low => format!("{rows} rows came back, not {low}"),
                    high => format!("{rows} rows came back, not {low} to {high}"),
                };
                Err(Error::new(ErrorKind::Broken, format!("ask {}", query.name), answer)
                    .advise("mend the query text, or its `expect`"))
            }
        }
    }
}

/// The flags of `hoap query` for a workload file.
#[derive(Debug, Args)]
pub struct Questions {
    /// The workload file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The database
    #[arg(long, visible_alias = "target", value_name = "URL")]
    pub analytical: String,
    /// Write each answer to DIR/q01.json …
    #[arg(long, value_name = "DIR")]
    pub answers_out: Option<PathBuf>,
}

/// Asks all queries of a file. One that fails does not keep the others from being asked.
///
/// # Errors
/// Fails if the database cannot be asked at all or holds other data, a file cannot be written, or
/// somebody asks for the end.
pub fn ask<'a>(caller: &'a dyn Caller, args: &'a Questions) -> Local<'a, Result<AskedQueries>> {
    Box::pin(async move {
        let workload = Workload::read(&args.file, 1.0)?;
        let all: Vec<usize> = (0..workload.asked.len()).collect();
        if all.is_empty() {
            let tried = format!("ask the queries of {}", workload.file.name);
            return Err(Error::new(ErrorKind::Invalid, tried, "it has none")
                .advise("write some, [queries.NAME]: docs/own.md"));
        }
        offered(workload, &args.analytical, &all)?;
        let target = hoap_databases::open(&args.analytical).await?;
        let (workload, _) = loaded(&target, &args.file, "query").await?;
        let shared = Shared::new(workload, &[], (false, 1, Part::WHOLE));
        let asks = Asked::new(Arc::new(shared), target.analytics()?.dialect());
        let benchmark = format!("{}: {}", NAME, workload.file.name);
        let queries: Vec<&Query> = workload.asked.iter().collect();
        let asking = Asking {
            asks: &asks,
            benchmark: &benchmark,
            tells: true,
            target: &target,
            queries: &queries,
            answers_out: args.answers_out.as_deref(),
        };
        let also = async |_: &mut AnalyticalSession, _: &'static Query, _: &Parameters| Ok(());
        asking.ask(caller, also).await
    })
}
