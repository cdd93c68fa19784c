//! What a search for the highest rate found, in words.

use hoap_record::search::Search;

use crate::format::number::{Unit, duration};

/// What a search for the highest rate found: "The highest rate that holds p99 ≤ 10.0 ms is
/// between 4,757 and 5,657 operations a second; …", or why it found none.
pub fn search_line(search: &Search) -> String {
    let rate = |rate: f64| Unit::Rate("/s").show(rate);
    let bounds = search_bounds(search);
    let broke = || search.broken.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    // In the folder of one of them, whose steps are its own share.
    let of = search.drivers.map(|of| format!(" of {of} drivers together")).unwrap_or_default();
    let mut parts = vec![match (search.rate, search.below) {
        (Some(held), Some(below)) => format!(
            "The highest rate that holds {bounds} is between {} and {} operations a second{of}",
            rate(held),
            rate(below)
        ),
        (Some(held), None) => {
            let held = rate(held);
            format!("{held} operations a second{of} hold {bounds}; none is known that does not")
        }
        (None, Some(below)) => format!(
            "No rate was found that holds {bounds}; {} operations a second{of} do not{}",
            rate(below),
            broke()
        ),
        (None, None) => format!("No rate was found that holds {bounds}"),
    }];
    if let (Some(first), Some(last)) = (search.undecided.first(), search.undecided.last()) {
        let (few, many) = (rate(first.rate), rate(last.rate));
        let at = if few == many { few } else { format!("{few} to {many}") };
        parts.push(format!("undecided at {at}/s: {}", last.why));
    }
    parts.extend(search.unfinished.clone());
    parts.join("; ")
}

/// "p99 ≤ 10 ms, max ≤ 1 s".
pub fn search_bounds(search: &Search) -> String {
    let slas = search.bounds.slas.iter();
    let bounds: Vec<String> = slas
        .map(|s| format!("{} ≤ {}", s.percentile.name(), duration(s.limit_us as f64 / 1e6)))
        .collect();
    bounds.join(", ")
}
