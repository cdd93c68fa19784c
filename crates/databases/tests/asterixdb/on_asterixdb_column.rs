//! Datasets as rows and as columns, in a version that has the choice.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hoap_databases::asterixdb::AsterixDb;
use hoap_workload::capability::Target;
use serde_json::json;

use crate::Guard;
use crate::conformance::{load, wait};

/// Held by the one test that uses the server. This version ended twice while several clients made
/// or dropped definitions at once, so what several clients do at once is not tested here.
static ALONE: Mutex<()> = Mutex::new(());

/// What a test left is removed before the next one begins.
type Alone = (Guard, MutexGuard<'static, ()>);

fn stored_as(format: &str) -> (Box<AsterixDb>, Alone) {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let options = format!("?query_timeout_ms=60000&analyze=on&storage={format}");
    let (target, guard) = crate::fresh("HOAP_TEST_ASTERIXDB_COLUMN", &options);
    (target, (guard, alone))
}

fn fresh() -> (Box<AsterixDb>, Alone) {
    stored_as("column")
}

hoap_testing::lone_document_tests!(fresh);
crate::query_tests!(fresh);

#[test]
fn datasets_have_the_format_that_is_asked_for() {
    for format in ["row", "column"] {
        let (target, _guard) = stored_as(format);
        load(&*target, 2);
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

/// The build of the lab tells no version by itself.
#[test]
fn the_version_is_told() {
    let (target, _guard) = stored_as("row");
    assert_eq!(target.description().version, "0.9.10-SNAPSHOT");
}
