//! What each field is, how large its numbers become, and that none is made of itself.

use super::cost::{Cost, MOST_LINKS, Parts};
use super::model::{Id, Kind, Step, To, Way};
use super::names::Names;
use crate::file::model::{DateFormat, Literal, Make};
use crate::file::wrong::Wrong;

/// The most digits of a decimal.
const MOST_DIGITS: u8 = 18;

/// What a field is, and the greatest distance of its number from 0, in units of its last digit.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    /// What it is.
    pub kind: Kind,
    most: i128,
    /// What it costs to make.
    pub cost: Cost,
}

/// The kinds of all fields, of which `ways` are what each names.
pub fn types(
    names: &Names<'_>,
    ways: &[Vec<Way>],
    most: &dyn Fn(usize) -> i128,
) -> Result<Vec<Type>, Wrong> {
    let mut kinds = Kinds { names, ways, most, known: vec![None; ways.len()], open: Vec::new() };
    (0..ways.len()).map(|id| kinds.of(id)).collect()
}

struct Kinds<'a, 'f> {
    names: &'a Names<'f>,
    ways: &'a [Vec<Way>],
    /// The most children of a parent in a collection.
    most: &'a dyn Fn(usize) -> i128,
    known: Vec<Option<Type>>,
    /// The fields whose kinds wait for each other.
    open: Vec<Id>,
}

fn plain(kind: Kind) -> Type {
    numbers(kind, 0)
}

fn numbers(kind: Kind, most: i128) -> Type {
    Type { kind, most, cost: Cost::default() }
}

impl Kinds<'_, '_> {
    fn of(&mut self, id: Id) -> Result<Type, Wrong> {
        if let Some(known) = self.known[id] {
            return Ok(known);
        }
        let path = |id: &Id| self.names.declared[*id].path.as_str();
        if let Some(from) = self.open.iter().position(|open| *open == id) {
            let circle: Vec<&str> = self.open[from..].iter().chain([&id]).map(path).collect();
            let message = format!("`{}` is made of itself: {}", circle[0], circle.join(", "));
            return Err(Wrong::new(self.names.declared[id].at, message));
        }
        self.open.push(id);
        if self.open.len() > MOST_LINKS as usize {
            return Err(self.too_long(id));
        }
        let of = self.made(id)?;
        self.open.pop();
        let known = |id: Id| self.known[id].map_or(Cost::default(), |of| of.cost);
        let times = |way: &Way| self.times(way);
        let parts = Parts { names: self.names, ways: self.ways, known: &known, times: &times };
        let of = Type { cost: parts.cost(id), ..of };
        if of.cost.links > MOST_LINKS {
            return Err(self.too_long(id));
        }
        if of.most > i64::MAX.into() {
            let path = path(&id);
            return Err(Wrong::new(
                self.names.declared[id].at,
                format!("{path} may have more than 64 bits"),
            ));
        }
        self.known[id] = Some(of);
        Ok(of)
    }

    fn too_long(&self, id: Id) -> Wrong {
        let of = &self.names.declared[id];
        let message = format!(
            "{} is made of a field that is made of another, and so on: {MOST_LINKS} at most",
            of.path
        );
        Wrong::new(of.at, message)
    }

    #[allow(clippy::too_many_lines, reason = "a row for each way to make a value")]
    fn made(&mut self, id: Id) -> Result<Type, Wrong> {
        let (names, ways) = (self.names, self.ways);
        let declared = &names.declared[id];
        let ends = |low: i64, high: i64| i128::from(low).abs().max(i128::from(high).abs());
        Ok(match &declared.field.make {
            Make::Nothing => plain(Kind::Null),
            Make::Constant(literal) => of_literal(literal),
            Make::Values { values, .. } => {
                values.iter().map(of_literal).reduce(either).unwrap_or(plain(Kind::Null))
            }
            Make::Integer { range, .. } => numbers(Kind::Integer, ends(range.low, range.high)),
            Make::Decimal { range, digits, .. } => {
                numbers(Kind::Decimal(*digits), ends(range.low, range.high))
            }
            Make::Number { .. } => plain(Kind::Number),
            Make::Boolean(_) => plain(Kind::Boolean),
            Make::Date { format, .. } => of_date(*format),
            Make::After { by, time, .. } => {
                let of = self.way(&ways[id][0])?;
                match (of.kind, time) {
                    (Kind::Date(_), true) => of,
                    (Kind::Integer, false) => Type { most: of.most + ends(by.low, by.high), ..of },
                    (Kind::Date(_), false) => {
                        return Err(self.wrong(
                            id,
                            "`by` is a length of time behind a date, such as \"1h..5d\"",
                        ));
                    }
                    _ => return Err(self.wrong(id, "`after` follows a date or an integer")),
                }
            }
            Make::Pattern(_) => {
                for way in &ways[id] {
                    if matches!(
                        self.way(way)?.kind,
                        Kind::Object | Kind::Array | Kind::Map | Kind::Mixed
                    ) {
                        return Err(self.wrong(
                            id,
                            "a pattern has no room for an object, an array or a mixed field",
                        ));
                    }
                }
                plain(Kind::Text)
            }
            Make::Words(_) | Make::Text(..) | Make::Ref { .. } => plain(Kind::Text),
            Make::Binary(_) => plain(Kind::Binary),
            Make::Copy(_) => self.way(&ways[id][0])?,
            Make::Size(_) => {
                let times = self.times(&ways[id][0]);
                numbers(Kind::Integer, times)
            }
            Make::Sum(_) => {
                let of = self.numeric(id, &ways[id][0], "sum")?;
                Type { most: of.most.saturating_mul(self.times(&ways[id][0])), ..of }
            }
            Make::Product(_) => self.product(id)?,
            Make::Array(..) | Make::Tuple(_) => {
                self.all(&declared.inner)?;
                plain(Kind::Array)
            }
            Make::Map { .. } => {
                self.all(&declared.inner)?;
                plain(Kind::Map)
            }
            Make::Object(_) => {
                let (members, sets) = &declared.members;
                for (_, id) in members.iter().chain(sets.iter().flatten()) {
                    self.of(*id)?;
                }
                plain(Kind::Object)
            }
            Make::Variants(_) => self.all(&declared.inner)?,
            Make::Given { .. } => {
                let of = self.way(&ways[id][0])?;
                if matches!(of.kind, Kind::Object | Kind::Array | Kind::Map) {
                    return Err(
                        self.wrong(id, "`given` asks for a text, a number or true and false")
                    );
                }
                self.all(&declared.inner)?
            }
        })
    }

