//! One database file, opened once in this process.
//!
//! DuckDB locks a file for the whole process that writes it, and a process must not open it twice:
//! all targets of one file share an [`Instance`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;

use super::file::DatabaseFile;
use super::link::Link;
use super::load::Load;
use super::options::Options;
use super::single::Single;

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
        let path = one_name(path);
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

/// The name that all names of a file lead to, whether it is there or yet to be made.
fn one_name(mut path: PathBuf) -> PathBuf {
    // Linux follows no more links than this.
    for _ in 0..40 {
        if let Ok(whole) = path.canonicalize() {
            return whole;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        let (Ok(folder), Some(name)) = (folder, path.file_name()) else { break };
        let named = folder.join(name);
        match named.read_link() {
            Ok(target) => path = folder.join(target),
            Err(_) => return named,
        }
    }
    path
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Opened under one name before it is made, and under another one afterwards.
    #[test]
    fn a_file_is_one_whatever_its_names() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("real")).unwrap();
        symlink(folder.join("real"), folder.join("linked")).unwrap();
        symlink("real/file", folder.join("link")).unwrap();
        symlink("link", folder.join("second")).unwrap();
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
        let relative = up.join(folder.strip_prefix("/").unwrap()).join("real/file");
        let file = folder.join("real/file");
        for name in ["linked/file", "real/../linked/file", "./real/file", "link", "second"]
            .map(|name| folder.join(name))
            .into_iter()
            .chain([relative])
        {
            let of = |name: &Path| Instance::of(name.to_owned(), Options::default()).unwrap();
            let before = of(&name);
            assert!(Arc::ptr_eq(&before, &of(&file)), "{} before it is made", name.display());
            std::fs::write(&file, "").unwrap();
            for after in [of(&name), of(&file)] {
                assert!(Arc::ptr_eq(&before, &after), "{}", name.display());
            }
            std::fs::remove_file(&file).unwrap();
        }
        // What leads nowhere is told when it is opened.
        symlink("round", folder.join("round")).unwrap();
        Instance::of(folder.join("round"), Options::default()).unwrap();
        Instance::of(folder.join("no/folder/file"), Options::default()).unwrap();
    }
}
