//! CH2 and CH2++ on the script: the effects of the five transactions, and the checks, which hold
//! after runs of many clients. The script isolates transactions no better than Couchbase does, so
//! that what holds here is what the module adds.

use std::any::Any;

use hoap_testing::couchbase::Service;

fn fresh() -> (String, Box<dyn Any + Send + Sync>) {
    let service = Service::start();
    (crate::cluster::patient(&service.url()), Box::new(service))
}

hoap_suites::ch2_tests!(super::fresh: checks, transactions);

/// The transactions that search, on the indexes of the CH2++ paper's data definition 1.2.
mod paper {
    use super::*;

    fn fresh() -> (String, Box<dyn Any + Send + Sync>) {
        let (url, service) = super::fresh();
        (crate::cluster::with(&url, "indexes=paper"), service)
    }

    hoap_suites::ch2_tests!(@ transactions fresh:
        by_name_means_the_middle_customer,
        order_status_reads_the_last_order,
        delivery_takes_the_oldest_order_of_the_district,
    );
}
