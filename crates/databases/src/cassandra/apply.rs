//! The commit of what is no transaction: its changes, a document at a time.
//!
//! What others may make impossible goes first: inserts and deletes, each on the condition that the document is not
//! there, or as it was read. The first one that does not hold ends it as a conflict, and those before it are undone:
//! nothing was applied. Then the entries of look-ups, so that a search finds a document when it and those that were
//! inserted with it are there. Then patches: they fit whatever the newest document is, so that one whose condition
//! does not hold is applied to that, until it holds. (The first step of all is an exception: where nothing has been
//! applied yet, a patch that does not hold is a conflict too, and what it was computed from is read anew.)
//!
//! From the first step that holds on the rest is tried until it is done, for [`LIMIT`]. Where it is not done then, or where
//! it cannot be known what became of a step, the outcome is unknown, and what is there may be a part.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::error::{Done, Failure};
use super::held::{Fate, Held};
use super::lane::Lane;
use super::lookups::Lookup;
use super::notes::random;
use super::rows::{Applied, Rows, Version};
use crate::document;

/// How long a step is tried.
const LIMIT: Duration = Duration::from_secs(30);

/// A mark that no other transaction has.
pub(super) fn mark() -> String {
    format!("{:016x}", random())
}

/// A document that changes.
pub(super) struct Step {
    pub key: String,
    pub rows: Arc<Rows>,
    /// The look-ups of its collection.
    pub lookups: Vec<Arc<Lookup>>,
    pub held: Held,
}

/// What became of a step.
enum Ended {
    Applied,
    /// What is there instead.
    Refused(Option<Version>),
}

/// A commit under way.
pub(super) struct Work<'a> {
    lane: &'a Lane,
    mark: String,
    /// Whether a step has been applied.
    begun: bool,
}

impl<'a> Work<'a> {
    pub fn new(lane: &'a Lane, mark: String) -> Self {
        Work { lane, mark, begun: false }
    }

    /// Applies the steps, in their order among those of their kind.
    pub async fn apply(mut self, steps: Vec<Step>) -> Done<()> {
        let (patches, claims): (Vec<Step>, Vec<Step>) =
            steps.into_iter().partition(|step| matches!(step.held.fate, Fate::Patched(_)));
        for (n, claim) in claims.iter().enumerate() {
            let failed = match self.claim(claim).await {
                Ok(true) => {
                    self.begun = true;
                    continue;
                }
                Ok(false) => conflict(&claim.key),
                // It may have been applied: what is there is not touched any more.
                Err(e @ Failure::Partly(_)) => return Err(e),
                Err(e) => e,
            };
            for done in claims[..n].iter().rev() {
                self.undo(done).await.map_err(partly)?;
            }
            return Err(failed);
        }
        for claim in &claims {
            let before = claim.held.seen.as_ref().map(|version| &version.document);
            self.entries(claim, before, claim.held.now()).await?;
        }
        for patch in &patches {
            self.patch(patch).await?;
        }
        Ok(())
    }

    /// Inserts, replaces or deletes a document; says whether it was as it was read.
    async fn claim(&self, step: &Step) -> Done<bool> {
        let done = match (&step.held.fate, &step.held.seen) {
            (Fate::Gone, Some(seen)) => self.until_known(step, Change::Delete(&seen.marks)).await?,
            (Fate::Put, None) => {
                self.until_known(step, Change::Insert(&text(&step.held.then))).await?
            }
            (_, Some(seen)) => {
                self.until_known(step, Change::Update(&text(&step.held.then), seen)).await?
            }
            (_, None) => return Err(Failure::Broken(format!("nothing is known of {}", step.key))),
        };
        Ok(matches!(done, Ended::Applied))
    }

    /// Makes a claim undone.
    async fn undo(&self, step: &Step) -> Done<()> {
        let undone = match (&step.held.fate, &step.held.seen) {
            (Fate::Put, None) => {
                self.until_known(step, Change::Delete(&Some(self.mark.clone()))).await
            }
            (Fate::Gone, Some(seen)) => {
                self.until_known(step, Change::Insert(&text(&seen.document))).await
            }
            (_, Some(seen)) => {
                let ours = Version {
                    marks: Some(seen.marked(&self.mark)),
                    document: step.held.then.clone(),
                };
                self.until_known(step, Change::Update(&text(&seen.document), &ours)).await
            }
            (_, None) => return Ok(()),
        };
        undone.map(drop)
    }

