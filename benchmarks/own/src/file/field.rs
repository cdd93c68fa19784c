//! Fields and their generators.

use std::cell::RefCell;
use std::io;
use std::path::Path;

use hoap_data::{Date, Timestamp};
use hoap_record::input;

use super::dist::{self, Of};
use super::keys::{Entry, Keys, Read, Value};
use super::model::{Alphabet, DateFormat, Dist, Field, Literal, Make, Name, Object, Set};
use super::range::{self, Days};
use super::wrong::{Wrong, instead, listed};
use super::{name, pattern};

/// The most elements of an array or a map, and the most words of a text.
const MOST_ELEMENTS: i64 = 100_000;
/// The most characters or bytes of a text.
const MOST_BYTES: i64 = 16 << 20;

/// The generators. `fields` may have `variants` beside it.
const GENERATORS: [&str; 20] = [
    "values", "integer", "decimal", "number", "boolean", "date", "after", "pattern", "words",
    "text", "binary", "ref", "copy", "sum", "product", "size", "array", "map", "fields", "given",
];

/// How fields are read: files of values are beside the workload file.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// The folder of the workload file.
    pub folder: &'a Path,
    /// The texts of the files of values, which decide the data, too.
    pub files: &'a RefCell<String>,
}

impl Reader<'_> {
    /// The fields of an object with their names, which are any text.
    pub fn members(self, value: Value<'_>) -> Read<Vec<(Name, Field)>> {
        let entries = value.entries()?;
        let named = |Entry { key, key_at, value }: Entry<'_>| {
            let name = Name { text: key.to_owned(), at: key_at };
            Ok((name, self.field(value)?))
        };
        entries.into_iter().map(named).collect()
    }

    /// `fields`, with `variants` beside them.
    pub fn object(self, keys: &mut Keys<'_>) -> Read<Object> {
        let members = self.members(keys.need("fields")?)?;
        let variants = match keys.take("variants") {
            Some(variants) => self.sets(variants)?,
            None => Vec::new(),
        };
        Ok(Object { members, variants })
    }

    /// Sets of more fields.
    fn sets(self, variants: Value<'_>) -> Read<Vec<Set>> {
        let set = |value: Value<'_>| {
            let mut keys = value.keys("a set of more fields")?;
            let set = (share(&mut keys)?, self.members(keys.need("fields")?)?);
            keys.end()?;
            Ok(set)
        };
        variants.list()?.into_iter().map(set).collect()
    }

    /// A field: a constant, a list of fields, or a generator.
    pub fn field(self, value: Value<'_>) -> Read<Field> {
        let of = |make| Field {
            at: value.at,
            make,
            absent: 0.0,
            null: 0.0,
            distinct: None,
            hidden: false,
            kept: false,
        };
        if let Some(list) = value.as_list() {
            let fields = list.into_iter().map(|value| self.field(value));
            return Ok(of(Make::Tuple(fields.collect::<Read<_>>()?)));
        }
        match value.is_table() {
            true => self.generated(value.keys("a field")?),
            false => Ok(of(Make::Constant(literal(value)?))),
        }
    }

    /// A field that a generator makes.
    fn generated(self, mut keys: Keys<'_>) -> Read<Field> {
        let at = keys.at;
        let share = |value: Option<Value<'_>>| value.map_or(Ok(0.0), Value::share);
        let flag = |value: Option<Value<'_>>| value.map_or(Ok(false), Value::boolean);
        let (absent, null) = (share(keys.take("absent"))?, share(keys.take("null"))?);
        let (hidden, kept) = (flag(keys.take("hidden"))?, flag(keys.take("kept"))?);
        if absent + null > 1.0 {
            return Err(Wrong::new(at, "the shares of absent and null are more than 1 together"));
        }
        let distinct = keys.take("distinct").map(distinct).transpose()?;
        let make = self.make(&mut keys, absent + null == 1.0)?;
        keys.end()?;
        if kept && !matches!(make, Make::Sum(_) | Make::Size(_) | Make::Copy(_)) {
            return Err(Wrong::new(at, "`kept` belongs to sum, size and copy"));
        }
        Ok(Field { at, make, absent, null, distinct, hidden, kept })
    }

    /// The one generator of a table.
    fn make(self, keys: &mut Keys<'_>, never: bool) -> Read<Make> {
        let there: Vec<&str> = GENERATORS.into_iter().filter(|name| keys.has(name)).collect();
        keys.also(&GENERATORS);
        keys.also(&["variants"]);
        let of_variants = keys.has("variants");
        match there[..] {
            ["fields"] => Ok(Make::Object(self.object(keys)?)),
            [one] if !of_variants => self.one(one, keys),
            [] if of_variants => {
                let variants = keys.need("variants")?;
                let mixed = |value: Value<'_>| {
                    let mut keys = value.keys("a variant")?;
                    Ok((self::share(&mut keys)?, self.generated(keys)?))
                };
                Ok(Make::Variants(variants.list()?.into_iter().map(mixed).collect::<Read<_>>()?))
            }
            [] if never => Ok(Make::Nothing),
            [] => Err(match keys.rest().next() {
                Some(Entry { key, key_at, .. }) => {
                    let names = instead(key, GENERATORS);
                    Wrong::new(*key_at, format!("`{key}` is no key of a field{names}"))
                }
                None => Wrong::new(keys.at, "a field has a generator, and here is none"),
            }),
            [first, ..] => {
                let second = there.get(1).copied().unwrap_or("variants");
                let number = match there.len() + usize::from(of_variants) {
                    2 => "two",
                    _ => "several",
                };
                let two = listed(&[first, second]);
                Err(Wrong::new(
                    keys.at,
                    format!("a field has one generator, here are {number}: {two}"),
                ))
            }
        }
    }

    /// The generator of this name.
    fn one(self, name: &'static str, keys: &mut Keys<'_>) -> Read<Make> {
        let value = keys.need(name)?;
        Ok(match name {
            "values" => self.values(value, keys)?,
            "integer" => {
                let range = range::integers(value)?;
                let unique = keys.take("unique").map_or(Ok(false), Value::boolean)?;
                let dist = of_range(keys, range.low as f64, range.high as f64)?;
                Make::Integer { range, dist, unique }
            }
            "decimal" => {
                let (range, digits) = range::decimals(value)?;
                let unit = 10f64.powi(digits.into());
                let dist = of_range(keys, range.low as f64 / unit, range.high as f64 / unit)?;
                Make::Decimal { range, digits, dist }
            }
            "number" => {
                let (low, high) = range::numbers(value)?;
                Make::Number { low, high, dist: of_range(keys, low, high)? }
            }
            "boolean" => Make::Boolean(value.share()?),
            "date" => date(value, keys)?,
            "after" => after(value, keys)?,
            "pattern" => Make::Pattern(pattern::read(value)?),
            "words" => Make::Words(dist::length(keys, value, MOST_ELEMENTS)?),
            "text" => {
                let alphabet = keys.take("of").map_or(Ok(Alphabet::Alnum), alphabet)?;
                Make::Text(alphabet, dist::length(keys, value, MOST_BYTES)?)
            }
            "binary" => Make::Binary(dist::length(keys, value, MOST_BYTES)?),
            "ref" => {
                Make::Ref { name: name_of(value)?, dist: dist::read(keys, Of::References, None)? }
            }
            "copy" => Make::Copy(name_of(value)?),
            "sum" => Make::Sum(name_of(value)?),
            "size" => Make::Size(name_of(value)?),
            "product" => {
                let factors: Vec<Name> =
                    value.list()?.into_iter().map(name_of).collect::<Read<_>>()?;
                match factors.len() {
                    2.. => Make::Product(factors),
                    _ => return Err(value.wrong("a product has two factors or more")),
                }
            }
            "array" => {
                let of = Box::new(self.field(keys.need("of")?)?);
                Make::Array(dist::length(keys, value, MOST_ELEMENTS)?, of)
            }
            "map" => {
                let [names, of] = [keys.need("keys")?, keys.need("of")?];
                let [names, of] = [Box::new(self.field(names)?), Box::new(self.field(of)?)];
                Make::Map { length: dist::length(keys, value, MOST_ELEMENTS)?, keys: names, of }
            }
            _ => {
                let when = self.members(keys.need("when")?)?;
                let otherwise = keys.take("else").map(|value| self.field(value)).transpose()?;
                Make::Given { name: name_of(value)?, when, otherwise: otherwise.map(Box::new) }
            }
        })
    }

    /// The text of a file beside the workload file, which may be a stranger's: no path and no link
    /// of it leads out of its folder.
    pub fn beside(self, file: &str) -> io::Result<String> {
        let folder = if self.folder == Path::new("") { Path::new(".") } else { self.folder };
        let path = folder.join(file).canonicalize()?;
        match path.starts_with(folder.canonicalize()?) {
            true => input::unmarked(input::bytes(&path, input::MOST_TEXT)?),
            false => Err(io::Error::other("it is not in the folder of the workload file")),
        }
    }

    /// Literals of the file or of a file beside it, with their weights.
    fn values(self, value: Value<'_>, keys: &mut Keys<'_>) -> Read<Make> {
        let (mut values, mut weights) = (Vec::new(), Vec::new());
        if let Some(file) = value.as_text() {
            let text = self.beside(file).map_err(|e| value.wrong(format!("read {file}: {e}")))?;
            self.files.borrow_mut().push_str(&text);
            for line in text.lines().filter(|line| !line.is_empty()) {
                let (text, weight) = line.split_once('\t').unwrap_or((line, "1"));
                let weight =
                    weight.trim().parse::<f64>().ok().filter(|w| *w >= 0.0 && w.is_finite());
                let weight = weight.ok_or_else(|| {
                    value
                        .wrong(format!("{file} has a line with no weight behind its tab: {line:?}"))
                })?;
                values.push(Literal::Text(text.to_owned()));
                weights.push(weight);
            }
        } else {
            values = value.list()?.into_iter().map(literal).collect::<Read<_>>()?;
        }
        if values.is_empty() {
            return Err(value.wrong("there is no value to choose from"));
        }
        let dist = dist::read(keys, Of::Choices, None)?;
        if let Some(of) = keys.take("weights") {
            weights = of.list()?.into_iter().map(Value::number).collect::<Read<_>>()?;
            if weights.len() != values.len() {
                let (values, weights) = (values.len(), weights.len());
                return Err(of.wrong(format!("there are {values} values and {weights} weights")));
            }
            if weights.iter().any(|w| *w < 0.0) || dist != Dist::Uniform {
                return Err(of.wrong("weights are not negative, and take the place of dist"));
            }
        }
        if !weights.is_empty() && weights.iter().sum::<f64>() <= 0.0 {
            return Err(value.wrong("one weight at least is above 0"));
        }
        Ok(Make::Values { values, weights, dist })
    }
}

