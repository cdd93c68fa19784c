//! The sample beside what the file makes.

use serde_json::{Value, json};

use super::make::dates;
use super::make::rules::{FREQUENT, Rules};
use super::make::text::frequent;
use super::sampled::Sampled;
use super::sketch::field::{Field, Object};
use super::sketch::texts::Texts;
use crate::plan::Plan;

/// Documents and bytes that are made for it at most.
const DOCUMENTS: u64 = 20_000;
const BYTES: f64 = 64e6;
/// Documents whose shares are compared at least, and at most if there are rare fields: of few, shares
/// differ by chance.
const ENOUGH: u64 = 5_000;
const MOST: u64 = 100_000;
/// Objects and elements of which a share tells something.
const FEW: u64 = 100;
/// How far chance may move a share that is compared.
const CHANCE: f64 = 0.05;
/// Fields that are shown: of more, those that differ most.
const SHOWN: usize = 40;
/// Columns of a name.
const NAME: usize = 22;

/// A field in the sample and as it is made.
struct Row {
    name: String,
    there: [f64; 2],
    distinct: [u64; 2],
    middle: [String; 2],
    high: [String; 2],
    /// The greatest difference between two shares, and of what.
    off: (f64, String),
    /// Shares that are not compared, because too few were made.
    rare: usize,
}

/// A collection in the sample and as it is made.
pub struct Compared {
    /// Its name.
    pub name: String,
    documents: [u64; 2],
    bytes: [f64; 2],
    all_made: bool,
    rows: Vec<Row>,
}

/// Makes documents of a collection, and looks at them as at the sample.
pub fn compare(of: &Sampled, plan: &Plan, (at, key): (usize, Option<&str>)) -> Compared {
    let count = plan.collections[at].count;
    let most = (BYTES / of.bytes.mean().max(1.0)) as u64;
    let made = count.min(DOCUMENTS).min(most.max(100));
    let mut found = Sampled::new(&of.name);
    found.root = of.root.like();
    let add = |found: &mut Sampled, n: u64| {
        let mut document = document(plan, at, n);
        if let (Some("_id"), Value::Object(members)) = (key, &mut document) {
            let mut id = Vec::new();
            plan.key(at, &plan.place(at, n), &mut id);
            members.insert("_id".into(), String::from_utf8_lossy(&id).into());
        }
        // A document of a plan is an object of names that the sample has.
        let _ = found.add(&document);
    };
    for n in 0..made {
        add(&mut found, (u128::from(n) * u128::from(count) / u128::from(made)) as u64);
    }
    let mut rows = Vec::new();
    walk((&of.root, &found.root), "", &mut rows);
    let bytes = [of.bytes.mean(), found.bytes.mean()];
    // New documents are like those that are loaded.
    let (mut all, mut next, mut wanted) = (made, count, ENOUGH);
    loop {
        while all < wanted.min(most).min(MOST) {
            add(&mut found, next);
            (all, next) = (all + 1, next + 1);
        }
        let mut more = Vec::new();
        walk((&of.root, &found.root), "", &mut more);
        let is_whole = all < wanted || more.iter().all(|row| row.rare == 0);
        rows.iter_mut().zip(more).for_each(|(row, of)| (row.off, row.rare) = (of.off, of.rare));
        if is_whole {
            break;
        }
        wanted = 2 * all;
    }
    Compared {
        name: of.name.clone(),
        documents: [of.count(), count],
        bytes,
        all_made: made == count,
        rows,
    }
}

/// A document of a plan.
fn document(plan: &Plan, at: usize, n: u64) -> Value {
    let mut text = Vec::new();
    plan.document(at, &plan.place(at, n), &mut text);
    serde_json::from_slice(&text).unwrap_or_default()
}

/// The shares of a field.
#[derive(Default)]
struct Shares {
    /// The greatest difference, and of what.
    off: (f64, String),
    /// How many are not compared.
    rare: usize,
}

