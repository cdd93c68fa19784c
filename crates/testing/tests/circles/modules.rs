//! The modules of a crate: what each defines, brings in and names. What is for tests alone is left
//! out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Ident, Item, ItemUse, Meta, UseTree, Visibility};

/// A crate, as its sources have it.
#[derive(Default)]
pub struct Crate {
    /// The files, by their paths from the crate's `src`.
    pub files: Vec<String>,
    /// The root first.
    pub modules: Vec<Module>,
    /// The macros that the root has wherever they are defined, each with its file.
    pub exported: BTreeMap<String, usize>,
    /// Whether some of it is for tests alone.
    pub has_tests: bool,
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
    pub paths: BTreeSet<Vec<String>>,
    /// The names that its code has alone, outside of attributes.
    pub names: BTreeSet<String>,
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
        read.file(root.parent().expect("a root in a folder"), root, None);
        read
    }

    /// Reads a file as a module. Returns the module's number.
    fn file(&mut self, src: &Path, path: &Path, parent: Option<usize>) -> usize {
        let shown = path.display();
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{shown}: {e}"));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{shown}: {e}"));
        let module = Module { file: self.files.len(), parent, ..Module::default() };
        self.files.push(path.strip_prefix(src).unwrap().to_str().unwrap().to_owned());
        // Roots and `mod.rs` have their modules beside them, others in a folder of their name.
        let beside = parent.is_none() || path.ends_with("mod.rs");
        let below = path.with_extension("");
        let below = if beside { path.parent().unwrap() } else { &below };
        self.module(src, below, module, parsed.items)
    }

    /// Reads the items of a module. Its modules have their files in a folder.
    fn module(&mut self, src: &Path, folder: &Path, module: Module, items: Vec<Item>) -> usize {
        let (number, file) = (self.modules.len(), module.file);
        self.modules.push(module);
        for item in items {
            let (name, attributes) = head(&item);
            if attributes.iter().any(|attribute| for_tests(&attribute.meta)) {
                self.has_tests = true;
                continue;
            }
            if let Some(name) = name {
                if attributes.iter().any(|a| a.path().is_ident("macro_export")) {
                    self.exported.insert(name.to_string(), file);
                }
                self.modules[number].items.insert(name.to_string());
            }
            match item {
                Item::Mod(item) => {
                    let name = item.ident.to_string();
                    let below = folder.join(&name);
                    let child = if let Some((_, items)) = item.content {
                        let module = Module { file, parent: Some(number), ..Module::default() };
                        self.module(src, &below, module, items)
                    } else {
                        let files = [below.with_extension("rs"), below.join("mod.rs")];
                        let [one, other] = &files;
                        self.file(src, if one.exists() { one } else { other }, Some(number))
                    };
                    self.modules[number].children.insert(name, child);
                }
                Item::Use(item) => self.modules[number].bring_in(&item),
                other => self.modules[number].code(other.into_token_stream(), false),
            }
        }
        number
    }
}

impl Module {
    fn bring_in(&mut self, item: &ItemUse) {
        self.tree(&item.tree, Vec::new(), !matches!(item.vis, Visibility::Inherited));
    }

