//! Looking up names: in the object where they stand, then outwards, then among the collections.

use super::model::{Id, Step, To, Way};
use crate::file::File;
use crate::file::model::{Field, Make, Name, Piece};
use crate::file::name::{self, Step as Of};
use crate::file::wrong::{Wrong, instead};

/// The names of an object, and the scope around it.
#[derive(Debug, Default)]
pub struct Scope {
    /// The fields by their names.
    pub names: Vec<(String, Id)>,
    /// The scope around it.
    pub outer: Option<usize>,
}

/// A field that has its number.
#[derive(Debug)]
pub struct Declared<'f> {
    /// What the file says.
    pub field: &'f Field,
    /// Its path, as people write it.
    pub path: String,
    /// Its path with the places of elements and variants: its random stream.
    pub unique: String,
    /// Where it stands: its name, or its value if it has none.
    pub at: usize,
    /// The scope in which it names others.
    pub scope: usize,
    /// The scope that it is, if it is an object.
    pub own: Option<usize>,
    /// Its collection.
    pub collection: usize,
    /// Arrays and maps around it.
    pub depth: usize,
    /// The fields in it that have no names, in the order of the file.
    pub inner: Vec<Id>,
    /// The fields of an object, and of its sets of more fields.
    pub members: Members,
}

/// The fields of an object and of its sets of more fields, with their names.
pub type Members = (Vec<(String, Id)>, Vec<Vec<(String, Id)>>);

/// What a name may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// One value.
    One,
    /// All of several values.
    All,
    /// How many there are.
    Size,
}

/// What names are looked up in.
pub struct Names<'f> {
    /// The file.
    pub file: &'f File,
    /// Its fields.
    pub declared: Vec<Declared<'f>>,
    /// The objects.
    pub scopes: Vec<Scope>,
    /// The scope of each collection's document.
    pub roots: Vec<usize>,
}

/// Where a way stands.
enum Here {
    Field(Id),
    Collection(usize),
    Value(To),
}

