//! Pagination: a page of the keys of a country's customers (NoSQL specification, section 3).

use std::ops::RangeInclusive;
use std::path::Path;

use hoap_data::random::Stream;
use hoap_database::shop::Ask;
use hoap_database::{Shop, ShopSession};
use hoap_drive::{Client, Completion, Next, Workload};
use hoap_workload::words::counted;
use hoap_workload::{Error, Result};

use crate::answers::{self, KeepAnswers};
use crate::data::{ShopCollection, ShopData};
use crate::{Options, Shared, below, wrong};

/// Number of customers of a page (Couchbase 6.6 report, section 4.3.1).
const LIMIT: RangeInclusive<i64> = 1..=100;

/// Number of customers before the page.
const OFFSET: RangeInclusive<i64> = 0..=5;

/// The Pagination workload on one database.
pub struct Pagination {
    database: Shop,
    shared: Shared,
}

impl Pagination {
    /// Pagination over this data.
    pub fn new(database: Shop, data: ShopData, options: Options) -> Self {
        Pagination { database, shared: Shared::new(data, options) }
    }
}

impl Workload for Pagination {
    type Client = Pager;

    fn kinds(&self) -> Vec<&str> {
        vec!["PAGE"]
    }

    fn blocking(&self) -> bool {
        self.database.blocking()
    }

    async fn client(&self, number: usize) -> Result<Self::Client> {
        let session = self.database.session(Ask::Pages).await?;
        let random = self.shared.random(number);
        Ok(Pager {
            session,
            data: self.shared.data,
            check: self.shared.options.check_reads,
            seen: Vec::new(),
            random,
            drawn: Page { country: 0, offset: 0, limit: 0 },
            country: String::new(),
            keys: Vec::new(),
        })
    }
}

impl KeepAnswers for Pagination {
    async fn keep_answers(&self, target: &str, dir: &Path) -> Result<()> {
        answers::pages(&self.database, &self.shared.data, target, dir).await
    }
}

/// The parameters of a page.
#[derive(Clone, Copy, Debug)]
struct Page {
    country: u64,
    offset: u32,
    limit: u32,
}

/// One client that reads pages.
pub struct Pager {
    session: ShopSession,
    data: ShopData,
    random: Stream,
    drawn: Page,
    /// Name of the country drawn.
    country: String,
    /// The keys of the answer.
    keys: Vec<String>,
    check: bool,
    /// Numbers of the customers in the answer, where answers are checked.
    seen: Vec<u64>,
}

impl Pager {
    async fn page(&mut self) -> Result<u64> {
        let Page { offset, limit, .. } = self.drawn;
        self.session.page(&self.country, offset, limit, &mut self.keys).await?;
        if self.check {
            self.check()?;
        }
        Ok(self.keys.len() as u64)
    }

    /// Checks the answer: the right number of customers, all of that country, none twice.
    fn check(&mut self) -> Result<()> {
        let Page { country, offset, limit } = self.drawn;
        let there = self.data.spec().customers_per_country;
        let right = there.saturating_sub(offset.into()).min(limit.into());
        if self.keys.len() as u64 != right {
            let keys = counted(self.keys.len(), "key", "keys");
            return Err(self.wrong(format!("{keys} came back, not {right}")));
        }
        self.seen.clear();
        for key in &self.keys {
            match self.data.index_of(ShopCollection::Customer, key) {
                None => return Err(self.wrong(format!("no customer has the key '{key}'"))),
                Some(customer) if self.data.country_of(customer) != country => {
                    return Err(self.wrong(format!("{key} is of another country")));
                }
                Some(customer) => self.seen.push(customer),
            }
        }
        self.seen.sort_unstable();
        match self.seen.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => Err(self.wrong(format!("customer {} came back twice", pair[0]))),
        }
    }

    fn wrong(&self, answer: String) -> Error {
        let Page { offset, limit, .. } = self.drawn;
        let country = &self.country;
        wrong(format!("page through {country} from {offset}, {limit} at most"), answer)
    }
}

impl Client for Pager {
    type Memory = ();

    fn next(&mut self) -> Next {
        self.drawn = Page {
            country: below(&mut self.random, self.data.countries()),
            offset: self.random.uniform(OFFSET) as u32,
            limit: self.random.uniform(LIMIT) as u32,
        };
        self.country.clear();
        self.data.append_country(self.drawn.country, &mut self.country);
        Next::of(0)
    }

    async fn run(&mut self) -> Completion {
        Completion::of(self.page().await)
    }

    fn finish(self) {}
}
