//! Plans and answers of queries, as the database gives them, in files.

use std::path::Path;
use std::time::Instant;

use hoap_conduct::queries::{Asks, CancelOnStop};
use hoap_database::{AnalyticalSession, Database, Explained};
use hoap_drive::Stop;
use hoap_record::output::{self, Kind};
use hoap_record::{Remark, RemarkId};
use hoap_workload::answers::{ANSWER, AnswerFile, Query};
use hoap_workload::{Error, ErrorKind};
use serde_json::json;

use crate::queries::catalogue::QUERIES;
use crate::queries::{ParameterSet, Parameters, Texts};
use crate::stream::Asked;

/// The file of a plan.
const PLAN: Kind = Kind {
    name: "a plan",
    begins: |head| head.starts_with("{\n  \"query\": ") && head.contains("\n  \"parameters\": "),
};

/// What is kept of each query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Its plan and profile.
    Plans,
    /// Its answer.
    Answers,
}

impl Kept {
    /// Its name, and that of its folder.
    fn name(self) -> &'static str {
        match self {
            Kept::Plans => "plans",
            Kept::Answers => "answers",
        }
    }

    /// Makes the folder where the files of these queries may be written.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be made, and [`ErrorKind::Invalid`] where
    /// a file that must stay is in the place of one.
    pub fn folder<'a>(
        self,
        dir: &Path,
        queries: impl IntoIterator<Item = &'a Query>,
    ) -> Result<(), Error> {
        output::folder(dir)?;
        queries.into_iter().try_for_each(|query| match self {
            Kept::Plans => output::check(&dir.join(plan_name(query)), &PLAN),
            Kept::Answers => output::check(&dir.join(AnswerFile::name(query.number)), &ANSWER),
        })
    }
}

fn plan_name(query: &Query) -> String {
    format!("q{:02}.plan.json", query.number)
}

/// Explains a query in `qNN.plan.json` of a folder that is there.
///
/// # Errors
/// Returns the errors of the query, and [`ErrorKind::Unavailable`] where the file cannot be
/// written.
pub async fn one(
    session: &mut AnalyticalSession,
    texts: &Texts,
    query: &Query,
    parameters: &Parameters,
    dir: &Path,
) -> Result<(), Error> {
    let given = texts.given(query, parameters);
    let explained = session.explain(texts.get(query), &given).await;
    let Explained { plan, profile } = explained.map_err(|e| texts.place(query, e))?;
    let given: serde_json::Map<_, _> = given.into_iter().collect();
    let text = json!({
        "query": query.number, "parameters": given, "plan": plan, "profile": profile,
    });
    output::write(&dir.join(plan_name(query)), &PLAN, &format!("{text:#}\n"))
}

/// Asks a query and writes its answer to `qNN.json` of a folder that is there.
///
/// # Errors
/// Returns the errors of the query, and [`ErrorKind::Unavailable`] where the file cannot be
/// written.
async fn answer(
    session: &mut AnalyticalSession,
    asks: &Asked,
    url: &str,
    (query, parameters): (&Query, &Parameters),
    dir: &Path,
) -> Result<(), Error> {
    let begun = Instant::now();
    let answer = asks.ask(session, query, parameters).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let schema = asks.data.spec().schema.name();
    AnswerFile::new((schema, url), (query, parameters), answer, seconds)
        .write(&dir.join(AnswerFile::name(query.number)))
}

/// Keeps the plan or the answer of every query with these parameters, one after the other, in a
/// folder within the run's. Where some fail the others go on, and what failed is said.
pub async fn all(
    (kept, set): (Kept, ParameterSet),
    stop: &Stop,
    target: &Database,
    asks: &Asked,
    run: &Path,
) -> Option<Remark> {
    let dir = run.join(kept.name());
    let (mut failed, mut first) = (Vec::new(), None);
    let explaining = async {
        kept.folder(&dir, &QUERIES)?;
        let url = target.description().url;
        let mut session = target.analytics()?.session().await?;
        let _watch = CancelOnStop::watch(stop, &session);
        for query in &QUERIES {
            if stop.is_set() {
                return Err(Error::new(
                    ErrorKind::Cancelled,
                    format!("keep {}", kept.name()),
                    "interrupted",
                ));
            }
            let parameters = &set.parameters(asks.data.spec(), query);
            let done = match kept {
                Kept::Plans => one(&mut session, &asks.texts, query, parameters, &dir).await,
                Kept::Answers => answer(&mut session, asks, &url, (query, parameters), &dir).await,
            };
            if let Err(e) = done {
                failed.push(query.name);
                first.get_or_insert(e);
            }
        }
        Ok(())
    };
    let ended: Result<(), Error> = explaining.await;
    let of = if failed.is_empty() { String::new() } else { format!(" of {}", failed.join(", ")) };
    let e = first.or(ended.err())?;
    let id = match kept {
        Kept::Plans => RemarkId::PlansMissing,
        Kept::Answers => RemarkId::AnswersMissing,
    };
    Some(Remark::new(id, format!("{}{of} are missing: {e}", kept.name())))
}