/// The share of a variant.
fn share(keys: &mut Keys<'_>) -> Read<f64> {
    let value = keys.need("share")?;
    let share = value.number()?;
    match share > 0.0 {
        true => Ok(share),
        false => Err(value.wrong("the share of a variant is above 0")),
    }
}

fn of_range(keys: &mut Keys<'_>, low: f64, high: f64) -> Read<Dist> {
    dist::read(keys, Of::Values, Some((low, high)))
}

/// A path, such as `product.price`.
pub fn name_of(value: Value<'_>) -> Read<Name> {
    let text = value.text()?;
    name::path(text).ok_or_else(|| {
        value
            .wrong(format!("{text:?} is no path: a path is names joined by dots, such as a.b[2].c"))
    })?;
    Ok(Name { text: text.to_owned(), at: value.at })
}

fn distinct(value: Value<'_>) -> Read<(u64, Dist)> {
    let count = |value: Value<'_>| match value.integer()? {
        n @ 1.. => Ok(n as u64),
        _ => Err(value.wrong("there is one value at least")),
    };
    if !value.is_table() {
        return Ok((count(value)?, Dist::Uniform));
    }
    let mut keys = value.keys("distinct")?;
    let of = count(keys.need("count")?)?;
    let dist = dist::read(&mut keys, Of::Choices, None)?;
    keys.end()?;
    Ok((of, dist))
}

