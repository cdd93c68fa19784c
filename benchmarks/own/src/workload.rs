//! A workload file at a scale, ready to make documents.

use std::collections::BTreeSet;
use std::path::Path;

use hoap_files::{Child, Flat};
use hoap_workload::Result;
use hoap_workload::answers::Query;
use serde_json::{Map, Value, json};

use crate::file::{File, Text};
use crate::generate::columns::{Column, What, columns};
use crate::plan::Plan;
use crate::plan::model::DATA_VERSION;
use crate::plan::queries::asked;

/// The name of the benchmark that all workload files are.
pub const NAME: &str = "own";

/// A workload file at a scale.
#[derive(Debug)]
pub struct Workload {
    /// What the file says.
    pub file: File,
    /// The plan of it.
    pub plan: Plan,
    /// The scale.
    pub scale: f64,
    /// The collections that are loaded, by their places in the plan.
    pub stored: Vec<usize>,
    /// For files with columns: those of each stored collection.
    pub columns: Vec<Columns>,
    /// The tables of the flat form.
    pub flat: Flat,
    /// The queries, for whom asks them and compares answers.
    pub asked: Vec<Query>,
}

/// The columns of a collection.
#[derive(Debug)]
pub struct Columns {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Whether documents have a field `_id`, so that their key needs no other.
    pub has_id: bool,
}

impl Workload {
    /// Reads a file. It is kept until the program ends, as are the names in it: a process has one.
    ///
    /// # Errors
    /// [`hoap_workload::ErrorKind::Invalid`], with line and column of what is wrong first.
    pub fn read(path: &Path, scale: f64) -> Result<&'static Workload> {
        let text = Text::open(path)?;
        let file = text.read()?;
        let plan = text.at(Plan::new(&file, scale))?;
        Ok(Box::leak(Box::new(Workload::new(file, plan, scale))))
    }

    /// The workload of a file and its plan.
    pub fn new(file: File, plan: Plan, scale: f64) -> Workload {
        let stored: Vec<usize> =
            (0..plan.collections.len()).filter(|at| plan.collections[*at].stored).collect();
        let of = |at: &usize| {
            let document = &plan.collections[*at].document;
            let has_id = document.members.iter().any(|member| member.name == "_id");
            Columns { columns: columns(&plan, document), has_id }
        };
        let columns: Vec<Columns> = stored.iter().map(of).collect();
        let mut tables = Vec::new();
        for (of, at) in columns.iter().zip(&stored) {
            children(&plan.collections[*at].name, &of.columns, &mut tables);
        }
        // Two arrays of the same name in different objects have no table: the formats refuse them.
        let names: Vec<&str> = tables.iter().map(|child| child.array).collect();
        let twice: BTreeSet<&str> = names
            .iter()
            .filter(|name| names.iter().filter(|other| other == name).count() > 1)
            .copied()
            .collect();
        tables.retain(|child| !twice.contains(child.array));
        let flat = Flat { qualified: true, spread: &[], tables: kept(tables) };
        let asked = asked(&file.queries);
        Workload { file, plan, scale, stored, columns, flat, asked }
    }

    /// What decides every byte: of a note and of a manifest.
    pub fn parameters(&self) -> Map<String, Value> {
        let counts: Map<String, Value> = self
            .stored
            .iter()
            .map(|at| &self.plan.collections[*at])
            .map(|of| (of.name.clone(), of.count.into()))
            .collect();
        let mut parameters = Map::new();
        parameters.insert("name".into(), self.file.name.as_str().into());
        parameters.insert("digest".into(), self.file.digest.as_str().into());
        parameters.insert("seed".into(), self.file.seed.into());
        parameters.insert("scale".into(), json!(self.scale));
        parameters.insert("counts".into(), counts.into());
        parameters
    }

    /// The same with the version of the data, as a note has it.
    pub fn noted(&self) -> Value {
        let mut parameters = self.parameters();
        parameters.insert("version".into(), DATA_VERSION.into());
        parameters.into()
    }

    /// The names of the stored collections.
    pub fn names(&self) -> Vec<&str> {
        self.stored.iter().map(|at| self.plan.collections[*at].name.as_str()).collect()
    }
}

/// The tables of the arrays among these columns.
fn children(collection: &str, columns: &[Column], tables: &mut Vec<Child>) {
    for column in columns {
        match &column.what {
            What::Object(columns) => children(collection, columns, tables),
            What::List(_) | What::Tuple(_) => {
                let name = name_of(column);
                child(collection, (&name, &name, &["position".to_owned()]), &column.what, tables);
            }
            What::Scalar(_) | What::Json => {}
        }
    }
}

/// The table of an array with its path, the name of its table, and the positions around its elements.
fn child(
    collection: &str,
    (array, table, positions): (&str, &str, &[String]),
    what: &What,
    tables: &mut Vec<Child>,
) {
    let element = match what {
        What::List(element) => &element.what,
        What::Tuple(elements) => &elements[0].what,
        _ => return,
    };
    let inner = |name: &str| {
        let outer = format!("{}_position", table.rsplit('_').next().unwrap_or(table));
        let mut inner = positions[..positions.len() - 1].to_vec();
        inner.extend([outer, "position".to_owned()]);
        (format!("{array}{name}"), inner)
    };
    if matches!(element, What::List(_) | What::Tuple(_)) {
        let (_, positions) = inner("");
        return child(collection, (array, table, &positions), element, tables);
    }
    let leak = |text: String| -> &'static str { text.leak() };
    tables.push(Child {
        array: leak(array.to_owned()),
        table: leak(format!("{collection}_{table}")),
        key: kept(vec![("_id", leak(format!("{collection}_id")))]),
        positions: kept(positions.iter().map(|name| leak(name.clone())).collect()),
        element: if matches!(element, What::Object(_)) { "" } else { "element" },
    });
    if let What::Object(columns) = element {
        for column in columns {
            let name = name_of(column);
            let (path, positions) = inner(&format!(".{name}"));
            child(
                collection,
                (&path, &format!("{table}_{name}"), &positions),
                &column.what,
                tables,
            );
        }
    }
}

/// The name of a column without its quotes.
fn name_of(column: &Column) -> String {
    hoap_data::writer::Field::of_text(&column.name).name().to_owned()
}

/// Keeps until the program ends what a static description of files needs.
fn kept<T>(values: Vec<T>) -> &'static [T] {
    values.leak()
}
