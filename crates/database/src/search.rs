//! What a search asks of the documents that it finds, for databases that are asked in text.

use serde_json::Value;

use crate::patch::{Find, Order};

/// A part of a condition that a document fulfils.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term<'a> {
    /// The value at this path is this scalar; null is also what is absent.
    Equal(&'a str, &'a Value),
    /// It comes after this scalar in the order of the search.
    After(&'a str, &'a Value),
    /// The key comes after this one.
    KeyAfter(&'a str),
}

/// What documents behind the last one found fulfil: all terms of one of these lists. Empty where
/// the search has no last one.
pub fn behind<'a>(find: &Find<'a>) -> Vec<Vec<Term<'a>>> {
    let Some(last) = find.behind() else { return Vec::new() };
    let fields: Vec<(&str, &Value)> =
        find.rest().iter().map(String::as_str).zip(last.values).collect();
    let end = match fields.len() {
        0 => Term::KeyAfter(last.key),
        _ => Term::After(fields[0].0, fields[0].1),
    };
    let first = vec![end];
    let others = (1..=fields.len()).map(|equal| {
        let mut terms: Vec<_> =
            fields[..equal].iter().map(|(path, value)| Term::Equal(path, value)).collect();
        terms.push(match fields.get(equal) {
            Some((path, value)) => Term::After(path, value),
            None => Term::KeyAfter(last.key),
        });
        terms
    });
    // The smallest is after nothing in descending order.
    let possible = |terms: &Vec<Term<'_>>| {
        let none = |term: &Term<'_>| {
            find.order == Order::Descending && matches!(term, Term::After(_, Value::Null))
        };
        !terms.iter().any(none)
    };
    std::iter::once(first).chain(others).filter(possible).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::batch::Index;
    use crate::patch::Last;

    #[test]
    fn behind_the_last_one_is_a_later_field_or_a_later_key() {
        let index = Index::new("i", "c", &["x", "y", "z"]);
        let (prefix, values) = ([json!(1)], [json!(null), json!(3)]);
        let last = Last { values: &values, key: "k" };
        let find = Find { pages: Some(Some(last)), ..Find::by(&index, &prefix) };
        let equal_y = Term::Equal("y", &values[0]);
        let rest = [
            vec![equal_y, Term::After("z", &values[1])],
            vec![equal_y, Term::Equal("z", &values[1]), Term::KeyAfter("k")],
        ];
        let first = vec![Term::After("y", &values[0])];
        assert_eq!(behind(&find), [&[first][..], &rest].concat());
        assert_eq!(behind(&Find { order: Order::Descending, ..find }), rest);
        let whole = [json!(1), json!(2), json!(3)];
        let last = Last { values: &[], key: "k" };
        let find = Find { pages: Some(Some(last)), ..Find::by(&index, &whole) };
        assert_eq!(behind(&find), [[Term::KeyAfter("k")]]);
        assert_eq!(behind(&Find { pages: Some(None), ..find }), Vec::<Vec<Term<'_>>>::new());
    }
}
