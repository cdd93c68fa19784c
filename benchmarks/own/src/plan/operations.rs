//! Operations and queries are held against the collections and compiled: every name they use is
//! there, and every find has its index.

use hoap_data::permutation::Permutation;
use hoap_database::Index;

use super::action::{Change, Changes, Draw, Is, Operation, Query, Search, Step, Target, To, Which};
use super::changes::{Found, draws_new};
use super::draw::{Documents, threshold};
use super::kinds::Type;
use super::model::Kind;
use super::names::Names;
use super::references::{Known, References, Scope};
use crate::file::draw::{Draw as Drawn, Which as Said};
use crate::file::model::{Arrange, Make, Name, Piece};
use crate::file::operand::Operand;
use crate::file::operation;
use crate::file::range::Range;
use crate::file::step::{self, Target as Aim, Test, Verb};
use crate::file::wrong::Wrong;

/// One document.
const ONE: Range = Range { low: 1, high: 1 };

/// What operations are compiled with.
pub struct Making<'a, 'f> {
    /// What they name.
    pub references: References<'a, 'f>,
    /// How many documents the collections have.
    pub counts: &'a [u64],
    /// Which of them are hot.
    pub hot: &'a [Permutation],
}

/// What a file does.
pub struct Done {
    /// Its operations.
    pub operations: Vec<Operation>,
    /// What they do to its collections.
    pub changes: Vec<Changes>,
    /// Its queries.
    pub queries: Vec<Query>,
}

/// All operations and queries of a file.
pub fn compile(
    names: &Names<'_>,
    types: &[Type],
    (counts, hot): (&[u64], &[Permutation]),
) -> Result<Done, Wrong> {
    let making = Making { references: References { names, types }, counts, hot };
    let queries = names.file.queries.iter().map(|of| making.query(of));
    let queries = queries.collect::<Result<_, _>>()?;
    let mut found = Found::of(names.file.collections.len());
    let operations = names.file.operations.iter().map(|of| making.operation(of, &mut found));
    let operations = operations.collect::<Result<_, _>>()?;
    Ok(Done { operations, changes: found.changes(), queries })
}

impl Making<'_, '_> {
    fn operation(&self, of: &operation::Operation, found: &mut Found) -> Result<Operation, Wrong> {
        let (mut scope, mut draws) = (Scope::default(), Vec::new());
        self.draws(&of.draws, &mut scope, &mut draws)?;
        let (mut steps, mut query) = (Vec::new(), None);
        for step in &of.steps {
            if step.verb != Verb::Query {
                steps.push(self.step(step, (&mut scope, &mut draws), found)?);
                continue;
            }
            match &step.target {
                _ if of.steps.len() > 1 => {
                    return Err(Wrong::new(step.at, "a query is the only step of its operation"));
                }
                Aim::Of(name, _) => query = Some(self.asked(name)?),
                Aim::Drawn(_) => return Err(Wrong::new(step.at, "a query has a name")),
            }
        }
        // A document is looked at before it is deleted.
        let looks = |step: &Step| step.verb == Verb::Delete && !step.conditions.is_empty();
        Ok(Operation {
            name: of.name.text.clone(),
            weight: of.weight,
            transaction: of.atomic && (steps.len() > 1 || steps.iter().any(looks)),
            draws,
            steps,
            slots: scope.slots,
            query,
        })
    }

    /// The documents that are drawn.
    pub fn draws(
        &self,
        said: &[Drawn],
        scope: &mut Scope,
        draws: &mut Vec<Draw>,
    ) -> Result<(), Wrong> {
        for Drawn { name, collection: of, which } in said {
            let collection = self.stored(of)?;
            let draw = self.draw((collection, of.at), which, scope)?;
            let slot = scope.add(name, Known::Drawn(collection));
            draws.push(Draw { slot, ..draw });
        }
        Ok(())
    }

    /// A draw, without its slot.
    fn draw(
        &self,
        (collection, at): (usize, usize),
        which: &Said,
        scope: &Scope,
    ) -> Result<Draw, Wrong> {
        let which = match which {
            Said::There { dist, miss } => Which::There(
                Documents::new(dist, self.counts[collection].max(1), self.hot[collection]),
                threshold(*miss),
            ),
            Said::New(None) => {
                self.goes_on(collection, at)?;
                Which::New(None)
            }
            Said::New(Some(parent)) => {
                let (slot, _, _, known) = self.references.reference(parent, scope)?;
                let parents = self.references.names.parent_of(collection)?;
                if parent.path.is_some() || Some(known) != parents.map(Known::Drawn) {
                    let message = "`parent` is a drawn document of the collection of `per`";
                    return Err(Wrong::new(parent.at, message));
                }
                Which::New(Some(slot))
            }
        };
        Ok(Draw { slot: 0, collection, which, batch: ONE })
    }

