//! The mark of a writer in a database's note: how it is set, renewed and removed.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hoap_database::Documents;

use crate::at_work::{AtWork, OPEN, Work, enter};
use crate::note::{self, Note};
use crate::{Error, ErrorKind, Result};

/// Removes a mark, and changes what else of the note the end of the work changes. Returns who was
/// at work at the same time.
///
/// # Errors
/// Returns [`ErrorKind::Missing`] where there is no note, and the errors of the database.
pub(crate) async fn leave(
    documents: Documents<'_>,
    mine: &AtWork,
    also: impl Fn(&mut Note),
) -> Result<Vec<String>> {
    let mut beside = Vec::new();
    note::update(documents, |note| {
        let own = note.at_work.iter().position(|other| other.number == mine.number);
        beside = match own {
            Some(at) => note.at_work.remove(at).beside,
            None => vec!["somebody who found its mark past its time".into()],
        };
        also(note);
        Ok(())
    })
    .await?;
    Ok(beside)
}

/// That the database holds something else than a moment ago.
pub(crate) fn changed_meanwhile(tried: &str) -> Error {
    let answer = "somebody changed what the database holds meanwhile";
    Error::new(ErrorKind::Unavailable, tried, answer).advise("run it again")
}

/// Renews a mark for as long as this is polled. What the database answers is left to the work.
pub(crate) async fn renewing(documents: Documents<'_>, mine: &AtWork) -> Infallible {
    loop {
        tokio::time::sleep(OPEN / 2).await;
        let _ = note::update(documents, |note| {
            for own in note.at_work.iter_mut().filter(|other| other.number == mine.number) {
                own.lasts(OPEN);
            }
            Ok(())
        })
        .await;
    }
}

/// The mark of a run.
pub struct Claim<'a> {
    documents: Documents<'a>,
    work: Work,
    mine: AtWork,
    tried: String,
    /// Who was at work at the same time, once the mark is removed.
    ended: Mutex<Option<Vec<String>>>,
}

impl<'a> Claim<'a> {
    /// Marks a database that holds what `loaded` says as in use. Returns its note, and what is to
    /// be said of marks that no longer count.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where another is at work or has changed what the database
    /// holds, and the errors of the database.
    pub async fn take(
        documents: Documents<'a>,
        loaded: &Note,
        work: Work,
        tried: String,
    ) -> Result<(Claim<'a>, Note, Vec<String>)> {
        let mine = AtWork::new(&work);
        let mut ignored = Vec::new();
        let note = note::update(documents, |note| {
            ignored = enter(&mut note.at_work, &mine, &work, &tried)?;
            match note.data == loaded.data && note.load == loaded.load {
                true => Ok(()),
                false => Err(changed_meanwhile(&tried)),
            }
        })
        .await?;
        let ended = Mutex::default();
        Ok((Claim { documents, work, mine, tried, ended }, note, ignored))
    }

    /// Marks the database as in use for this long from now on.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Missing`] where there is no note, and the errors of the database.
    pub async fn renew(&self, lasts: Duration) -> Result<()> {
        note::update(self.documents, |note| {
            let own = |other: &&mut AtWork| other.number == self.mine.number;
            match note.at_work.iter_mut().find(own) {
                Some(mine) => mine.lasts(lasts),
                // Somebody found it past its time. Work that has begun is not refused.
                None => {
                    let work = Work { beside_others: true, ..self.work.clone() };
                    let mut mine = self.mine.clone();
                    mine.lasts(lasts);
                    enter(&mut note.at_work, &mine, &work, &self.tried)?;
                }
            }
            Ok(())
        })
        .await
        .map(drop)
    }

    /// Removes the mark. Returns who was at work at the same time, also where it is removed
    /// already.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Missing`] where there is no note, and the errors of the database.
    pub async fn end(&self) -> Result<Vec<String>> {
        let ended = || self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(beside) = ended().clone() {
            return Ok(beside);
        }
        let beside = leave(self.documents, &self.mine, |_| ()).await?;
        *ended() = Some(beside.clone());
        Ok(beside)
    }
}