    /// Patches the document that was read, or the newest one.
    async fn patch(&mut self, step: &Step) -> Done<()> {
        let (Fate::Patched(patches), Some(seen)) = (&step.held.fate, &step.held.seen) else {
            return Err(Failure::Broken(format!("{} is not patched", step.key)));
        };
        let mut seen = seen.clone();
        let mut then = step.held.then.clone();
        loop {
            let change = self.until_known(step, Change::Update(&text(&then), &seen)).await;
            match change.map_err(|e| if self.begun { partly(e) } else { e })? {
                Ended::Applied => break,
                Ended::Refused(_) if !self.begun => return Err(conflict(&step.key)),
                Ended::Refused(None) => {
                    let gone = Failure::Broken(format!("{} is not there any more", step.key));
                    return Err(partly(gone));
                }
                Ended::Refused(Some(newest)) => {
                    then = newest.document.clone();
                    for patch in patches {
                        document::apply(&mut then, patch)
                            .map_err(|why| partly(Failure::Broken(why)))?;
                    }
                    seen = newest;
                }
            }
        }
        self.begun = true;
        self.entries(step, Some(&seen.document), Some(&then)).await
    }

    /// Brings the entries of a document in step with it.
    async fn entries(
        &self,
        step: &Step,
        before: Option<&Map<String, Value>>,
        after: Option<&Map<String, Value>>,
    ) -> Done<()> {
        for lookup in &step.lookups {
            let place = |document| lookup.made.place(&step.key, document);
            let (before, after) = (before.map(place), after.map(place));
            if before == after {
                continue;
            }
            if let Some(place) = after {
                let add = lookup.add(self.lane, &place, &step.key).await;
                add.map_err(partly)?;
            }
            if let Some(place) = before {
                let remove = lookup.remove(self.lane, &place).await;
                remove.map_err(partly)?;
            }
        }
        Ok(())
    }

    async fn send(&self, step: &Step, change: &Change<'_>) -> Done<Applied> {
        let Step { key, rows, .. } = step;
        match change {
            Change::Insert(text) => rows.insert(self.lane, key, text, &self.mark).await,
            Change::Update(text, seen) => {
                rows.update(self.lane, key, (text, &self.mark), seen).await
            }
            Change::Delete(seen) => rows.delete(self.lane, key, seen).await,
        }
    }

    /// Sends a statement until it is known what became of it.
    async fn until_known(&self, step: &Step, change: Change<'_>) -> Done<Ended> {
        let end = Instant::now() + LIMIT;
        // Whether one without an answer may have been applied.
        let mut unsure = false;
        let mut rest = 10;
        loop {
            match self.send(step, &change).await {
                Ok(Applied::Yes) => return Ok(Ended::Applied),
                Ok(Applied::No(Some(there))) if unsure && there.has(&self.mark) => {
                    return Ok(Ended::Applied);
                }
                // Ours may have been the statement that deleted it, or it was written and deleted since.
                Ok(Applied::No(None)) if unsure => {
                    return Err(Failure::Partly(format!(
                        "no answer came to a change of {}, which is gone now",
                        step.key
                    )));
                }
                Ok(Applied::No(there)) => return Ok(Ended::Refused(there)),
                Err(e) if e.is_unsure() && Instant::now() < end => unsure = true,
                Err(e) if e.may_pass() && (unsure || self.begun) && Instant::now() < end => {}
                Err(e) if unsure || e.is_unsure() => return Err(partly(e)),
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
    /// This text, where there is nothing.
    Insert(&'a str),
    /// This text, in the place of what was seen.
    Update(&'a str, &'a Version),
    /// Nothing, in the place of what has these marks.
    Delete(&'a Option<String>),
}

fn text(document: &Map<String, Value>) -> String {
    serde_json::to_string(document).unwrap_or_default()
}

fn conflict(key: &str) -> Failure {
    Failure::Conflict(format!("{key} was changed after it was read"))
}

/// The failure of a commit of which a part is or may be there.
fn partly(why: Failure) -> Failure {
    match why {
        Failure::Partly(_) => why,
        why => Failure::Partly(format!(
            "a part of its changes was applied, or may have been: {}",
            why.words()
        )),
    }
}