impl Shares {
    /// Holds a share of the sample against that of what was made, each of so many. The file has the
    /// sample's own share, so that only what is made has it by chance: with three standard deviations
    /// it stays within [`CHANCE`].
    fn differ(&mut self, what: &str, [sample, made]: [f64; 2], of: [u64; 2]) {
        if of[0] < FEW || sample == 0.0 && made == 0.0 {
            return;
        }
        let deviation = (sample * (1.0 - sample) / of[1].max(1) as f64).sqrt();
        if of[1] < FEW || 3.0 * deviation > CHANCE {
            self.rare += 1;
        } else if (sample - made).abs() > self.off.0 {
            self.off = ((sample - made).abs(), what.to_owned());
        }
    }
}

fn walk((sample, made): (&Object, &Object), path: &str, rows: &mut Vec<Row>) {
    if let (Some(sample), Some(made)) = (&sample.map, &made.map) {
        let count = [sample.of.seen, made.of.seen];
        field((&sample.of, &made.of), &format!("{path}.*"), count, rows);
        return;
    }
    let nothing = Field::default();
    let count = [sample.lengths.count, made.lengths.count];
    for (name, of) in &sample.fields {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        field((of, made.field(name).unwrap_or(&nothing)), &path, count, rows);
    }
}

fn field((sample, made): (&Field, &Field), path: &str, count: [u64; 2], rows: &mut Vec<Row>) {
    let share = |of: u64, all: u64| of as f64 / all.max(1) as f64;
    let there = [share(sample.seen, count[0]), share(made.seen, count[1])];
    let mut shares = Shares::default();
    shares.differ("there", there, count);
    let seen = [sample.seen, made.seen];
    let mut differ = |what: &str, of: [u64; 2]| {
        shares.differ(what, [share(of[0], seen[0]), share(of[1], seen[1])], seen);
    };
    for ((what, one), (_, other)) in sample.types().into_iter().zip(made.types()) {
        differ(what, [one, other]);
    }
    differ("true", [sample.truth[1], made.truth[1]]);
    if let (Some(sample), Some(made)) = (&sample.texts, &made.texts) {
        let found: std::collections::BTreeMap<String, u64> =
            made.frequent.least(1).into_iter().collect();
        for (value, times) in frequent(sample, &Rules { values: true, least: FREQUENT }) {
            differ("a value", [times, found.get(&value).copied().unwrap_or(0)]);
        }
    }
    let [one, other] = [measure(sample), measure(made)];
    rows.push(Row {
        name: path.to_owned(),
        there,
        distinct: [one.0, other.0],
        middle: [one.1, other.1],
        high: [one.2, other.2],
        off: shares.off,
        rare: shares.rare,
    });
    let nothing = Field::default();
    if let Some(array) = &sample.array {
        let element = made.array.as_ref().map_or(&nothing, |of| &of.element);
        let count = [array.element.seen, element.seen];
        if count[0] > 0 {
            field((&array.element, element), &format!("{path}[]"), count, rows);
        }
    }
    if let Some(object) = &sample.object {
        let none = object.like();
        walk((object, made.object.as_deref().unwrap_or(&none)), path, rows);
    }
}

/// Distinct values, and the value or the length that half and 99 % are at most.
fn measure(of: &Field) -> (u64, String, String) {
    let at = |sorted: &[f64], written: &dyn Fn(f64) -> String| {
        let at = |share: f64| sorted.get(((sorted.len() as f64 - 1.0) * share).round() as usize);
        let text = |share| at(share).map_or(String::new(), |value| written(*value));
        (text(0.5), text(0.99))
    };
    let with = |distinct: u64, (middle, high): (String, String)| (distinct, middle, high);
    let texts = of.texts.as_ref().map_or(0, |of| of.lengths.count);
    if let Some(numbers) = of.numbers.as_ref().filter(|of| of.count >= texts) {
        return with(numbers.distinct.estimate(), at(&numbers.sorted(), &short));
    }
    if let Some(texts) = &of.texts {
        let sorted = years(texts).map(|years| at(&years, &|year| format!("{year:.1}")));
        let shown = sorted.unwrap_or_else(|| at(&texts.lengths.sorted(), &short));
        return with(texts.distinct.estimate(), shown);
    }
    if let Some(array) = &of.array {
        return with(0, at(&array.lengths.sorted(), &short));
    }
    if let Some(map) = of.object.as_ref().filter(|of| of.map.is_some()) {
        let names = map.map.as_ref().map_or(0, |of| of.names.distinct.estimate());
        return with(names, at(&map.lengths.sorted(), &short));
    }
    Default::default()
}

