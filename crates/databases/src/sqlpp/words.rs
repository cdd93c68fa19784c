//! The text of an error of HTTP.

/// An error and its causes, in one line, without the URL.
pub(super) fn words(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(e) = cause {
        let more = e.to_string();
        if !words.contains(&more) {
            words.push_str(": ");
            words.push_str(&more);
        }
        cause = e.source();
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
