//! Identifiers in the text of a statement.

use hoap_record::{Error, ErrorKind, Result};

/// An identifier between backticks, appended to `out`.
///
/// How a backtick within is written differs among the services (AsterixDB takes a backslash before
/// it, Couchbase a second one), so that a name with one is refused, as are backslashes and control
/// characters.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where the name is empty, longer than 256 bytes or holds what
/// cannot be quoted.
pub fn quote(name: &str, out: &mut String) -> Result<()> {
    let bad = |c: char| c == '`' || c == '\\' || c.is_control();
    if name.is_empty() || name.len() > 256 || name.contains(bad) {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("quote the name `{}`", name.escape_debug()),
            "a name has 1 to 256 bytes and no backtick, backslash or control character",
        ));
    }
    out.push('`');
    out.push_str(name);
    out.push('`');
    Ok(())
}
