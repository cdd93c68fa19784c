//! The definitions of the 22 queries (specification section 5).

mod customers;
mod items;
mod lines;
mod suppliers;
mod trade;
mod values;

use hoap_ch2::data::Schema;

use super::model::Loaded;
use super::parameters::Parameters;
pub use values::Rows;

/// A query: what goes in, what comes out.
pub struct Definition {
    /// Names of its parameters, in order.
    pub parameters: &'static [&'static str],
    /// Names of its columns, in order.
    pub columns: &'static [&'static str],
    /// How many rows it returns at most.
    pub limit: fn(Schema) -> Option<usize>,
    /// Evaluates it.
    pub rows: fn(&Loaded, &Parameters) -> Rows,
}

const ALL: fn(Schema) -> Option<usize> = |_| None;
const FIRST_20: fn(Schema) -> Option<usize> = |_| Some(20);
const FIRST_100: fn(Schema) -> Option<usize> = |_| Some(100);
/// Q3 has a limit in CH2 alone (Fig. 4 of the CH2 paper, Fig. 3 of the CH2++ paper).
const FIRST_10_OF_CH2: fn(Schema) -> Option<usize> = |schema| match schema {
    Schema::Ch2 => Some(10),
    Schema::Ch2pp => None,
};

macro_rules! query {
    ([$($parameter:literal)*] [$($column:literal)*] $limit:ident $rows:path) => {
        Definition {
            parameters: &[$($parameter),*],
            columns: &[$($column),*],
            limit: $limit,
            rows: $rows,
        }
    };
}

/// Query n at n − 1.
#[rustfmt::skip]
pub const DEFINITIONS: [Definition; 22] = [
    query!(["after"]
        ["ol_number" "sum_qty" "sum_amount" "avg_qty" "avg_amount" "count_order"]
        ALL lines::q1),
    query!(["region" "data"]
        ["su_suppkey" "su_name" "n_name" "i_id" "i_name" "su_address" "su_phone" "su_comment"]
        FIRST_100 suppliers::q2),
    query!(["state" "before"]
        ["o_id" "o_w_id" "o_d_id" "revenue" "o_entry_d"]
        FIRST_10_OF_CH2 customers::q3),
    query!(["from" "to"] ["o_ol_cnt" "order_count"] ALL lines::q4),
    query!(["region" "from" "to"] ["n_name" "revenue"] ALL trade::q5),
    query!(["from" "to" "amount"] ["revenue"] ALL lines::q6),
    query!(["nation_a" "nation_b" "from" "to"]
        ["supp_nation" "cust_nation" "l_year" "revenue"]
        ALL trade::q7),
    query!(["nation" "region" "data" "from" "to"] ["l_year" "mkt_share"] ALL trade::q8),
    query!(["data"] ["n_name" "l_year" "sum_profit"] ALL trade::q9),
    query!(["from" "to"]
        ["c_id" "c_last" "revenue" "c_city" "c_phone" "n_name"]
        FIRST_20 customers::q10),
    query!(["nation"] ["s_i_id" "ordercount"] ALL suppliers::q11),
    query!(["from" "to"] ["o_ol_cnt" "high_line_count" "low_line_count"] ALL lines::q12),
    query!(["carrier"] ["c_count" "custdist"] ALL customers::q13),
    query!(["from" "to"] ["promo_revenue"] ALL items::q14),
    query!(["from" "to"]
        ["su_suppkey" "su_name" "su_address" "su_phone" "total_revenue"]
        ALL suppliers::q15),
    query!(["data"] ["i_name" "brand" "i_price" "supplier_cnt"] ALL suppliers::q16),
    query!(["data"] ["avg_yearly"] ALL items::q17),
    query!(["amount"]
        ["c_last" "c_id" "o_id" "o_entry_d" "o_ol_cnt" "amount_sum"]
        FIRST_100 customers::q18),
    query!([
        "data1" "low1" "high1" "w11" "w12" "w13"
        "data2" "low2" "high2" "w21" "w22" "w23"
        "data3" "low3" "high3" "w31" "w32" "w33"
    ] ["revenue"] ALL items::q19),
    query!(["nation" "data" "from" "to"] ["su_name" "su_address"] ALL suppliers::q20),
    query!(["nation" "from" "to"] ["su_name" "numwait"] FIRST_100 suppliers::q21),
    query!(["digit1" "digit2" "digit3" "digit4" "digit5" "digit6" "digit7" "from" "to"]
        ["country" "numcust" "totacctbal"]
        ALL customers::q22),
];
