//! Holds texts against the files under `expected`, or writes these.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{json, place};

/// Differences of a test that are told; the first ones lead to the others.
const TOLD: usize = 30;

/// The golden files of a test: a folder under `expected`. Dropped, it fails with all differences.
pub struct Golden {
    folder: PathBuf,
    write: bool,
    seen: Vec<String>,
    differences: Vec<String>,
}

impl Golden {
    pub fn of(test: &str) -> Golden {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/golden/expected").join(test);
        let write = match std::env::var("HOAP_GOLDEN").as_deref() {
            Err(_) => false,
            Ok("write") => true,
            Ok(other) => panic!("HOAP_GOLDEN={other}: the only value is write"),
        };
        if write {
            let _ = std::fs::remove_dir_all(&folder);
        }
        Golden { folder, write, seen: Vec::new(), differences: Vec::new() }
    }

    /// A text, line by line.
    pub fn text(&mut self, name: &str, found: &str) {
        let Some(expected) = self.expected(name, found) else { return };
        if expected == found {
            return;
        }
        let differences = self.differences.len();
        let (mut old, mut new) = (expected.split('\n'), found.split('\n'));
        for number in 1.. {
            let (old, new) = (old.next(), new.next());
            if old.is_none() && new.is_none() {
                break;
            }
            if old != new {
                let told = |line: Option<&str>| line.map_or("no line".into(), |l| format!("{l:?}"));
                let (old, new) = (told(old), told(new));
                self.differs(name, &format!("line {number}"), &old, &new);
                // What follows a line more or less differs, too.
                if self.differences.len() >= differences + 5 {
                    break;
                }
            }
        }
    }

    /// A JSON text, field by field.
    pub fn json(&mut self, name: &str, found: &Value) {
        let text = serde_json::to_string_pretty(found).unwrap() + "\n";
        let Some(expected) = self.expected(name, &text) else { return };
        let expected = serde_json::from_str(&expected).unwrap_or_else(|e| panic!("{name}: {e}"));
        json::differences(&expected, found, &mut |path, old, new| {
            self.differences.push(format!("{name}: {path}: expected {old}, found {new}"));
        });
    }

    /// The file's text; `None` where it is written or not there.
    fn expected(&mut self, name: &str, found: &str) -> Option<String> {
        self.seen.push(name.to_owned());
        let path = self.folder.join(name);
        if self.write {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, found).unwrap();
            return None;
        }
        let text = std::fs::read_to_string(&path);
        if text.is_err() {
            self.differs(name, "the file", "none", "one; HOAP_GOLDEN=write writes it");
        }
        text.ok()
    }

    fn differs(&mut self, name: &str, at: &str, expected: &str, found: &str) {
        self.differences.push(format!("{name}: {at}: expected {expected}, found {found}"));
    }
}

impl Drop for Golden {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        for name in place::names(&self.folder) {
            if !self.seen.contains(&name) {
                self.differs(&name, "the file", "one", "none");
            }
        }
        let told = &self.differences[..self.differences.len().min(TOLD)];
        let (all, folder) = (self.differences.len(), self.folder.display());
        assert!(told.is_empty(), "{all} differences from {folder}:\n{}", told.join("\n"));
    }
}
