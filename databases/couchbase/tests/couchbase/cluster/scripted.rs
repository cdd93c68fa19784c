//! The suite against the script.

use hoap_database::Database;

use crate::cluster::service::Service;
use crate::cluster::{Guard, open, patient, scope, with};

fn fresh() -> (Database, (Guard, Service)) {
    let service = Service::start();
    let target = open(&with(&patient(&service.url()), &format!("scope={}", scope())));
    (target.clone(), (Guard(target), service))
}

crate::every_promise!({} fresh);
// The script runs a statement in one step, so that readers of several documents see no half of a
// transaction. A cluster does not promise that.
hoap_suites::conformance_tests!(fresh: no_update_is_lost);
