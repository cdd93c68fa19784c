//! Answers of Pagination and JOIN in files, for a comparison of databases.
//!
//! The parameters are drawn from a stream of their own, so that they are the same on every database
//! with the same data. A page has all customers of its country: which of them come first is up to
//! the database.

use std::path::Path;
use std::time::Instant;

use hoap_data::random::Stream;
use hoap_database::shop::{Ask, JoinVariant};
use hoap_database::{Answer, Row, Shop};
use hoap_workload::answers::{AnswerFile, Column, Kind, Limit, Query, Questions};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::{Value, json};

use crate::below;
use crate::data::{MONTHS, ShopData};

/// The random stream of these questions, apart from those of the data and of the clients.
const ANSWER_STREAM: u64 = 0x616e_7377_6572_6564;

/// How often a zip code and a month are drawn, to find some with orders.
const DRAWS: usize = 1000;

/// Number and name of each question of Pagination and of JOIN.
const NUMBERED: [(u8, &str); 8] =
    [(1, "01"), (2, "02"), (3, "03"), (4, "04"), (5, "05"), (6, "06"), (7, "07"), (8, "08")];

static PAGE_QUERIES: [Query; NUMBERED.len()] = {
    const fn page(n: usize) -> Query {
        const COLUMNS: &[Column] = &[Column { name: "key", kind: Kind::Exact }];
        const ASKS: &str = "keys of all customers of a country";
        question(NUMBERED[n], ASKS, &["country", "offset", "limit"], COLUMNS)
    }
    [page(0), page(1), page(2), page(3), page(4), page(5), page(6), page(7)]
};

static JOIN_QUERIES: [Query; NUMBERED.len()] = {
    const fn join(n: usize) -> Query {
        const COLUMNS: &[Column] = &[
            Column { name: "month", kind: Kind::Exact },
            Column { name: "zip", kind: Kind::Exact },
            Column { name: "cents", kind: Kind::Exact },
        ];
        const ASKS: &str = "sum of a month's orders of the customers of a zip code";
        question(NUMBERED[n], ASKS, &["zip", "month"], COLUMNS)
    }
    [join(0), join(1), join(2), join(3), join(4), join(5), join(6), join(7)]
};

/// Pages of Pagination: all keys of a country's customers, which no order of a database changes.
pub static PAGES: Questions = Questions { benchmark: "pagination", all: &PAGE_QUERIES };

/// Sums of JOIN.
pub static JOINS: Questions = Questions { benchmark: "join", all: &JOIN_QUERIES };

const fn question(
    (number, name): (u8, &'static str),
    asks: &'static str,
    parameters: &'static [&'static str],
    columns: &'static [Column],
) -> Query {
    Query { number, name, asks, parameters, columns, order: &[], limit: Limit::None }
}

/// A workload whose answers can be kept.
pub trait KeepAnswers {
    /// Asks the questions of the benchmark on a session of its own and writes each answer to
    /// `q01.json` … of a folder that is there. `target` is the URL of the database, without
    /// secrets.
    fn keep_answers(&self, target: &str, dir: &Path) -> impl Future<Output = Result<()>> + Send;
}

fn random() -> Stream {
    Stream::new(0, &[ANSWER_STREAM])
}

/// Where the answers to the questions of a benchmark go.
struct Kept<'a> {
    asked: &'static Questions,
    target: &'a str,
    dir: &'a Path,
}

impl Kept<'_> {
    /// Writes the answer to a question that was asked with these values, in the order of its
    /// parameters.
    fn write(
        &self,
        question: &Query,
        asked: Vec<Value>,
        rows: Vec<Row>,
        took: Instant,
    ) -> Result<()> {
        let seconds = took.elapsed().as_secs_f64();
        let names = question.parameters.iter().map(|name| (*name).to_owned());
        let parameters: Vec<_> = names.zip(asked).collect();
        let columns = question.columns.iter().map(|column| column.name.to_owned()).collect();
        let answer = Answer { columns, rows };
        let of = (self.asked.benchmark, self.target);
        let file = AnswerFile::new(of, (question, &parameters), answer, seconds);
        file.write(&self.dir.join(AnswerFile::name(question.number)))
    }
}

/// Keeps pages.
pub(super) async fn pages(
    database: &Shop,
    data: &ShopData,
    target: &str,
    dir: &Path,
) -> Result<()> {
    let kept = Kept { asked: &PAGES, target, dir };
    let mut session = database.session(Ask::Pages).await?;
    let mut random = random();
    let limit = u32::try_from(data.spec().customers_per_country).map_err(|_| {
        let (tried, answer) = ("ask for a country", "it has more customers than a page can");
        Error::new(ErrorKind::Invalid, tried, answer)
    })?;
    let (mut country, mut keys) = (String::new(), Vec::new());
    for question in kept.asked.all {
        country.clear();
        data.append_country(below(&mut random, data.countries()), &mut country);
        let begun = Instant::now();
        session.page(&country, 0, limit, &mut keys).await?;
        let rows = keys.iter().map(|key| vec![json!(key)]).collect();
        kept.write(question, vec![json!(country), json!(0), json!(limit)], rows, begun)?;
    }
    Ok(())
}

/// Keeps joins, of zip codes and months with orders where they are found.
pub(super) async fn joins(
    database: &Shop,
    variant: JoinVariant,
    data: &ShopData,
    target: &str,
    dir: &Path,
) -> Result<()> {
    let kept = Kept { asked: &JOINS, target, dir };
    let mut session = database.session(Ask::Joins(variant)).await?;
    let mut random = random();
    let (mut code, mut found) = (String::new(), Vec::new());
    for question in kept.asked.all {
        let (zip, month) = with_orders(data, &mut random);
        code.clear();
        data.append_zip(zip, &mut code);
        let begun = Instant::now();
        session.join(&code, MONTHS[month], &mut found).await?;
        let rows = found.iter().map(|r| vec![json!(r.month), json!(r.zip), json!(r.cents)]);
        kept.write(question, vec![json!(code), json!(MONTHS[month])], rows.collect(), begun)?;
    }
    Ok(())
}

/// A zip code and a month with orders, or the last ones drawn.
fn with_orders(data: &ShopData, random: &mut Stream) -> (u64, usize) {
    let mut draw = || (below(random, data.zips()), below(random, MONTHS.len() as u64) as usize);
    let mut drawn = draw();
    for _ in 1..DRAWS {
        if data.join_cents(drawn.0, drawn.1).is_some() {
            break;
        }
        drawn = draw();
    }
    drawn
}
