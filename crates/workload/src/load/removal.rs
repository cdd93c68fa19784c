//! Removing what a load made, and refusing what no load made.

use hoap_data::Part;
use hoap_database::Documents;

use super::source::LoadSource;
use super::what::Load;
use crate::at_work::{self, AtWork};
use crate::claim::{self, changed_meanwhile};
use crate::note;
use crate::{Error, ErrorKind, Result};

/// Removes what a load with [`Existing::Replace`] replaces: all that the note names, of whatever
/// benchmark, and nothing else. Returns what is to be said of marks that no longer count.
///
/// The note says first that it is being removed and goes last, so that what an interruption leaves
/// is neither used nor taken for somebody else's.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] for a part that is not the first, [`ErrorKind::Unavailable`] where
/// somebody else is at work or collections of these names are there that no load made, with nothing
/// removed, and the errors of the database.
pub async fn remove(documents: Documents<'_>, load: &Load) -> Result<Vec<String>> {
    let (source, part) = (&*load.source, load.part);
    if part.part != 1 {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("load part {} of {}", part.part, part.of),
            "only the first part may replace what is there",
        )
        .advise("let part 1 replace it, then start the others without --replace"));
    }
    divisible(documents, part)?;
    let tried = format!("remove what is there before a load of {}", source.benchmark());
    let note = note::read(documents).await?;
    let own = note.as_ref().map_or_else(Vec::new, |note| note.load.collections.clone());
    let mut wanted = all(source);
    wanted.retain(|name| !own.contains(name));
    unless_foreign(documents, &wanted, &tried).await?;
    if note.is_none() {
        return Ok(Vec::new());
    }
    // No other part may be at work, as none of what is there is theirs.
    let work = at_work::Work { together: None, ..load.work() };
    let mine = AtWork::new(&work);
    let mut ignored = Vec::new();
    let noted = note::update(documents, |note| {
        ignored = at_work::enter(&mut note.at_work, &mine, &work, &tried)?;
        if note.load.collections != own {
            return Err(changed_meanwhile(&tried));
        }
        note.load.removing = true;
        note.load.settled = false;
        Ok(())
    });
    match noted.await {
        // Another removed it all, and may have begun to load.
        Err(e) if e.kind == ErrorKind::Missing => return Ok(ignored),
        noted => noted?,
    };
    let dropped = documents.drop(&own.iter().map(String::as_str).collect::<Vec<_>>()).await;
    if dropped.is_err() {
        // What it answers is less than why the removal failed.
        let _ = claim::leave(documents, &mine, |_| ()).await;
    }
    dropped.map(|()| ignored)
}

/// All collections that a load and the runs on its data make.
pub(super) fn all(source: &dyn LoadSource) -> Vec<String> {
    source.collections().into_iter().chain(source.other_collections()).map(Into::into).collect()
}

/// Refuses collections of these names that no load made, and names them.
pub(super) async fn unless_foreign(
    documents: Documents<'_>,
    names: &[String],
    tried: &str,
) -> Result<()> {
    let mut there = Vec::new();
    for name in names {
        if documents.any_exists(&[name.as_str()]).await? {
            there.push(name.as_str());
        }
    }
    match there.is_empty() {
        true => Ok(()),
        false => {
            let answer = format!("no load of hoap made {}, which stays", there.join(", "));
            Err(Error::new(ErrorKind::Unavailable, tried, answer)
                .advise(format!("name {}", documents.elsewhere())))
        }
    }
}

/// Refuses a part where the database takes only whole loads.
pub(super) fn divisible(documents: Documents<'_>, part: Part) -> Result<()> {
    if part.of > 1 { divides(documents) } else { Ok(()) }
}

/// Refuses a database that takes only whole loads.
pub(super) fn divides(documents: Documents<'_>) -> Result<()> {
    documents.in_parts().map_err(|e| Error::from(e).advise("load it whole"))
}