    /// The tree of a `use`, below a path.
    fn tree(&mut self, tree: &UseTree, mut path: Vec<String>, public: bool) {
        let (last, renamed) = match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                return self.tree(&tree.tree, path, public);
            }
            UseTree::Group(all) => {
                return all.items.iter().for_each(|tree| self.tree(tree, path.clone(), public));
            }
            UseTree::Glob(_) => return self.uses.push(Use { path, name: None, public }),
            UseTree::Name(tree) => (tree.ident.to_string(), None),
            UseTree::Rename(tree) => (tree.ident.to_string(), Some(tree.rename.to_string())),
        };
        if last != "self" || path.is_empty() {
            path.push(last);
        }
        let name = renamed.or_else(|| path.last().cloned());
        self.uses.push(Use { path, name, public });
    }

    /// What code names, in macros and attributes too.
    fn code(&mut self, tokens: TokenStream, attribute: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |at: Option<usize>, mark: char| {
            let token = at.and_then(|at| tokens.get(at));
            matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
        };
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let back = |n| at.checked_sub(n);
            match token {
                TokenTree::Group(group)
                    if is(back(1), '#') || is(back(1), '!') && is(back(2), '#') =>
                {
                    if syn::parse2(group.stream()).is_ok_and(|meta| for_tests(&meta)) {
                        at += length(&tokens[at + 1..]);
                    } else {
                        self.code(group.stream(), true);
                    }
                }
                TokenTree::Group(group) => self.code(group.stream(), attribute),
                TokenTree::Ident(word) if word == "use" => {
                    let end = (at..tokens.len()).find(|at| is(Some(*at), ';')).unwrap_or(at);
                    // Not `use<'a>`.
                    if let Ok(item) = syn::parse2(tokens[at..=end].iter().cloned().collect()) {
                        self.bring_in(&item);
                        at = end;
                    }
                }
                TokenTree::Ident(word) => {
                    // `a.name`, but not `..name`; a lifetime; a macro's variable; more of a path.
                    let other = is(back(1), '.') && !is(back(2), '.')
                        || is(back(1), '\'')
                        || is(back(1), '$') && word != "crate"
                        || is(back(1), ':') && is(back(2), ':');
                    let marked = if is(back(1), '$') { "$" } else { "" };
                    let mut path = vec![format!("{marked}{word}")];
                    while let Some(TokenTree::Ident(word)) = tokens.get(at + 3)
                        && is(Some(at + 1), ':')
                        && is(Some(at + 2), ':')
                    {
                        path.push(word.to_string());
                        at += 3;
                    }
                    // Neither a field nor a parameter.
                    let alone = !is(Some(at + 1), ':') || is(Some(at + 2), ':');
                    if !other && path.len() > 1 {
                        self.paths.insert(path);
                    } else if !other && alone && !attribute {
                        self.names.extend(path);
                    }
                }
                // As in `#[serde(with = "crate::module")]`: something in it, if it is a module.
                TokenTree::Literal(text) if attribute => {
                    let text = text.to_string();
                    let path = text.trim_matches('"').split("::").map(String::from);
                    let path: Vec<String> = path.chain(["_".to_owned()]).collect();
                    if ["crate", "super", "self"].contains(&&*path[0]) {
                        self.paths.insert(path);
                    }
                }
                TokenTree::Literal(_) | TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }
}

/// The name of what an item defines, if it is no module, and its attributes.
fn head(item: &Item) -> (Option<&Ident>, &[Attribute]) {
    match item {
        Item::Const(item) => (Some(&item.ident), &item.attrs),
        Item::Enum(item) => (Some(&item.ident), &item.attrs),
        Item::Fn(item) => (Some(&item.sig.ident), &item.attrs),
        Item::Impl(item) => (None, &item.attrs),
        Item::Macro(item) => (item.ident.as_ref(), &item.attrs),
        Item::Mod(item) => (None, &item.attrs),
        Item::Static(item) => (Some(&item.ident), &item.attrs),
        Item::Struct(item) => (Some(&item.ident), &item.attrs),
        Item::Trait(item) => (Some(&item.ident), &item.attrs),
        Item::Type(item) => (Some(&item.ident), &item.attrs),
        Item::Union(item) => (Some(&item.ident), &item.attrs),
        Item::Use(item) => (None, &item.attrs),
        _ => (None, &[]),
    }
}

/// Whether what has this attribute is for tests alone.
fn for_tests(attribute: &Meta) -> bool {
    let text = attribute.to_token_stream().to_string().replace(' ', "");
    text == "test" || text == "cfg(test)" || text.starts_with("cfg(all(test")
}

/// The length of an item, a field or a statement at the beginning of these.
fn length(tokens: &[TokenTree]) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(mark) => [',', ';'].contains(&mark.as_char()),
        _ => false,
    };
    tokens.iter().position(ends).map_or(tokens.len(), |at| at + 1)
}
