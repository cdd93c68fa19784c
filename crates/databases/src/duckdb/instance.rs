//! One database file, opened once in this process.
//!
//! DuckDB locks a file for the whole process that writes it, and a process must not open it twice:
//! all targets of one file share an [`Instance`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hoap_workload::ErrorKind;

use super::file::DatabaseFile;
use super::link::Link;
use super::load::Load;
use super::options::Options;
use super::single::Single;
use crate::failure::{Done, Failure};

/// A database file, and what is under way on it in this process.
pub(super) struct Instance {
    pub file: Arc<DatabaseFile>,
    load: Mutex<Load>,
    link: Mutex<Weak<Link>>,
    single: Mutex<Weak<Single>>,
}

/// The files in use, by their paths.
static IN_USE: Mutex<BTreeMap<PathBuf, Weak<Instance>>> = Mutex::new(BTreeMap::new());

impl Instance {
    /// The instance of a file.
    ///
    /// # Errors
    /// Where the file is in use with other options.
    pub fn of(path: PathBuf, options: Options) -> Done<Arc<Instance>> {
        let mut all = lock(&IN_USE);
        all.retain(|_, instance| instance.strong_count() > 0);
        // Two names of one file are one; one that is not there yet has only this name.
        let path = path.canonicalize().unwrap_or(path);
        if let Some(instance) = all.get(&path).and_then(Weak::upgrade) {
            return match instance.file.options == options {
                true => Ok(instance),
                false => Err(Failure::of(
                    ErrorKind::Invalid,
                    "this program uses the file with other options",
                    "give the same options wherever the file is named",
                )),
            };
        }
        let file = Arc::new(DatabaseFile::new(path.clone(), options));
        let (load, link, single) = (Mutex::default(), Mutex::default(), Mutex::default());
        let instance = Arc::new(Instance { file, load, link, single });
        all.insert(path, Arc::downgrade(&instance));
        Ok(instance)
    }

    /// The link of a file that follows, from the first call on, until all who have it drop it.
    /// Whoever has it keeps the instance as well, and drops the link first: its thread has the file
    /// open.
    pub fn link(&self) -> Done<Option<Arc<Link>>> {
        if self.file.options.link.is_empty() {
            return Ok(None);
        }
        let mut known = lock(&self.link);
        if let Some(link) = known.upgrade() {
            return Ok(Some(link));
        }
        let link = Arc::new(Link::begin(&self.file)?);
        *known = Arc::downgrade(&link);
        Ok(Some(link))
    }

    /// Keeps the threads at one until all who have this drop it.
    pub fn single(&self) -> Done<Arc<Single>> {
        let mut known = lock(&self.single);
        if let Some(single) = known.upgrade() {
            return Ok(single);
        }
        let single = Arc::new(Single::begin(self.file.connection()?)?);
        *known = Arc::downgrade(&single);
        Ok(single)
    }

    /// What is being loaded. One writes at a time.
    pub fn load(&self) -> MutexGuard<'_, Load> {
        lock(&self.load)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
