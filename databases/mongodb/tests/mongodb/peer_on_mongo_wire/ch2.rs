//! CH2 and CH2++: the effects of the five transactions, through sessions and commits.

use std::any::Any;

use super::tests::fresh_url;

fn fresh() -> (String, Box<dyn Any + Send + Sync>) {
    let (url, kept) = fresh_url();
    (url, Box::new(kept))
}

hoap_suites::ch2_tests!(super::fresh: transactions);
