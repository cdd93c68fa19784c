//! A short round of every target of public parsers, the same whenever it runs.

use hoap_testing::fuzz::{files, round, texts};

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
}