    /// What all of these are together.
    fn all(&mut self, ids: &[Id]) -> Result<Type, Wrong> {
        let mut all: Option<Type> = None;
        for id in ids {
            let of = self.of(*id)?;
            all = Some(all.map_or(of, |all| either(all, of)));
        }
        Ok(all.unwrap_or(plain(Kind::Null)))
    }

    /// What a way leads to.
    fn way(&mut self, way: &Way) -> Result<Type, Wrong> {
        // Which document, how many elements: fields on the way are made first, too.
        for step in &way.steps {
            if let Step::Ref(id) = step {
                self.of(*id)?;
            }
        }
        match way.to {
            To::Field(id) => self.of(id),
            To::Key(_) => Ok(plain(Kind::Text)),
            To::Number | To::Seq | To::Index(_) | To::Here => Ok(numbers(Kind::Integer, 1 << 53)),
        }
    }

    /// How often a way may lead there.
    fn times(&self, way: &Way) -> i128 {
        let times = |step: &Step| match step {
            Step::Ref(_) => 1,
            Step::Children(collection) => (self.most)(*collection),
            Step::Each(id) => match &self.names.declared[*id].field.make {
                Make::Array(length, _) | Make::Map { length, .. } => length.range.high.into(),
                _ => 1,
            },
        };
        way.steps.iter().map(times).fold(1, i128::saturating_mul)
    }

    fn product(&mut self, id: Id) -> Result<Type, Wrong> {
        let ways = self.ways;
        let (mut digits, mut most, mut real) = (0u8, 1i128, false);
        for way in &ways[id] {
            let of = self.numeric(id, way, "product")?;
            real |= of.kind == Kind::Number;
            digits += if let Kind::Decimal(digits) = of.kind { digits } else { 0 };
            most = most.saturating_mul(of.most);
        }
        if digits > MOST_DIGITS && !real {
            return Err(self.wrong(id, "this product has more than 18 digits behind its point"));
        }
        Ok(match (real, digits) {
            (true, _) => plain(Kind::Number),
            (_, 0) => numbers(Kind::Integer, most),
            _ => numbers(Kind::Decimal(digits), most),
        })
    }

    fn numeric(&mut self, id: Id, way: &Way, what: &str) -> Result<Type, Wrong> {
        let of = self.way(way)?;
        match of.kind {
            Kind::Integer | Kind::Decimal(_) | Kind::Number => Ok(of),
            _ => {
                let name = match way.to {
                    To::Field(id) => self.names.declared[id].path.as_str(),
                    _ => "that",
                };
                Err(self
                    .wrong(id, &format!("`{what}` needs numbers; {name} is {}", of.kind.words())))
            }
        }
    }

    fn wrong(&self, id: Id, message: &str) -> Wrong {
        Wrong::new(self.names.declared[id].field.at, message)
    }
}

/// What a literal is.
pub fn of_literal(literal: &Literal) -> Type {
    match literal {
        Literal::Null => plain(Kind::Null),
        Literal::Boolean(_) => plain(Kind::Boolean),
        Literal::Integer(n) => numbers(Kind::Integer, i128::from(*n).abs()),
        Literal::Decimal(units, digits) => {
            numbers(Kind::Decimal(*digits), i128::from(*units).abs())
        }
        Literal::Number(_) => plain(Kind::Number),
        Literal::Date(_, format) => of_date(*format),
        Literal::Text(_) => plain(Kind::Text),
    }
}

fn of_date(format: DateFormat) -> Type {
    plain(Kind::Date(format))
}

/// What is one of both.
fn either(a: Type, b: Type) -> Type {
    let kind = match (a.kind, b.kind) {
        (Kind::Null, kind) | (kind, Kind::Null) => kind,
        (Kind::Integer, Kind::Number) | (Kind::Number, Kind::Integer) => Kind::Number,
        (one, other) if one == other => one,
        _ => Kind::Mixed,
    };
    numbers(kind, a.most.max(b.most))
}

impl Kind {
    /// What it is called in an error.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Null => "never there",
            Kind::Boolean => "true or false",
            Kind::Integer => "an integer",
            Kind::Decimal(_) => "a decimal",
            Kind::Number => "a number",
            Kind::Date(_) => "a date",
            Kind::Text => "text",
            Kind::Binary => "binary",
            Kind::Object => "an object",
            Kind::Array => "an array",
            Kind::Map => "a map",
            Kind::Mixed => "of several types",
        }
    }
}
