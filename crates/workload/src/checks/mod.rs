//! The checks of a benchmark's documents, before and after a run.
//!
//! A benchmark says what each document must be ([`Checked`]); [`all`] makes of it the checks of
//! every [`Level`]: how many documents there are, what the run wrote, and a sample of the rest.
//!
//! * [`expected`]: what a document must be, and how it differs; [`by_key`]: documents are read by
//!   key and compared; [`reader`]: how they are read; [`sample`]: which are drawn.
//! * [`finding`]: the result of one check; [`watch`]: what checks read, and when they stop; [`keys`]:
//!   whether those of a scan are those of a load.

pub mod by_key;
pub mod expected;
pub mod finding;
pub mod keys;
pub mod level;
pub mod reader;
pub mod sample;
pub mod watch;

use hoap_data::random::Stream;
use hoap_database::{Database, Documents};
use hoap_record::check::Check;

pub use by_key::{ByKey, Checked, by_key, compare};
pub use expected::{Document, Expected, Found, Wanted};
pub use finding::{Finding, by_the_database, skipped};
pub use keys::Keys;
pub use level::Level;
pub use reader::{Reader, Reading, Records, scan};
pub use watch::{Reads, Watch};

use crate::load::indexes;
use crate::{Error, ErrorKind, Result};

/// The number of documents of each collection in a sample: of wrong ones among a hundred it finds
/// one with 95 %, and two such samples of YCSB's records are less than a megabyte.
pub const SAMPLE: u64 = 300;

/// Where and how much is checked.
pub struct At<'a> {
    /// The database of the documents.
    pub target: &'a Database,
    /// How much of them.
    pub level: Level,
    /// "before the run", "after the run".
    pub when: &'a str,
    /// Who watches.
    pub watch: &'a Watch<'a>,
}

/// The checks of a level, of documents that are read by key as their database reads them.
///
/// # Errors
/// Those of [`all`].
pub async fn of_documents<C: Checked>(at: &At<'_>, checked: &C) -> Result<Vec<Check>> {
    let source = checked.source();
    let parts = (0..source.collections().len()).map(|at| source.part(at, 1, 1));
    let most = parts.map(|part| part.end - part.start).max().unwrap_or(0);
    let reader = Reading::of(at.target, most, at.watch).await?;
    all(at, checked, reader).await
}

/// The checks of a level. `reader` is why no document can be read by key, if none can.
///
/// # Errors
/// Returns [`Cancelled`](crate::ErrorKind::Cancelled) soon after the watch says so, and the errors
/// of the database.
pub async fn all<C: Checked, R: ByKey>(
    at: &At<'_>,
    checked: &C,
    reader: std::result::Result<R, String>,
) -> Result<Vec<Check>> {
    let At { target, level, when, .. } = *at;
    let mut checks = Vec::new();
    if level == Level::Off {
        return Ok(checks);
    }
    let documents = target.documents()?;
    let (source, written) = (checked.source(), checked.written());
    if !source.indexes().is_empty() {
        checks.push(indexes::check(documents, source, when).await?);
    }
    match counts(at, documents, &source.collections()).await? {
        Ok(counted) => {
            let (counts, keys): (Vec<u64>, Vec<Option<Keys>>) = counted.into_iter().unzip();
            let mut conditions = checked.conditions(&counts, when);
            for (at, keys) in keys.into_iter().enumerate().filter(|(at, _)| !checked.moved(*at)) {
                let loaded = source.part(at, 1, 1);
                let others = keys.filter(|_| counts[at] == loaded.end - loaded.start);
                let key = |index| checked.place(checked.loaded(at, index)).1;
                if others.is_some_and(|keys| !keys.are(loaded.map(key)))
                    && let Some(check) = conditions.first_mut()
                {
                    finding::fail(check, keys::others(source.collections()[at]));
                }
            }
            match level {
                Level::Database => checks.extend(conditions.into_iter().map(by_the_database)),
                _ => checks.extend(conditions),
            }
        }
        Err(why) => checks.push(skipped(when, checked.counted(), why)),
    }
    let mut reader = match reader {
        Ok(reader) => reader,
        Err(why) => {
            checks.push(skipped(when, "nothing changed", why));
            return Ok(checks);
        }
    };
    if let Some(written) = written.filter(|_| level.by_key()) {
        let mut finding = Finding::default();
        by_key(checked, &mut reader, &written, &mut finding).await?;
        let failed = finding.failed();
        let mut check = finding.check(when, "nothing lost: writes", &checked.compares());
        if let Some(detail) = check.detail.as_mut() {
            detail.extend(checked.explained(failed));
        }
        checks.push(check);
    }
    let drawn = checked.drawn(SAMPLE, &mut Stream::new(sample::unforeseen(), &[]));
    let mut finding = Finding::default();
    by_key(checked, &mut reader, &drawn, &mut finding).await?;
    checks.push(finding.check(
        when,
        "nothing changed",
        &format!(
            "a sample of {SAMPLE} of each collection, with the load and what was acknowledged"
        ),
    ));
    checks.extend(level.left_out(when));
    Ok(checks)
}

/// How many documents a collection has, and their keys where they were scanned.
pub type Counted = (u64, Option<Keys>);

/// How many documents these collections have: by a scan of them, as a server knows that keeps
/// count, or by its query; or why that is not known.
///
/// # Errors
/// Those of [`all`].
pub async fn counts(
    at: &At<'_>,
    documents: Documents<'_>,
    collections: &[&str],
) -> Result<std::result::Result<Vec<Counted>, String>> {
    let mut counts = Vec::with_capacity(collections.len());
    for &name in collections {
        if at.level == Level::Full {
            let (mut count, mut keys) = (0, Keys::default());
            let each = |key: &str, _| {
                count += 1;
                keys.add(key);
                Ok(())
            };
            scan((documents, at.watch), name, &[], each).await?;
            counts.push((count, Some(keys)));
            continue;
        }
        let count = match documents.count(name).await? {
            Ok(count) => count,
            Err(_) if at.level == Level::Database => by_query(at.target, name).await?,
            Err(lacks) => return Ok(Err(format!("--check {}: {lacks}", at.level))),
        };
        counts.push((count, None));
    }
    Ok(Ok(counts))
}

/// The dialects that have the query of [`by_query`].
const COUNTING: [&str; 2] = ["sqlite", "postgres"];

/// Refuses a database that does not count documents by a query ([`Level::Database`]).
///
/// # Errors
/// Returns [`ErrorKind::Invalid`].
pub fn expect_counting(target: &Database) -> Result<()> {
    let advice = "--check full counts here";
    let analytics = target.analytics().map_err(|no| Error::from(no).advise(advice))?;
    let dialect = analytics.dialect();
    if COUNTING.contains(&dialect) {
        return Ok(());
    }
    let answer = format!("there is no query for {dialect}, only for {}", COUNTING.join(", "));
    Err(Error::new(ErrorKind::Invalid, "have the database count", answer).advise(advice))
}

async fn by_query(target: &Database, collection: &str) -> Result<u64> {
    expect_counting(target)?;
    let text = format!("SELECT count(*) AS documents FROM \"{collection}\"");
    let answer = target.analytics()?.session().await?.query(&text, &[]).await?;
    let count = answer.rows.first().and_then(|row| row.first()?.as_u64());
    count.ok_or_else(|| {
        let tried = format!("have the database count {collection}");
        Error::new(ErrorKind::Broken, tried, format!("{:?}", answer.rows))
    })
}
