//! JOIN: the sum of a month's orders of a zip code's customers (NoSQL specification, section 4).

use std::path::Path;

use hoap_data::random::Stream;
use hoap_database::shop::{Ask, JoinRow, JoinVariant};
use hoap_database::{Shop, ShopSession};
use hoap_drive::{Client, Completion, Next, Workload};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

use crate::answers::{self, KeepAnswers};
use crate::data::{MONTHS, ShopData};
use crate::{Options, Shared, below, wrong};

/// The JOIN workload on one database.
pub struct Join {
    database: Shop,
    variant: JoinVariant,
    shared: Shared,
}

impl Join {
    /// JOIN over this data in this variant, or in the database's first one.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the database lacks this variant.
    pub fn new(
        database: Shop,
        data: ShopData,
        variant: Option<JoinVariant>,
        options: Options,
    ) -> Result<Self> {
        let has = database.variants();
        let chosen = match variant {
            None => has.first(),
            Some(wanted) => has.iter().find(|v| **v == wanted),
        };
        let Some(&variant) = chosen else {
            let wanted = variant.map_or("any way", JoinVariant::name);
            let tried = format!("join by {wanted}");
            return Err(Error::new(ErrorKind::Invalid, tried, "this database cannot")
                .advise(format!("choose one of {}", JoinVariant::names(has))));
        };
        Ok(Join { database, variant, shared: Shared::new(data, options) })
    }

    /// The variant of the join.
    pub fn variant(&self) -> JoinVariant {
        self.variant
    }
}

impl Workload for Join {
    type Client = Joiner;

    fn kinds(&self) -> Vec<&str> {
        vec!["JOIN"]
    }

    fn blocking(&self) -> bool {
        self.database.blocking()
    }

    async fn client(&self, number: usize) -> Result<Self::Client> {
        let session = self.database.session(Ask::Joins(self.variant)).await?;
        let random = self.shared.random(number);
        Ok(Joiner {
            session,
            data: self.shared.data,
            check: self.shared.options.check_reads,
            random,
            zip: 0,
            month: 0,
            code: String::new(),
            rows: Vec::new(),
        })
    }
}

impl KeepAnswers for Join {
    async fn keep_answers(&self, target: &str, dir: &Path) -> Result<()> {
        answers::joins(&self.database, self.variant, &self.shared.data, target, dir).await
    }
}

/// One client that joins.
pub struct Joiner {
    session: ShopSession,
    data: ShopData,
    check: bool,
    random: Stream,
    /// The zip code drawn, and its text.
    zip: u64,
    code: String,
    /// Position in [`MONTHS`] of the month drawn.
    month: usize,
    /// The rows of the answer.
    rows: Vec<JoinRow>,
}

impl Joiner {
    async fn join(&mut self) -> Result<u64> {
        self.session.join(&self.code, MONTHS[self.month], &mut self.rows).await?;
        if self.check {
            self.check()?;
        }
        Ok(self.rows.len() as u64)
    }

    /// Checks the answer: one row of this zip code and month with the sum of its orders, or no row
    /// where there are no orders.
    fn check(&self) -> Result<()> {
        let (code, month) = (&self.code, MONTHS[self.month]);
        let tried = || format!("join zip code {code} and {month}");
        let right = self.data.join_cents(self.zip, self.month);
        match (self.rows.as_slice(), right) {
            ([], None) => Ok(()),
            ([row], Some(cents))
                if row.cents == cents && row.zip == *code && row.month == month =>
            {
                Ok(())
            }
            ([row], Some(cents)) => Err(wrong(
                tried(),
                format!(
                    "{} cents of {} and {} came back, not {cents}",
                    row.cents, row.zip, row.month
                ),
            )),
            (rows, right) => Err(wrong(
                tried(),
                format!(
                    "{} came back, not {}",
                    counted(rows.len(), "row", "rows"),
                    right.iter().count()
                ),
            )),
        }
    }
}

impl Client for Joiner {
    type Memory = ();

    fn next(&mut self) -> Next {
        self.zip = below(&mut self.random, self.data.zips());
        self.month = below(&mut self.random, MONTHS.len() as u64) as usize;
        self.code.clear();
        self.data.append_zip(self.zip, &mut self.code);
        Next::of(0)
    }

    async fn run(&mut self) -> Completion {
        Completion::of(self.join().await)
    }

    fn finish(self) {}
}
