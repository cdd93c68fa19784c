//! What a plan is made of.

use hoap_data::permutation::Permutation;
use hoap_data::random::Stream;

use super::curve::Curve;
use super::draw::{Choice, Documents, Draw};
use super::family::Family;
use crate::file::model::{Alphabet, DateFormat, Literal};

/// Version of the bytes: it changes whenever a single byte of any document of the same file does.
pub const DATA_VERSION: u32 = 1;

/// A field, by its place in [`super::Plan::nodes`].
pub type Id = usize;

/// Arrays and maps in each other, at most.
pub const DEPTH: usize = 6;

/// The most children of a parent that a sum or a size adds up.
pub const MOST_SUMMED: u64 = 1000;

/// A collection.
#[derive(Debug)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// Documents that are loaded.
    pub count: u64,
    /// Whether it is loaded.
    pub stored: bool,
    /// The collection of its parents, and which number is whose child.
    pub parent: Option<(usize, Family)>,
    /// Its keys.
    pub key: Box<[Piece]>,
    /// The document.
    pub document: Object,
    /// Which document is how hot.
    pub hot: Permutation,
    /// What a document costs at most: bytes that are written, or fields that are computed.
    pub cost: u64,
    /// Its indexes: names, which begin with the collection's, and paths of fields.
    pub indexes: Vec<(String, Vec<String>)>,
}

/// The fields of an object.
#[derive(Debug, Default)]
pub struct Object {
    /// Those of every document.
    pub members: Box<[Member]>,
    /// Sets of more fields, if there are some.
    pub sets: Option<Sets>,
    /// Arrays around it.
    pub depth: usize,
}

/// Sets of more fields, of which an object has one.
#[derive(Debug)]
pub struct Sets {
    /// Which one.
    pub choice: Choice,
    /// The words that choose.
    pub stream: Stream,
    /// The fields of each.
    pub sets: Box<[Box<[Member]>]>,
}

/// A field with its name.
#[derive(Debug)]
pub struct Member {
    /// The name.
    pub name: String,
    /// The name as JSON, with the comma before and the colon behind it.
    pub json: Box<[u8]>,
    /// The field.
    pub id: Id,
}

/// A field.
#[derive(Debug)]
pub struct Node {
    /// Its path, such as `lines.amount`.
    pub path: String,
    /// Its collection.
    pub collection: usize,
    /// Arrays and maps around it.
    pub depth: usize,
    /// Where it stands in the file.
    pub at: usize,
    /// Its random words: a child for each document, and of that for each element.
    pub stream: Stream,
    /// Below the first word it is absent, and below the second null.
    pub missing: Option<(u64, u64)>,
    /// Which of its distinct values it has, and the words of these.
    pub distinct: Option<(Draw, Stream)>,
    /// Whether it is left out of the document.
    pub hidden: bool,
    /// Whether every operation keeps it true.
    pub kept: bool,
    /// What makes it.
    pub make: Make,
    /// What it is.
    pub kind: Kind,
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Null,
    Boolean,
    Integer,
    /// Digits behind the point.
    Decimal(u8),
    Number,
    Date(DateFormat),
    Text,
    Binary,
    Object,
    Array,
    Map,
    /// Sometimes this, sometimes that.
    Mixed,
}

/// What makes a field.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum Make {
    Nothing,
    /// Its value, and its JSON.
    Constant(Literal, Box<[u8]>),
    Tuple(Box<[Id]>),
    Values(Choice, Box<[(Literal, Box<[u8]>)]>),
    /// The lowest, and what is added.
    Integer(i64, Draw),
    /// The lowest, and what is added by the document's number.
    Unique(i64, Permutation),
    Decimal(i64, Draw),
    Number(f64, f64, Option<Curve>),
    Boolean(u64),
    /// The first, and what is added, in units of its format.
    Date(i64, Draw),
    /// The first, all of the span, and among how many documents it is divided, in microseconds.
    Rising(i64, i64, u64),
    /// The first, the distance from one to the next, and the most that is added, in microseconds.
    Series(i64, i64, u64),
    /// What it follows, the least and the most that is added: units of the format, or integers.
    After(Way, i64, Draw),
    Pattern(Box<[Piece]>),
    Words(u64, Draw),
    Text(Alphabet, u64, Draw),
    Binary(u64, Draw),
    /// A key of this collection.
    Ref(usize, Documents),
    /// The parent's key; the collection of the parents.
    Parent(usize),
    Copy(Way),
    Sum(Way),
    Product(Box<[Way]>),
    Size(Way),
    Array(u64, Draw, Id),
    Map(u64, Draw, Id, Id),
    Object(Object),
    Variants(Choice, Box<[Id]>),
    Given(Way, Box<[(String, Id)]>, Option<Id>),
}

/// The way from a field to what it names.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// Over these fields.
    pub steps: Box<[Step]>,
    /// What is there.
    pub to: To,
}

/// A step on the way to what is named.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// To the document that this field refers to.
    Ref(Id),
    /// To each element of this array.
    Each(Id),
    /// To each child in this collection.
    Children(usize),
}

/// What a way leads to.
#[derive(Clone, Copy, Debug, Default)]
pub enum To {
    /// A field.
    Field(Id),
    /// The document's number.
    #[default]
    Number,
    /// Its place among its parent's children.
    Seq,
    /// Its key.
    Key(usize),
    /// The place in the array at this depth.
    Index(usize),
    /// Nothing but how often the way leads there.
    Here,
}

/// A piece of a key or a pattern.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum Piece {
    Literal(String),
    Number(usize),
    Seq(usize),
    Parent(usize),
    Hash(u64),
    Uuid(u64),
    ObjectId(u64),
    Way(Way),
    Random(Alphabet, u64, u64),
}
