//! What a workload file says, as it is written: names are not looked up yet.

use super::range::{Days, Range};

/// A name or a path, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// The byte at which it begins.
    pub at: usize,
}

/// How a parent's children lie among the numbers of their collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Arrange {
    Mixed,
    Grouped,
    Rounds,
}

/// A collection.
#[derive(Debug)]
pub struct Collection {
    /// Its name.
    pub name: Name,
    /// Documents, or children of each parent.
    pub count: Range,
    /// The parent's collection.
    pub per: Option<Name>,
    /// How numbers of children are spread.
    pub dist: Dist,
    /// Which number is whose child.
    pub arrange: Arrange,
    /// Whether the scale leaves it alone.
    pub fixed: bool,
    /// Whether it is loaded.
    pub stored: bool,
    /// The pattern of its keys.
    pub key: Pattern,
    /// Its indexes.
    pub indexes: Vec<Index>,
    /// The document.
    pub document: Object,
}

/// An index.
#[derive(Debug)]
pub struct Index {
    /// Its name.
    pub name: Name,
    /// Paths of its fields.
    pub fields: Vec<Name>,
}

/// Fields with their names, and sets of more fields of which a document has one.
#[derive(Debug, Default)]
pub struct Object {
    /// The fields.
    pub members: Vec<(Name, Field)>,
    /// Shares and sets.
    pub variants: Vec<Set>,
}

/// A set of more fields: its share, and the fields with their names.
pub type Set = (f64, Vec<(Name, Field)>);

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Where its value stands.
    pub at: usize,
    /// What makes it.
    pub make: Make,
    /// The share of documents without it.
    pub absent: f64,
    /// The share in which it is null.
    pub null: f64,
    /// That it has one of so many values.
    pub distinct: Option<(u64, Dist)>,
    /// Whether it is left out of the document.
    pub hidden: bool,
    /// Whether every operation keeps it true.
    pub kept: bool,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Literal {
    Null,
    Boolean(bool),
    Integer(i64),
    /// Units of the last digit, and how many digits are behind the point.
    Decimal(i64, u8),
    Number(f64),
    /// Microseconds since 1970-01-01.
    Date(i64, DateFormat),
    Text(String),
}

/// What makes a field.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum Make {
    /// It is never there.
    Nothing,
    Constant(Literal),
    Tuple(Vec<Field>),
    Values {
        values: Vec<Literal>,
        weights: Vec<f64>,
        dist: Dist,
    },
    Integer {
        range: Range,
        dist: Dist,
        unique: bool,
    },
    Decimal {
        range: Range,
        digits: u8,
        dist: Dist,
    },
    Number {
        low: f64,
        high: f64,
        dist: Dist,
    },
    Boolean(f64),
    Date {
        days: Days,
        format: DateFormat,
        rising: bool,
        every: i64,
        jitter: i64,
    },
    /// `time`: whether `by` is microseconds.
    After {
        name: Name,
        by: Range,
        time: bool,
        dist: Dist,
    },
    Pattern(Pattern),
    Words(Length),
    Text(Alphabet, Length),
    Binary(Length),
    Ref {
        name: Name,
        dist: Dist,
    },
    Copy(Name),
    Sum(Name),
    Product(Vec<Name>),
    Size(Name),
    Array(Length, Box<Field>),
    Map {
        length: Length,
        keys: Box<Field>,
        of: Box<Field>,
    },
    Object(Object),
    Variants(Vec<(f64, Field)>),
    Given {
        name: Name,
        when: Vec<(Name, Field)>,
        otherwise: Option<Box<Field>>,
    },
}

/// A range of lengths, and how they are spread.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Length {
    pub range: Range,
    pub dist: Dist,
}

/// A distribution.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Dist {
    Uniform,
    Zipfian {
        theta: f64,
    },
    Normal {
        mean: f64,
        sd: f64,
    },
    Exponential {
        mean: f64,
    },
    /// Shares and values.
    Quantiles(Vec<(f64, f64)>),
    Hotspot {
        hot: f64,
        hits: f64,
    },
    Latest {
        theta: f64,
    },
    Oldest,
}

/// How a date is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateFormat {
    /// 2024-01-31T12:30:00.000Z
    Iso,
    /// 2024-01-31
    Date,
    /// 2024-01-31 12:30:00.000
    Space,
    /// Seconds since 1970, as a number.
    Seconds,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
}

impl DateFormat {
    /// Microseconds of the smallest difference that it shows.
    pub fn unit(self) -> i64 {
        match self {
            DateFormat::Iso | DateFormat::Space | DateFormat::Millis => 1_000,
            DateFormat::Date => hoap_data::DAY_MICROS,
            DateFormat::Seconds => 1_000_000,
            DateFormat::Micros => 1,
        }
    }
}

/// The characters of random text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Alphabet {
    Alnum,
    Letters,
    Lower,
    Upper,
    Digits,
    Hex,
    Words,
}

/// A text made of pieces, and where it stands.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Pattern {
    pub at: usize,
    pub pieces: Vec<Piece>,
}

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// As it stands.
    Literal(String),
    /// The document's number, with zeros before it up to this width.
    Number(usize),
    /// Its place among its parent's children.
    Seq(usize),
    /// Its parent's key.
    Parent,
    /// 16 hexadecimal digits, another text for each number.
    Hash,
    /// A UUID.
    Uuid,
    /// 24 hexadecimal digits that rise with the number.
    ObjectId,
    /// The value of a field.
    Field(Name),
    /// Random characters: so many.
    Random(Alphabet, Range),
}
