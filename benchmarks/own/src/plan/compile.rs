//! From the file to the plan.

use hoap_data::Timestamp;
use hoap_data::permutation::Permutation;
use hoap_data::random::Stream;

use super::collections::{self, Counted};
use super::compiled::Plan;
use super::cost::{self, Cost};
use super::curve::Curve;
use super::declare::declare;
use super::draw::{Choice, Documents, Draw, threshold};
use super::kinds::{self, Type};
use super::model::{
    Collection, DATA_VERSION, Id, Kind, MOST_SUMMED, Make, Member, Node, Object, Piece, Sets, Step,
    Way,
};
use super::names::{Declared, Members, Names, Use};
use super::operations;
use crate::file::File;
use crate::file::model::{self, DateFormat, Dist, Field};
use crate::file::range::{Days, Range};
use crate::file::wrong::Wrong;
use crate::generate::json;

/// Separates this data's random streams from those of the other benchmarks.
const STREAM: u64 = 0x6f77_6e64_6f63_7331;

/// Streams of a collection that are no field's.
const FAMILY: u64 = 1;
const HOT: u64 = 2;
const KEY: u64 = 3;

impl Plan {
    /// The plan of a file at a scale.
    ///
    /// # Errors
    /// What is wrong first, with its place.
    pub fn new(file: &File, scale: f64) -> Result<Plan, Wrong> {
        let root = Stream::new(file.seed, &[DATA_VERSION.into(), STREAM]);
        let (names, documents) = declare(file)?;
        let streams: Vec<Stream> = file
            .collections
            .iter()
            .map(|of| Stream::new(root.at(0), &words(&of.name.text)))
            .collect();
        let families: Vec<Stream> = streams.iter().map(|stream| stream.child(FAMILY)).collect();
        let counted = collections::count(&names, scale, &families)?;
        let ways =
            (0..names.declared.len()).map(|id| names.named(id)).collect::<Result<Vec<_>, _>>()?;
        let most = |collection: usize| {
            counted[collection].1.as_ref().map_or(0, |of| i128::from(of.1.most()))
        };
        let types = kinds::types(&names, &ways, &most)?;
        let costs: Vec<Cost> = types.iter().map(|of| of.cost).collect();
        let largest = cost::check(&names, &documents, &costs, &counted)?;
        let hot: Vec<Permutation> = streams
            .iter()
            .zip(&counted)
            .map(|(stream, (count, _))| Permutation::new(*count, stream.at(HOT)))
            .collect();
        let counts: Vec<u64> = counted.iter().map(|(count, _)| *count).collect();
        let done = operations::compile(&names, &types, (&counts, &hot))?;
        let operations::Done { operations, changes, queries } = done;
        let making = Making {
            names: &names,
            counted: &counted,
            types: &types,
            hot: &hot,
            streams: &streams,
        };
        let nodes = ways.into_iter().enumerate().map(|(id, ways)| making.node(id, ways));
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        let mut made = Vec::new();
        for (at, members) in documents.iter().enumerate() {
            made.push(making.collection(at, members)?);
        }
        let mut collections = made;
        for ((collection, (count, parent)), cost) in
            collections.iter_mut().zip(counted).zip(largest)
        {
            (collection.count, collection.parent, collection.cost) = (count, parent, cost);
        }
        Ok(Plan { collections, nodes, root, operations, queries, changes })
    }
}

/// A text as the path of a stream.
fn words(text: &str) -> Vec<u64> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    std::iter::once(text.len() as u64).chain(text.as_bytes().chunks(8).map(word)).collect()
}

/// What fields are made with.
struct Making<'a, 'f> {
    names: &'a Names<'f>,
    counted: &'a [Counted],
    types: &'a [Type],
    hot: &'a [Permutation],
    streams: &'a [Stream],
}

