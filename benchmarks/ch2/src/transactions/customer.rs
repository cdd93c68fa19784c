//! The search for a customer by id or by last name.

use hoap_database::{Find, Intent, Transaction};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::fields::Fields;
use crate::input::Who;
use crate::schema::Paths;

/// The customer that a transaction is for.
pub struct Sought<'a> {
    /// The warehouse.
    pub w: u32,
    /// The district.
    pub d: u32,
    /// Id or last name.
    pub who: &'a Who,
}

/// Key and fields of the customer. Of several with the same last name, sorted by first name, it is
/// the middle one, rounded up (TPC-C 2.5.2.2, 2.6.2.2).
///
/// # Errors
/// Returns the errors of the database, and [`ErrorKind::Broken`] where there is no such customer.
pub async fn find(
    tx: &mut Transaction<'_>,
    paths: &Paths,
    Sought { w, d, who }: Sought<'_>,
    fields: &[&str],
    intent: Intent,
) -> Result<(String, Fields)> {
    let name = match who {
        Who::Id(c) => {
            let key = format!("{w}.{d}.{c}");
            let row = tx.get("customer", &key, fields, intent).await?;
            return Fields::of("customer", &key, row).map(|f| (key, f));
        }
        Who::Name(name) => name,
    };
    let prefix = [Value::from(w), Value::from(d), Value::from(name.as_str())];
    let index = &paths.customer_by_name;
    let first = [paths.c_first];
    let found = tx.find(Find { fields: &first, ..Find::by(index, &prefix) }).await?;
    let mut named = Vec::with_capacity(found.len());
    for (key, row) in found {
        let f = Fields::of("customer", &key, Some(row))?;
        named.push((f.text(0)?.to_owned(), key));
    }
    named.sort();
    if named.is_empty() {
        return Err(Error::new(
            ErrorKind::Broken,
            format!("find customer {name} of district {w}.{d}"),
            "nobody has that name",
        )
        .advise("run `hoap verify`, the load may not be whole"));
    }
    let key = named.swap_remove((named.len() - 1) / 2).1;
    let row = tx.get("customer", &key, fields, intent).await?;
    Fields::of("customer", &key, row).map(|f| (key, f))
}
