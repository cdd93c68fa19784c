//! What steps name is looked up: references, values, tests.

use hoap_database::DIGITS;

use super::action::{Each, Is, Part, Slot, Source, Test};
use super::kinds::Type;
use super::model::{Id, Kind, Step as Along, To, Way};
use super::names::{Names, Use};
use crate::file::model::{DateFormat, Literal, Make, Name};
use crate::file::name::{self, Step};
use crate::file::operand::{Operand, Pick, Reference};
use crate::file::step::Test as Said;
use crate::file::wrong::Wrong;
use crate::generate::json;

/// What a name of an operation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// A document that was drawn.
    Drawn(usize),
    /// An element of an array of one.
    Element(Id),
    /// A document that was answered; of several, the first.
    Answer(usize),
}

/// The names of an operation, with their slots and what they stand for.
#[derive(Default)]
pub struct Scope {
    /// The names, the latest last.
    pub names: Vec<(String, Slot, Known)>,
    /// The slots, those without a name too.
    pub slots: usize,
}

impl Scope {
    /// A slot without a name.
    pub fn slot(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    /// The slot of a new name.
    pub fn add(&mut self, name: &Name, known: Known) -> Slot {
        let slot = self.slot();
        self.names.push((name.text.clone(), slot, known));
        slot
    }
}

/// What names are looked up with.
pub struct References<'a, 'f> {
    /// The fields by their names.
    pub names: &'a Names<'f>,
    /// What they are.
    pub types: &'a [Type],
}

/// The path as databases have it: what is not letters, digits and `_` stands in quotes.
fn quoted(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Position(n) => text.push_str(&format!("[{n}]")),
            Step::Field(name) => {
                let dot = if text.is_empty() { "" } else { "." };
                let quote = if name::is_plain(name) { "" } else { "'" };
                text.push_str(&format!("{dot}{quote}{name}{quote}"));
            }
        }
    }
    text
}

impl References<'_, '_> {
    /// A field of a collection's documents: its path as databases have it, and what it is.
    pub fn field(&self, collection: usize, name: &Name) -> Result<(String, Kind), Wrong> {
        let root = (self.names.roots[collection], collection, 0);
        let way = self.names.way(root, name, Use::One)?;
        let To::Field(id) = way.to else {
            return Err(Wrong::new(name.at, format!("{} is no field of a document", name.text)));
        };
        let declared = &self.names.declared[id];
        if !way.steps.is_empty() || declared.field.hidden || declared.collection != collection {
            let of = &self.names.file.collections[collection].name.text;
            return Err(Wrong::new(name.at, format!("documents of {of} have no {}", name.text)));
        }
        Ok((quoted(&name::path(&name.text).unwrap_or_default()), self.types[id].kind))
    }

    /// What a reference leads to, and what that is.
    pub fn reference(
        &self,
        reference: &Reference,
        scope: &Scope,
    ) -> Result<(Slot, Part, Kind, Known), Wrong> {
        let Reference { at, name, path, pick, .. } = reference;
        let found = scope.names.iter().rev().find(|(known, ..)| known == name);
        let Some((_, slot, known)) = found else {
            return Err(Wrong::new(
                *at,
                format!("${name} is no draw and no answer (`as`) of an earlier step"),
            ));
        };
        let from = match known {
            Known::Drawn(collection) | Known::Answer(collection) => {
                (self.names.roots[*collection], *collection, 0)
            }
            Known::Element(id) => {
                let element = &self.names.declared[*id];
                (element.own.unwrap_or(element.scope), element.collection, element.depth)
            }
        };
        let way = match (path, known) {
            (None, Known::Element(id)) => Way { steps: Box::default(), to: To::Field(*id) },
            (None, _) => Way { steps: Box::default(), to: To::Key(from.1) },
            (Some(path), _) => self.names.way(from, path, Use::One)?,
        };
        let kind = match way.to {
            To::Field(id) => self.types[id].kind,
            To::Key(_) => Kind::Text,
            _ => Kind::Integer,
        };
        if *pick != Pick::Itself && kind != Kind::Array {
            let text = path.as_ref().map_or(name, |path| &path.text);
            return Err(Wrong::new(*at, format!("{text} is no array, so it has no elements")));
        }
        let part = match (path, known) {
            (None, Known::Drawn(_) | Known::Answer(_)) => Part::Key,
            (Some(path), Known::Answer(collection)) => Part::Path(self.field(*collection, path)?.0),
            _ => Part::Way(way),
        };
        Ok((*slot, part, kind, *known))
    }

    /// A value, and what it is. `of` is the field that it is for, with its collection.
    pub fn source(
        &self,
        operand: &Operand,
        (of, set): (Option<(usize, &Name)>, bool),
        scope: &Scope,
    ) -> Result<(Source, Kind), Wrong> {
        let reference = match operand {
            Operand::Literal(literal, _) => {
                let value = serde_json::from_slice(&json::literal(literal)).unwrap_or_default();
                return Ok((Source::Literal(value), super::kinds::of_literal(literal).kind));
            }
            Operand::Reference(reference) => reference,
        };
        let kind = of.map(|(collection, name)| self.field(collection, name)).transpose()?;
        match (reference.name.as_str(), of) {
            ("now", _) => {
                let format = match kind {
                    Some((_, Kind::Date(format))) => format,
                    _ => DateFormat::Iso,
                };
                Ok((Source::Now(format), Kind::Date(format)))
            }
            ("new", Some((collection, name))) if set => {
                let root = (self.names.roots[collection], collection, 0);
                match self.names.way(root, name, Use::One)?.to {
                    To::Field(id) => Ok((Source::New(collection, id), self.types[id].kind)),
                    _ => Err(Wrong::new(reference.at, "$new is of a field")),
                }
            }
            ("new", _) => Err(Wrong::new(
                reference.at,
                "$new is the field's generator anew: it belongs to `set`",
            )),
            _ => {
                let (slot, part, kind, _) = self.reference(reference, scope)?;
                let Reference { pick, negative, .. } = *reference;
                Ok((Source::Slot { slot, part, pick, negative }, kind))
            }
        }
    }

