//! The checks of a benchmark's documents, before and after a run.
//!
//! A benchmark says what each document must be ([`Checked`]); [`all`] makes of it the checks of
//! every [`Level`]: how many documents there are, what the run wrote, and a sample of the rest.
//!
//! * [`expected`]: what a document must be, and how it differs; [`by_key`]: documents are read by
//!   key and compared; [`reader`]: how they are read; [`sample`]: which are drawn.
//! * [`finding`]: the result of one check; [`watch`]: what checks read, and when they stop.

pub mod by_key;
pub mod expected;
pub mod finding;
pub mod level;
pub mod reader;
pub mod sample;
pub mod watch;

use hoap_data::random::Stream;
use hoap_database::{Documents, Row};
use hoap_record::check::Check;

pub use by_key::{ByKey, Checked, by_key};
pub use expected::{Document, Expected, Found, Wanted};
pub use finding::{Finding, skipped};
pub use level::Level;
pub use reader::{Reader, Reading, Records};
pub use watch::{Reads, Watch};

use crate::Result;
use crate::load::indexes;

/// The number of documents of each collection in a sample: of wrong ones among a hundred it finds
/// one with 95 %, and two such samples of YCSB's records are less than a megabyte.
pub const SAMPLE: u64 = 300;

/// Where and how much is checked.
pub struct At<'a> {
    /// The documents.
    pub documents: Documents<'a>,
    /// How much of them.
    pub level: Level,
    /// "before the run", "after the run".
    pub when: &'a str,
    /// Who watches.
    pub watch: &'a Watch<'a>,
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
    let At { documents, level, when, .. } = *at;
    let mut checks = Vec::new();
    if level == Level::Off {
        return Ok(checks);
    }
    let (source, written) = (checked.source(), checked.written());
    if !source.indexes().is_empty() {
        checks.push(indexes::check(documents, source, when).await?);
    }
    match counts(at, &source.collections()).await? {
        Ok(counts) => checks.extend(checked.conditions(&counts, when)),
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

/// How many documents these collections have: by a scan of them, or as a server knows that keeps
/// count; or why that is not known.
async fn counts(
    at: &At<'_>,
    collections: &[&str],
) -> Result<std::result::Result<Vec<u64>, String>> {
    let mut counts = Vec::with_capacity(collections.len());
    for &name in collections {
        if at.level == Level::Full {
            counts.push(scanned(at, name).await?);
            continue;
        }
        match at.documents.count(name).await? {
            Ok(count) => counts.push(count),
            Err(lacks) => return Ok(Err(format!("--check {}: {lacks}", at.level))),
        }
    }
    Ok(Ok(counts))
}

async fn scanned(at: &At<'_>, name: &str) -> Result<u64> {
    let mut count = 0;
    let mut each = |key: &str, row: Row| {
        count += 1;
        at.watch.saw(key, &row);
        at.watch.go_on(name)
    };
    at.documents.scan(name, &[], &mut each).await?;
    Ok(count)
}