impl Making<'_, '_> {
    fn collection(&self, at: usize, members: &Members) -> Result<Collection, Wrong> {
        let of = &self.names.file.collections[at];
        let index = |index: &model::Index| {
            let root = (self.names.roots[at], at, 0);
            for field in &index.fields {
                self.names.way(root, field, Use::One)?;
            }
            let paths = index.fields.iter().map(|name| name.text.clone()).collect();
            // Databases have one name space for the indexes of all collections.
            Ok((format!("{}_{}", of.name.text, index.name.text), paths))
        };
        let document = self.object(&of.document, members, (0, self.streams[at].child(KEY)));
        Ok(Collection {
            name: of.name.text.clone(),
            count: 0,
            cost: 0,
            stored: of.stored,
            parent: None,
            key: self.pieces(&of.key, at, &mut Vec::new().into_iter()),
            document,
            hot: self.hot[at],
            indexes: of.indexes.iter().map(index).collect::<Result<_, Wrong>>()?,
        })
    }

    fn object(
        &self,
        of: &model::Object,
        (members, sets): &Members,
        (depth, stream): (usize, Stream),
    ) -> Object {
        let member = |(name, id): &(String, Id)| {
            let mut text = b",".to_vec();
            json::text(name.as_bytes(), &mut text);
            text.push(b':');
            Member { name: name.clone(), json: text.into(), id: *id }
        };
        let shares: Vec<f64> = of.variants.iter().map(|(share, _)| *share).collect();
        let all =
            |members: &Vec<(String, Id)>| members.iter().map(member).collect::<Box<[Member]>>();
        let sets: Box<[Box<[Member]>]> = sets.iter().map(all).collect();
        let choice = Choice::new(shares.len(), &shares, &Dist::Uniform);
        Object {
            members: all(members),
            sets: (!sets.is_empty()).then_some(Sets { choice, stream, sets }),
            depth,
        }
    }

    fn node(&self, id: Id, ways: Vec<Way>) -> Result<Node, Wrong> {
        let declared = &self.names.declared[id];
        let Declared { field, collection, depth, at, path, unique, .. } = declared;
        let stream = Stream::new(self.streams[*collection].at(0), &words(unique));
        let missing = field.absent + field.null;
        let distinct = match &field.distinct {
            None => None,
            Some((count, dist)) => {
                self.may_be_distinct(id)?;
                let range = Range { low: 0, high: (count - 1) as i64 };
                Some((Draw::plain(dist, range), stream.child(u64::MAX)))
            }
        };
        Ok(Node {
            path: path.clone(),
            collection: *collection,
            depth: *depth,
            at: *at,
            stream,
            missing: (missing > 0.0).then(|| (threshold(field.absent), threshold(missing))),
            distinct,
            hidden: field.hidden,
            kept: field.kept,
            make: self.make(id, ways, stream)?,
            kind: self.types[id].kind,
        })
    }

    /// Refuses `distinct` where values depend on the document.
    fn may_be_distinct(&self, id: Id) -> Result<(), Wrong> {
        use model::Make::{Binary, Date, Decimal, Integer, Number, Pattern, Text, Words};
        let field = self.names.declared[id].field;
        let random = |piece: &model::Piece| {
            matches!(piece, model::Piece::Literal(_) | model::Piece::Random(..))
        };
        let alone = match &field.make {
            Integer { unique, .. } => !unique,
            Date { rising, days, .. } => !rising && matches!(days, Days::Range(..)),
            Pattern(pattern) => pattern.pieces.iter().all(random),
            Decimal { .. } | Number { .. } | Words(_) | Text(..) | Binary(_) => true,
            _ => false,
        };
        match alone {
            true => Ok(()),
            false => Err(Wrong::new(
                field.at,
                "`distinct` values are made alone: of words, text, a random pattern, a number or a date",
            )),
        }
    }

