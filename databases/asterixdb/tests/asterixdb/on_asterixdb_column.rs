//! Datasets as rows and as columns, in a version that has the choice.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hoap_database::Database;
use serde_json::json;

use crate::conformance::{COLLECTION, batch, load, wait};
use crate::{Guard, open};

/// Held by the one test that uses the server. This version ended twice while several clients made
/// or dropped definitions at once, so what several clients do at once is not tested here.
static ALONE: Mutex<()> = Mutex::new(());

/// What a test left is removed before the next one begins.
type Alone = (Guard, MutexGuard<'static, ()>);

fn stored_as(format: &str) -> (Database, Alone) {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let options = format!("?query_timeout_ms=60000&analyze=on&storage={format}");
    let (target, guard) = crate::fresh("HOAP_TEST_ASTERIXDB_COLUMN", &options);
    (target, (guard, alone))
}

fn fresh() -> (Database, Alone) {
    stored_as("column")
}

hoap_suites::lone_document_tests!(fresh);
crate::query_tests!(fresh);

#[test]
fn datasets_have_the_format_that_is_asked_for() {
    for format in ["row", "column"] {
        let (target, _guard) = stored_as(format);
        load(&target, 2);
        let description = target.description();
        assert_eq!(description.settings["storage"], format);
        let dataverse = description.url.rsplit('/').next().unwrap().split('?').next().unwrap();
        let text = "SELECT d.DatasetFormat.Format AS f FROM Metadata.`Dataset` AS d \
                    WHERE d.DataverseName = $d AND d.DatasetName = 'orders'";
        let asked = async {
            let mut session = target.analytics()?.session().await?;
            session.query(text, &[("d".into(), json!(dataverse))]).await
        };
        let answer = wait(asked).unwrap();
        assert_eq!(answer.rows, [[json!(format.to_uppercase())]]);
    }
}

/// ANALYZE flushes a dataset; before it the function knows a few kilobytes only.
#[test]
fn the_stored_size_is_told_where_a_load_ends_in_files() {
    let text = batch(1, 1..=2000).bytes() as u64;
    for format in ["row", "column"] {
        let (target, _guard) = stored_as(format);
        load(&target, 2000);
        let stored = wait(target.documents().unwrap().stored(&[COLLECTION])).unwrap().unwrap();
        assert_eq!(stored.collections.len(), 1);
        assert_eq!(stored.collections[0].bytes, stored.bytes);
        assert!(stored.bytes > text / 10, "{format}: {stored:?} of {text} bytes");
        let url = target.description().url;
        let without = open(url.split('?').next().unwrap());
        let told = wait(without.documents().unwrap().stored(&[COLLECTION])).unwrap().unwrap_err();
        assert!(told.to_string().contains("analyze=on"), "{told}");
    }
}

/// The build of the lab tells no version by itself.
#[test]
fn the_version_is_told() {
    let (target, _guard) = stored_as("row");
    assert_eq!(target.description().version, "0.9.10-SNAPSHOT");
}
