//! Values as text and as JSON.

use std::collections::HashSet;

use super::json;
use super::place::{At, There};
use super::text;
use crate::file::model::Literal;
use crate::plan::Plan;
use crate::plan::model::{Id, Kind, Make, Member, Node, Object, Piece, To, Way};

impl Plan {
    /// Appends what is at the end of a way as text without quotes. Returns whether it is there.
    pub fn raw_at(&self, way: &Way, at: &At, out: &mut Vec<u8>) -> bool {
        let Some(at) = self.follow(way, at) else { return false };
        match way.to {
            To::Field(id) => return self.raw(id, &at, out),
            To::Key(collection) => self.key(collection, &at, out),
            To::Number => json::unsigned(at.n, out),
            To::Seq => json::unsigned(at.seq, out),
            To::Index(depth) => json::unsigned(at.index[depth].into(), out),
            To::Here => {}
        }
        true
    }

    /// Appends a field as text without quotes. Returns whether it is there.
    pub fn raw(&self, id: Id, at: &At, out: &mut Vec<u8>) -> bool {
        let node = &self.nodes[id];
        if self.there(node, at) != There::Value {
            return false;
        }
        match &node.make {
            Make::Nothing => return false,
            Make::Copy(way) => return self.raw_at(way, at, out),
            Make::Variants(..) | Make::Given(..) => {
                return self.chosen(node, at).is_some_and(|id| self.raw(id, at, out));
            }
            Make::Constant(literal, json) => raw_literal(literal, json, out),
            Make::Values(choice, values) => {
                let (literal, json) = &values[choice.of(self.words(node, at).at(0))];
                raw_literal(literal, json, out);
            }
            _ if self.text(node, at, out) => {}
            _ => self.scalar(node, at, out),
        }
        true
    }

    /// Appends a text, without quotes and as it is. Returns whether the field is one.
    #[inline]
    fn text(&self, node: &Node, at: &At, out: &mut Vec<u8>) -> bool {
        let words = || self.words(node, at);
        match &node.make {
            Make::Pattern(pieces) => {
                // Only random pieces need random words.
                let mut random = words();
                for piece in pieces {
                    match piece {
                        Piece::Random(alphabet, low, high) => {
                            let count = match low == high {
                                true => *low,
                                false => {
                                    low + crate::plan::draw::below(random.next_u64(), high - low)
                                }
                            };
                            match alphabet {
                                crate::file::model::Alphabet::Words => {
                                    text::words(count, &mut random, out)
                                }
                                _ => text::characters(*alphabet, count, &mut random, out),
                            }
                        }
                        Piece::Way(way) => {
                            self.raw_at(way, at, out);
                        }
                        piece => self.numbered(piece, at, out),
                    }
                }
            }
            Make::Words(low, draw) => {
                let mut random = words();
                let count = low + draw.of(random.next_u64());
                text::words(count, &mut random, out);
            }
            Make::Text(alphabet, low, draw) => {
                let mut random = words();
                let count = low + draw.of(random.next_u64());
                text::characters(*alphabet, count, &mut random, out);
            }
            Make::Binary(low, draw) => {
                let mut random = words();
                let count = low + draw.of(random.next_u64());
                text::binary(count, &mut random, out);
            }
            Make::Ref(collection, documents) => {
                let words = words();
                let n = documents.of([words.at(0), words.at(1)]);
                self.key(*collection, &self.place(*collection, n), out);
            }
            Make::Parent(collection) => {
                self.key(*collection, &self.place(*collection, at.parent), out)
            }
            _ => return false,
        }
        true
    }

    /// Appends a number, a date or a truth value as JSON has it, without quotes.
    fn scalar(&self, node: &Node, at: &At, out: &mut Vec<u8>) {
        if let Make::Boolean(share) = node.make {
            let whether = self.words(node, at).at(0) < share;
            out.extend_from_slice(if whether { b"true" } else { b"false" });
            return;
        }
        if node.kind == Kind::Number {
            return json::number(self.real_of(node, at).unwrap_or(0.0), out);
        }
        match (self.exact_of(node, at), node.kind) {
            (None, _) => out.extend_from_slice(b"null"),
            (Some(units), Kind::Decimal(digits)) => json::decimal(units, digits, out),
            (Some(units), Kind::Date(format)) => json::date(units, format, out),
            (Some(value), _) => json::integer(value, out),
        }
    }

