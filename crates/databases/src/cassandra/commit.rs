//! The commit of a transaction that promises nothing: its changes, a document at a time.
//!
//! 1. Inserts, replacements and deletes, which another transaction can make impossible: each on the
//!    condition that the document is absent, or as it was read. Where a condition fails the commit
//!    is a conflict: the steps before are undone, and nothing was applied.
//! 2. Their entries in lookup tables: a search finds a document once it and those inserted with it
//!    exist.
//! 3. Patches, which fit the newest document whatever it is: where the condition fails, the patch
//!    is applied to the newest document, until the condition holds. The exception is a patch that
//!    is the first step of all: nothing was applied, so it is a conflict, and the transaction reads
//!    anew.
//!
//! After the first applied step the others are tried until they succeed, for [`LIMIT`]. Where a
//! step does not succeed, or its outcome cannot be known, the outcome of the commit is unknown: a
//! part of the changes may be applied.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hoap_workload::ErrorKind;
use serde_json::{Map, Value};

use super::connection::Connection;
use super::error::{PARTLY, is_unsure, may_pass};
use super::lookups::Lookup;
use super::notes::random;
use super::rows::{Applied, Rows, StoredDocument, marked};
use crate::failure::{Done, Failure};
use crate::overlay::{Held, Version, Write, document};

/// The time for which a step is tried.
const LIMIT: Duration = Duration::from_secs(30);

/// A mark that no other transaction has.
pub(super) fn mark() -> String {
    format!("{:016x}", random())
}

/// The change of one document.
pub(super) struct Step {
    pub key: String,
    pub rows: Arc<Rows>,
    /// The lookup tables of its collection.
    pub lookups: Vec<Arc<Lookup>>,
    pub held: Held,
}

/// The outcome of a step.
enum Ended {
    Applied,
    /// The condition failed: the document that is there.
    Refused(Option<StoredDocument>),
}

/// A commit in progress.
pub(super) struct Commit<'a> {
    connection: &'a Connection,
    mark: String,
    /// Whether a step has been applied.
    begun: bool,
}

impl<'a> Commit<'a> {
    pub fn new(connection: &'a Connection, mark: String) -> Self {
        Commit { connection, mark, begun: false }
    }

    /// Applies the steps, each kind in its order.
    pub async fn apply(mut self, steps: Vec<Step>) -> Done<()> {
        let (patches, claims): (Vec<Step>, Vec<Step>) =
            steps.into_iter().partition(|step| matches!(step.held.write, Write::Patch(..)));
        for (n, claim) in claims.iter().enumerate() {
            let failed = match self.claim(claim).await {
                Ok(true) => {
                    self.begun = true;
                    continue;
                }
                Ok(false) => conflict(&claim.key),
                // It may have been applied: nothing is undone.
                Err(e) if e.code == PARTLY => return Err(e),
                Err(e) => e,
            };
            for done in claims[..n].iter().rev() {
                self.undo(done).await.map_err(partly)?;
            }
            return Err(failed);
        }
        for claim in &claims {
            self.entries(claim, claim.held.read.as_ref(), claim.held.now()).await?;
        }
        for patch in &patches {
            self.patch(patch).await?;
        }
        Ok(())
    }

    /// Inserts, replaces or deletes a document; returns whether it was as it was read.
    async fn claim(&self, step: &Step) -> Done<bool> {
        let change = match (&step.held.write, &step.held.version) {
            (Write::Delete, Some(marks)) => self.until_known(step, Change::Delete(marks)).await,
            (Write::Put(document), None) => {
                self.until_known(step, Change::Insert(&text(document))).await
            }
            (Write::Put(document), Some(marks)) => {
                self.until_known(step, Change::Update(&text(document), marks)).await
            }
            _ => return Err(Failure::broken(format!("nothing is known of {}", step.key))),
        };
        Ok(matches!(change?, Ended::Applied))
    }

    /// Undoes a claim.
    async fn undo(&self, step: &Step) -> Done<()> {
        let undone = match (&step.held.write, &step.held.version, &step.held.read) {
            (Write::Put(_), None, _) => {
                self.until_known(step, Change::Delete(&Some(self.mark.clone()))).await
            }
            (Write::Delete, Some(_), Some(read)) => {
                self.until_known(step, Change::Insert(&text(read))).await
            }
            (Write::Put(_), Some(marks), Some(read)) => {
                let ours = Some(marked(marks, &self.mark));
                self.until_known(step, Change::Update(&text(read), &ours)).await
            }
            _ => return Ok(()),
        };
        undone.map(drop)
    }

