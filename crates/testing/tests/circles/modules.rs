//! The modules of a crate: what each defines, brings in and names. What is for tests alone is left
//! out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::words::{is_name, words};

/// A crate, as its sources have it.
#[derive(Default)]
pub struct Crate {
    /// The files, by their paths from the crate's `src`.
    pub files: Vec<String>,
    /// The root first.
    pub modules: Vec<Module>,
    /// The macros that the root has wherever they are defined, each with its file.
    pub exported: BTreeMap<String, usize>,
}

/// A module.
#[derive(Default)]
pub struct Module {
    /// The number of its file.
    pub file: usize,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    /// The names of functions, types, constants and macros.
    pub items: BTreeSet<String>,
    pub uses: Vec<Use>,
    /// The paths that its code names, of two names at least.
    pub paths: Vec<Vec<String>>,
    /// The names with which its code begins what it names, outside of attributes.
    pub names: BTreeSet<String>,
    /// Those of them that no path goes on from.
    pub alone: BTreeSet<String>,
}

/// A name that `use` brings in.
pub struct Use {
    pub path: Vec<String>,
    /// `None` for all names of a module.
    pub name: Option<String>,
    /// Whether others see it.
    pub public: bool,
}

impl Crate {
    /// Reads the crate whose root file is named.
    pub fn read(root: &Path) -> Crate {
        let mut read = Crate::default();
        let folder = root.parent().expect("a root in a folder");
        read.file(folder, root, None);
        read
    }

    /// Reads a file as a module. Returns the module's number.
    fn file(&mut self, src: &Path, path: &Path, parent: Option<usize>) -> usize {
        let text = std::fs::read_to_string(path)
            .unwrap_or_else(|e| panic!("read {}: {e}", path.display()));
        let from_src = path.strip_prefix(src).expect("a file of the crate");
        self.files.push(from_src.display().to_string());
        let file = self.files.len() - 1;
        let number = self.module(file, parent);
        let folder = path.parent().expect("a file in a folder");
        let stem = path.file_stem().expect("a file's name");
        // `mod.rs` and the root have their modules beside them, others in a folder of their name.
        let below = match parent.is_none() || stem == "mod" {
            true => folder.to_owned(),
            false => path.with_extension(""),
        };
        let words = words(&text);
        Reader { of: self, src, module: number, folder: below, words: &words, at: 0, depth: 0 }
            .read();
        number
    }

    fn module(&mut self, file: usize, parent: Option<usize>) -> usize {
        self.modules.push(Module { file, parent, ..Module::default() });
        self.modules.len() - 1
    }
}

/// Reads the words of one module.
struct Reader<'a> {
    of: &'a mut Crate,
    src: &'a Path,
    module: usize,
    /// The folder with the files of the modules below.
    folder: PathBuf,
    words: &'a [&'a str],
    at: usize,
    /// The brackets that are open.
    depth: usize,
}

/// What stands before an item.
#[derive(Default)]
struct Before {
    public: bool,
    tests: bool,
    exported: bool,
}

/// The words before the name of an item.
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
/// The words behind one of them that are no name of an item.
const NO_NAMES: [&str; 5] = ["fn", "unsafe", "extern", "async", "_"];

impl<'a> Reader<'a> {
    fn read(mut self) {
        let mut before = Before::default();
        while self.at < self.words.len() {
            if self.word(0) == "#" && (self.word(1) == "[" || self.word(1) == "!") {
                self.attribute(&mut before);
            } else if before.tests {
                self.skip();
                before = Before::default();
            } else if self.word(0) == "pub" {
                before.public = true;
                self.at += 1;
                let within = ["crate", "super", "self", "in"].contains(&self.word(1));
                if self.word(0) == "(" && within {
                    self.at = self.closing(self.at) + 1;
                }
            } else {
                self.item(&before);
                before = Before::default();
            }
        }
    }