    #[allow(clippy::too_many_lines, reason = "a row for each way to make a value")]
    fn make(&self, id: Id, ways: Vec<Way>, stream: Stream) -> Result<Make, Wrong> {
        let Declared { field, collection, depth, inner, members, .. } = &self.names.declared[id];
        let wrong = |message: String| Err(Wrong::new(field.at, message));
        let mut ways = ways.into_iter();
        let mut way = || ways.next().unwrap_or_default();
        let inner = || inner.clone().into_boxed_slice();
        Ok(match &field.make {
            model::Make::Nothing => Make::Nothing,
            model::Make::Constant(literal) => {
                Make::Constant(literal.clone(), json::literal(literal))
            }
            model::Make::Tuple(_) => {
                self.there(&inner())?;
                Make::Tuple(inner())
            }
            model::Make::Values { values, weights, dist } => {
                let choice = Choice::new(values.len(), weights, dist);
                let values = values.iter().map(|value| (value.clone(), json::literal(value)));
                Make::Values(choice, values.collect())
            }
            model::Make::Integer { range, unique: true, .. } => {
                let (n, count) =
                    (range.high.wrapping_sub(range.low) as u64, self.counted[*collection].0);
                if n < count.saturating_sub(1) || *depth > 0 {
                    return wrong(format!(
                        "{count} documents do not fit into this range of unique integers"
                    ));
                }
                Make::Unique(range.low, Permutation::new(n.saturating_add(1), stream.at(0)))
            }
            model::Make::Integer { range, dist, .. } => {
                Make::Integer(range.low, Draw::plain(dist, *range))
            }
            model::Make::Decimal { range, digits, dist } => {
                Make::Decimal(range.low, Draw::new(dist, *range, 10f64.powi((*digits).into())))
            }
            model::Make::Number { low, high, dist } => {
                Make::Number(*low, *high, Curve::new(dist, *low, *high))
            }
            model::Make::Boolean(share) => Make::Boolean(threshold(*share)),
            model::Make::Date { days, format, rising, every, jitter } => {
                let count = self.counted[*collection].0.max(1);
                dates(*days, *format, (*rising, count), (*every, *jitter))
            }
            model::Make::After { by, dist, .. } => {
                let unit = match self.types[id].kind {
                    Kind::Date(format) => format.unit(),
                    _ => 1,
                };
                let range = Range { low: by.low.div_euclid(unit), high: by.high.div_euclid(unit) };
                Make::After(way(), range.low, Draw::plain(dist, range))
            }
            model::Make::Pattern(pattern) => {
                let parent = pattern.pieces.contains(&model::Piece::Parent);
                if parent && self.counted[*collection].1.is_none() {
                    return wrong(
                        "{parent} is the key of the parent, and there is no `per`".into(),
                    );
                }
                Make::Pattern(self.pieces(pattern, *collection, &mut ways))
            }
            model::Make::Words(of) => {
                Make::Words(of.range.low as u64, Draw::plain(&of.dist, of.range))
            }
            model::Make::Text(alphabet, of) => {
                Make::Text(*alphabet, of.range.low as u64, Draw::plain(&of.dist, of.range))
            }
            model::Make::Binary(of) => {
                Make::Binary(of.range.low as u64, Draw::plain(&of.dist, of.range))
            }
            model::Make::Ref { name, dist } => {
                let to = self.names.referred(id, name)?;
                if name.text == "parent" {
                    return Ok(Make::Parent(to));
                }
                if self.counted[to].0 == 0 {
                    return wrong(format!("{} has no documents to refer to", name.text));
                }
                Make::Ref(to, Documents::new(dist, self.counted[to].0, self.hot[to]))
            }
            model::Make::Copy(_) => Make::Copy(way()),
            model::Make::Sum(_) => Make::Sum(self.few_enough(field, way())?),
            model::Make::Size(_) => Make::Size(way()),
            model::Make::Product(_) => Make::Product(ways.collect()),
            model::Make::Array(of, _) => {
                self.there(&inner())?;
                Make::Array(of.range.low as u64, Draw::plain(&of.dist, of.range), inner()[0])
            }
            model::Make::Map { length: of, .. } => {
                if self.types[inner()[0]].kind != Kind::Text {
                    return wrong("the names of a map are text".into());
                }
                Make::Map(
                    of.range.low as u64,
                    Draw::plain(&of.dist, of.range),
                    inner()[0],
                    inner()[1],
                )
            }
            model::Make::Object(of) => Make::Object(self.object(of, members, (*depth, stream))),
            model::Make::Variants(of) => {
                let shares: Vec<f64> = of.iter().map(|(share, _)| *share).collect();
                Make::Variants(Choice::new(of.len(), &shares, &Dist::Uniform), inner())
            }
            model::Make::Given { when, .. } => {
                let ids = inner();
                let when = when.iter().zip(&ids).map(|((name, _), id)| (name.text.clone(), *id));
                let when: Box<[(String, Id)]> = when.collect();
                Make::Given(
                    way(),
                    when,
                    ids.get(ids.len().wrapping_sub(self.otherwise(field))).copied(),
                )
            }
        })
    }

