//! What a benchmark says of its queries, and how one is asked.

use hoap_database::{AnalyticalSession, Answer};
use hoap_workload::answers::Query;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

/// Parameters by name.
pub type Parameters = Vec<(String, Value)>;

/// The queries of a benchmark, with their texts in the dialect of a database.
pub trait Asks: Send + Sync + 'static {
    /// All of them, in the order of their numbers.
    fn queries(&self) -> &'static [Query];

    /// The place among them of the one that a stream asks as the `nth` of each of its loops.
    fn nth(&self, stream: usize, nth: usize) -> usize;

    /// The parameters of a query in a loop of a stream.
    fn parameters(&self, query: &Query, stream: usize, turn: usize) -> Parameters;

    /// Its text.
    fn text(&self, query: &Query) -> &str;

    /// Those of its parameters that the text names.
    fn given(&self, _query: &Query, parameters: &Parameters) -> Parameters {
        parameters.clone()
    }

    /// An error with the place of the text that it is about.
    fn placed(&self, _query: &Query, error: Error) -> Error {
        error
    }

    /// Holds an answer against what is known of it beside its columns.
    ///
    /// # Errors
    /// [`ErrorKind::Broken`].
    fn hold(&self, _query: &Query, _answer: &Answer) -> Result<()> {
        Ok(())
    }

    /// Asks a query.
    ///
    /// # Errors
    /// Those of the database, and [`ErrorKind::Broken`] if the answer is none to the query.
    fn ask(
        &self,
        session: &mut AnalyticalSession,
        query: &Query,
        parameters: &Parameters,
    ) -> impl Future<Output = Result<Answer>> + Send {
        async move {
            let given = self.given(query, parameters);
            let answer = answer(session, query, (self.text(query), &given)).await;
            let held = answer.and_then(|answer| self.hold(query, &answer).map(|()| answer));
            held.map_err(|e| self.placed(query, e))
        }
    }
}

/// Asks a query by this text, with these parameters. An answer without the query's columns is an
/// error.
///
/// # Errors
/// Returns the errors of the database, and [`ErrorKind::Broken`] where the answer lacks the columns
/// of the query.
pub async fn answer(
    session: &mut AnalyticalSession,
    query: &Query,
    (text, given): (&str, &Parameters),
) -> Result<Answer> {
    let answer = session.query(text, given).await?;
    if answer.columns.iter().ne(query.columns.iter().map(|c| c.name)) {
        let wanted: Vec<_> = query.columns.iter().map(|c| c.name).collect();
        let came =
            format!("columns {} came back, not {}", answer.columns.join(", "), wanted.join(", "));
        let error = Error::new(ErrorKind::Broken, format!("run {}", query.name), came);
        return Err(error.advise("mend the query text"));
    }
    Ok(answer)
}