    /// What is added to a field, and the digits of the sum.
    pub fn added(
        &self,
        collection: usize,
        (name, operand): &(Name, Operand),
        scope: &Scope,
    ) -> Result<(String, Source, u8), Wrong> {
        let (path, kind) = self.field(collection, name)?;
        let of = &self.names.file.collections[collection].name.text;
        let wrong = |message: String| Err(Wrong::new(name.at, message));
        let digits = match kind {
            Kind::Integer => 0,
            Kind::Decimal(digits) if digits <= DIGITS => digits,
            Kind::Decimal(_) => {
                return wrong(format!(
                    "`add` keeps {DIGITS} digits at most; {of}.{} has more",
                    name.text
                ));
            }
            Kind::Number => {
                return wrong(format!(
                    "`add` is exact; {of}.{} is a number: make it an integer or a decimal",
                    name.text
                ));
            }
            kind => {
                return wrong(format!(
                    "`add` needs a number; {of}.{} is {}",
                    name.text,
                    kind.words()
                ));
            }
        };
        let (source, kind) = self.source(operand, (None, false), scope)?;
        if let Operand::Literal(Literal::Number(n), _) = operand {
            let units = n * 10f64.powi(digits.into());
            return match (units - units.round()).abs() < 1e-6 {
                true => Ok((path, source, digits)),
                false => wrong(format!(
                    "{of}.{} has {digits} digits behind its point, {n} has more",
                    name.text
                )),
            };
        }
        match kind {
            Kind::Integer => Ok((path, source, digits)),
            Kind::Decimal(more) if more <= digits => Ok((path, source, digits)),
            Kind::Decimal(more) => wrong(format!(
                "{of}.{} has {digits} digits behind its point, what is added {more}",
                name.text
            )),
            kind => {
                wrong(format!("what is added to {of}.{} is {}, no number", name.text, kind.words()))
            }
        }
    }

    /// Tests of fields of a collection's documents. Those as of a drawn one are of `drawn`.
    pub fn test(
        &self,
        collection: usize,
        (name, said): &(Name, Said),
        drawn: Option<Slot>,
        scope: &Scope,
    ) -> Result<Test, Wrong> {
        let (path, kind) = self.field(collection, name)?;
        let of = (Some((collection, name)), false);
        let source = |operand: &Operand| self.source(operand, of, scope).map(|found| found.0);
        let is = match said {
            Said::AsDrawn => {
                let root = (self.names.roots[collection], collection, 0);
                let way = self.names.way(root, name, Use::One)?;
                let slot = drawn.unwrap_or_default();
                let part = Part::Way(way);
                Is::Equal(Source::Slot { slot, part, pick: Pick::Itself, negative: false })
            }
            Said::Equal(operand) => Is::Equal(source(operand)?),
            Said::Within { min, max, span } => {
                let span = match (span, kind) {
                    (None, _) => None,
                    (Some(micros), Kind::Date(format)) => Some((*micros / format.unit(), format)),
                    (Some(_), kind) => {
                        let message =
                            format!("`span` is of a date; {} is {}", name.text, kind.words());
                        return Err(Wrong::new(name.at, message));
                    }
                };
                let bound = |operand: &Option<Operand>| operand.as_ref().map(source).transpose();
                Is::Within { min: bound(min)?, max: bound(max)?, span }
            }
        };
        Ok(Test { path, is })
    }

    /// What `each` goes over: the elements of an array, or the documents of an answer.
    pub fn each(
        &self,
        (name, reference): &(Name, Reference),
        scope: &mut Scope,
    ) -> Result<Each, Wrong> {
        let (of, part, _, known) = self.reference(reference, scope)?;
        match (part, known) {
            (Part::Key, Known::Answer(_)) => Ok(Each::Answers { of, into: scope.add(name, known) }),
            (Part::Way(way), Known::Drawn(_) | Known::Element(_)) => {
                if let To::Field(id) = way.to
                    && let Make::Array(..) = &self.names.declared[id].field.make
                    && way.steps.iter().all(|step| matches!(step, Along::Ref(_)))
                {
                    let element = Known::Element(self.names.declared[id].inner[0]);
                    let into = scope.add(name, element);
                    return Ok(Each::Elements { of, way, array: id, into });
                }
                let path = reference.path.as_ref().map_or(&reference.name, |path| &path.text);
                let message = format!("{path} is no array: `each` goes over its elements");
                Err(Wrong::new(reference.at, message))
            }
            _ => Err(Wrong::new(
                reference.at,
                "`each` goes over an array of a drawn document, or over the documents of an answer",
            )),
        }
    }
}
