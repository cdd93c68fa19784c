//! The specification of a data set.

use std::fmt;
use std::str::FromStr;

use hoap_data::{Date, SpecError, named, quoted};

/// Most extra fields of a document (specification, section 2).
pub const MAX_EXTRA_FIELDS: u32 = 128;

/// Most warehouses of a data set.
pub const MAX_WAREHOUSES: u32 = 10_000_000;

named! {
    /// The shape of the documents.
    #[derive(Hash)]
    Schema, "schema":
    /// CH2: names, addresses and the phone are flat fields.
    Ch2 = "ch2",
    /// CH2++: nested names, arrays of addresses, phones and categories, extra fields.
    Ch2pp = "ch2pp",
}

impl Schema {
    /// The name in reports.
    pub const fn title(self) -> &'static str {
        match self {
            Schema::Ch2 => "CH2",
            Schema::Ch2pp => "CH2++",
        }
    }
}

/// Number of extra fields in each document of a collection, 0 to [`MAX_EXTRA_FIELDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExtraFields {
    /// In each customer.
    pub customer: u32,
    /// In each order.
    pub orders: u32,
    /// In each item.
    pub item: u32,
}

impl ExtraFields {
    /// No extra fields: the only choice in CH2.
    pub const NONE: ExtraFields = ExtraFields { customer: 0, orders: 0, item: 0 };

    /// The same number in all three collections.
    pub const fn all(n: u32) -> ExtraFields {
        ExtraFields { customer: n, orders: n, item: n }
    }
}

impl Default for ExtraFields {
    /// 64, the number of the published runs (CH2++ paper 3.2).
    fn default() -> Self {
        ExtraFields::all(64)
    }
}

impl fmt::Display for ExtraFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExtraFields { customer, orders, item } = *self;
        if *self == ExtraFields::all(customer) {
            write!(f, "{customer}")
        } else {
            write!(f, "customer={customer},orders={orders},item={item}")
        }
    }
}

impl FromStr for ExtraFields {
    type Err = SpecError;

    /// One number for all three collections, or `collection=number` joined by commas; a collection
    /// that is not named keeps the default.
    fn from_str(s: &str) -> Result<ExtraFields, SpecError> {
        if !s.contains('=') {
            return Ok(ExtraFields::all(extra_count(s, s)?));
        }
        let mut fields = ExtraFields::default();
        let mut seen = Vec::new();
        for pair in s.split(',') {
            let (name, count) = pair.split_once('=').ok_or_else(|| extra_error(s))?;
            let slot = match name {
                "customer" => &mut fields.customer,
                "orders" => &mut fields.orders,
                "item" => &mut fields.item,
                _ => return Err(extra_error(s)),
            };
            if seen.contains(&name) {
                return Err(extra_error(s));
            }
            seen.push(name);
            *slot = extra_count(count, s)?;
        }
        Ok(fields)
    }
}

fn extra_count(count: &str, whole: &str) -> Result<u32, SpecError> {
    let digits = count.bytes().all(|b| b.is_ascii_digit());
    let number = if digits { count.parse().ok() } else { None };
    number.filter(|&n| n <= MAX_EXTRA_FIELDS).ok_or_else(|| extra_error(whole))
}

fn extra_error(whole: &str) -> SpecError {
    SpecError::new(format!(
        "extra fields {} make no sense: write a number from 0 to {MAX_EXTRA_FIELDS}, or each \
         collection once as in customer=64,orders=0,item=16",
        quoted(whole)
    ))
}

/// The specification of a data set. Equal specifications give equal bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// The shape of the documents.
    pub schema: Schema,
    /// W, the number of warehouses.
    pub warehouses: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// The day on which the benchmark clock starts; the loaded history ends the day before.
    pub run_date: Date,
    /// Extra fields; none in CH2.
    pub extra_fields: ExtraFields,
    /// Divides items, customers, orders and stock; 1 for a real run. A divisor of 100.
    pub scale_down: u32,
}

impl Spec {
    /// The published settings: seed 1, RUN_DATE 2021-01-01, 64 extra fields in CH2++.
    pub fn new(schema: Schema, warehouses: u32) -> Spec {
        let extra_fields = match schema {
            Schema::Ch2 => ExtraFields::NONE,
            Schema::Ch2pp => ExtraFields::default(),
        };
        let run_date = Date::RUN_DATE;
        Spec { schema, warehouses, seed: 1, run_date, extra_fields, scale_down: 1 }
    }

    /// Checks that a data set can be made from it.
    pub(crate) fn validate(&self) -> Result<(), SpecError> {
        let Spec { schema, warehouses, seed: _, run_date, extra_fields, scale_down } = *self;
        let ExtraFields { customer, orders, item } = extra_fields;
        if !(1..=MAX_WAREHOUSES).contains(&warehouses) {
            return Err(SpecError::new(format!(
                "{warehouses} warehouses are not possible: choose 1 to {MAX_WAREHOUSES}"
            )));
        }
        if scale_down == 0 || !100u32.is_multiple_of(scale_down) {
            return Err(SpecError::new(format!(
                "scale-down {scale_down} is not possible: choose a divisor of 100"
            )));
        }
        if customer.max(orders).max(item) > MAX_EXTRA_FIELDS {
            return Err(extra_error(&extra_fields.to_string()));
        }
        if schema == Schema::Ch2 && extra_fields != ExtraFields::NONE {
            return Err(SpecError::new(format!(
                "CH2 has no extra fields, but {extra_fields} were asked for: choose 0, or CH2++"
            )));
        }
        // Leaves seven years for the history before it, and room for the clock and the queries'
        // dates after it.
        if !(8..=9990).contains(&run_date.year()) {
            return Err(SpecError::new(format!(
                "RUN_DATE {run_date} is not possible: choose a day of the years 0008 to 9990"
            )));
        }
        Ok(())
    }
}