    /// Appends a field as JSON. Returns false, with nothing appended, if it is absent.
    pub fn value(&self, id: Id, at: &At, out: &mut Vec<u8>) -> bool {
        let node = &self.nodes[id];
        match self.there(node, at) {
            There::Value => {}
            There::Null => {
                out.extend_from_slice(b"null");
                return true;
            }
            There::Absent => return false,
        }
        match &node.make {
            Make::Nothing => return false,
            Make::Constant(_, json) => out.extend_from_slice(json),
            Make::Values(choice, values) => {
                out.extend_from_slice(&values[choice.of(self.words(node, at).at(0))].1);
            }
            Make::Copy(way) => return self.value_at(way, at, out),
            Make::Variants(..) | Make::Given(..) => {
                return self.chosen(node, at).is_some_and(|id| self.value(id, at, out));
            }
            Make::Object(object) => self.object(object, at, out),
            Make::Array(_, _, element) => {
                let mut here = *at;
                let length = self.length(id, at);
                out.push(b'[');
                for n in 0..length {
                    if n > 0 {
                        out.push(b',');
                    }
                    here.index[node.depth] = n as u32;
                    self.element(*element, &here, out);
                }
                out.push(b']');
            }
            Make::Tuple(elements) => {
                out.push(b'[');
                for (n, element) in elements.iter().enumerate() {
                    if n > 0 {
                        out.push(b',');
                    }
                    self.element(*element, at, out);
                }
                out.push(b']');
            }
            Make::Map(_, _, name, of) => self.map((id, *name, *of), at, out),
            Make::After(..) | Make::Product(_)
                if self.exact_of(node, at).is_none() && node.kind != Kind::Number =>
            {
                return false;
            }
            _ => self.plain(node, at, out),
        }
        true
    }

    /// Appends a value that is no object, array or copy.
    #[inline]
    fn plain(&self, node: &Node, at: &At, out: &mut Vec<u8>) {
        let quoted = match node.kind {
            Kind::Text | Kind::Binary => true,
            Kind::Date(format) => json::is_text(format),
            _ => false,
        };
        if !quoted {
            return self.scalar(node, at, out);
        }
        out.push(b'"');
        let start = out.len();
        if !self.text(node, at, out) {
            self.scalar(node, at, out);
        } else if matches!(node.make, Make::Pattern(_) | Make::Ref(..) | Make::Parent(_)) {
            json::escape(start, out);
        }
        out.push(b'"');
    }

    /// An element, which is null if it is missing: an array has as many as it says.
    fn element(&self, id: Id, at: &At, out: &mut Vec<u8>) {
        if !self.value(id, at, out) {
            out.extend_from_slice(b"null");
        }
    }

    /// Appends what is at the end of a way as JSON. Returns whether it is there.
    pub fn value_at(&self, way: &Way, at: &At, out: &mut Vec<u8>) -> bool {
        let Some(at) = self.follow(way, at) else { return false };
        match way.to {
            To::Field(id) => return self.value(id, &at, out),
            To::Key(collection) => {
                out.push(b'"');
                let start = out.len();
                self.key(collection, &at, out);
                json::escape(start, out);
                out.push(b'"');
            }
            to => return self.raw_at(&Way { steps: Box::default(), to }, &at, out),
        }
        true
    }

    /// Appends a map: of entries whose names are alike, the first one is there.
    fn map(&self, (id, name, of): (Id, Id, Id), at: &At, out: &mut Vec<u8>) {
        let mut here = *at;
        let depth = self.nodes[id].depth;
        let mut names: HashSet<Vec<u8>> = HashSet::new();
        out.push(b'{');
        for n in 0..self.length(id, at) {
            here.index[depth] = n as u32;
            let mut text = Vec::new();
            self.raw(name, &here, &mut text);
            let start = out.len();
            if names.contains(&text) {
                continue;
            }
            if !names.is_empty() {
                out.push(b',');
            }
            json::text(&text, out);
            out.push(b':');
            match self.value(of, &here, out) {
                true => {
                    names.insert(text);
                }
                false => out.truncate(start),
            }
        }
        out.push(b'}');
    }

    /// Appends an object.
    pub fn object(&self, object: &Object, at: &At, out: &mut Vec<u8>) {
        let start = out.len();
        self.members(&object.members, at, out);
        if let Some(sets) = &object.sets {
            self.members(&sets.sets[self.set(object, at)], at, out);
        }
        // The comma before the first field becomes the brace.
        match out.get_mut(start) {
            Some(comma) => *comma = b'{',
            None => out.push(b'{'),
        }
        out.push(b'}');
    }

    #[inline]
    fn members(&self, members: &[Member], at: &At, out: &mut Vec<u8>) {
        for Member { json, id, .. } in members {
            if self.nodes[*id].hidden {
                continue;
            }
            let before = out.len();
            out.extend_from_slice(json);
            if !self.value(*id, at, out) {
                out.truncate(before);
            }
        }
    }

    /// Appends a document as JSON.
    pub fn document(&self, collection: usize, at: &At, out: &mut Vec<u8>) {
        self.object(&self.collections[collection].document, at, out);
    }
}

fn raw_literal(literal: &Literal, json: &[u8], out: &mut Vec<u8>) {
    match literal {
        Literal::Text(text) => out.extend_from_slice(text.as_bytes()),
        // Dates have quotes and nothing to escape.
        _ => out.extend(json.iter().filter(|b| **b != b'"')),
    }
}
