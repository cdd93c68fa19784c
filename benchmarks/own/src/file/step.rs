//! The steps of operations.

use super::draw::{Which, there};
use super::field::name_of;
use super::keys::{Entry, Keys, Read, Value};
use super::model::Name;
use super::operand::{Operand, Reference, operand, reference};
use super::range::{self, Range};
use super::wrong::{Wrong, instead, listed};

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Verb {
    Read,
    Find,
    Scan,
    Insert,
    Put,
    Patch,
    Delete,
    Query,
}

impl Verb {
    /// All of them, with their words.
    pub const ALL: [(&'static str, Verb); 8] = [
        ("read", Verb::Read),
        ("find", Verb::Find),
        ("scan", Verb::Scan),
        ("insert", Verb::Insert),
        ("put", Verb::Put),
        ("patch", Verb::Patch),
        ("delete", Verb::Delete),
        ("query", Verb::Query),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Verb::ALL.iter().find(|(_, verb)| *verb == self).map_or("", |(word, _)| word)
    }

    /// Whether it only reads documents, which are its answer.
    pub fn reads(self) -> bool {
        matches!(self, Verb::Read | Verb::Find | Verb::Scan)
    }
}

/// Which document a step is about.
#[derive(Debug)]
pub enum Target {
    /// The one that was drawn, or that an earlier step answered.
    Drawn(Reference),
    /// One of a collection: drawn by the step, or that of its `key` or `keys`.
    Of(Name, Which),
}

/// What a field must be: for `where` and `if`.
#[derive(Debug)]
pub enum Test {
    /// Equal to this.
    Equal(Operand),
    /// From and to; with a length of time one of them may be left out.
    Within {
        /// The least.
        min: Option<Operand>,
        /// The most.
        max: Option<Operand>,
        /// Microseconds between them.
        span: Option<i64>,
    },
    /// As that of a drawn document.
    AsDrawn,
}

/// A step.
#[derive(Debug)]
pub struct Step {
    /// Where it stands.
    pub at: usize,
    /// What it does.
    pub verb: Verb,
    /// The document or the collection.
    pub target: Target,
    /// `key` or `keys`.
    pub key: Option<Reference>,
    /// For each of these, under this name.
    pub each: Option<(Name, Reference)>,
    /// `where`.
    pub filter: Vec<(Name, Test)>,
    /// `if`.
    pub condition: Vec<(Name, Test)>,
    /// `fields` of an answer.
    pub fields: Vec<Name>,
    /// Whether the order is descending.
    pub descending: Option<bool>,
    /// Documents of an answer.
    pub limit: Option<Range>,
    /// Commands of a find that goes on.
    pub pages: Option<Range>,
    /// Documents of a batch.
    pub batch: Option<Range>,
    /// What the answer is called.
    pub answer: Option<Name>,
    /// What a field becomes.
    pub set: Vec<(Name, Operand)>,
    /// What is added to a field.
    pub add: Vec<(Name, Operand)>,
    /// What is put behind the last element.
    pub append: Vec<(Name, Operand)>,
    /// What goes away.
    pub remove: Vec<Name>,
    /// The number of documents that the answer has, if it is not that of the rules.
    pub expect: Option<Expect>,
}

/// How many documents an answer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Expect {
    Any,
    Between(Range),
}

/// The step whose keys these are; those of an operation of one step are left.
pub fn step(keys: &mut Keys<'_>) -> Read<Step> {
    let words = Verb::ALL.map(|(word, _)| word);
    let there: Vec<_> = Verb::ALL.into_iter().filter(|(word, _)| keys.has(word)).collect();
    let (word, verb) = match there[..] {
        [one] => one,
        [] => {
            let mut rest = keys.rest().map(|entry| instead(entry.key, words));
            let rest = rest.find(|text| text.contains("mean"));
            let words = rest.unwrap_or_else(|| format!("; there are {}", listed(&words)));
            return Err(Wrong::new(keys.at, format!("a step does something{words}")));
        }
        [(first, _), (second, _), ..] => {
            return Err(Wrong::new(
                keys.at,
                format!("a step does one thing, here are {first} and {second}"),
            ));
        }
    };
    let at = keys.at;
    let value = keys.need(word)?;
    let target = target(value, keys, verb)?;
    let writes = matches!(verb, Verb::Insert | Verb::Put | Verb::Patch);
    let mut step = Step {
        at,
        verb,
        target,
        key: None,
        each: keys.take("each").map(each).transpose()?,
        filter: Vec::new(),
        condition: Vec::new(),
        fields: Vec::new(),
        descending: None,
        limit: None,
        pages: None,
        batch: None,
        answer: None,
        set: Vec::new(),
        add: Vec::new(),
        append: Vec::new(),
        remove: Vec::new(),
        expect: None,
    };
    if verb.reads() {
        step.fields = keys.take("fields").map_or(Ok(Vec::new()), names)?;
        step.answer = keys.take("as").map(name_of).transpose()?;
        step.expect = keys.take("expect").map(expect).transpose()?;
    }
    if matches!(verb, Verb::Read | Verb::Patch | Verb::Delete) {
        step.condition = keys.take("if").map_or(Ok(Vec::new()), tests)?;
        let key = if verb == Verb::Read && keys.has("keys") { "keys" } else { "key" };
        step.key = keys.take(key).map(reference).transpose()?;
    }
    if matches!(verb, Verb::Find | Verb::Scan) {
        step.limit = limit(keys, verb)?;
    }
    if verb == Verb::Find {
        step.filter = filter(keys.need("where")?)?;
        step.descending = keys.take("order").map(order).transpose()?;
        step.pages = keys.take("pages").map(|value| range::lengths(value, 1000)).transpose()?;
    }
    if writes {
        step.set = keys.take("set").map_or(Ok(Vec::new()), operands)?;
    }
    if verb == Verb::Insert {
        step.batch = keys.take("batch").map(|value| range::lengths(value, 10_000)).transpose()?;
    }
    if verb == Verb::Patch {
        step.add = keys.take("add").map_or(Ok(Vec::new()), operands)?;
        step.append = keys.take("append").map_or(Ok(Vec::new()), operands)?;
        step.remove = keys.take("remove").map_or(Ok(Vec::new()), names)?;
        let changes = step.set.len() + step.add.len() + step.append.len() + step.remove.len();
        if changes == 0 {
            return Err(Wrong::new(at, "a patch changes something: set, add, append or remove"));
        }
    }
    Ok(step)
}

