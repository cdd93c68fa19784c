//! Patterns: `{upper:3}-{n:6}`.

use super::keys::{Read, Value};
use super::model::{Alphabet, Name, Pattern, Piece};
use super::range::Range;
use super::wrong::{Wrong, instead};

/// The most characters of a piece.
const MOST: i64 = 100_000;

/// The random pieces, by their words.
const RANDOM: [(&str, Alphabet); 6] = [
    ("upper", Alphabet::Upper),
    ("lower", Alphabet::Lower),
    ("digits", Alphabet::Digits),
    ("hex", Alphabet::Hex),
    ("alnum", Alphabet::Alnum),
    ("words", Alphabet::Words),
];

/// The pieces that a document's number decides.
const NUMBERED: [&str; 6] = ["n", "seq", "parent", "hash", "uuid", "objectid"];

/// Reads a pattern.
pub fn read(value: Value<'_>) -> Read<Pattern> {
    parse(value.text()?, value.at)
}

/// The pattern of a text that stands at this byte.
pub fn parse(text: &str, at: usize) -> Read<Pattern> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        literal.push_str(&rest[..open]);
        rest = &rest[open + 1..];
        if let Some(behind) = rest.strip_prefix('{') {
            literal.push('{');
            rest = behind;
            continue;
        }
        let Some(close) = rest.find('}') else {
            return Err(Wrong::new(
                at,
                format!("{text:?} has a {{ without its }}; {{{{ is a brace"),
            ));
        };
        if !literal.is_empty() {
            pieces.push(Piece::Literal(std::mem::take(&mut literal)));
        }
        pieces.push(piece(&rest[..close], at)?);
        rest = &rest[close + 1..];
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    Ok(Pattern { at, pieces })
}

fn piece(text: &str, at: usize) -> Read<Piece> {
    let wrong = |message: String| Wrong::new(at, message);
    let (word, width) = match text.split_once(':') {
        Some((word, width)) => (word, Some(width)),
        None => (text, None),
    };
    if let Some((_, alphabet)) = RANDOM.iter().find(|(known, _)| *known == word) {
        let Some(count) = width.and_then(count) else {
            return Err(wrong(format!(
                "{{{text}}} says how many: {{{word}:3}} or {{{word}:3..8}}"
            )));
        };
        return Ok(Piece::Random(*alphabet, count));
    }
    let zeros = match width {
        None => 0,
        Some(width) => match width.parse::<usize>() {
            Ok(zeros @ 1..=20) if ["n", "seq"].contains(&word) => zeros,
            _ => {
                let names = RANDOM.iter().map(|(name, _)| *name).chain(NUMBERED);
                let names = instead(word, names);
                return Err(wrong(format!("{{{text}}} is no piece of a pattern{names}")));
            }
        },
    };
    Ok(match word {
        "n" => Piece::Number(zeros),
        "seq" => Piece::Seq(zeros),
        "parent" => Piece::Parent,
        "hash" => Piece::Hash,
        "uuid" => Piece::Uuid,
        "objectid" => Piece::ObjectId,
        "" => return Err(wrong("{} names a field or a piece".into())),
        name => Piece::Field(Name { text: name.to_owned(), at }),
    })
}

fn count(text: &str) -> Option<Range> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let (low, high) = (low.parse().ok()?, high.parse().ok()?);
    (0 <= low && low <= high && high <= MOST).then_some(Range { low, high })
}
