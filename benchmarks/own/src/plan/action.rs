//! What operations do, with every name looked up: what a run's clients go by.

use hoap_database::Index;
use serde_json::Value;

use super::draw::Documents;
use super::model::{Id, Way};
use crate::file::model::DateFormat;
use crate::file::operand::Pick;
use crate::file::range::Range;
use crate::file::step::{Expect, Verb};

/// A place for a document, an element or an answer, among those of its operation.
pub type Slot = usize;

/// An operation.
#[derive(Debug)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Its share of the mix.
    pub weight: f64,
    /// Whether its steps are a transaction, else they are commands one after the other.
    pub transaction: bool,
    /// The documents that are drawn before the first step.
    pub draws: Vec<Draw>,
    /// What is done with them.
    pub steps: Vec<Step>,
    /// How many slots it has.
    pub slots: usize,
    /// The place of the query that it asks, in the place of steps.
    pub query: Option<usize>,
}

/// An analytical query.
#[derive(Debug)]
pub struct Query {
    /// The documents that are drawn for it.
    pub draws: Vec<Draw>,
    /// Its parameters.
    pub params: Vec<(String, Source)>,
    /// How many slots it has.
    pub slots: usize,
    /// Its texts by dialect.
    pub texts: Vec<(String, String)>,
    /// How many rows its answer has, if the file says so.
    pub expect: Option<Expect>,
}

/// A document that an operation draws.
#[derive(Debug)]
pub struct Draw {
    /// Where it goes.
    pub slot: Slot,
    /// Its collection.
    pub collection: usize,
    /// Which one.
    pub which: Which,
    /// How many, of new ones that one command inserts.
    pub batch: Range,
}

/// Which document is drawn.
#[derive(Debug)]
pub enum Which {
    /// One that is there; below this word one that never is.
    There(Documents, u64),
    /// One that is there, and that no other delete has drawn.
    Once(Documents),
    /// A new one, the child of this drawn document if there is one.
    New(Option<Slot>),
}

/// What a step does.
#[derive(Debug)]
pub struct Step {
    /// Its verb.
    pub verb: Verb,
    /// The collection.
    pub collection: usize,
    /// The document.
    pub target: Target,
    /// For each of these.
    pub each: Option<Each>,
    /// Where its answer goes.
    pub answer: Option<Slot>,
    /// What must hold, else the operation is refused.
    pub conditions: Vec<Test>,
    /// The paths of the answer.
    pub fields: Vec<String>,
    /// What a find looks for.
    pub search: Option<Search>,
    /// What becomes of fields.
    pub changes: Vec<Change>,
    /// How many documents the answer has, if the file says so.
    pub expect: Option<Expect>,
}

impl Step {
    /// Whether it is about a document that was drawn or is named by its key.
    pub fn is_aimed(&self) -> bool {
        self.each.is_none()
    }
}

/// The document of a step.
#[derive(Debug)]
pub enum Target {
    /// The one in a slot.
    Slot(Slot),
    /// That of this key, or those of these.
    Keys(Source),
    /// Those of a search.
    Search,
}

/// What a step is done for, one after the other, each in a slot.
#[derive(Debug)]
pub enum Each {
    /// The elements of an array of a drawn document.
    Elements {
        /// The slot of the document.
        of: Slot,
        /// The way to the array.
        way: Way,
        /// The array.
        array: Id,
        /// Where each element goes.
        into: Slot,
    },
    /// The documents of an answer.
    Answers {
        /// The slot of the answer.
        of: Slot,
        /// Where each goes.
        into: Slot,
    },
}

/// A search by an index.
#[derive(Debug)]
pub struct Search {
    /// The index.
    pub index: Index,
    /// The values of its first fields.
    pub equal: Vec<Source>,
    /// The bounds of the next one.
    pub range: Option<Is>,
    /// The parents' collection, if these are the children of the parent with the first value as its
    /// key, whatever else they are.
    pub children_of: Option<usize>,
    /// The slot of the drawn document whose values they are.
    pub drawn: Option<Slot>,
    /// Whether the order is descending.
    pub descending: bool,
    /// The most documents.
    pub limit: Option<Range>,
    /// How many commands.
    pub pages: Range,
}

/// What a field must be.
#[derive(Debug)]
pub struct Test {
    /// Its path.
    pub path: String,
    /// What it must be.
    pub is: Is,
}

/// What a value must be.
#[derive(Debug)]
pub enum Is {
    /// Equal to this.
    Equal(Source),
    /// In these bounds.
    Within {
        /// The least.
        min: Option<Source>,
        /// The most.
        max: Option<Source>,
        /// How far the other bound is from the one that is given, in units of the field.
        span: Option<(i64, DateFormat)>,
    },
}

/// What becomes of a field.
#[derive(Debug)]
pub struct Change {
    /// Its path, as databases have it.
    pub path: String,
    /// Its place in [`Changes::fields`].
    pub field: usize,
    /// What becomes of it.
    pub to: To,
}

/// What becomes of a field.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum To {
    Set(Source),
    /// With so many digits behind the point; none of an integer.
    Add(Source, u8),
    Append(Source),
    Remove,
}

/// Where a value comes from.
#[derive(Debug)]
pub enum Source {
    /// It is this.
    Literal(Value),
    /// The present time in this format.
    Now(DateFormat),
    /// What the generator of this field makes for a document that is drawn anew.
    New(usize, Id),
    /// What is in a slot.
    Slot {
        /// The slot.
        slot: Slot,
        /// What of it.
        part: Part,
        /// Which of its elements.
        pick: Pick,
        /// Whether its sign is changed.
        negative: bool,
    },
}

/// What is taken of a slot.
#[derive(Debug)]
pub enum Part {
    /// The key.
    Key,
    /// A field of a drawn document or of an element, as it was made.
    Way(Way),
    /// A field of an answer.
    Path(String),
}

/// What the operations of a file do to a collection.
#[derive(Debug, Default)]
pub struct Changes {
    /// The fields that they change.
    pub fields: Vec<Changed>,
    /// Whether they insert documents.
    pub inserts: bool,
    /// Whether they delete some.
    pub deletes: bool,
    /// Whether all deletes are of the oldest one.
    pub oldest_only: bool,
    /// Whether they put whole documents.
    pub puts: bool,
}

/// A field that operations change.
#[derive(Debug)]
pub struct Changed {
    /// Its path, as databases have it.
    pub path: String,
    /// The same without quotes and positions: how checks of documents name it.
    pub shape: String,
    /// What can be known of it.
    pub known: Known,
}

/// What can be known of a field that operations change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The sum of all that was added to it, with so many digits behind the point.
    Sum(u8),
    /// What was written last.
    Last,
    /// Nothing: several kinds of changes meet in it.
    Nothing,
}
