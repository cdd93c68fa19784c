//! What one client's transactions promise.

use hoap_ch2::schema::Paths;
use hoap_database::{Access, Change, Database, Find, Intent, Patch, Session, Transactions};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::json;

use crate::findings::{Findings, Proof, Step};

const COLLECTION: &str = "item";
const KEY: &str = "hoap-doctor";

fn expect(holds: bool, tried: &str, answer: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::new(ErrorKind::Broken, tried, answer)) }
}

/// Commit, rollback, own writes, duplicates, a search by an index.
pub(super) async fn basics(findings: &mut Findings<'_>, target: &Database) {
    let tried = async {
        match target.transactions() {
            Ok(transactions) => all(transactions).await.map(Step::from),
            Err(reason) => Ok(reason.into()),
        }
    };
    let proves = "commit, rollback, own writes, duplicate keys, a search by an index";
    findings.take("transactions", proves, tried).await;
}

async fn all(transactions: Transactions<'_>) -> Result<Proof> {
    let mut session = transactions.session().await?;
    let session = &mut session;
    rollback(session).await?;
    expect(!exists(session).await?, "roll back an insertion", "the document is there")?;
    let document = json!({"i_id": -1, "i_name": "doctor"});
    let mut t = session.begin(Access::Write).await?;
    t.insert(COLLECTION, KEY, &document).await?;
    let add = [Patch { path: "i_id", change: Change::AddInteger(1) }];
    t.patch(COLLECTION, KEY, &add).await?;
    let seen = t.get(COLLECTION, KEY, &["i_id"], Intent::Look).await?;
    expect(seen == Some(vec![json!(0)]), "read what the transaction wrote", "it is not there")?;
    t.commit().await?;
    expect(exists(session).await?, "commit an insertion", "the document is not there")?;
    let mut t = session.begin(Access::Write).await?;
    // The commit at the latest finds out.
    let again = match t.insert(COLLECTION, KEY, &document).await {
        Ok(()) => t.commit().await,
        Err(e) => {
            let _ = t.rollback().await;
            Err(e)
        }
    };
    let duplicate = again.as_ref().is_err_and(|e| e.kind == ErrorKind::Duplicate);
    match again {
        Err(e) if !duplicate => return Err(e),
        _ => expect(duplicate, "insert a key twice", "the second was taken")?,
    }
    let mut t = session.begin(Access::Write).await?;
    let deleted = t.delete(COLLECTION, KEY).await?;
    t.commit().await?;
    expect(deleted && !exists(session).await?, "delete a document", "it is there still")?;
    search(session).await?;
    Ok((6, String::new()))
}

async fn rollback(session: &mut Session) -> Result<()> {
    let mut t = session.begin(Access::Write).await?;
    t.insert(COLLECTION, KEY, &json!({"i_id": -1})).await?;
    t.rollback().await
}

async fn exists(session: &mut Session) -> Result<bool> {
    let mut t = session.begin(Access::Read).await?;
    let found = t.get(COLLECTION, KEY, &[], Intent::Look).await?;
    t.commit().await?;
    Ok(found.is_some())
}

/// By every index that the transactions need.
async fn search(session: &mut Session) -> Result<()> {
    for index in Paths::of(hoap_ch2::data::Schema::Ch2pp).indexes() {
        let mut t = session.begin(Access::Read).await?;
        let prefix = [json!(1), json!(1)];
        let found = t.find(Find { limit: Some(1), ..Find::by(&index, &prefix) }).await?;
        t.commit().await?;
        let tried = format!("search {} by {}", index.collection, index.name);
        expect(found.len() == 1, &tried, "nothing was found")?;
    }
    Ok(())
}
