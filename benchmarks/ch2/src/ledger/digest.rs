//! Digests of written documents, so that the ledger need not keep the documents.
//!
//! Numbers are compared in hundredths, in whatever form a database returns them; null equals
//! absent.

use serde_json::Value;

use crate::transactions::cents;

/// FNV-1a, 64 bits.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// A value that is not null, a number or a string is digested as JSON text.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes(&[0]),
            Value::String(text) => self.text(2, text),
            other => match cents(other) {
                Some(number) => {
                    self.bytes(&[1]);
                    self.bytes(&number.to_le_bytes());
                }
                None => self.text(3, &other.to_string()),
            },
        }
    }

    fn text(&mut self, kind: u8, text: &str) {
        self.bytes(&[kind]);
        self.bytes(&(text.len() as u64).to_le_bytes());
        self.bytes(text.as_bytes());
    }
}

/// The fields of a line that no transaction changes after NewOrder.
const LINE: [&str; 6] =
    ["ol_number", "ol_i_id", "ol_supply_w_id", "ol_quantity", "ol_amount", "ol_dist_info"];

/// The digest of values in this order; of a history document, those of [`HISTORY`].
pub fn values<'a>(values: impl IntoIterator<Item = &'a Value>) -> u64 {
    let mut digest = Digest::new();
    values.into_iter().for_each(|value| digest.value(value));
    digest.0
}

/// The fields of a history document, in the order for [`values`].
pub const HISTORY: [&str; 8] =
    ["h_w_id", "h_d_id", "h_c_w_id", "h_c_d_id", "h_c_id", "h_amount", "h_date", "h_data"];

/// The digest of the fields that NewOrder writes and no transaction changes later. `head` is
/// o_c_id, o_ol_cnt, o_all_local and o_entry_d. Extra fields are left out: they follow from the key
/// ([`crate::transactions::extra_field`]).
pub fn order(head: [&Value; 4], lines: &[Value]) -> u64 {
    let of_lines = lines.iter().flat_map(|line| LINE.map(|name| &line[name]));
    values(head.into_iter().chain(of_lines))
}

/// The digest of the fields that Delivery writes: o_carrier_id, and ol_delivery_d of each line.
pub fn delivery(carrier: &Value, lines: &[Value]) -> u64 {
    values(std::iter::once(carrier).chain(lines.iter().map(|line| &line["ol_delivery_d"])))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_tells_values_apart_and_not_how_a_database_writes_them() {
        let of = |value: Value| values([&value]);
        assert_eq!(of(json!(1)), of(json!(1.0)));
        let all = [json!(null), json!(0), json!(0.01), json!(""), json!("0"), json!(true)];
        for (i, one) in all.iter().enumerate() {
            for other in &all[i + 1..] {
                assert_ne!(of(one.clone()), of(other.clone()), "{one} {other}");
            }
        }
        let (a, b) = (json!("a"), json!("b"));
        assert_ne!(values([&a, &b]), values([&b, &a]));
    }

    /// Every field of a line is part of exactly one of the two digests.
    #[test]
    fn each_field_of_a_line_is_in_one_of_the_digests() {
        let line = json!({
            "ol_number": 1, "ol_i_id": 2, "ol_supply_w_id": 3, "ol_delivery_d": null,
            "ol_quantity": 4, "ol_amount": 5.25, "ol_dist_info": "x",
        });
        let both = |line: &Value| {
            let lines = [line.clone()];
            (order([&Value::Null; 4], &lines), delivery(&Value::Null, &lines))
        };
        for name in line.as_object().unwrap().keys() {
            let mut other = line.clone();
            other[name] = json!("another");
            assert_ne!(both(&other), both(&line), "{name}");
        }
    }
}