impl Names<'_> {
    /// The collection of this name.
    pub fn collection(&self, name: &Name) -> Result<usize, Wrong> {
        let names = || self.file.collections.iter().map(|of| of.name.text.as_str());
        let found = names().position(|known| known == name.text);
        found.ok_or_else(|| {
            Wrong::new(
                name.at,
                format!("no collection {}{}", name.text, instead(&name.text, names())),
            )
        })
    }

    /// The collection of a collection's parents.
    pub fn parent_of(&self, collection: usize) -> Result<Option<usize>, Wrong> {
        self.file.collections[collection].per.as_ref().map(|name| self.collection(name)).transpose()
    }

    /// The way from a scope of a collection, `depth` arrays deep, to a name.
    pub fn way(&self, from: (usize, usize, usize), name: &Name, of: Use) -> Result<Way, Wrong> {
        let (scope, collection, depth) = from;
        let wrong = |message: String| Wrong::new(name.at, message);
        let path = name::path(&name.text).unwrap_or_default();
        let Some((Of::Field(first), rest)) = path.split_first() else {
            return Err(wrong(format!("{:?} is no path", name.text)));
        };
        let mut steps = Vec::new();
        let mut here = self.first(from, first, of).ok_or_else(|| {
            let mut names = self.names(scope);
            names.extend(["n", "seq", "key", "index"]);
            if of != Use::One {
                names.extend(self.file.collections.iter().map(|of| of.name.text.as_str()));
            }
            wrong(format!("no field {first} here{}", instead(first, names)))
        })?;
        if let Here::Collection(children) = here {
            if self.parent_of(children)? != Some(collection) {
                return Err(wrong(format!(
                    "{first} are no children of this collection: they have no `per` of it"
                )));
            }
            steps.push(Step::Children(children));
        }
        if matches!(here, Here::Value(To::Index(_))) && depth == 0 {
            return Err(wrong("`index` is a place in an array, and here is none".into()));
        }
        for step in rest {
            here = self.next(here, step, &mut steps, of).map_err(wrong)?;
        }
        let to = match here {
            Here::Value(to) => to,
            Here::Collection(_) if of == Use::Size => To::Here,
            Here::Collection(_) => {
                return Err(wrong(format!("{} is a collection: name a field of it", name.text)));
            }
            Here::Field(id) => match (&self.declared[id].field.make, of) {
                (Make::Array(..) | Make::Map { .. }, Use::Size) => {
                    steps.push(Step::Each(id));
                    To::Here
                }
                (Make::Array(..), Use::All) => {
                    steps.push(Step::Each(id));
                    To::Field(self.declared[id].inner[0])
                }
                (_, Use::Size) => {
                    return Err(wrong(format!("{} has no size: it is no array", name.text)));
                }
                _ => To::Field(id),
            },
        };
        Ok(Way { steps: steps.into(), to })
    }

    /// What a field names, in the order of the file.
    pub fn named(&self, id: Id) -> Result<Vec<Way>, Wrong> {
        let Declared { field, scope, collection, depth, .. } = &self.declared[id];
        let way = |name: &Name, of: Use| self.way((*scope, *collection, *depth), name, of);
        match &field.make {
            Make::After { name, .. } | Make::Copy(name) | Make::Given { name, .. } => {
                Ok(vec![way(name, Use::One)?])
            }
            Make::Sum(name) => Ok(vec![way(name, Use::All)?]),
            Make::Size(name) => Ok(vec![way(name, Use::Size)?]),
            Make::Product(factors) => factors.iter().map(|name| way(name, Use::One)).collect(),
            Make::Pattern(pattern) => {
                let fields = pattern.pieces.iter().filter_map(|piece| match piece {
                    Piece::Field(name) => Some(way(name, Use::One)),
                    _ => None,
                });
                fields.collect()
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Where a name leads that begins a path.
    fn first(
        &self,
        (scope, collection, depth): (usize, usize, usize),
        name: &str,
        of: Use,
    ) -> Option<Here> {
        let mut at = Some(scope);
        while let Some(number) = at {
            let scope = &self.scopes[number];
            if let Some((_, id)) = scope.names.iter().rev().find(|(known, _)| known == name) {
                return Some(Here::Field(*id));
            }
            at = scope.outer;
        }
        let collections = || self.file.collections.iter().position(|of| of.name.text == name);
        match name {
            "n" => Some(Here::Value(To::Number)),
            "seq" => Some(Here::Value(To::Seq)),
            "key" => Some(Here::Value(To::Key(collection))),
            "index" => Some(Here::Value(To::Index(depth.saturating_sub(1)))),
            _ if of != Use::One => collections().map(Here::Collection),
            _ => None,
        }
    }

    /// One step further.
    fn next(&self, here: Here, step: &Of, steps: &mut Vec<Step>, of: Use) -> Result<Here, String> {
        let id = match here {
            Here::Value(_) => return Err("there is nothing in a number or a key".into()),
            Here::Collection(collection) => return self.in_document(collection, step),
            Here::Field(id) => id,
        };
        let Declared { field, inner, path, .. } = &self.declared[id];
        match (&field.make, step) {
            (Make::Tuple(_), Of::Position(n)) => inner
                .get(*n)
                .map(|id| Here::Field(*id))
                .ok_or_else(|| format!("{path} has {} elements", inner.len())),
            (Make::Object(_), Of::Field(name)) => {
                let scope = self.declared[id].own.unwrap_or_default();
                self.in_scope(scope, name).ok_or_else(|| {
                    let names = self.scopes[scope].names.iter().map(|(name, _)| name.as_str());
                    format!("{path} has no field {name}{}", instead(name, names))
                })
            }
            (Make::Ref { name, .. }, _) => {
                steps.push(Step::Ref(id));
                let collection = self.referred(id, name).map_err(|wrong| wrong.message)?;
                self.in_document(collection, step)
            }
            (Make::Array(..), Of::Field(_)) if of != Use::One => {
                steps.push(Step::Each(id));
                self.next(Here::Field(inner[0]), step, steps, of)
            }
            (Make::Array(..), _) => {
                Err(format!("{path} is an array: sum and size name what is in one"))
            }
            _ => Err(format!("{path} is no object and no ref, so nothing is in it")),
        }
    }

    /// The collection that a `ref` refers to.
    pub fn referred(&self, id: Id, name: &Name) -> Result<usize, Wrong> {
        let of = self.declared[id].collection;
        match (name.text.as_str(), self.parent_of(of)?) {
            ("parent", Some(parent)) => Ok(parent),
            ("parent", None) => {
                let name_of = &self.file.collections[of].name.text;
                Err(Wrong::new(name.at, format!("{name_of} has no parent: it has no `per`")))
            }
            _ => self.collection(name),
        }
    }

    fn in_document(&self, collection: usize, step: &Of) -> Result<Here, String> {
        let root = self.roots[collection];
        let of = &self.file.collections[collection].name.text;
        let Of::Field(name) = step else { return Err(format!("a document of {of} is no array")) };
        let found = self.in_scope(root, name).or(match name.as_str() {
            "n" => Some(Here::Value(To::Number)),
            "seq" => Some(Here::Value(To::Seq)),
            "key" => Some(Here::Value(To::Key(collection))),
            _ => None,
        });
        found.ok_or_else(|| {
            let names = self.scopes[root].names.iter().map(|(name, _)| name.as_str());
            format!("{of} has no field {name}{}", instead(name, names))
        })
    }

    fn in_scope(&self, scope: usize, name: &str) -> Option<Here> {
        let names = &self.scopes[scope].names;
        names.iter().find(|(known, _)| known == name).map(|(_, id)| Here::Field(*id))
    }

    /// All names that can be used in a scope.
    fn names(&self, scope: usize) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = Some(scope);
        while let Some(number) = at {
            names.extend(self.scopes[number].names.iter().map(|(name, _)| name.as_str()));
            at = self.scopes[number].outer;
        }
        names
    }
}
