//! MongoDB's dialect: the driver with a client of its own, which reads a record as a raw document.

use std::hint::black_box;

use mongodb::Collection;
use mongodb::bson::{RawDocumentBuf, doc};

use super::beside::{Client, Kind, Plan, Settings, Work, records};
use super::common::Any;

const WORKS: &[Work] = &[("read", Kind::Read, 5_000), ("update", Kind::Update, 5_000)];

#[derive(Clone)]
struct Bare(Collection<RawDocumentBuf>);

impl Client for Bare {
    async fn run(&mut self, kind: Kind, key: &str, value: &str) -> Result<(), Any> {
        if kind == Kind::Read {
            let found = self.0.find_one(doc! {"_id": key}).await?;
            black_box(found.ok_or("a record is missing")?);
        } else {
            let set = doc! {"$set": {"field5": value}};
            black_box(self.0.update_one(doc! {"_id": key}, set).await?);
        }
        Ok(())
    }
}

pub async fn compare(url: &str, settings: &Settings) -> Result<(), Any> {
    let plan = Plan { database: "MongoDB", records: 20_000, works: WORKS, settings };
    // The driver refuses an option that is Hoap's.
    let (place, options) = url.split_once('?').unwrap_or((url, ""));
    let theirs = |option: &&str| !option.starts_with("documentdb_version=");
    let options: Vec<&str> = options.split('&').filter(theirs).collect();
    let driver = mongodb::Client::with_uri_str(format!("{place}?{}", options.join("&"))).await?;
    let database = driver.default_database().ok_or("the URL names no database")?;
    let bare = async |clients| Ok(vec![Bare(database.collection("usertable")); clients]);
    records(url, &plan, bare).await
}