fn alphabet(value: Value<'_>) -> Read<Alphabet> {
    const WORDS: [&str; 6] = ["alnum", "letters", "lower", "digits", "hex", "words"];
    let word = value.text()?;
    Ok(match word {
        "alnum" => Alphabet::Alnum,
        "letters" => Alphabet::Letters,
        "lower" => Alphabet::Lower,
        "digits" => Alphabet::Digits,
        "hex" => Alphabet::Hex,
        "words" => Alphabet::Words,
        _ => return Err(value.wrong(format!("text is not of {word:?}{}", instead(word, WORDS)))),
    })
}

fn date_format(value: Value<'_>) -> Read<DateFormat> {
    const WORDS: [&str; 6] = ["iso", "date", "space", "seconds", "millis", "micros"];
    let word = value.text()?;
    Ok(match word {
        "iso" => DateFormat::Iso,
        "date" => DateFormat::Date,
        "space" => DateFormat::Space,
        "seconds" => DateFormat::Seconds,
        "millis" => DateFormat::Millis,
        "micros" => DateFormat::Micros,
        _ => {
            return Err(
                value.wrong(format!("{word:?} is no format of a date{}", instead(word, WORDS)))
            );
        }
    })
}

fn date(value: Value<'_>, keys: &mut Keys<'_>) -> Read<Make> {
    let days = range::days(value)?;
    let format = keys.take("format").map_or(Ok(DateFormat::Iso), date_format)?;
    let (mut rising, mut every, mut jitter) = (false, 0, 0);
    match days {
        Days::Range(..) => rising = keys.take("rising").map_or(Ok(false), Value::boolean)?,
        Days::From(_) => {
            every = range::duration(keys.need("every")?)?;
            jitter = keys.take("jitter").map_or(Ok(0), range::duration)?;
        }
    }
    Ok(Make::Date { days, format, rising, every, jitter })
}