/// The most documents of an answer, which a scan says.
fn limit(keys: &mut Keys<'_>, verb: Verb) -> Read<Option<Range>> {
    let limit = keys.take("limit").map(|value| range::lengths(value, 1_000_000)).transpose()?;
    match limit {
        None if verb == Verb::Scan => {
            let message = "a scan says how many documents it reads: limit = \"1..100\"";
            Err(Wrong::new(keys.at, message))
        }
        limit => Ok(limit),
    }
}

/// `"$draw"`, or a collection with `dist` and `miss`.
fn target(value: Value<'_>, keys: &mut Keys<'_>, verb: Verb) -> Read<Target> {
    if value.text()?.starts_with('$') {
        return reference(value).map(Target::Drawn);
    }
    let name = match verb {
        Verb::Query => Name { text: value.text()?.to_owned(), at: value.at },
        _ => name_of(value)?,
    };
    let which = match verb {
        Verb::Find | Verb::Query => Which::There { dist: super::model::Dist::Uniform, miss: 0.0 },
        Verb::Insert => Which::New(None),
        _ => there(keys)?,
    };
    Ok(Target::Of(name, which))
}

/// `each.NAME = "$reference"`.
fn each(value: Value<'_>) -> Read<(Name, Reference)> {
    let entries = value.entries()?;
    match entries[..] {
        [Entry { key, key_at, value }] => {
            Ok((Name { text: key.to_owned(), at: key_at }, reference(value)?))
        }
        _ => Err(value.wrong("`each` has one name: each.line = \"$o.lines\"")),
    }
}

fn names(value: Value<'_>) -> Read<Vec<Name>> {
    value.list()?.into_iter().map(name_of).collect()
}

/// Operands by the paths of fields.
fn operands(value: Value<'_>) -> Read<Vec<(Name, Operand)>> {
    let one = |entry: Entry<'_>| Ok((path_of(&entry)?, operand(entry.value)?));
    value.entries()?.into_iter().map(one).collect()
}

/// The path that a key is.
fn path_of(entry: &Entry<'_>) -> Read<Name> {
    super::name::path(entry.key).ok_or_else(|| {
        Wrong::new(entry.key_at, format!("{:?} is no path of a field", entry.key))
    })?;
    Ok(Name { text: entry.key.to_owned(), at: entry.key_at })
}

fn tests(value: Value<'_>) -> Read<Vec<(Name, Test)>> {
    let test = |entry: Entry<'_>| {
        let path = path_of(&entry)?;
        if !entry.value.is_table() {
            return Ok((path, Test::Equal(operand(entry.value)?)));
        }
        let mut keys = entry.value.keys("a range")?;
        let (min, max) = (keys.take("min"), keys.take("max"));
        let span = keys.take("span").map(range::duration).transpose()?;
        keys.end()?;
        let (min, max) = (min.map(operand).transpose()?, max.map(operand).transpose()?);
        match (&min, &max, span) {
            (None, None, _) => Err(entry.value.wrong("a range has `min`, `max` or both")),
            (Some(_), Some(_), Some(_)) => {
                Err(entry.value.wrong("`span` takes the place of `min` or of `max`"))
            }
            _ => Ok((path, Test::Within { min, max, span })),
        }
    };
    value.entries()?.into_iter().map(test).collect()
}

/// `where`: tests, or the fields that are as those of a drawn document.
fn filter(value: Value<'_>) -> Read<Vec<(Name, Test)>> {
    match value.is_table() {
        true => tests(value),
        false => Ok(names(value)?.into_iter().map(|name| (name, Test::AsDrawn)).collect()),
    }
}

fn order(value: Value<'_>) -> Read<bool> {
    match value.text()? {
        "asc" => Ok(false),
        "desc" => Ok(true),
        other => Err(value.wrong(format!("{other:?} is no order; there are asc and desc"))),
    }
}

/// A number, a range, which may have no end, `any` or `none`.
pub fn expect(value: Value<'_>) -> Read<Expect> {
    let text = value.as_text().unwrap_or_default();
    let low = text.strip_suffix("..").and_then(|low| low.trim().parse::<i64>().ok());
    match (text, low) {
        ("any", _) => Ok(Expect::Any),
        ("none", _) => Ok(Expect::Between(Range { low: 0, high: 0 })),
        (_, Some(low @ 0..)) => Ok(Expect::Between(Range { low, high: i64::MAX })),
        _ => range::lengths(value, i64::MAX).map(Expect::Between),
    }
}
