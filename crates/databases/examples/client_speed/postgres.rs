//! PostgreSQL: each client has a connection and its prepared statements. Neither side encrypts.

use std::error::Error;
use std::hint::black_box;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{NoTls, Statement};

use super::beside::{Client, Kind, Plan, Settings, Work, records};
use super::common::Any;

const WORKS: &[Work] = &[("read", Kind::Read, 10_000), ("update", Kind::Update, 5_000)];

/// A jsonb value as the protocol has it: a version and the text.
#[derive(Debug)]
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Any> {
        Ok(Raw(raw))
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::JSONB
    }
}

impl ToSql for Raw<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(self.0);
        Ok(IsNull::No)
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::JSONB
    }

    to_sql_checked!();
}

struct Bare {
    driver: tokio_postgres::Client,
    read: Statement,
    update: Statement,
    /// Used again.
    document: Vec<u8>,
}

impl Client for Bare {
    async fn run(&mut self, kind: Kind, key: &str, new: &str) -> Result<(), Any> {
        self.document.clear();
        if kind == Kind::Read {
            let row = self.driver.query_one(&self.read, &[&key]).await?;
            let Raw(document) = row.try_get(0)?;
            self.document.extend_from_slice(document);
        } else {
            self.document.extend_from_slice(b"\x01{\"field5\":\"");
            self.document.extend_from_slice(new.as_bytes());
            self.document.extend_from_slice(b"\"}");
            self.driver.execute(&self.update, &[&key, &Raw(&self.document)]).await?;
        }
        black_box(&self.document);
        Ok(())
    }
}

pub async fn compare(url: &str, settings: &Settings) -> Result<(), Any> {
    let plan = Plan { database: "PostgreSQL", records: 20_000, works: WORKS, settings };
    let bare = async |clients| {
        let mut bare = Vec::new();
        for _ in 0..clients {
            let (driver, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(connection);
            driver.batch_execute("SET search_path = hoap_speed").await?;
            let read = driver.prepare("SELECT doc FROM usertable WHERE key = $1").await?;
            let update = "UPDATE usertable SET doc = doc || $2 WHERE key = $1";
            let update = driver.prepare(update).await?;
            bare.push(Bare { driver, read, update, document: Vec::new() });
        }
        Ok(bare)
    };
    records(&format!("{url}?schema=hoap_speed&sslmode=disable"), &plan, bare).await
}
