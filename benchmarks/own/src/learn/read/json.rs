//! JSON: documents one after the other, on a line each or not, or in one array.

use std::fmt;
use std::io::BufRead;

use hoap_workload::Result;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::source::{Each, Source};

/// Reads all documents. Returns whether the last one is cut off: it is left out.
pub fn read(source: &Source<'_>, mut from: impl BufRead, each: Each<'_>) -> Result<bool> {
    let (first, before) = first(source, &mut from)?;
    let (mut count, mut refused) = (0u64, None);
    let mut take = |document: Value| match each(document) {
        Ok(()) => {
            count += 1;
            true
        }
        Err(e) => {
            refused = Some(e);
            false
        }
    };
    let mut read = serde_json::Deserializer::from_reader(from);
    let end = match first {
        Some(b'[') => read.deserialize_seq(All(&mut take)).and_then(|()| read.end()),
        _ => loop {
            // Between documents there is white space only, and at the end nothing.
            if read.end().is_ok() {
                break Ok(());
            }
            match Document.deserialize(&mut read) {
                Ok(document) => {
                    if !take(document) {
                        break Ok(());
                    }
                }
                Err(e) => break Err(e),
            }
        },
    };
    if let Some(refused) = refused {
        return Err(refused);
    }
    match end {
        Ok(()) => Ok(false),
        Err(e) if e.is_eof() && count > 0 => Ok(true),
        Err(e) if e.is_io() => Err(source.unread(&e)),
        Err(e) => {
            let text = e.to_string();
            let why = text.split(" at line ").next().unwrap_or(&text);
            // A number ends where its line has ended.
            let line = e.line() - usize::from(e.column() == 0 && e.line() > 1);
            Err(source.wrong(before + line, why))
        }
    }
}

/// The first byte that is no white space, and how many lines are before it.
fn first(source: &Source<'_>, from: &mut impl BufRead) -> Result<(Option<u8>, usize)> {
    let mut lines = 0;
    loop {
        let bytes = from.fill_buf().map_err(|e| source.unread(&e))?;
        if bytes.is_empty() {
            return Ok((None, lines));
        }
        let space = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
        lines += bytes[..space].iter().filter(|b| **b == b'\n').count();
        let first = bytes.get(space).copied();
        from.consume(space);
        if first.is_some() {
            return Ok((first, lines));
        }
    }
}

/// A document, which is an object.
struct Document;

impl<'de> DeserializeSeed<'de> for Document {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> std::result::Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document, which is an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> std::result::Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = from.next_entry::<String, Value>()? {
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

/// An array of documents, each of which goes to a function, which says whether to go on.
struct All<'a>(&'a mut dyn FnMut(Value) -> bool);

impl<'de> Visitor<'de> for All<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of documents")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> std::result::Result<(), A::Error> {
        while let Some(document) = from.next_element_seed(Document)? {
            if !(self.0)(document) {
                return Err(de::Error::custom("refused"));
            }
        }
        Ok(())
    }
}
