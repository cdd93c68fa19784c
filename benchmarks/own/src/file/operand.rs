//! What steps name: literals and references.

use super::field::literal;
use super::keys::{Read, Value};
use super::model::{Literal, Name};
use super::name;

/// A literal or a reference.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// As it stands.
    Literal(Literal, usize),
    /// What it refers to.
    Reference(Reference),
}

/// A text with `$` before: what it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Where it stands.
    pub at: usize,
    /// Whether its value is taken with the other sign.
    pub negative: bool,
    /// The draw, the answer, `now` or `new`.
    pub name: String,
    /// The path of a field; `None` is the key.
    pub path: Option<Name>,
    /// Which elements of an array are meant.
    pub pick: Pick,
}

/// Which elements are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The value itself.
    Itself,
    /// `[]`: a random element.
    One,
    /// `[*]`: all of them.
    All,
}

/// Reads a literal or a reference.
pub fn operand(value: Value<'_>) -> Read<Operand> {
    let text = value.as_text().unwrap_or("");
    if let Some(rest) = text.strip_prefix("$$") {
        return Ok(Operand::Literal(Literal::Text(format!("${rest}")), value.at));
    }
    match text.starts_with('$') || text.starts_with("-$") {
        true => reference(value).map(Operand::Reference),
        false => Ok(Operand::Literal(literal(value)?, value.at)),
    }
}

/// Reads a reference.
pub fn reference(value: Value<'_>) -> Read<Reference> {
    let text = value.text()?;
    let no =
        || value.wrong(format!("{text:?} is no reference, such as \"$c\" or \"$c.address.city\""));
    let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let rest = rest.strip_prefix('$').ok_or_else(no)?;
    let (rest, pick) = match (rest.strip_suffix("[]"), rest.strip_suffix("[*]")) {
        (Some(rest), _) => (rest, Pick::One),
        (_, Some(rest)) => (rest, Pick::All),
        _ => (rest, Pick::Itself),
    };
    let (of, path) = rest.split_once('.').map_or((rest, None), |(of, path)| (of, Some(path)));
    if !name::is_plain(of) || path.is_some_and(|path| name::path(path).is_none()) {
        return Err(no());
    }
    let path = path.map(|path| Name { text: path.to_owned(), at: value.at });
    Ok(Reference { at: value.at, negative, name: of.to_owned(), path, pick })
}
