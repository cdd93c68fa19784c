//! Changes of one document as updates.
//!
//! Patches that set, count and append are updates with `$set`, `$inc` and `$push`. Money is a
//! double: with `$inc` the rounding errors of many sums would add up, so an amount is added and
//! rounded to the cent in a pipeline update, atomically on the server. The filter of each update
//! has its condition on the document: a patch that does not fit changes nothing, and the
//! transaction goes on.

use hoap_database::failure::{Done, Failure};
use hoap_database::patches::{There, Wanted, wants};
use hoap_database::{Change, Patch, path};
use mongodb::bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;
use serde_json::Value;

use super::value::{bson, whole};

/// The updates of these patches, each with its filter. No patch may touch what another one changes.
///
/// # Errors
/// [`hoap_record::ErrorKind::Invalid`] where a value cannot be stored.
pub(super) fn updates(
    key: &str,
    patches: &[Patch<'_>],
) -> Done<Vec<(Document, UpdateModifications)>> {
    let money = |patch: &&Patch<'_>| matches!(patch.change, Change::AddCents(_));
    let (amounts, others): (Vec<_>, Vec<_>) = patches.iter().partition(money);
    // A pipeline cannot set one element of an array.
    let (others, with_amounts): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|patch| amounts.is_empty() || !plain(patch));
    let mut updates = Vec::new();
    if !others.is_empty() {
        updates.push((filter(key, &others), operators(&others)?.into()));
    }
    if !amounts.is_empty() {
        let all: Vec<&Patch<'_>> = amounts.into_iter().chain(with_amounts).collect();
        updates.push((filter(key, &all), pipeline(&all)?.into()));
    }
    Ok(updates)
}

/// Whether a pipeline can apply the patch.
fn plain(patch: &Patch<'_>) -> bool {
    path::up_to_array(patch.path) == patch.path && !matches!(patch.change, Change::Append(_))
}

fn filter(key: &str, patches: &[&Patch<'_>]) -> Document {
    let mut conditions = vec![Bson::from(doc! {"_id": key})];
    for patch in patches {
        conditions.extend(condition(patch).map(Bson::from));
    }
    match conditions.len() {
        1 => doc! {"_id": key},
        // The key also by itself, by which a router finds the shard.
        _ => doc! {"_id": key, "$and": &conditions[1..]},
    }
}

/// The condition on the document before a patch. `$type` looks into arrays, which must not match.
fn condition(patch: &Patch<'_>) -> Option<Document> {
    let Wanted { place, there } = wants(patch)?;
    let no_array = || doc! {"$type": "array"};
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
    Some(doc! {path::joined(place, "."): fits})
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
            Change::AddCents(_) => continue,
        };
        let fields = update.entry(operator.to_owned()).or_insert_with(|| doc! {}.into());
        if let Bson::Document(fields) = fields {
            fields.insert(path::joined(patch.path, "."), value);
        }
    }
    Ok(update)
}

fn pipeline(patches: &[&Patch<'_>]) -> Done<Vec<Document>> {
    let mut fields = Document::new();
    for patch in patches {
        let path = path::joined(patch.path, ".");
        let field = format!("${path}");
        let value: Document = match &patch.change {
            Change::AddCents(n) => {
                doc! {"$round": [{"$add": [field, *n as f64 / 100.0]}, 2]}
            }
            Change::AddInteger(n) => doc! {"$add": [field, whole(*n)]},
            Change::Set(value) => doc! {"$literal": stored(value)?},
            Change::Append(_) => continue,
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
        let made = updates("k", &patches).unwrap();
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
            patch("m", Change::AddCents(-1050)),
            patch("l", Change::Append(json!(1))),
            patch("n", Change::AddInteger(1)),
        ];
        let made = updates("k", &patches).unwrap();
        let UpdateModifications::Document(update) = &made[0].1 else { panic!() };
        assert_eq!(*update, doc! {"$push": {"l": 1}});
        let UpdateModifications::Pipeline(update) = &made[1].1 else { panic!() };
        let expected = doc! {"$set": {
            "m": {"$round": [{"$add": ["$m", -10.5]}, 2]},
            "c_data": {"$literal": "$x"},
            "n": {"$add": ["$n", 1]},
        }};
        assert_eq!(*update, [expected]);
        assert!(updates("k", &[patch("a", Change::Set(json!({"\0": 1})))]).is_err());
    }
}
