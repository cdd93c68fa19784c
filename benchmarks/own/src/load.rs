//! Documents as the source of a load.

use std::ops::Range;
use std::path::Path;

use hoap_data::Part;
use hoap_database::{Database, Index};
use hoap_workload::load::{LoadSource, difference};
use hoap_workload::note::{self, Note};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::workload::{NAME, Workload};

impl LoadSource for &'static Workload {
    fn benchmark(&self) -> &'static str {
        NAME
    }

    fn parameters(&self) -> Value {
        self.noted()
    }

    fn collections(&self) -> Vec<&str> {
        self.names()
    }

    fn part(&self, at: usize, part: u64, of: u64) -> Range<u64> {
        Part { part, of }.range(0..self.plan.collections[self.stored[at]].count)
    }

    fn append(&self, at: usize, index: u64, key: &mut String, text: &mut Vec<u8>) {
        let collection = self.stored[at];
        let place = self.plan.place(collection, index);
        let mut bytes = std::mem::take(key).into_bytes();
        self.plan.key(collection, &place, &mut bytes);
        // Literal pieces are text of the file, and all others ASCII.
        *key = String::from_utf8(bytes).unwrap_or_default();
        self.plan.document(collection, &place, text);
    }

    fn indexes(&self) -> Vec<Index> {
        let workload: &'static Workload = self;
        let collections = workload.stored.iter().map(|at| &workload.plan.collections[*at]);
        let of = collections.flat_map(|of| of.indexes.iter().map(move |index| (of, index)));
        let index = of.map(|(of, (name, fields))| Index {
            name: name.clone(),
            collection: of.name.clone(),
            fields: fields.clone(),
        });
        index.collect()
    }
}

/// The note of a load of this file, which errors call by its name.
///
/// # Errors
/// Those of [`note::expect_loaded`].
pub async fn noted(target: &Database, file: &Path) -> Result<Note> {
    let of_file = |text: &str| {
        let file = file.display();
        text.replace(&format!("the {NAME} data of"), &format!("the data of {file} in"))
            .replace(&format!("hoap load {NAME}"), &format!("hoap load {file}"))
    };
    note::expect_loaded(target, NAME).await.map_err(|mut e| {
        e.tried = of_file(&e.tried);
        e.advice = e.advice.take().map(|advice| of_file(&advice));
        e
    })
}

/// The workload of a file at the scale of the load, and what the database says of that.
///
/// # Errors
/// Fails if the database holds no data of the file, or cannot be read. `verb` says what for.
pub async fn loaded(
    target: &Database,
    file: &Path,
    verb: &str,
) -> Result<(&'static Workload, Note)> {
    let note = noted(target, file).await?;
    let scale = note.data["scale"].as_f64().unwrap_or(1.0);
    let workload = Workload::read(file, scale)?;
    match difference(&note, NAME, &workload.noted()) {
        None => Ok((workload, note)),
        Some(other) => {
            let tried = format!("{verb} {} in {}", file.display(), target.description().url);
            let answer = format!("the database holds other data: {other}");
            Err(Error::new(ErrorKind::Unavailable, tried, answer)
                .advise("name the file that was loaded, or load this one with --replace"))
        }
    }
}
