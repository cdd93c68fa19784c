//! Whether the indexes that a benchmark needs are there.

use hoap_database::Documents;
use hoap_record::check::{Check, Verdict};

use super::source::LoadSource;
use crate::Result;

/// The indexes that a load of this data makes in this database, and those of them that are not
/// there; or why that is not known.
pub(crate) async fn missing(
    documents: Documents<'_>,
    source: &dyn LoadSource,
) -> Result<std::result::Result<(u64, Vec<String>), String>> {
    let needed = source.indexes();
    if needed.is_empty() {
        return Ok(Ok((0, Vec::new())));
    }
    let has = match documents.has(&needed).await? {
        Ok(has) => has,
        Err(lacks) => return Ok(Err(lacks.to_string())),
    };
    let made = has.iter().flatten().count() as u64;
    let lacking = needed.iter().zip(has).filter(|(_, has)| *has == Some(false));
    Ok(Ok((made, lacking.map(|(index, _)| index.name.clone()).collect())))
}

/// The check that all indexes are there. Skipped where the database does not say, or a load makes
/// none in it.
///
/// # Errors
/// Returns those of the database.
pub async fn check(documents: Documents<'_>, source: &dyn LoadSource, when: &str) -> Result<Check> {
    let (verdict, checked, detail) = match missing(documents, source).await? {
        Err(why) => (Verdict::Skip, 0, Some(why)),
        Ok((0, _)) => (Verdict::Skip, 0, Some("a load makes none in this database".into())),
        Ok((made, lacking)) if lacking.is_empty() => (Verdict::Pass, made, None),
        Ok((made, lacking)) => {
            let (names, benchmark) = (lacking.join(", "), source.benchmark());
            let detail = format!(
                "missing, or not as a load makes them: {names}; `hoap load {benchmark} …` with the \
                 flags of the load and --resume makes what is missing"
            );
            (Verdict::Fail, made, Some(detail))
        }
    };
    Ok(Check {
        when: when.into(),
        name: "indexes".into(),
        compares: "the indexes that the benchmark needs with those that are there".into(),
        verdict,
        checked,
        detail,
    })
}
