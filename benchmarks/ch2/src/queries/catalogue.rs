//! The catalogue of the queries: meaning, parameters and answer columns, one table for all engines.
//!
//! The queries are those of the CH2 paper (section 3.4) on the documents of the CH2++ paper. A
//! query text in any language must use exactly the parameters listed here and return exactly these
//! columns.

use hoap_workload::answers::{Column, Direction, Kind, Limit, Query, Questions, SortKey};

use crate::data::Schema;

/// Number of queries.
pub const COUNT: usize = 22;

/// Makes the table of a paragraph for each query: its name and what it asks, its parameters, the
/// columns of its answer by kind, by which of these it is sorted, and how many rows it has.
macro_rules! queries {
    ($(
        $name:literal $asks:literal
        ($($parameter:literal),*) [$($kind:ident $column:literal),*]
        ($($direction:ident $at:literal),*) $limit:expr;
    )*) => {
        [$(Query {
            number: number($name),
            name: $name,
            asks: $asks,
            parameters: &[$($parameter),*],
            columns: &[$(Column { name: $column, kind: Kind::$kind }),*],
            order: &[$(SortKey { column: $at, direction: Direction::$direction }),*],
            limit: $limit,
        }),*]
    };
}

/// That of a name: 7 of "Q07".
const fn number(name: &str) -> u8 {
    let digits = name.as_bytes();
    10 * (digits[1] - b'0') + digits[2] - b'0'
}

/// The 22 queries in the order of their numbers.
pub static QUERIES: [Query; COUNT] = queries! {
    "Q01" "per line number, quantities and amounts of the lines delivered after a day"
        ("after") [Exact "ol_number", Exact "sum_qty", Cents "sum_amount", Ratio "avg_qty",
        Ratio "avg_amount", Exact "count_order"]
        (Ascending 0) Limit::None;
    "Q02" "suppliers of a region that hold the least stock of certain items in that region"
        ("region", "data") [Exact "su_suppkey", Exact "su_name", Exact "n_name", Exact "i_id",
        Exact "i_name", Json "su_address", Exact "su_phone", Exact "su_comment"]
        (Ascending 2, Ascending 1, Ascending 3) Limit::Rows(100);
    "Q03" "undelivered orders of customers of certain states, entered before a day, by value"
        ("state", "before") [Exact "o_id", Exact "o_w_id", Exact "o_d_id", Cents "revenue",
        Exact "o_entry_d"]
        (Descending 3, Ascending 4) Limit::RowsOf("ch2", 10);
    "Q04" "per number of lines, orders of a quarter with a line delivered a week later or more"
        ("from", "to") [Exact "o_ol_cnt", Exact "order_count"] () Limit::None;
    "Q05" "revenue of a year within each nation of a region"
        ("region", "from", "to") [Exact "n_name", Cents "revenue"] (Descending 1) Limit::None;
    "Q06" "revenue of the lines delivered in a year that are above an amount"
        ("from", "to", "amount") [Cents "revenue"] () Limit::None;
    "Q07" "per year, trade between two nations in both directions"
        ("nation_a", "nation_b", "from", "to") [Exact "supp_nation", Exact "cust_nation",
        Exact "l_year", Cents "revenue"]
        (Ascending 0, Ascending 1, Ascending 2) Limit::None;
    "Q08" "per year, a nation's share of the market of a region for certain items"
        ("nation", "region", "data", "from", "to") [Exact "l_year", Ratio "mkt_share"]
        () Limit::None;
    "Q09" "per supplier nation and year, what was earned with certain items"
        ("data") [Exact "n_name", Exact "l_year", Cents "sum_profit"]
        (Ascending 0, Descending 1) Limit::None;
    "Q10" "customers with the largest orders of a quarter"
        ("from", "to") [Exact "c_id", Exact "c_last", Cents "revenue", Exact "c_city",
        Exact "c_phone", Exact "n_name"]
        (Descending 2) Limit::Rows(20);
    "Q11" "items that a nation's suppliers are asked for most often"
        ("nation") [Exact "s_i_id", Exact "ordercount"] (Descending 1) Limit::None;
    "Q12" "per number of lines, lines delivered in a year by two carriers and by the others"
        ("from", "to") [Exact "o_ol_cnt", Exact "high_line_count", Exact "low_line_count"]
        () Limit::None;
    "Q13" "how many customer numbers have how many orders of the last carriers"
        ("carrier") [Exact "c_count", Exact "custdist"] (Descending 1, Descending 0) Limit::None;
    "Q14" "share of promoted items in the revenue of a month, in per cent"
        ("from", "to") [Ratio "promo_revenue"] () Limit::None;
    "Q15" "the supplier, or suppliers, with the largest revenue of a quarter"
        ("from", "to") [Exact "su_suppkey", Exact "su_name", Json "su_address", Exact "su_phone",
        Cents "total_revenue"]
        () Limit::None;
    "Q16" "per item name, brand and price, how many suppliers without complaints deliver it"
        ("data") [Exact "i_name", Exact "brand", Cents "i_price", Exact "supplier_cnt"]
        (Descending 3) Limit::None;
    "Q17" "half the revenue that small orders of certain items bring"
        ("data") [Ratio "avg_yearly"] () Limit::None;
    "Q18" "orders above an amount, by value"
        ("amount") [Exact "c_last", Exact "c_id", Exact "o_id", Exact "o_entry_d",
        Exact "o_ol_cnt", Cents "amount_sum"]
        (Descending 5, Ascending 3) Limit::Rows(100);
    "Q19" "revenue of three alternatives of item, quantity, price and warehouse"
        ("data1", "low1", "high1", "w11", "w12", "w13", "data2", "low2", "high2", "w21", "w22",
        "w23", "data3", "low3", "high3", "w31", "w32", "w33") [Cents "revenue"]
        () Limit::None;
    "Q20" "suppliers of a nation that hold more of certain items than a year's orders need"
        ("nation", "data", "from", "to") [Exact "su_name", Json "su_address"]
        (Ascending 0) Limit::None;
    "Q21" "suppliers of a nation whose very late lines kept whole orders waiting"
        ("nation", "from", "to") [Exact "su_name", Exact "numwait"]
        (Descending 1, Ascending 0) Limit::Rows(100);
    "Q22" "per state initial, customers with a good balance who did not order in a month"
        ("digit1", "digit2", "digit3", "digit4", "digit5", "digit6", "digit7", "from", "to")
        [Exact "country", Exact "numcust", Cents "totacctbal"]
        (Ascending 0) Limit::None;
};

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
