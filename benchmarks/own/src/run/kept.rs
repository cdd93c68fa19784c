//! What no single document shows: the fields that every operation keeps true (`kept`), and the sums
//! over collections of the fields that are only added to. Each is found by a scan.

use std::collections::{BTreeSet, HashMap};

use hoap_database::path::get;
use hoap_database::{Documents, Row};
use hoap_record::Check;
use hoap_workload::Result;
use hoap_workload::alike::same;
use hoap_workload::checks::{self, Finding, Watch};
use serde_json::{Map, Value};

use super::ledger::{Ledger, is_whole};
use super::shared::Shared;
use super::slots::units;
use crate::file::name::is_plain;
use crate::plan::action::Known;
use crate::plan::model::{Kind, Make, Node, Step, To, Way};
use crate::workload::Workload;

/// A kept field, and what it is made of.
struct Kept<'p> {
    node: &'p Node,
    of: Of<'p>,
}

/// What a kept field is made of.
enum Of<'p> {
    /// All children in this collection, whose field has the parent's key.
    Children(usize, &'p str, Part<'p>),
    /// The document in this collection whose key this field has.
    Referred(usize, &'p str, Part<'p>),
    /// The document itself.
    Own(Part<'p>),
}

/// What is taken of a document.
#[derive(Clone, Copy)]
enum Part<'p> {
    /// That it is there.
    One,
    /// A field.
    Field(&'p str),
    /// Elements of an array: how many, or what is at this path of each.
    Elements(&'p str, Option<&'p str>),
}

impl<'p> Part<'p> {
    /// What the rest of a way leads to; `None` if no scan can follow it.
    fn of(workload: &'p Workload, steps: &[Step], to: To) -> Option<Part<'p>> {
        match (steps, to) {
            ([], To::Here) => Some(Part::One),
            ([], To::Field(id)) => Some(Part::Field(field(workload, id, 0)?)),
            ([Step::Each(array)], To::Here) => {
                Some(Part::Elements(field(workload, *array, 0)?, None))
            }
            ([Step::Each(array)], To::Field(id)) => {
                let (array, element) = (field(workload, *array, 0)?, field(workload, id, 1)?);
                let rest = element.strip_prefix(array)?;
                Some(Part::Elements(array, Some(rest.trim_start_matches('.'))))
            }
            _ => None,
        }
    }

    fn path(self) -> Option<&'p str> {
        match self {
            Part::One => None,
            Part::Field(path) | Part::Elements(path, _) => Some(path),
        }
    }

    /// The number of it, or the sum in units of its last digit.
    fn sum(self, document: &Value, digits: u8) -> i64 {
        let number = |value: &Value| units(value, digits).unwrap_or(0);
        match self {
            Part::One => 1,
            Part::Field(path) => get(document, path).map_or(0, number),
            Part::Elements(path, rest) => {
                let elements = get(document, path).and_then(Value::as_array);
                let elements = elements.map_or(&[][..], Vec::as_slice).iter();
                match rest {
                    None => elements.count() as i64,
                    Some("") => elements.map(number).sum(),
                    Some(rest) => elements.filter_map(|of| get(of, rest)).map(number).sum(),
                }
            }
        }
    }
}

/// The path of a field so many arrays deep, if it is one of documents and of no other field there.
fn field(workload: &Workload, id: usize, depth: usize) -> Option<&str> {
    let node = &workload.plan.nodes[id];
    let alike = |other: &&Node| {
        (other.collection, other.depth, &other.path) == (node.collection, node.depth, &node.path)
    };
    let plain = node.path.split('.').all(is_plain) && node.depth == depth && !node.hidden;
    (plain && workload.plan.nodes.iter().filter(alike).count() == 1).then_some(&*node.path)
}

