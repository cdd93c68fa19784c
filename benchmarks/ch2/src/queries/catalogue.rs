//! The catalogue of the queries: meaning, parameters and answer columns, one table for all engines.
//!
//! The queries are those of the CH2 paper (section 3.4) on the documents of the CH2++ paper. A
//! query text in any language must use exactly the parameters listed here and return exactly these
//! columns.

use hoap_workload::answers::{Column, Direction, Kind, Limit, Query, Questions, SortKey};

use crate::data::Schema;

/// Number of queries.
pub const COUNT: usize = 22;

const fn exact(name: &'static str) -> Column {
    Column { name, kind: Kind::Exact }
}

const fn cents(name: &'static str) -> Column {
    Column { name, kind: Kind::Cents }
}

const fn ratio(name: &'static str) -> Column {
    Column { name, kind: Kind::Ratio }
}

const fn json(name: &'static str) -> Column {
    Column { name, kind: Kind::Json }
}

const fn ascending(column: usize) -> SortKey {
    SortKey { column, direction: Direction::Ascending }
}

const fn descending(column: usize) -> SortKey {
    SortKey { column, direction: Direction::Descending }
}

/// The 22 queries in the order of their numbers.
pub static QUERIES: [Query; COUNT] = [
    Query {
        number: 1,
        name: "Q01",
        asks: "per line number, quantities and amounts of the lines delivered after a day",
        parameters: &["after"],
        columns: &[
            exact("ol_number"),
            exact("sum_qty"),
            cents("sum_amount"),
            ratio("avg_qty"),
            ratio("avg_amount"),
            exact("count_order"),
        ],
        order: &[ascending(0)],
        limit: Limit::None,
    },
    Query {
        number: 2,
        name: "Q02",
        asks: "suppliers of a region that hold the least stock of certain items in that region",
        parameters: &["region", "data"],
        columns: &[
            exact("su_suppkey"),
            exact("su_name"),
            exact("n_name"),
            exact("i_id"),
            exact("i_name"),
            json("su_address"),
            exact("su_phone"),
            exact("su_comment"),
        ],
        order: &[ascending(2), ascending(1), ascending(3)],
        limit: Limit::Rows(100),
    },
    Query {
        number: 3,
        name: "Q03",
        asks: "undelivered orders of customers of certain states, entered before a day, by value",
        parameters: &["state", "before"],
        columns: &[
            exact("o_id"),
            exact("o_w_id"),
            exact("o_d_id"),
            cents("revenue"),
            exact("o_entry_d"),
        ],
        order: &[descending(3), ascending(4)],
        limit: Limit::RowsOf("ch2", 10),
    },
    Query {
        number: 4,
        name: "Q04",
        asks: "per number of lines, orders of a quarter with a line delivered a week later or more",
        parameters: &["from", "to"],
        columns: &[exact("o_ol_cnt"), exact("order_count")],
        order: &[],
        limit: Limit::None,
    },
    Query {
        number: 5,
        name: "Q05",
        asks: "revenue of a year within each nation of a region",
        parameters: &["region", "from", "to"],
        columns: &[exact("n_name"), cents("revenue")],
        order: &[descending(1)],
        limit: Limit::None,
    },
    Query {
        number: 6,
        name: "Q06",
        asks: "revenue of the lines delivered in a year that are above an amount",
        parameters: &["from", "to", "amount"],
        columns: &[cents("revenue")],
        order: &[],
        limit: Limit::None,
    },
    Query {
        number: 7,
        name: "Q07",
        asks: "per year, trade between two nations in both directions",
        parameters: &["nation_a", "nation_b", "from", "to"],
        columns: &[exact("supp_nation"), exact("cust_nation"), exact("l_year"), cents("revenue")],
        order: &[ascending(0), ascending(1), ascending(2)],
        limit: Limit::None,
    },
    Query {
        number: 8,
        name: "Q08",
        asks: "per year, a nation's share of the market of a region for certain items",
        parameters: &["nation", "region", "data", "from", "to"],
        columns: &[exact("l_year"), ratio("mkt_share")],
        order: &[],
        limit: Limit::None,
    },
    Query {
        number: 9,
        name: "Q09",
        asks: "per supplier nation and year, what was earned with certain items",
        parameters: &["data"],
        columns: &[exact("n_name"), exact("l_year"), cents("sum_profit")],
        order: &[ascending(0), descending(1)],
        limit: Limit::None,
    },
    Query {
        number: 10,
        name: "Q10",
        asks: "customers with the largest orders of a quarter",
        parameters: &["from", "to"],
        columns: &[
            exact("c_id"),
            exact("c_last"),
            cents("revenue"),
            exact("c_city"),
            exact("c_phone"),
            exact("n_name"),
        ],
        order: &[descending(2)],
        limit: Limit::Rows(20),
    },
    Query {
        number: 11,
        name: "Q11",
        asks: "items that a nation's suppliers are asked for most often",
        parameters: &["nation"],
        columns: &[exact("s_i_id"), exact("ordercount")],
        order: &[descending(1)],
        limit: Limit::None,
    },
    Query {
        number: 12,
        name: "Q12",
        asks: "per number of lines, lines delivered in a year by two carriers and by the others",
        parameters: &["from", "to"],
        columns: &[exact("o_ol_cnt"), exact("high_line_count"), exact("low_line_count")],
        order: &[],
        limit: Limit::None,
    },
    Query {
        number: 13,
        name: "Q13",
        asks: "how many customer numbers have how many orders of the last carriers",
        parameters: &["carrier"],
        columns: &[exact("c_count"), exact("custdist")],
        order: &[descending(1), descending(0)],
        limit: Limit::None,
    },
    Query {
        number: 14,
        name: "Q14",
        asks: "share of promoted items in the revenue of a month, in per cent",
        parameters: &["from", "to"],
        columns: &[ratio("promo_revenue")],
        order: &[],
        limit: Limit::None,
    },
    Query {
        number: 15,
        name: "Q15",
        asks: "the supplier, or suppliers, with the largest revenue of a quarter",
        parameters: &["from", "to"],
        columns: &[
            exact("su_suppkey"),
            exact("su_name"),
            json("su_address"),
            exact("su_phone"),
            cents("total_revenue"),
        ],
        order: &[],
        limit: Limit::None,
    },
    Query {
        number: 16,
        name: "Q16",
        asks: "per item name, brand and price, how many suppliers without complaints deliver it",
        parameters: &["data"],
        columns: &[exact("i_name"), exact("brand"), cents("i_price"), exact("supplier_cnt")],
        order: &[descending(3)],
        limit: Limit::None,
    },
    Query {
        number: 17,
        name: "Q17",
        asks: "half the revenue that small orders of certain items bring",
        parameters: &["data"],
        // Half a sum of cents may end in half a cent, which must not be at a rounding border.
        columns: &[ratio("avg_yearly")],
        order: &[],
        limit: Limit::None,
    },
    Query {
        number: 18,
        name: "Q18",
        asks: "orders above an amount, by value",
        parameters: &["amount"],
        columns: &[
            exact("c_last"),
            exact("c_id"),
            exact("o_id"),
            exact("o_entry_d"),
            exact("o_ol_cnt"),
            cents("amount_sum"),
        ],
        order: &[descending(5), ascending(3)],
        limit: Limit::Rows(100),
    },
    Query {
        number: 19,
        name: "Q19",
        asks: "revenue of three alternatives of item, quantity, price and warehouse",
        parameters: &[
            "data1", "low1", "high1", "w11", "w12", "w13", "data2", "low2", "high2", "w21", "w22",
            "w23", "data3", "low3", "high3", "w31", "w32", "w33",
        ],
        columns: &[cents("revenue")],
        order: &[],
        limit: Limit::None,
    },
    Query {
        number: 20,
        name: "Q20",
        asks: "suppliers of a nation that hold more of certain items than a year's orders need",
        parameters: &["nation", "data", "from", "to"],
        columns: &[exact("su_name"), json("su_address")],
        order: &[ascending(0)],
        limit: Limit::None,
    },
    Query {
        number: 21,
        name: "Q21",
        asks: "suppliers of a nation whose very late lines kept whole orders waiting",
        parameters: &["nation", "from", "to"],
        columns: &[exact("su_name"), exact("numwait")],
        order: &[descending(1), ascending(0)],
        limit: Limit::Rows(100),
    },
    Query {
        number: 22,
        name: "Q22",
        asks: "per state initial, customers with a good balance who did not order in a month",
        parameters: &[
            "digit1", "digit2", "digit3", "digit4", "digit5", "digit6", "digit7", "from", "to",
        ],
        columns: &[exact("country"), exact("numcust"), cents("totacctbal")],
        order: &[ascending(0)],
        limit: Limit::None,
    },
];

