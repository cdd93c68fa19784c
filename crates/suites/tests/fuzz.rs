//! A short round of every target of public parsers, the same whenever it runs.

use std::collections::BTreeSet;

use hoap_data::random::Stream;
use hoap_suites::parsers::{files, texts};
use hoap_testing::fuzz::{mutated, round};

/// A test of each target, with the corpus of its name.
macro_rules! rounds {
    ($($name:ident: $target:path,)*) => {
        $(
            #[test]
            fn $name() {
                round(stringify!($name), $target);
            }
        )*
    };
}

rounds! {
    bounds: texts::bounds,
    histogram: files::histogram,
    hlog: files::hlog,
    ledgers: texts::ledgers,
    manifest: files::manifest,
    prices: texts::prices,
    properties: texts::properties,
    rows: files::rows,
    run_folder: files::run_folder,
    run_json: files::run_json,
    times: texts::times,
    workload: texts::workload,
}

#[test]
fn mutations_differ_and_are_always_the_same() {
    let seeds = vec![b"a=1\nb=22\n".to_vec(), Vec::new()];
    let some = || {
        let mut stream = Stream::new(1, &[]);
        (0..1000).map(|_| mutated(&seeds, &mut stream)).collect::<Vec<_>>()
    };
    let (mutations, again) = (some(), some());
    assert_eq!(mutations, again);
    let different: BTreeSet<_> = mutations.iter().collect();
    assert!(different.len() > 500, "{}", different.len());
    assert!(mutations.iter().any(|m| m.windows(4).any(|w| w == b"1e99")));
}