/// The years of texts that are dates.
fn years(of: &Texts) -> Option<Vec<f64>> {
    let (micros, _) = dates::instants(&of.sample.values().iter().collect::<Vec<_>>())?;
    let year = |micros: i64| 1970.0 + micros as f64 / (365.2425 * hoap_data::DAY_MICROS as f64);
    let mut years: Vec<f64> = micros.into_iter().map(year).collect();
    years.sort_unstable_by(f64::total_cmp);
    Some(years)
}

/// A number in six characters.
fn short(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size >= 9.5e14 => format!("{value:.0e}"),
        _ if size >= 1e12 => format!("{:.0}T", value / 1e12),
        _ if size >= 1e9 => format!("{:.1}G", value / 1e9),
        _ if size >= 1e6 => format!("{:.1}M", value / 1e6),
        _ if size >= 1e4 => format!("{:.1}k", value / 1e3),
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        _ if size >= 100.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// The first characters of a name.
fn cut(name: &str) -> String {
    let name = name.replace(|c: char| c.is_control(), "?");
    match name.char_indices().rev().nth(NAME - 3) {
        Some((at, _)) if at > 0 => format!("…{}", &name[at..]),
        _ => name,
    }
}

impl Compared {
    /// The greatest difference between two shares of a field.
    fn off(&self) -> Option<&Row> {
        self.rows.iter().max_by(|a, b| a.off.0.total_cmp(&b.off.0))
    }

    /// Shares that are not compared, because chance moves them further.
    fn rare(&self) -> usize {
        self.rows.iter().map(|row| row.rare).sum()
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        json!({
            "collection": self.name,
            "documents": self.documents,
            "mean_bytes": self.bytes,
            "greatest_difference_of_shares": self.off().map_or(0.0, |row| row.off.0),
            "shares_not_compared": self.rare(),
        })
    }

    /// The table, of at most 80 columns.
    pub fn table(&self) -> String {
        let [bytes, made] = self.bytes;
        let more = 100.0 * (made / bytes.max(1.0) - 1.0);
        let mut out = format!(
            "{}: {} documents of {bytes:.1} bytes; made {} of {made:.1} ({more:+.1} %)\n",
            self.name, self.documents[0], self.documents[1]
        );
        let header = |name: &str, of: [&str; 8]| {
            let [a, b, c, d, e, f, g, h] = of;
            format!("{name:<NAME$}{a:>6} {b:>5} {c:>7} {d:>6} {e:>7} {f:>6} {g:>7} {h:>6}\n")
        };
        out += &header("", ["there", "", "distinct", "", "50 %", "", "99 %", ""]);
        let pair = ["sample", "made"];
        out += &header("field", std::array::from_fn(|n| pair[n % 2]));
        let mut shown: Vec<&Row> = self.rows.iter().collect();
        if shown.len() > SHOWN {
            let mut off: Vec<f64> = self.rows.iter().map(|row| row.off.0).collect();
            off.sort_unstable_by(|a, b| b.total_cmp(a));
            shown.retain(|row| row.off.0 >= off[SHOWN]);
            shown.truncate(SHOWN);
        }
        for row in &shown {
            let number = |n: u64| if n == 0 { String::new() } else { short(n as f64) };
            let distinct = match self.all_made {
                true => number(row.distinct[1]),
                false => String::new(),
            };
            let [there, of] = row.there.map(|share| format!("{share:.2}"));
            let cells = [
                &there,
                &of,
                &number(row.distinct[0]),
                &distinct,
                &row.middle[0],
                &row.middle[1],
                &row.high[0],
                &row.high[1],
            ];
            out += header(&cut(&row.name), cells.map(String::as_str)).trim_end();
            out.push('\n');
        }
        match self.rows.len() - shown.len() {
            0 => {}
            more => out += &format!("and {more} fields more, whose shares differ less\n"),
        }
        if let Some(row) = self.off().filter(|row| row.off.0 > 0.0) {
            let (by, what) = &row.off;
            out += &format!("shares differ by {by:.3} at most: {}, {what}\n", row.name);
        }
        match self.rare() {
            0 => {}
            rare => out += &format!("{rare} shares of rare fields are not compared\n"),
        }
        out
    }
}