    /// A collection that is loaded.
    fn stored(&self, name: &Name) -> Result<usize, Wrong> {
        let names = self.references.names;
        let collection = names.collection(name)?;
        match names.file.collections[collection].stored {
            true => Ok(collection),
            false => Err(Wrong::new(
                name.at,
                format!("{} is not loaded: it has stored = false", name.text),
            )),
        }
    }

    /// Refuses new documents whose place among their parent's children nobody knows.
    fn goes_on(&self, collection: usize, at: usize) -> Result<(), Wrong> {
        let of = &self.references.names.file.collections[collection];
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

    fn step(
        &self,
        said: &step::Step,
        (scope, draws): (&mut Scope, &mut Vec<Draw>),
        found: &mut Found,
    ) -> Result<Step, Wrong> {
        let names = scope.names.len();
        let each = said.each.as_ref().map(|each| self.references.each(each, scope)).transpose()?;
        let (collection, target) = self.target(said, (&mut *scope, &mut *draws), each.is_some())?;
        if let (Verb::Delete | Verb::Put, Target::Slot(slot)) = (said.verb, &target) {
            there(draws, *slot, (said.verb, said.at))?;
        }
        found.step(said.verb, collection, (draws.as_slice(), &target));
        let of = &self.references;
        let search = match said.verb {
            Verb::Find => Some(self.search(collection, said, (&mut *scope, &mut *draws))?),
            Verb::Scan => Some(Search {
                index: Index::keys(of.names.file.collections[collection].name.text.as_str()),
                equal: Vec::new(),
                range: None,
                children_of: None,
                drawn: None,
                descending: false,
                limit: said.limit,
                pages: ONE,
            }),
            _ => None,
        };
        let test = |test: &(Name, Test)| of.test(collection, test, None, scope);
        let conditions = said.condition.iter().map(test).collect::<Result<_, _>>()?;
        let field = |name: &Name| of.field(collection, name).map(|found| found.0);
        let fields = said.fields.iter().map(field).collect::<Result<_, _>>()?;
        let changes = self.changes(collection, said, scope, found)?;
        scope.names.truncate(names);
        let answer =
            said.answer.as_ref().map(|answer| scope.add(answer, Known::Answer(collection)));
        Ok(Step {
            verb: said.verb,
            collection,
            target,
            each,
            answer,
            conditions,
            fields,
            search,
            changes,
            expect: said.expect,
        })
    }

    /// The collection of a step, and which of its documents it is about.
    fn target(
        &self,
        said: &step::Step,
        (scope, draws): (&mut Scope, &mut Vec<Draw>),
        each: bool,
    ) -> Result<(usize, Target), Wrong> {
        let of = &self.references;
        let wrong = |message: String| Err(Wrong::new(said.at, message));
        let new = |slot: usize| draws_new(draws, slot);
        match (&said.target, &said.key) {
            (Aim::Of(name, _), Some(key)) => {
                let collection = self.stored(name)?;
                let key = of.source(&Operand::Reference(key.clone()), (None, false), scope)?.0;
                Ok((collection, Target::Keys(key)))
            }
            (Aim::Drawn(reference), key) => {
                let (slot, _, _, known) = of.reference(reference, scope)?;
                let (Known::Drawn(collection) | Known::Answer(collection), None) =
                    (known, &reference.path)
                else {
                    return Err(Wrong::new(
                        reference.at,
                        format!("${} is no document", reference.name),
                    ));
                };
                match key {
                    Some(_) => wrong(format!("${} has its key", reference.name)),
                    None if said.batch.is_some() => {
                        wrong("`batch` is of new documents that the step draws".into())
                    }
                    None if said.verb == Verb::Insert && !new(slot) => wrong(format!(
                        "${} is there: what is inserted is new, draw.NAME = {{ new = \"COLLECTION\" }}",
                        reference.name
                    )),
                    None => Ok((collection, Target::Slot(slot))),
                }
            }
            (Aim::Of(name, _), None) if said.verb == Verb::Find => {
                Ok((self.stored(name)?, Target::Search))
            }
            (Aim::Of(name, which), None) => {
                if each {
                    return wrong(format!(
                        "a step with `each` says which document: `key`, or \"$NAME\" for {}",
                        name.text
                    ));
                }
                let collection = self.stored(name)?;
                let draw = self.draw((collection, name.at), which, scope)?;
                let slot = scope.slot();
                draws.push(Draw { slot, batch: said.batch.unwrap_or(ONE), ..draw });
                Ok((collection, Target::Slot(slot)))
            }
        }
    }

    /// What a step does to fields.
    fn changes(
        &self,
        collection: usize,
        said: &step::Step,
        scope: &Scope,
        found: &mut Found,
    ) -> Result<Vec<Change>, Wrong> {
        let of = &self.references;
        let mut changes = Vec::new();
        let mut add = |path: String, to: To| {
            let field = found.change(collection, &path, &to);
            changes.push(Change { path, field, to });
        };
        for (name, operand) in &said.set {
            let (path, _) = of.field(collection, name)?;
            let (source, _) = of.source(operand, (Some((collection, name)), true), scope)?;
            add(path, To::Set(source));
        }
        for added in &said.add {
            let (path, source, digits) = of.added(collection, added, scope)?;
            add(path, To::Add(source, digits));
        }
        for (name, operand) in &said.append {
            let (path, kind) = of.field(collection, name)?;
            if kind != Kind::Array {
                let message = format!("`append` needs an array; {} is {}", name.text, kind.words());
                return Err(Wrong::new(name.at, message));
            }
            let (source, _) = of.source(operand, (None, false), scope)?;
            add(path, To::Append(source));
        }
        for name in &said.remove {
            add(of.field(collection, name)?.0, To::Remove);
        }
        Ok(changes)
    }

    /// What a find looks for, by an index that begins with its fields: those that are equal first,
    /// then the range.
    fn search(
        &self,
        collection: usize,
        said: &step::Step,
        (scope, draws): (&mut Scope, &mut Vec<Draw>),
    ) -> Result<Search, Wrong> {
        let finds_drawn = said.filter.iter().any(|(_, test)| matches!(test, Test::AsDrawn));
        let mut drawn = None;
        if finds_drawn {
            let slot = scope.slot();
            let dist = crate::file::model::Dist::Uniform;
            let draw = self.draw((collection, said.at), &Said::There { dist, miss: 0.0 }, scope)?;
            draws.push(Draw { slot, ..draw });
            drawn = Some(slot);
        }
        let (index, order) = self.index(collection, said)?;
        let mut equal = Vec::new();
        let mut range = None;
        for at in order {
            let test = self.references.test(collection, &said.filter[at], drawn, scope)?;
            match test.is {
                Is::Equal(source) => equal.push(source),
                within => range = Some(within),
            }
        }
        let first = said.filter.iter().find(|(name, _)| Some(&name.text) == index.fields.first());
        let children_of = first.and_then(|(name, _)| {
            let names = self.references.names;
            let root = (names.roots[collection], collection, 0);
            let way = names.way(root, name, super::names::Use::One).ok()?;
            let super::model::To::Field(id) = way.to else { return None };
            match &names.declared[id].field.make {
                Make::Ref { name, .. } if name.text == "parent" => {
                    names.parent_of(collection).ok().flatten()
                }
                _ => None,
            }
        });
        Ok(Search {
            index,
            equal,
            range,
            children_of: children_of.filter(|_| said.filter.len() == 1),
            drawn,
            descending: said.descending.unwrap_or(false),
            limit: said.limit,
            pages: said.pages.unwrap_or(ONE),
        })
    }

    /// The index of a find, and the places of its tests in the order of the index.
    fn index(&self, collection: usize, said: &step::Step) -> Result<(Index, Vec<usize>), Wrong> {
        let of = &self.references.names.file.collections[collection];
        let is_range = |(_, test): &&(Name, Test)| matches!(test, Test::Within { .. });
        let texts = |range: bool| {
            let some = said.filter.iter().filter(move |test| is_range(test) == range);
            some.map(|(name, _)| name.text.as_str()).collect::<Vec<_>>()
        };
        let (equal, ranges) = (texts(false), texts(true));
        if ranges.len() > 1 {
            return Err(Wrong::new(
                said.at,
                "a find has one range, on the field behind those that are equal",
            ));
        }
        let serves = |fields: &[&str]| {
            fields.len() >= equal.len() + ranges.len()
                && equal.iter().all(|name| fields[..equal.len()].contains(name))
                && fields[equal.len()..].starts_with(&ranges)
        };
        for index in &of.indexes {
            let fields: Vec<&str> = index.fields.iter().map(|name| name.text.as_str()).collect();
            if serves(&fields) {
                let place =
                    |field: &&str| said.filter.iter().position(|(name, _)| name.text == **field);
                let order = fields.iter().filter_map(place).collect();
                let name = format!("{}_{}", of.name.text, index.name.text);
                return Ok((Index::new(name, of.name.text.as_str(), &fields), order));
            }
        }
        let wanted: Vec<&str> = equal.iter().chain(&ranges).copied().collect();
        let name = wanted.join("_").replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let place = said.filter.first().map_or(said.at, |(name, _)| name.at);
        Err(Wrong::new(
            place,
            format!(
                "no index of {} begins with {}; add by_{name} = {wanted:?} to its indexes",
                of.name.text,
                wanted.join(", ")
            ),
        ))
    }
}

/// Refuses to put or delete what never is there, and makes the draw of a document that is deleted
/// one that no other delete has.
fn there(draws: &mut [Draw], slot: usize, (verb, at): (Verb, usize)) -> Result<(), Wrong> {
    let Some(draw) = draws.iter_mut().find(|draw| draw.slot == slot) else { return Ok(()) };
    let Which::There(documents, miss) = &draw.which else { return Ok(()) };
    if *miss > 0 {
        let verb = verb.word();
        return Err(Wrong::new(at, format!("a {verb} is of what is there: leave `miss` out")));
    }
    if verb == Verb::Delete {
        draw.which = Which::Once(documents.clone());
    }
    Ok(())
}
