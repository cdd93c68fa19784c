//! The 22 queries as query clients and `hoap query` ask them.

use hoap_conduct::queries::{Asks, answer};
use hoap_database::{AnalyticalSession, Answer};
use hoap_workload::answers::Query;
use hoap_workload::{Error, Result};

use crate::data::DataSet;
use crate::queries::catalogue::QUERIES;
use crate::queries::{ParameterSet, Parameters, Texts, streams};

/// The analytical side of CH2 and CH2++.
pub struct Asked {
    /// The data.
    pub data: DataSet,
    /// The texts of the queries.
    pub texts: Texts,
    /// Of random parameters only the seed is used: each stream and each loop draws its own.
    pub parameters: ParameterSet,
}

/// The query clients of a run.
pub type Streams = hoap_conduct::queries::Streams<Asked>;

impl Asks for Asked {
    fn queries(&self) -> &'static [Query] {
        &QUERIES
    }

    /// Client `stream` is that stream of TPC-H 5.3.5.
    fn nth(&self, stream: usize, nth: usize) -> usize {
        usize::from(streams::order(stream)[nth]) - 1
    }

    fn parameters(&self, query: &Query, stream: usize, turn: usize) -> Parameters {
        let set = match self.parameters {
            ParameterSet::Random { seed, .. } => {
                ParameterSet::Random { seed, stream: stream as u64, turn: turn as u64 }
            }
            fixed => fixed,
        };
        set.parameters(self.data.spec(), query)
    }

    fn text(&self, query: &Query) -> &str {
        self.texts.get(query)
    }

    fn given(&self, query: &Query, parameters: &Parameters) -> Parameters {
        self.texts.given(query, parameters)
    }

    fn placed(&self, query: &Query, error: Error) -> Error {
        self.texts.place(query, error)
    }
}

/// Runs one query. An answer without the query's columns is an error.
///
/// # Errors
/// Those of [`answer`].
pub async fn run_query(
    session: &mut AnalyticalSession,
    texts: &Texts,
    query: &Query,
    parameters: &Parameters,
) -> Result<Answer> {
    let given = texts.given(query, parameters);
    let answer = answer(session, query, (texts.get(query), &given)).await;
    answer.map_err(|e| texts.place(query, e))
}