    fn word(&self, ahead: usize) -> &'a str {
        self.words.get(self.at + ahead).copied().unwrap_or("")
    }

    fn here(&mut self) -> &mut Module {
        &mut self.of.modules[self.module]
    }

    /// An item, or one word of something else.
    fn item(&mut self, before: &Before) {
        let (word, next) = (self.word(0), self.word(1));
        let top = self.depth == 0;
        match word {
            "use" if next != "<" => {
                self.at += 1;
                self.tree(&[], before.public);
            }
            "mod" if top && is_name(next) => self.submodule(next),
            "macro_rules" if next == "!" => {
                let (name, file) = (self.word(2).to_owned(), self.here().file);
                if before.exported {
                    self.of.exported.insert(name.clone(), file);
                }
                self.here().items.insert(name);
                self.at += 3;
            }
            item if top && ITEMS.contains(&item) && is_name(next) => {
                self.at += 1;
                if !NO_NAMES.contains(&next) {
                    let ahead = usize::from(next == "mut");
                    let name = self.word(ahead).to_owned();
                    self.here().items.insert(name);
                    self.at += ahead + 1;
                }
            }
            name if is_name(name) => self.name(),
            "{" | "(" | "[" => {
                self.depth += 1;
                self.at += 1;
            }
            "}" | ")" | "]" => {
                self.depth = self.depth.saturating_sub(1);
                self.at += 1;
            }
            _ => self.at += 1,
        }
    }

    /// A module, in its own file or not.
    fn submodule(&mut self, name: &str) {
        let parent = Some(self.module);
        let number = if self.word(2) == ";" {
            let files =
                [self.folder.join(format!("{name}.rs")), self.folder.join(name).join("mod.rs")];
            let file = files.iter().find(|file| file.exists());
            let file =
                file.unwrap_or_else(|| panic!("no file of the module {}", files[0].display()));
            self.at += 3;
            self.of.file(self.src, file, parent)
        } else {
            let file = self.here().file;
            let number = self.of.module(file, parent);
            let end = self.closing(self.at + 2);
            let words = &self.words[self.at + 3..end];
            let (src, folder) = (self.src, self.folder.join(name));
            Reader { of: &mut *self.of, src, module: number, folder, words, at: 0, depth: 0 }
                .read();
            self.at = end + 1;
            number
        };
        self.here().children.insert(name.to_owned(), number);
    }

    /// A name, or a path.
    fn name(&mut self) {
        let behind = |back: usize| self.at.checked_sub(back).map_or("", |at| self.words[at]);
        let (last, word) = (behind(1), self.word(0));
        // `a.name`, but not `..name`.
        let method = last == "." && behind(2) != ".";
        let variable_of_macro = last == "$" && word != "crate";
        let continues = last == "::" || method || variable_of_macro;
        let path = self.path();
        if continues {
            return;
        }
        if path.len() > 1 {
            self.here().names.insert(path[0].clone());
            self.here().paths.push(path);
        } else if self.word(0) != ":" {
            // Neither a field nor a parameter.
            self.here().names.extend(path.iter().cloned());
            self.here().alone.extend(path);
        }
    }

    /// A path, which begins here.
    fn path(&mut self) -> Vec<String> {
        let mut path = vec![self.word(0).to_owned()];
        self.at += 1;
        while self.word(0) == "::" && is_name(self.word(1)) {
            path.push(self.word(1).to_owned());
            self.at += 2;
        }
        path
    }

    /// The tree of a `use`, below a path.
    fn tree(&mut self, above: &[String], public: bool) {
        let mut path = above.to_vec();
        loop {
            match self.word(0) {
                "::" | "$" => self.at += 1,
                "{" => {
                    self.at += 1;
                    while self.word(0) != "}" {
                        self.tree(&path, public);
                        self.at += usize::from(self.word(0) == ",");
                    }
                    self.at += 1;
                    return;
                }
                "*" => {
                    self.at += 1;
                    self.here().uses.push(Use { path, name: None, public });
                    return;
                }
                _ => {
                    let word = self.word(0).to_owned();
                    assert!(is_name(&word), "a use of {path:?} goes on with {word:?}");
                    self.at += 1;
                    if word != "self" || path.is_empty() {
                        path.push(word);
                    }
                    if self.word(0) == "::" {
                        continue;
                    }
                    let mut name = path.last().cloned();
                    if self.word(0) == "as" {
                        name = Some(self.word(1).to_owned());
                        self.at += 2;
                    }
                    self.here().uses.push(Use { path, name, public });
                    return;
                }
            }
        }
    }

    /// An attribute: what it says of the item behind it, and the paths in it.
    fn attribute(&mut self, before: &mut Before) {
        let begin = self.at + 1 + usize::from(self.word(1) == "!");
        let end = self.closing(begin);
        let words = &self.words[begin + 1..end];
        before.tests |= matches!(words, ["test"] | ["cfg", "(", "test", ")"]);
        before.tests |= matches!(words, ["cfg", "(", "all", "(", "test", ..]);
        before.exported |= words.contains(&"macro_export");
        while self.at < end {
            // As in `#[serde(with = "crate::module")]`.
            let text = self.word(0).strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            let path: Option<Vec<String>> =
                text.map(|text| text.split("::").map(String::from).collect());
            if let Some(mut path) = path {
                let inside = ["crate", "super", "self"].contains(&&*path[0]);
                if inside && path.iter().all(|name| is_name(name)) {
                    // Something in it, where it is a module.
                    path.push("_".to_owned());
                    self.here().paths.push(path);
                }
                self.at += 1;
            } else if is_name(self.word(0)) {
                let path = self.path();
                if path.len() > 1 {
                    self.here().paths.push(path);
                }
            } else {
                self.at += 1;
            }
        }
        self.at = end + 1;
    }

    /// Skips an item, a field or a statement.
    fn skip(&mut self) {
        while self.at < self.words.len() {
            match self.word(0) {
                "(" | "[" => self.at = self.closing(self.at) + 1,
                "{" => {
                    self.at = self.closing(self.at) + 1;
                    self.at += usize::from(self.word(0) == ";" || self.word(0) == ",");
                    return;
                }
                ";" => {
                    self.at += 1;
                    return;
                }
                "," if self.depth > 0 => {
                    self.at += 1;
                    return;
                }
                "}" | ")" | "]" => return,
                _ => self.at += 1,
            }
        }
    }

    /// Where the bracket that opens at a word is closed.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (at, word) in self.words.iter().enumerate().skip(open) {
            match *word {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
        }
        panic!("{}: a bracket is not closed", self.of.files[self.of.modules[self.module].file]);
    }
}
