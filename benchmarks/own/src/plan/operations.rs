//! Operations are held against the collections: every name they use is there, and every find has
//! its index.

use super::kinds::Type;
use super::model::{Id, Kind, To};
use super::names::{Names, Use};
use crate::file::draw::{Draw, Which};
use crate::file::model::{Arrange, Make, Name, Piece};
use crate::file::operand::{Operand, Pick, Reference};
use crate::file::step::{Step, Target, Test, Verb};
use crate::file::wrong::{Wrong, instead};

/// What a name of an operation stands for.
#[derive(Clone, Copy)]
enum Known {
    /// A document of a collection, as generated or as answered.
    Document(usize),
    /// An element of an array.
    Element(Id),
}

/// Names of an operation with what they stand for.
type Scope = Vec<(String, Known)>;

/// Checks all operations and queries.
pub fn check(names: &Names<'_>, types: &[Type]) -> Result<(), Wrong> {
    let of = Check { names, types };
    for query in &names.file.queries {
        let known = of.draws(&query.draws)?;
        for (_, operand) in &query.params {
            of.operand(operand, &known, false)?;
        }
    }
    for operation in &names.file.operations {
        let mut known = of.draws(&operation.draws)?;
        for step in &operation.steps {
            if step.verb == Verb::Query && operation.steps.len() > 1 {
                return Err(Wrong::new(step.at, "a query is the only step of its operation"));
            }
            of.step(step, &mut known)?;
        }
    }
    Ok(())
}

struct Check<'a, 'f> {
    names: &'a Names<'f>,
    types: &'a [Type],
}

impl Check<'_, '_> {
    fn draws(&self, draws: &[Draw]) -> Result<Scope, Wrong> {
        let mut known = Scope::new();
        for Draw { name, collection: of, which } in draws {
            let collection = self.stored(of)?;
            match which {
                Which::New(Some(parent)) => {
                    self.reference(parent, &known)?;
                }
                Which::New(None) => self.goes_on(collection, of.at)?,
                Which::There { .. } => {}
            }
            known.push((name.text.clone(), Known::Document(collection)));
        }
        Ok(known)
    }

    /// A collection that is loaded.
    fn stored(&self, name: &Name) -> Result<usize, Wrong> {
        let collection = self.names.collection(name)?;
        match self.names.file.collections[collection].stored {
            true => Ok(collection),
            false => Err(Wrong::new(
                name.at,
                format!("{} is not loaded: it has stored = false", name.text),
            )),
        }
    }

    /// Refuses new documents whose place among their parent's children nobody knows.
    fn goes_on(&self, collection: usize, at: usize) -> Result<(), Wrong> {
        let of = &self.names.file.collections[collection];
        let has_seq = of.key.pieces.iter().any(|piece| matches!(piece, Piece::Seq(_)));
        match has_seq && of.arrange != Arrange::Rounds {
            false => Ok(()),
            true => Err(Wrong::new(
                at,
                format!(
                    "{} get new documents, and their key has {{seq}}: arrange = \"rounds\", or a draw with \
                     `parent`",
                    of.name.text
                ),
            )),
        }
    }

    fn step(&self, step: &Step, known: &mut Scope) -> Result<(), Wrong> {
        let mut inner = known.clone();
        if let Some((name, reference)) = &step.each {
            inner.push((name.text.clone(), self.each(reference, known)?));
        }
        let collection = match &step.target {
            Target::Of(name, _) if step.verb == Verb::Query => return self.query(name),
            Target::Of(name, which) => {
                let collection = self.stored(name)?;
                if *which == Which::New(None) {
                    self.goes_on(collection, name.at)?;
                }
                collection
            }
            Target::Drawn(reference) => match self.reference(reference, &inner)? {
                (Known::Document(collection), None) => collection,
                _ => {
                    return Err(Wrong::new(
                        reference.at,
                        format!("${} is no document", reference.name),
                    ));
                }
            },
        };
        if let Some(key) = &step.key {
            self.reference(key, &inner)?;
        }
        self.tests(collection, &step.filter, &inner)?;
        self.tests(collection, &step.condition, &inner)?;
        if step.verb == Verb::Find {
            self.indexed(collection, step)?;
        }
        for name in step.fields.iter().chain(&step.remove) {
            self.field(collection, name)?;
        }
        for (name, operand) in step.set.iter().chain(&step.append) {
            self.field(collection, name)?;
            self.operand(operand, &inner, true)?;
        }
        for (name, operand) in &step.add {
            let kind = self.field(collection, name)?;
            if !matches!(kind, Kind::Integer | Kind::Decimal(_) | Kind::Number) {
                let of = &self.names.file.collections[collection].name.text;
                let message =
                    format!("`add` needs a number; {of}.{} is {}", name.text, kind.words());
                return Err(Wrong::new(name.at, message));
            }
            self.operand(operand, &inner, false)?;
        }
        if let Some(answer) = &step.answer {
            known.push((answer.text.clone(), Known::Document(collection)));
        }
        Ok(())
    }

