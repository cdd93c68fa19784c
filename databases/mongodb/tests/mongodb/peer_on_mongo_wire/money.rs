//! Pipeline updates of the shapes that the module sends, computed here: `$literal`, `$add`,
//! `$round`.

use mongodb::bson::{Bson, Document, doc};

/// The same change of this document with `$set`.
///
/// # Panics
/// Where the update has another shape.
pub fn operators(pipeline: &[Bson], document: &Document) -> Document {
    let [Bson::Document(stage)] = pipeline else { panic!("one stage: {pipeline:?}") };
    let fields = stage.get_document("$set").unwrap();
    assert_eq!(stage.len(), 1, "{stage}");
    let value =
        |(path, expression): (&String, &Bson)| (path.clone(), evaluate(expression, document));
    doc! {"$set": fields.iter().map(value).collect::<Document>()}
}

fn evaluate(expression: &Bson, document: &Document) -> Bson {
    match expression {
        Bson::String(path) => {
            let mut here = Bson::Document(document.clone());
            for name in path.strip_prefix('$').unwrap().split('.') {
                let inner = here.as_document().and_then(|fields| fields.get(name)).cloned();
                here = inner.unwrap_or(Bson::Null);
            }
            here
        }
        Bson::Document(call) => {
            let (operator, argument) = call.iter().next().unwrap();
            let arguments = || argument.as_array().unwrap().iter().map(|a| evaluate(a, document));
            match operator.as_str() {
                "$literal" => argument.clone(),
                "$add" => sum(&arguments().collect::<Vec<_>>()),
                "$round" => {
                    let both: Vec<_> = arguments().collect();
                    assert_eq!(both[1], Bson::Int32(2));
                    match both[0] {
                        // The nearest double of the decimal number, as the server has it.
                        Bson::Double(x) => Bson::Double(format!("{x:.2}").parse().unwrap()),
                        ref other => other.clone(),
                    }
                }
                other => panic!("{other}"),
            }
        }
        plain => plain.clone(),
    }
}

fn sum(terms: &[Bson]) -> Bson {
    if terms.contains(&Bson::Null) {
        return Bson::Null;
    }
    let whole = |term: &Bson| match term {
        Bson::Int32(n) => Some(i64::from(*n)),
        Bson::Int64(n) => Some(*n),
        _ => None,
    };
    match terms.iter().map(whole).sum::<Option<i64>>() {
        Some(n) => i32::try_from(n).map_or(Bson::Int64(n), Bson::Int32),
        None => Bson::Double(
            terms.iter().map(|t| t.as_f64().or(whole(t).map(|n| n as f64)).unwrap()).sum(),
        ),
    }
}
