//! Plans of queries, as the database gives them, in files.

use std::fs;
use std::path::Path;

use hoap_data::Spec;
use hoap_drive::Stop;
use hoap_workload::capability::{AnalyticalSession, Explained, Target};
use hoap_workload::ch2::queries::catalogue::QUERIES;
use hoap_workload::ch2::queries::{ParameterSet, Parameters, Query, Texts};
use hoap_workload::{Error, ErrorKind};
use serde_json::json;

use super::queries::CancelOnStop;

/// Makes a folder.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where it cannot be made.
pub fn folder(dir: &Path) -> Result<(), Error> {
    fs::create_dir_all(dir).map_err(|e| {
        Error::new(ErrorKind::Unavailable, format!("create {}", dir.display()), e)
            .advise("name another folder")
    })
}

/// Explains a query in `qNN.plan.json` of a folder that is there.
///
/// # Errors
/// Returns the errors of the query, and [`ErrorKind::Unavailable`] where the file cannot be
/// written.
pub async fn one(
    session: &mut dyn AnalyticalSession,
    texts: &Texts,
    query: &Query,
    parameters: &Parameters,
    dir: &Path,
) -> Result<(), Error> {
    let Explained { plan, profile } = session.explain(texts.get(query), parameters).await?;
    let given: serde_json::Map<_, _> = parameters.iter().cloned().collect();
    let text = json!({
        "query": query.number, "parameters": given, "plan": plan, "profile": profile,
    });
    let path = dir.join(format!("q{:02}.plan.json", query.number));
    hoap_record::whole::write(&path, format!("{text:#}\n").as_bytes())
        .map_err(|e| Error::new(ErrorKind::Unavailable, format!("write {}", path.display()), e))
}

/// Explains every query with the reference parameters, one after the other. Where some fail the others go
/// on, and what failed is said.
pub async fn all(
    stop: &Stop,
    target: &dyn Target,
    spec: &Spec,
    texts: &Texts,
    dir: &Path,
) -> Option<String> {
    let (mut failed, mut first) = (Vec::new(), None);
    let explaining = async {
        folder(dir)?;
        let mut session = target.analytics()?.session().await?;
        let _watch = CancelOnStop::watch(stop, &*session);
        for query in &QUERIES {
            if stop.is_set() {
                return Err(Error::new(ErrorKind::Cancelled, "explain the queries", "interrupted"));
            }
            let parameters = ParameterSet::Reference.parameters(spec, query);
            if let Err(e) = one(&mut *session, texts, query, &parameters, dir).await {
                failed.push(query.name);
                first.get_or_insert(e);
            }
        }
        Ok(())
    };
    let ended: Result<(), Error> = explaining.await;
    let of = if failed.is_empty() { String::new() } else { format!(" of {}", failed.join(", ")) };
    let e = first.or(ended.err())?;
    Some(format!("plans{of} are missing: {e}"))
}
