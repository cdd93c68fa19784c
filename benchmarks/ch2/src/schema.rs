//! The paths of the fields in the two schemas, and the indexes of the transactions.

use hoap_database::Index;

use crate::data::Schema;

/// Paths that differ between CH2 and CH2++, and the indexes over them.
#[derive(Clone, Debug)]
pub struct Paths {
    /// First, middle and last name of a customer.
    pub c_first: &'static str,
    #[allow(missing_docs)]
    pub c_middle: &'static str,
    #[allow(missing_docs)]
    pub c_last: &'static str,
    /// The address fields of warehouse and district that Payment returns (TPC-C 2.5.3.3).
    pub w_address: &'static [&'static str],
    #[allow(missing_docs)]
    pub d_address: &'static [&'static str],
    /// The address fields and phones of a customer.
    pub c_contact: &'static [&'static str],
    /// The ten s_dist fields of a stock, by district from 1.
    s_dist: [&'static str; 10],
    /// Customers by warehouse, district and last name.
    pub customer_by_name: Index,
    /// Orders by warehouse, district, customer and number.
    pub orders_by_customer: Index,
    /// Undelivered orders by warehouse, district and number.
    pub neworder_by_number: Index,
}

impl Paths {
    /// The paths of a schema (spec §2).
    pub fn of(schema: Schema) -> Self {
        let c_last = match schema {
            Schema::Ch2 => "c_last",
            Schema::Ch2pp => "c_name.c_last",
        };
        let customer_by_name =
            Index::new("customer_by_name", "customer", &["c_w_id", "c_d_id", c_last]);
        let orders_by_customer =
            Index::new("orders_by_customer", "orders", &["o_w_id", "o_d_id", "o_c_id", "o_id"]);
        let neworder_by_number =
            Index::new("neworder_by_number", "neworder", &["no_w_id", "no_d_id", "no_o_id"]);
        match schema {
            Schema::Ch2 => Paths {
                c_first: "c_first",
                c_middle: "c_middle",
                c_last,
                w_address: &["w_street_1", "w_street_2", "w_city", "w_state", "w_zip"],
                d_address: &["d_street_1", "d_street_2", "d_city", "d_state", "d_zip"],
                c_contact: &["c_street_1", "c_street_2", "c_city", "c_state", "c_zip", "c_phone"],
                s_dist: [
                    "s_dist_01",
                    "s_dist_02",
                    "s_dist_03",
                    "s_dist_04",
                    "s_dist_05",
                    "s_dist_06",
                    "s_dist_07",
                    "s_dist_08",
                    "s_dist_09",
                    "s_dist_10",
                ],
                customer_by_name,
                orders_by_customer,
                neworder_by_number,
            },
            Schema::Ch2pp => Paths {
                c_first: "c_name.c_first",
                c_middle: "c_name.c_middle",
                c_last,
                w_address: &["w_address"],
                d_address: &["d_address"],
                c_contact: &["c_addresses", "c_phones"],
                s_dist: [
                    "s_dists[0]",
                    "s_dists[1]",
                    "s_dists[2]",
                    "s_dists[3]",
                    "s_dists[4]",
                    "s_dists[5]",
                    "s_dists[6]",
                    "s_dists[7]",
                    "s_dists[8]",
                    "s_dists[9]",
                ],
                customer_by_name,
                orders_by_customer,
                neworder_by_number,
            },
        }
    }

    /// The path of a stock's s_dist field for a district (1…10).
    pub fn s_dist(&self, district: u32) -> &'static str {
        self.s_dist[district as usize - 1]
    }

    /// All indexes that the transactions need (spec §4).
    pub fn indexes(&self) -> Vec<Index> {
        vec![
            self.customer_by_name.clone(),
            self.orders_by_customer.clone(),
            self.neworder_by_number.clone(),
        ]
    }
}