    /// Patches the document that was read, or the newest one.
    async fn patch(&mut self, step: &Step) -> Done<()> {
        let Held {
            version: Some(marks),
            read: Some(read),
            write: Write::Patch(patches, after),
            ..
        } = &step.held
        else {
            return Err(Failure::broken(format!("{} is not patched", step.key)));
        };
        let (mut marks, mut before, mut after) = (marks.clone(), read.clone(), after.clone());
        loop {
            let change = self.until_known(step, Change::Update(&text(&after), &marks)).await;
            match change.map_err(|e| if self.begun { partly(e) } else { e })? {
                Ended::Applied => break,
                Ended::Refused(_) if !self.begun => return Err(conflict(&step.key)),
                Ended::Refused(None) => {
                    let gone = Failure::broken(format!("{} is not there any more", step.key));
                    return Err(partly(gone));
                }
                Ended::Refused(Some(newest)) => {
                    after = newest.document.clone();
                    for patch in patches {
                        document::apply(&mut after, patch)
                            .map_err(|why| partly(Failure::broken(why)))?;
                    }
                    (marks, before) = (newest.marks, newest.document);
                }
            }
        }
        self.begun = true;
        self.entries(step, Some(&before), Some(&after)).await
    }

    /// Replaces the entries of a document where they change.
    async fn entries(
        &self,
        step: &Step,
        before: Option<&Map<String, Value>>,
        after: Option<&Map<String, Value>>,
    ) -> Done<()> {
        for lookup in &step.lookups {
            let entry = |document| lookup.definition.entry_key(&step.key, document);
            let (before, after) = (before.map(entry), after.map(entry));
            if before == after {
                continue;
            }
            if let Some(entry) = after {
                let add = lookup.add(self.connection, &entry, &step.key).await;
                add.map_err(partly)?;
            }
            if let Some(entry) = before {
                let remove = lookup.remove(self.connection, &entry).await;
                remove.map_err(partly)?;
            }
        }
        Ok(())
    }

    async fn send(&self, step: &Step, change: &Change<'_>) -> Done<Applied> {
        let Step { key, rows, .. } = step;
        match change {
            Change::Insert(text) => rows.insert(self.connection, key, text, &self.mark).await,
            Change::Update(text, seen) => {
                rows.update(self.connection, key, (text, &self.mark), seen).await
            }
            Change::Delete(seen) => rows.delete(self.connection, key, seen).await,
        }
    }

    /// Sends a statement until its outcome is known.
    async fn until_known(&self, step: &Step, change: Change<'_>) -> Done<Ended> {
        let end = Instant::now() + LIMIT;
        // Whether an earlier statement, which got no answer, may have been applied.
        let mut unsure = false;
        let mut rest = 10;
        loop {
            match self.send(step, &change).await {
                Ok(Applied::Yes) => return Ok(Ended::Applied),
                Ok(Applied::No(Some(there))) if unsure && there.has(&self.mark) => {
                    return Ok(Ended::Applied);
                }
                // This statement may have deleted it, or it was applied and another transaction
                // deleted it.
                Ok(Applied::No(None)) if unsure => {
                    let key = &step.key;
                    return Err(unknown(format!(
                        "no answer came to a change of {key}, which is gone now"
                    )));
                }
                Ok(Applied::No(there)) => return Ok(Ended::Refused(there)),
                Err(e) if is_unsure(&e) && Instant::now() < end => unsure = true,
                Err(e) if may_pass(&e) && (unsure || self.begun) && Instant::now() < end => {}
                Err(e) if unsure || is_unsure(&e) => return Err(partly(e)),
                Err(e) => return Err(e),
            }
            let pause = rest / 2 + random() % rest;
            tokio::time::sleep(Duration::from_millis(pause)).await;
            rest = (rest * 2).min(1000);
        }
    }
}

/// A statement of a step.
enum Change<'a> {
    /// Inserts this text, where there is no document.
    Insert(&'a str),
    /// Replaces the document of these marks.
    Update(&'a str, &'a Version),
    /// Deletes the document of these marks.
    Delete(&'a Version),
}

fn text(document: &Map<String, Value>) -> String {
    serde_json::to_string(document).unwrap_or_default()
}

fn conflict(key: &str) -> Failure {
    Failure::new(ErrorKind::Conflict, format!("{key} was changed after it was read"))
}

/// The failure of a commit of which a part is or may be applied.
fn partly(why: Failure) -> Failure {
    match why.code == PARTLY {
        true => why,
        false => {
            unknown(format!("a part of its changes was applied, or may have been: {}", why.answer))
        }
    }
}

/// The failure of a commit whose outcome cannot be known.
fn unknown(answer: String) -> Failure {
    let advice = "the checks after the run say whether something is there in part";
    Failure { code: PARTLY.to_owned(), ..Failure::of(ErrorKind::Ambiguous, answer, advice) }
}

#[cfg(test)]
mod tests {
    use super::super::connection::{ATTEMPTS, SCHEMA};
    use super::super::notes;
    use super::super::options::Options;
    use super::*;

    /// What is sent again until it is answered, and what waits for the nodes, says itself why it
    /// gave up.
    #[test]
    fn by_default_the_limit_on_an_answer_comes_last() {
        let Options { answer_timeout, request_timeout, .. } = Options::default();
        assert!(answer_timeout > request_timeout * notes::ATTEMPTS);
        assert!(answer_timeout > SCHEMA + request_timeout);
        assert!(answer_timeout > LIMIT + request_timeout * ATTEMPTS);
    }
}