    fn query(&self, name: &Name) -> Result<(), Wrong> {
        let names = || self.names.file.queries.iter().map(|query| query.name.text.as_str());
        match names().any(|known| known == name.text) {
            true => Ok(()),
            false => Err(Wrong::new(
                name.at,
                format!("no query {}{}", name.text, instead(&name.text, names())),
            )),
        }
    }

    /// What a field of a collection is.
    fn field(&self, collection: usize, name: &Name) -> Result<Kind, Wrong> {
        let root = (self.names.roots[collection], collection, 0);
        let way = self.names.way(root, name, Use::One)?;
        Ok(match way.to {
            To::Field(id) => self.types[id].kind,
            To::Key(_) => Kind::Text,
            _ => Kind::Integer,
        })
    }

    fn tests(&self, collection: usize, tests: &[(Name, Test)], known: &Scope) -> Result<(), Wrong> {
        for (name, test) in tests {
            self.field(collection, name)?;
            let operands = match test {
                Test::AsDrawn => [None, None],
                Test::Equal(operand) => [Some(operand), None],
                Test::Within { min, max, .. } => [min.as_ref(), max.as_ref()],
            };
            for operand in operands.into_iter().flatten() {
                self.operand(operand, known, false)?;
            }
        }
        Ok(())
    }

    /// Refuses a find whose fields begin no index: those that are equal first, then the range.
    fn indexed(&self, collection: usize, step: &Step) -> Result<(), Wrong> {
        let of = &self.names.file.collections[collection];
        let is_range = |(_, test): &&(Name, Test)| matches!(test, Test::Within { .. });
        let texts = |range: bool| {
            let some = step.filter.iter().filter(move |test| is_range(test) == range);
            some.map(|(name, _)| name.text.as_str()).collect::<Vec<_>>()
        };
        let (equal, ranges) = (texts(false), texts(true));
        if ranges.len() > 1 {
            return Err(Wrong::new(
                step.at,
                "a find has one range, on the field behind those that are equal",
            ));
        }
        let serves = |fields: &[Name]| {
            let fields: Vec<&str> = fields.iter().map(|name| name.text.as_str()).collect();
            fields.len() >= equal.len() + ranges.len()
                && equal.iter().all(|name| fields[..equal.len()].contains(name))
                && fields[equal.len()..].starts_with(&ranges)
        };
        if of.indexes.iter().any(|index| serves(&index.fields)) {
            return Ok(());
        }
        let wanted: Vec<&str> = equal.iter().chain(&ranges).copied().collect();
        let name = wanted.join("_").replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let place = step.filter.first().map_or(step.at, |(name, _)| name.at);
        Err(Wrong::new(
            place,
            format!(
                "no index of {} begins with {}; add by_{name} = {wanted:?} to its indexes",
                of.name.text,
                wanted.join(", ")
            ),
        ))
    }

    fn operand(&self, operand: &Operand, known: &Scope, set: bool) -> Result<(), Wrong> {
        match operand {
            Operand::Literal(..) => Ok(()),
            Operand::Reference(reference) if reference.name == "now" => Ok(()),
            Operand::Reference(reference) if reference.name == "new" => match set {
                true => Ok(()),
                false => Err(Wrong::new(
                    reference.at,
                    "$new is the field's generator anew: it belongs to `set`",
                )),
            },
            Operand::Reference(reference) => self.reference(reference, known).map(|_| ()),
        }
    }

    /// What a reference leads to: the document or the element, and in it a field.
    fn reference(
        &self,
        reference: &Reference,
        known: &Scope,
    ) -> Result<(Known, Option<Id>), Wrong> {
        let Reference { at, name, path, pick, .. } = reference;
        let found = known.iter().rev().find(|(known, _)| known == name);
        let Some((_, of)) = found else {
            return Err(Wrong::new(
                *at,
                format!("${name} is no draw and no answer (`as`) of an earlier step"),
            ));
        };
        let Some(path) = path else { return Ok((*of, None)) };
        let from = match of {
            Known::Document(collection) => (self.names.roots[*collection], *collection, 0),
            Known::Element(id) => {
                let element = &self.names.declared[*id];
                (element.own.unwrap_or(element.scope), element.collection, element.depth)
            }
        };
        let way = self.names.way(from, path, Use::One)?;
        let id = match way.to {
            To::Field(id) => Some(id),
            _ => None,
        };
        if *pick != Pick::Itself && !id.is_some_and(|id| self.types[id].kind == Kind::Array) {
            return Err(Wrong::new(
                *at,
                format!("{} is no array, so it has no elements", path.text),
            ));
        }
        Ok((*of, id))
    }

    /// What `each` goes over: the elements of an array, or the documents of an answer.
    fn each(&self, reference: &Reference, known: &Scope) -> Result<Known, Wrong> {
        match self.reference(reference, known)? {
            (of, None) => Ok(of),
            (_, Some(id)) => match &self.names.declared[id].field.make {
                Make::Array(..) => Ok(Known::Element(self.names.declared[id].inner[0])),
                _ => {
                    let path = &self.names.declared[id].path;
                    Err(Wrong::new(
                        reference.at,
                        format!("{path} is no array: `each` goes over its elements"),
                    ))
                }
            },
        }
    }
}
