//! The indexes as this database makes them.

use std::borrow::Cow;

use hoap_database::Index;
use hoap_database::shop::ZIP_INDEX;

use super::options::Indexes;

/// What a join reads of a customer, so that none is fetched: the customers' part of the reports'
/// covering index `(address.zip, month, order_list, sale_price)`, whose bucket held both kinds of
/// documents (2021, section 4.4.1).
pub(super) const CUSTOMERS_COVERING: &str = "shop_customer_zip_orders";

/// The index of the CH2++ paper's data definition 1.2 that a search of the transactions uses: their
/// own name, the paper's, and its fields by their places among their own.
///
/// The paper prints `c_last` for the customers' name in both schemas; the field is the schema's
/// here.
const SEARCHED: [(&str, &str, &[usize]); 3] = [
    ("customer_by_name", "cu_w_id_d_id_last", &[0, 1, 2]),
    ("orders_by_customer", "or_w_id_d_id_c_id", &[0, 1, 2]),
    ("neworder_by_number", "no_o_id_d_id_w_id", &[2, 1, 0]),
];

/// Those of the paper that no transaction here searches, which find these documents by their keys.
const UNSEARCHED: [(&str, &str, &[&str]); 3] = [
    ("district", "di_id_w_id", &["d_id", "d_w_id"]),
    ("orders", "or_id_d_id_w_id_c_id", &["o_id", "o_d_id", "o_w_id", "o_c_id"]),
    ("warehouse", "wh_id", &["w_id"]),
];

/// An index as this database has it.
pub(super) fn made(index: &Index, indexes: Indexes) -> Cow<'_, Index> {
    let paper = SEARCHED.iter().find(|(own, ..)| indexes == Indexes::Paper && *own == index.name);
    match paper {
        Some((_, name, places)) => Cow::Owned(Index {
            name: (*name).to_owned(),
            collection: index.collection.clone(),
            fields: places.iter().map(|place| index.fields[*place].clone()).collect(),
        }),
        None if index.name == ZIP_INDEX => Cow::Owned(Index {
            name: CUSTOMERS_COVERING.to_owned(),
            collection: index.collection.clone(),
            fields: index.fields.iter().cloned().chain(["order_list".to_owned()]).collect(),
        }),
        None => Cow::Borrowed(index),
    }
}

/// All indexes that a load makes, of those that its benchmark names.
pub(super) fn all(named: &[Index], indexes: Indexes) -> Vec<Index> {
    let mut all: Vec<Index> = named.iter().map(|index| made(index, indexes).into_owned()).collect();
    let ch2 = named.iter().any(|index| SEARCHED.iter().any(|(own, ..)| *own == index.name));
    if ch2 && indexes == Indexes::Paper {
        all.extend(
            UNSEARCHED.map(|(collection, name, fields)| Index::new(name, collection, fields)),
        );
    }
    all
}
