//! The 22 queries, and their answers on record.

use hoap_ch2::answers::stored;
use hoap_ch2::data::DataSet;
use hoap_ch2::queries::catalogue::QUERIES;
use hoap_ch2::queries::{ParameterSet, QuerySet, Texts};
use hoap_ch2::stream::run_query;
use hoap_conduct::queries::CancelOnStop;
use hoap_database::{AnalyticalSession, Database};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

use crate::findings::{Findings, Proof, Step};

/// Asks every query in the naive and the tuned set, with the parameters whose answers are on record.
pub(super) async fn answers(findings: &mut Findings<'_>, target: &Database, data: &DataSet) {
    let analytics = match target.analytics() {
        Ok(analytics) => analytics,
        Err(reason) => {
            let proves = "analytical queries";
            findings.take("queries", proves, async { Ok(reason) }).await;
            return;
        }
    };
    for set in [QuerySet::Tuned, QuerySet::Naive] {
        let stop = findings.caller.stop().clone();
        let asked = async {
            let texts = Texts::embedded(data.spec().schema, analytics.dialect(), set)?;
            let mut session = analytics.session().await?;
            let _watch = CancelOnStop::watch(&stop, &session);
            ask_all(&mut session, &texts, data).await.map(Step::from)
        };
        let name = format!("queries, {} texts", set.name());
        findings
            .take(&name, "22 answers with those on record, for two sets of parameters", asked)
            .await;
    }
}

async fn ask_all(session: &mut AnalyticalSession, texts: &Texts, data: &DataSet) -> Result<Proof> {
    let (mut right, mut wrong) = (0, Vec::new());
    for set in [ParameterSet::Check, ParameterSet::Reference] {
        let Some(record) = stored(data.spec(), set) else { continue };
        for query in &QUERIES {
            let parameters = set.parameters(data.spec(), query);
            let answer = run_query(session, texts, query, &parameters).await;
            match answer.and_then(|answer| record.check(query, &parameters, &answer)) {
                Ok(()) => right += 1,
                Err(e) if e.kind == ErrorKind::Cancelled => return Err(e),
                Err(e) => wrong.push((query.name, e)),
            }
        }
    }
    let Some((_, first)) = wrong.first() else {
        return Ok((right, format!("{} as on record", counted(right, "answer", "answers"))));
    };
    let mut names: Vec<&str> = wrong.iter().map(|(name, _)| *name).collect();
    names.dedup();
    let told = format!(
        "{} of {} failed ({}); {first}",
        wrong.len(),
        wrong.len() as u64 + right,
        names.join(", ")
    );
    Err(Error::new(first.kind, "ask the queries", told))
}