impl<'p> Kept<'p> {
    /// Those of a file that scans can hold against what they are made of.
    fn all(workload: &'p Workload) -> impl Iterator<Item = Kept<'p>> {
        let plan = &workload.plan;
        let is_stored = move |node: &Node| plan.collections[node.collection].stored;
        let kept = plan.nodes.iter().enumerate().filter(move |(_, n)| n.kept && is_stored(n));
        kept.filter_map(move |(id, node)| {
            field(workload, id, 0)?;
            let (Make::Sum(way) | Make::Size(way) | Make::Copy(way)) = &node.make else {
                return None;
            };
            Some(Kept { node, of: Of::way(workload, way)? })
        })
    }

    /// The digits of a sum, or none of a copy.
    fn digits(&self) -> Option<u8> {
        match (&self.node.make, self.node.kind) {
            (Make::Copy(_), _) => None,
            (_, Kind::Decimal(digits)) => Some(digits),
            _ => Some(0),
        }
    }
}

impl<'p> Of<'p> {
    fn way(workload: &'p Workload, way: &Way) -> Option<Of<'p>> {
        let plan = &workload.plan;
        let is_parent = |(_, node): &(usize, &Node), of: usize| {
            node.collection == of && matches!(node.make, Make::Parent(_))
        };
        match &way.steps[..] {
            [Step::Children(of), rest @ ..] if plan.collections[*of].stored => {
                let mut nodes = plan.nodes.iter().enumerate();
                let (parent, _) = nodes.find(|node| is_parent(node, *of))?;
                let parent = field(workload, parent, 0)?;
                Some(Of::Children(*of, parent, Part::of(workload, rest, way.to)?))
            }
            [Step::Ref(by), rest @ ..] => {
                let of = match plan.nodes[*by].make {
                    Make::Ref(of, _) | Make::Parent(of) if plan.collections[of].stored => of,
                    _ => return None,
                };
                Some(Of::Referred(of, field(workload, *by, 0)?, Part::of(workload, rest, way.to)?))
            }
            rest => Some(Of::Own(Part::of(workload, rest, way.to)?)),
        }
    }
}

/// Reads all documents of a collection, of each what is at these paths.
async fn scan(
    on: (Documents<'_>, &Watch<'_>),
    collection: &str,
    paths: &[Option<&str>],
    mut each: impl FnMut(&str, Value) + Send,
) -> Result<()> {
    let first = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = paths.iter().flatten().map(|path| first(path)).collect();
    let fields: Vec<&str> = names.iter().map(String::as_str).collect();
    let one = |key: &str, row: Row| {
        let document: Map<String, Value> = names.iter().cloned().zip(row).collect();
        each(key, Value::Object(document));
        Ok(())
    };
    checks::scan(on, collection, &fields, one).await
}

/// Holds each kept field, in the database, against what it is made of there.
///
/// # Errors
/// Those of the database.
pub async fn kept(
    on: (Documents<'_>, &Watch<'_>),
    workload: &Workload,
    when: &str,
) -> Result<Vec<Check>> {
    let name = |of: usize| workload.plan.collections[of].name.as_str();
    let mut checks = Vec::new();
    for kept in Kept::all(workload) {
        let (path, digits) = (kept.node.path.as_str(), kept.digits());
        let taken = |part: Part<'_>, document: &Value| match (digits, part) {
            (Some(digits), _) => Value::from(part.sum(document, digits)),
            (None, Part::Field(path)) => get(document, path).cloned().unwrap_or_default(),
            (None, _) => Value::Null,
        };
        let mut must: HashMap<String, Value> = HashMap::new();
        match kept.of {
            Of::Own(_) => {}
            Of::Children(of, parent, part) => {
                let add = |_: &str, document: Value| {
                    let Some(key) = get(&document, parent).and_then(Value::as_str) else { return };
                    let more = taken(part, &document).as_i64().unwrap_or(0);
                    let so_far = must.get(key).and_then(Value::as_i64).unwrap_or(0);
                    must.insert(key.to_owned(), so_far.saturating_add(more).into());
                };
                scan(on, name(of), &[Some(parent), part.path()], add).await?;
            }
            Of::Referred(of, _, part) => {
                let add = |key: &str, document: Value| {
                    must.insert(key.to_owned(), taken(part, &document));
                };
                scan(on, name(of), &[part.path()], add).await?;
            }
        }
        let (by, own) = match kept.of {
            Of::Own(part) => (None, part.path()),
            Of::Referred(_, by, _) => (Some(by), None),
            Of::Children(..) => (None, None),
        };
        let mut finding = Finding::default();
        let hold = |key: &str, document: Value| {
            let Some(found) = get(&document, path).filter(|found| !found.is_null()) else { return };
            let is = match kept.of {
                Of::Own(part) => Some(taken(part, &document)),
                Of::Children(..) => Some(must.get(key).cloned().unwrap_or_else(|| 0.into())),
                // What a deleted document had nobody knows.
                Of::Referred(_, by, _) => get(&document, by)
                    .and_then(Value::as_str)
                    .and_then(|key| must.get(key))
                    .cloned(),
            };
            let Some(is) = is else { return };
            let holds = match digits {
                Some(digits) => units(found, digits) == is.as_i64(),
                None => same(&is, found),
            };
            let shown = || match digits {
                Some(digits) => decimal(is.as_i64().unwrap_or(0), digits),
                None => is.to_string(),
            };
            finding.expect(holds, || {
                format!("{key}: {path} is {found}, and what it is made of is {}", shown())
            });
        };
        scan(on, name(kept.node.collection), &[Some(path), by, own], hold).await?;
        let what = format!("kept: {}.{path}", name(kept.node.collection));
        checks.push(finding.check(when, &what, "every document with what it is made of"));
    }
    Ok(checks)
}

/// A number of units of the last digit.
fn decimal(units: i64, digits: u8) -> String {
    (units as f64 / 10f64.powi(digits.into())).to_string()
}

/// The sums of the fields that operations only add to, of the collections of which the ledger has
/// some documents only: by the collection's and the field's place.
pub type Sums = HashMap<(usize, usize), i64>;

/// The sums that are held: their places, paths and digits.
fn summed(workload: &Workload) -> impl Iterator<Item = ((usize, usize), &str, u8)> {
    let moves = move |at: &usize| {
        let changes = &workload.plan.changes[*at];
        changes.inserts || changes.deletes || changes.puts
    };
    let some = workload.stored.iter().filter(move |at| !moves(at) && !is_whole(workload, **at));
    some.flat_map(move |at| {
        let fields = workload.changed(*at).iter().enumerate();
        fields.filter_map(move |(place, field)| match field.known {
            Known::Sum(digits) if field.path.split('.').all(is_plain) => {
                Some(((*at, place), field.path.as_str(), digits))
            }
            _ => None,
        })
    })
}

/// The sums as they are in a database.
///
/// # Errors
/// Those of the database.
pub async fn sums(on: (Documents<'_>, &Watch<'_>), workload: &Workload) -> Result<Sums> {
    let mut sums = Sums::new();
    for (place, path, digits) in summed(workload) {
        let sum = sums.entry(place).or_default();
        let add = |_: &str, document: Value| {
            *sum = sum.saturating_add(Part::Field(path).sum(&document, digits));
        };
        scan(on, &workload.plan.collections[place.0].name, &[Some(path)], add).await?;
    }
    Ok(sums)
}

/// Holds the sums against what they were before and what was added since.
pub fn hold_sums(
    shared: &Shared,
    (before, now): (&Sums, &Sums),
    ledger: &Ledger,
    when: &str,
) -> Vec<Check> {
    let mut checks = Vec::new();
    for (place, path, digits) in summed(shared.workload) {
        let (Some(was), Some(is)) = (before.get(&place), now.get(&place)) else { continue };
        let written = ledger.added.get(&place).cloned().unwrap_or_default();
        let name = &shared.workload.plan.collections[place.0].name;
        let mut finding = Finding::default();
        finding.expect(written.fits(is.saturating_sub(*was)), || {
            let [is, was, added] = [*is, *was, written.added].map(|units| decimal(units, digits));
            format!("it is {is}, it must be {was} and {added} that was added")
        });
        let compares = "the sum over all documents with the one before and what was added";
        checks.push(finding.check(when, &format!("sum of {name}.{path}"), compares));
    }
    checks
}