    /// 1 if a `given` has an `else`, which is the last of its fields; else 0, which is beyond them.
    fn otherwise(&self, field: &Field) -> usize {
        match &field.make {
            model::Make::Given { otherwise, .. } => usize::from(otherwise.is_some()),
            _ => 0,
        }
    }

    /// Refuses elements that may be absent: an array would be another one.
    fn there(&self, ids: &[Id]) -> Result<(), Wrong> {
        let absent =
            ids.iter().map(|id| self.names.declared[*id].field).find(|field| field.absent > 0.0);
        match absent {
            None => Ok(()),
            Some(field) => {
                Err(Wrong::new(field.at, "an element of an array may be null, not absent"))
            }
        }
    }

    /// Refuses a sum of more children than can be read for each document.
    fn few_enough(&self, field: &Field, way: Way) -> Result<Way, Wrong> {
        for step in &way.steps {
            if let Step::Children(of) = step
                && let Some(most) = self.counted[*of].1.as_ref().map(|(_, family)| family.most())
                && most > MOST_SUMMED
            {
                let of = &self.names.file.collections[*of].name.text;
                let message =
                    format!("a document has up to {most} {of}: a sum is of {MOST_SUMMED} at most");
                return Err(Wrong::new(field.at, message));
            }
        }
        Ok(way)
    }

    fn pieces(
        &self,
        pattern: &model::Pattern,
        collection: usize,
        ways: &mut dyn Iterator<Item = Way>,
    ) -> Box<[Piece]> {
        let key = self.streams[collection].at(KEY);
        let parent = self.counted[collection].1.as_ref().map_or(collection, |(parent, _)| *parent);
        let piece = |piece: &model::Piece| match piece {
            model::Piece::Literal(text) => Piece::Literal(text.clone()),
            model::Piece::Number(zeros) => Piece::Number(*zeros),
            model::Piece::Seq(zeros) => Piece::Seq(*zeros),
            model::Piece::Parent => Piece::Parent(parent),
            model::Piece::Hash => Piece::Hash(key),
            model::Piece::Uuid => Piece::Uuid(key),
            model::Piece::ObjectId => Piece::ObjectId(key),
            model::Piece::Field(_) => Piece::Way(ways.next().unwrap_or_default()),
            model::Piece::Random(alphabet, of) => {
                Piece::Random(*alphabet, of.low as u64, of.high as u64)
            }
        };
        pattern.pieces.iter().map(piece).collect()
    }
}

/// Dates of a range, or of a series.
fn dates(
    days: Days,
    format: DateFormat,
    (rising, count): (bool, u64),
    (every, jitter): (i64, i64),
) -> Make {
    let micros = |day| Timestamp::from(day).micros();
    match days {
        Days::From(first) => Make::Series(micros(first), every, jitter as u64),
        Days::Range(first, last) if rising => {
            let span = micros(last) - micros(first) + hoap_data::DAY_MICROS;
            Make::Rising(micros(first), span, count)
        }
        Days::Range(first, last) => {
            let unit = format.unit();
            let low = micros(first).div_euclid(unit);
            let high = (micros(last) + hoap_data::DAY_MICROS).div_euclid(unit) - 1;
            Make::Date(low, Draw::plain(&Dist::Uniform, Range { low, high }))
        }
    }
}
