//! Changes of one document as updates.
//!
//! Patches that set, count and append are updates with `$set`, `$inc` and `$push`. Money is a
//! double: with `$inc` the rounding errors of many sums would add up, so an amount is added and
//! rounded in a pipeline update, atomically on the server. The filter of each update
//! has its condition on the document: a patch that does not fit changes nothing, and the
//! transaction goes on.

use hoap_database::failure::{Done, Failure};
use hoap_database::patches::{There, Wanted, wants};
use hoap_database::path::{self, Step};
use hoap_database::{Bounds, Change, Condition, Is, Patch};
use mongodb::bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;
use serde_json::Value;

use super::value::{bson, dotted, whole};

/// The updates of these patches, each with its filter, of which the first has the conditions. No
/// patch may touch what another one changes.
///
/// # Errors
/// [`hoap_record::ErrorKind::Invalid`] where a value cannot be stored, or a path not be named.
pub(super) fn updates(
    key: &str,
    patches: &[Patch<'_>],
    mut conditions: &[Condition<'_>],
) -> Done<Vec<(Document, UpdateModifications)>> {
    let sum = |patch: &&Patch<'_>| matches!(patch.change, Change::AddDecimal { .. });
    let (sums, others): (Vec<_>, Vec<_>) = patches.iter().partition(sum);
    // A pipeline cannot set one element of an array.
    let (others, with_sums): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|patch| sums.is_empty() || !plain(patch));
    let mut updates = Vec::new();
    if !others.is_empty() {
        let filter = filter(key, &others, std::mem::take(&mut conditions))?;
        updates.push((filter, operators(&others)?.into()));
    }
    if !sums.is_empty() {
        let all: Vec<&Patch<'_>> = sums.into_iter().chain(with_sums).collect();
        updates.push((filter(key, &all, conditions)?, pipeline(&all)?.into()));
    }
    Ok(updates)
}

/// Whether a pipeline can apply the patch.
fn plain(patch: &Patch<'_>) -> bool {
    path::steps(patch.path).all(|step| matches!(step, Step::Field(_)))
}

fn filter(key: &str, patches: &[&Patch<'_>], asked: &[Condition<'_>]) -> Done<Document> {
    let mut conditions = Vec::new();
    for patch in patches {
        conditions.extend(condition(patch)?.map(Bson::from));
    }
    for condition in asked {
        conditions.push(holds(condition)?.into());
    }
    Ok(match conditions.len() {
        0 => doc! {"_id": key},
        // The key also by itself, by which a router finds the shard.
        _ => doc! {"_id": key, "$and": conditions},
    })
}

/// Arrays, into which a condition looks: they must not match.
fn no_array() -> Document {
    doc! {"$type": "array"}
}

/// The condition on the document before a patch.
fn condition(patch: &Patch<'_>) -> Done<Option<Document>> {
    let Some(Wanted { place, there }) = wants(patch) else { return Ok(None) };
    let fits = match there {
        There::Integer(n) => {
            let mut fits = doc! {"$type": ["int", "long"], "$not": no_array()};
            // The sum must fit in 64 bits.
            match n >= 0 {
                true => fits.insert("$lte", i64::MAX - n),
                false => fits.insert("$gte", i64::MIN - n),
            };
            fits
        }
        There::Number => doc! {"$type": "number", "$not": no_array()},
        There::Array => no_array(),
        There::Object => doc! {"$type": "object", "$not": no_array()},
        There::Anything => doc! {"$exists": true},
    };
    Ok(Some(doc! {dotted(place)?: fits}))
}

/// A condition of the caller.
fn holds(condition: &Condition<'_>) -> Done<Document> {
    let mut is = match condition.is {
        Is::Equal(value) => doc! {"$eq": stored(value)?},
        Is::Within(bounds) => within(bounds)?,
    };
    is.insert("$not", no_array());
    Ok(doc! {dotted(condition.path)?: is})
}

/// That a value lies in bounds, and so is of their type.
pub(super) fn within(bounds: Bounds<'_>) -> Done<Document> {
    let mut is = Document::new();
    for (operator, bound) in [("$gte", bounds.min), ("$lte", bounds.max)] {
        if let Some(value) = bound {
            is.insert(operator, stored(value)?);
        }
    }
    Ok(is)
}

fn stored(value: &Value) -> Done<Bson> {
    bson(value).map_err(Failure::invalid)
}

fn operators(patches: &[&Patch<'_>]) -> Done<Document> {
    let mut update = Document::new();
    for patch in patches {
        let (operator, value) = match &patch.change {
            Change::Set(value) => ("$set", stored(value)?),
            Change::AddInteger(n) => ("$inc", whole(*n)),
            Change::Append(value) => ("$push", stored(value)?),
            Change::Remove => ("$unset", Bson::Int32(1)),
            Change::AddDecimal { .. } => continue,
        };
        let fields = update.entry(operator.to_owned()).or_insert_with(|| doc! {}.into());
        if let Bson::Document(fields) = fields {
            fields.insert(dotted(patch.path)?, value);
        }
    }
    Ok(update)
}

fn pipeline(patches: &[&Patch<'_>]) -> Done<Vec<Document>> {
    let mut fields = Document::new();
    for patch in patches {
        let path = dotted(patch.path)?;
        let field = format!("${path}");
        let value: Bson = match &patch.change {
            Change::AddDecimal { units, digits } => {
                let amount = *units as f64 / 10_f64.powi((*digits).into());
                doc! {"$round": [{"$add": [field, amount]}, i32::from(*digits)]}.into()
            }
            Change::AddInteger(n) => doc! {"$add": [field, whole(*n)]}.into(),
            Change::Set(value) => doc! {"$literal": stored(value)?}.into(),
            Change::Append(value) => {
                doc! {"$concatArrays": [field, [{"$literal": stored(value)?}]]}.into()
            }
            Change::Remove => "$$REMOVE".into(),
        };
        fields.insert(path, value);
    }
    Ok(vec![doc! {"$set": fields}])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patch(path: &'static str, change: Change) -> Patch<'static> {
        Patch { path, change }
    }

    #[test]
    fn operators_do_what_they_can_and_a_pipeline_rounds_money() {
        let patches = [
            patch("a.b", Change::Set(json!("$x"))),
            patch("n", Change::AddInteger(-2)),
            patch("list", Change::Append(json!({"x": 1}))),
            patch("list2[0].d", Change::Set(json!(null))),
        ];
        let made = updates("k", &patches, &[]).unwrap();
        assert_eq!(made.len(), 1);
        let expected = doc! {"_id": "k", "$and": [
            {"a": {"$type": "object", "$not": {"$type": "array"}}},
            {"n": {"$type": ["int", "long"], "$not": {"$type": "array"}, "$gte": i64::MIN + 2}},
            {"list": {"$type": "array"}},
            {"list2.0": {"$type": "object", "$not": {"$type": "array"}}},
        ]};
        assert_eq!(made[0].0, expected);
        let UpdateModifications::Document(update) = &made[0].1 else { panic!() };
        let expected = doc! {
            "$set": {"a.b": "$x", "list2.0.d": null}, "$inc": {"n": -2}, "$push": {"list": {"x": 1}}
        };
        assert_eq!(*update, expected);

        let patches = [
            patch("c_data", Change::Set(json!("$x"))),
            patch("m", Change::cents(-1050)),
            patch("l", Change::Append(json!(1))),
            patch("n", Change::AddInteger(1)),
            patch("gone", Change::Remove),
        ];
        let (paid, min) = (json!("paid"), json!(1));
        let conditions = [
            Condition { path: "s", is: Is::Equal(&paid) },
            Condition { path: "n", is: Is::Within(Bounds { min: Some(&min), max: None }) },
        ];
        let made = updates("k", &patches, &conditions).unwrap();
        let not = || doc! {"$type": "array"};
        let asked = [
            Bson::from(doc! {"s": {"$eq": "paid", "$not": not()}}),
            Bson::from(doc! {"n": {"$gte": 1, "$not": not()}}),
        ];
        assert!(made[0].0.get_array("$and").unwrap().ends_with(&asked));
        let UpdateModifications::Pipeline(update) = &made[0].1 else { panic!() };
        let expected = doc! {"$set": {
            "m": {"$round": [{"$add": ["$m", -10.5]}, 2]},
            "c_data": {"$literal": "$x"},
            "l": {"$concatArrays": ["$l", [{"$literal": 1}]]},
            "n": {"$add": ["$n", 1]},
            "gone": "$$REMOVE",
        }};
        assert_eq!(*update, [expected]);
        assert!(updates("k", &[patch("a", Change::Set(json!({"\0": 1})))], &[]).is_err());
    }
}
