//! The benchmarks that answers belong to, and their questions.

use std::fmt;

use hoap_data::Schema;

use crate::ch2::queries::catalogue::{Column, Kind, QUERIES, Query};

/// What answers are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswersOf {
    /// The 22 queries.
    Queries(Schema),
    /// Pages of Pagination: all keys of a country's customers, which no order of a database
    /// changes.
    Pages,
    /// Sums of JOIN.
    Joins,
}

/// Number and name of each question of Pagination and of JOIN.
const NUMBERED: [(u8, &str); 8] =
    [(1, "01"), (2, "02"), (3, "03"), (4, "04"), (5, "05"), (6, "06"), (7, "07"), (8, "08")];

static PAGES: [Query; NUMBERED.len()] = {
    const fn page(n: usize) -> Query {
        const COLUMNS: &[Column] = &[Column { name: "key", kind: Kind::Exact }];
        const ASKS: &str = "keys of all customers of a country";
        Query::beside(NUMBERED[n], ASKS, &["country", "offset", "limit"], COLUMNS)
    }
    [page(0), page(1), page(2), page(3), page(4), page(5), page(6), page(7)]
};

static JOINS: [Query; NUMBERED.len()] = {
    const fn join(n: usize) -> Query {
        const COLUMNS: &[Column] = &[
            Column { name: "month", kind: Kind::Exact },
            Column { name: "zip", kind: Kind::Exact },
            Column { name: "cents", kind: Kind::Exact },
        ];
        const ASKS: &str = "sum of a month's orders of the customers of a zip code";
        Query::beside(NUMBERED[n], ASKS, &["zip", "month"], COLUMNS)
    }
    [join(0), join(1), join(2), join(3), join(4), join(5), join(6), join(7)]
};

impl AnswersOf {
    /// The benchmark's name: "ch2", "ch2pp", "pagination" or "join".
    pub fn name(self) -> &'static str {
        match self {
            AnswersOf::Queries(schema) => schema.name(),
            AnswersOf::Pages => "pagination",
            AnswersOf::Joins => "join",
        }
    }

    /// The benchmark of this name.
    pub fn named(name: &str) -> Option<AnswersOf> {
        let queries = [Schema::Ch2, Schema::Ch2pp].map(AnswersOf::Queries);
        queries
            .into_iter()
            .chain([AnswersOf::Pages, AnswersOf::Joins])
            .find(|asked| asked.name() == name)
    }

    /// Its questions, in the order of their numbers.
    pub fn questions(self) -> &'static [Query] {
        match self {
            AnswersOf::Queries(_) => &QUERIES,
            AnswersOf::Pages => &PAGES,
            AnswersOf::Joins => &JOINS,
        }
    }

    /// The schema whose limits its answers have. Questions of Pagination and JOIN have none.
    pub(super) fn schema(self) -> Schema {
        match self {
            AnswersOf::Queries(schema) => schema,
            AnswersOf::Pages | AnswersOf::Joins => Schema::Ch2pp,
        }
    }
}

impl fmt::Display for AnswersOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