/// The questions of CH2.
pub static CH2: Questions = Questions { benchmark: "ch2", all: &QUERIES };

/// The questions of CH2++, which are the same on other documents.
pub static CH2PP: Questions = Questions { benchmark: "ch2pp", all: &QUERIES };

/// Those of a schema.
pub fn questions(schema: Schema) -> &'static Questions {
    match schema {
        Schema::Ch2 => &CH2,
        Schema::Ch2pp => &CH2PP,
    }
}

/// The query of this number, from 1 to 22.
pub fn query(number: u8) -> Option<&'static Query> {
    QUERIES.get(usize::from(number).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_follow_the_position() {
        for (i, q) in QUERIES.iter().enumerate() {
            assert_eq!(usize::from(q.number), i + 1);
            assert_eq!(q.name, format!("Q{:02}", i + 1));
            assert_eq!(query(q.number), Some(q));
        }
        assert_eq!((query(0), query(23), query(255)), (None, None, None));
    }

    #[test]
    fn sort_keys_are_columns_that_compare_without_tolerance() {
        for q in &QUERIES {
            for key in q.order {
                let kind = q.columns[key.column].kind;
                assert!(matches!(kind, Kind::Exact | Kind::Cents), "{} sorts by {kind:?}", q.name);
            }
        }
    }

    #[test]
    fn a_limit_has_an_order_that_decides_what_is_cut() {
        for q in &QUERIES {
            assert!(q.limit == Limit::None || !q.order.is_empty(), "{}", q.name);
        }
    }

    /// CH2 paper, figure 4, and CH2++ paper, figure 3: CH2 cuts Q3 after ten rows.
    #[test]
    fn only_q3_has_another_limit_in_each_benchmark() {
        for q in &QUERIES {
            let limits = (q.limit_of("ch2"), q.limit_of("ch2pp"));
            match q.number {
                3 => assert_eq!(limits, (Some(10), None)),
                2 | 18 | 21 => assert_eq!(limits, (Some(100), Some(100))),
                10 => assert_eq!(limits, (Some(20), Some(20))),
                _ => assert_eq!(limits, (None, None)),
            }
        }
    }

    #[test]
    fn names_of_parameters_and_columns_are_unique_in_a_query() {
        for q in &QUERIES {
            let mut names: Vec<_> = q.parameters.to_vec();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), q.parameters.len(), "{}", q.name);
            let mut names: Vec<_> = q.columns.iter().map(|c| c.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), q.columns.len(), "{}", q.name);
        }
    }
}