fn after(value: Value<'_>, keys: &mut Keys<'_>) -> Read<Make> {
    let name = name_of(value)?;
    let by = keys.need("by")?;
    let (range, time) = match range::times(by)? {
        Some(range) => (range, true),
        None => (range::integers(by)?, false),
    };
    // The quantiles of a length of time would be in microseconds, which nobody writes.
    let bounds = (!time).then_some((range.low as f64, range.high as f64));
    let dist = dist::read(keys, if time { Of::Choices } else { Of::Values }, bounds)?;
    Ok(Make::After { name, by: range, time, dist })
}

/// A literal. A number with a point has the digits that are written.
pub fn literal(value: Value<'_>) -> Read<Literal> {
    if let Some(text) = value.as_text() {
        return Ok(Literal::Text(text.to_owned()));
    }
    if let Some(whether) = value.as_boolean() {
        return Ok(Literal::Boolean(whether));
    }
    if let Some(date) = value.as_date() {
        let (Some(of), text) = (date.date, date.to_string()) else {
            return Err(value.wrong("a time without its day is no value"));
        };
        let day = Date::new(of.year.into(), of.month.into(), of.day.into());
        let day = day.ok_or_else(|| value.wrong(format!("{text} is no day")))?;
        let Some(time) = date.time else {
            return Ok(Literal::Date(Timestamp::from(day).micros(), DateFormat::Date));
        };
        let seconds = i64::from(time.hour) * 3600
            + i64::from(time.minute) * 60
            + i64::from(time.second.unwrap_or(0));
        let offset = match date.offset {
            Some(toml::value::Offset::Custom { minutes }) => i64::from(minutes) * 60,
            _ => 0,
        };
        let micros =
            (seconds - offset) * 1_000_000 + i64::from(time.nanosecond.unwrap_or(0)) / 1000;
        return Ok(Literal::Date(Timestamp::from(day).micros() + micros, DateFormat::Iso));
    }
    if value.as_number().is_some() {
        return value.number().map(Literal::Number);
    }
    value.integer().map(Literal::Integer)
}
