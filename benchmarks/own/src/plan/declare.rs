//! Every field of a file gets its number, before any name is looked up.

use std::collections::BTreeSet;

use super::model::{DEPTH, Id};
use super::names::{Declared, Members, Names, Scope};
use crate::file::File;
use crate::file::model::{Field, Make, Name, Object};
use crate::file::wrong::Wrong;

/// The most fields of a file.
const MOST_FIELDS: usize = 10_000;

/// Where fields are declared.
#[derive(Clone, Copy)]
struct Place<'p> {
    collection: usize,
    scope: usize,
    depth: usize,
    path: &'p str,
    unique: &'p str,
}

/// All fields of the file, and the members of each collection's document.
pub fn declare(file: &File) -> Result<(Names<'_>, Vec<Members>), Wrong> {
    let mut names = Names { file, declared: Vec::new(), scopes: Vec::new(), roots: Vec::new() };
    let mut documents = Vec::new();
    for (collection, of) in file.collections.iter().enumerate() {
        let scope = names.scope(None);
        names.roots.push(scope);
        let place = Place { collection, scope, depth: 0, path: "", unique: "" };
        documents.push(names.object(&of.document, place)?);
    }
    Ok((names, documents))
}

impl<'f> Names<'f> {
    fn scope(&mut self, outer: Option<usize>) -> usize {
        self.scopes.push(Scope { names: Vec::new(), outer });
        self.scopes.len() - 1
    }

    /// The fields of an object whose scope is that of the place.
    fn object(&mut self, object: &'f Object, place: Place<'_>) -> Result<Members, Wrong> {
        let members = self.members(&object.members, place)?;
        let mut taken: BTreeSet<&str> =
            object.members.iter().map(|(name, _)| name.text.as_str()).collect();
        let mut sets = Vec::new();
        for (number, (_, set)) in object.variants.iter().enumerate() {
            if let Some((twice, _)) =
                set.iter().find(|(name, _)| taken.contains(name.text.as_str()))
            {
                return Err(Wrong::new(
                    twice.at,
                    format!("{} is in every variant already", twice.text),
                ));
            }
            let scope = self.scope(Some(place.scope));
            let unique = format!("{}|{number}", place.unique);
            sets.push(self.members(set, Place { scope, unique: &unique, ..place })?);
        }
        taken.clear();
        Ok((members, sets))
    }

    fn members(
        &mut self,
        fields: &'f [(Name, Field)],
        place: Place<'_>,
    ) -> Result<Vec<(String, Id)>, Wrong> {
        let join = |before: &str, name: &str| match before {
            "" => name.to_owned(),
            before => format!("{before}.{name}"),
        };
        let mut members = Vec::new();
        for (name, field) in fields {
            let (path, unique) = (join(place.path, &name.text), join(place.unique, &name.text));
            let id = self.field(field, name.at, Place { path: &path, unique: &unique, ..place })?;
            self.scopes[place.scope].names.push((name.text.clone(), id));
            members.push((name.text.clone(), id));
        }
        Ok(members)
    }

    /// A field, and those in it.
    fn field(&mut self, field: &'f Field, at: usize, place: Place<'_>) -> Result<Id, Wrong> {
        let Place { collection, scope, depth, path, unique } = place;
        if depth > DEPTH {
            return Err(Wrong::new(at, format!("arrays and maps are at most {DEPTH} deep")));
        }
        let id = self.declared.len();
        if id == MOST_FIELDS {
            return Err(Wrong::new(at, format!("a file has {MOST_FIELDS} fields at most")));
        }
        self.declared.push(Declared {
            field,
            path: path.to_owned(),
            unique: unique.to_owned(),
            at,
            scope,
            own: None,
            collection,
            depth,
            inner: Vec::new(),
            members: Members::default(),
        });
        let mut inner = Vec::new();
        let mut add = |names: &mut Self, of: &'f Field, suffix: String, deeper: usize| {
            let unique = format!("{unique}{suffix}");
            let place = Place { unique: &unique, depth: depth + deeper, ..place };
            inner.push(names.field(of, of.at, place)?);
            Ok::<(), Wrong>(())
        };
        match &field.make {
            Make::Tuple(fields) => {
                for (n, of) in fields.iter().enumerate() {
                    add(self, of, format!("[{n}]"), 0)?;
                }
            }
            Make::Variants(variants) => {
                for (n, (_, of)) in variants.iter().enumerate() {
                    add(self, of, format!("|{n}"), 0)?;
                }
            }
            Make::Given { when, otherwise, .. } => {
                for (name, of) in when {
                    add(self, of, format!("={}", name.text), 0)?;
                }
                if let Some(of) = otherwise {
                    add(self, of, "=".into(), 0)?;
                }
            }
            Make::Array(_, of) => add(self, of, "[]".into(), 1)?,
            Make::Map { keys, of, .. } => {
                add(self, keys, "{}".into(), 1)?;
                add(self, of, "{}.".into(), 1)?;
            }
            Make::Object(object) => {
                let own = self.scope(Some(scope));
                self.declared[id].own = Some(own);
                self.declared[id].members = self.object(object, Place { scope: own, ..place })?;
            }
            _ => {}
        }
        self.declared[id].inner = inner;
        Ok(id)
    }
}
