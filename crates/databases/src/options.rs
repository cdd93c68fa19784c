//! The options of a URL, `?name=value&…`, for every database alike.

use hoap_workload::{Error, ErrorKind, Result};

use crate::OptionHelp;
use crate::url::redact;

/// Calls `set` with the name and the value of each option; what it returns is why it refuses.
///
/// # Errors
/// [`ErrorKind::Invalid`], which repeats the URL without its secrets.
pub(crate) fn set_each(
    url: &str,
    query: Option<&str>,
    mut set: impl FnMut(&str, &str) -> std::result::Result<(), String>,
) -> Result<()> {
    let invalid =
        |answer: String| Error::new(ErrorKind::Invalid, format!("open {}", redact(url)), answer);
    for pair in query.into_iter().flat_map(|q| q.split('&')) {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(invalid(format!("option `{pair}` has no value"))
                .advise("options are name=value, joined by &"));
        };
        set(name, value).map_err(|why| invalid(format!("option `{name}`: {why}")))?;
    }
    Ok(())
}

/// Why a name that is none of `options` is refused.
pub(crate) fn unknown(options: &[OptionHelp]) -> String {
    let all: Vec<_> = options.iter().map(|o| o.name).collect();
    format!("no such option; the options are {}", all.join(", "))
}

/// A whole number within bounds.
pub(crate) fn number(value: &str, least: u32, most: u32) -> std::result::Result<u32, String> {
    match value.parse() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ => Err(format!("`{value}` is not a whole number from {least} to {most}")),
    }
}
