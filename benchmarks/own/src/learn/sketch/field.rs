//! What is known of a field: how often it is what, and what is in it.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map as Members, Value};

use super::numbers::{Lengths, Numbers};
use super::texts::Texts;

/// Names that are data, at least; names of an object before that is looked at, those of which one
/// may be in most objects, and all.
const LEAST: usize = 12;
const FEW: usize = 24;
const MANY: usize = 200;
const MOST_NAMES: usize = 4096;
/// Objects of which is known which fields they have together.
const MOST_SETS: usize = 256;
/// Elements of an array that has a field for each.
pub const MOST_PLACES: usize = 4;

/// A field.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// How often it was there.
    pub seen: u64,
    /// How often it was null.
    pub null: u64,
    /// How often it was false, and true.
    pub truth: [u64; 2],
    /// Its numbers.
    pub numbers: Option<Box<Numbers>>,
    /// Its texts.
    pub texts: Option<Box<Texts>>,
    /// Bytes of its binary values.
    pub binary: Option<Box<Lengths>>,
    /// Its arrays.
    pub array: Option<Box<Array>>,
    /// Its objects.
    pub object: Option<Box<Object>>,
}

/// Arrays of a field.
#[derive(Clone, Debug, Default)]
pub struct Array {
    /// Their numbers of elements.
    pub lengths: Lengths,
    /// All elements.
    pub element: Field,
    /// The elements by their places, as long as all arrays have equally few, which hold no others.
    pub places: Vec<Field>,
}

/// Objects of a field.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Their numbers of names.
    pub lengths: Lengths,
    /// Their fields, in the order in which they were seen.
    pub fields: Vec<(String, Field)>,
    /// Where a name is among them.
    places: HashMap<String, usize>,
    /// How often which fields were there together; `None` if there are too many sets.
    pub sets: Option<BTreeMap<Vec<u32>, u64>>,
    /// What they are if their names are data.
    pub map: Option<Box<Map>>,
    /// Whether they are documents, whose names never are.
    pub is_document: bool,
}

/// An object whose names are data.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// The names.
    pub names: Texts,
    /// What is under them.
    pub of: Field,
}

/// The bytes of `{"$binary": …}`.
fn binary(members: &Members<String, Value>) -> Option<usize> {
    let of = members.get("$binary").filter(|_| members.len() == 1)?;
    let text = of.get("base64").unwrap_or(of).as_str()?;
    let padding = text.bytes().rev().take_while(|b| *b == b'=').count();
    Some((text.len() / 4 * 3).saturating_sub(padding))
}

impl Field {
    /// Takes a value in.
    pub fn add(&mut self, value: &Value) {
        self.seen += 1;
        match value {
            Value::Null => self.null += 1,
            Value::Bool(whether) => self.truth[usize::from(*whether)] += 1,
            Value::Number(number) => self.numbers.get_or_insert_default().add(number),
            Value::String(text) => self.texts.get_or_insert_default().add(text, 1),
            Value::Array(elements) => self.array.get_or_insert_default().add(elements),
            Value::Object(members) => match binary(members) {
                Some(bytes) => self.binary.get_or_insert_default().add(bytes, 1),
                None => {
                    let new = || Box::new(Object::new(false));
                    self.object.get_or_insert_with(new).add(members);
                }
            },
        }
    }

    /// Takes in what another one has.
    pub fn merge(&mut self, other: &Field) {
        self.seen += other.seen;
        self.null += other.null;
        self.truth[0] += other.truth[0];
        self.truth[1] += other.truth[1];
        if let Some(of) = &other.numbers {
            self.numbers.get_or_insert_default().merge(of);
        }
        if let Some(of) = &other.texts {
            self.texts.get_or_insert_default().merge(of);
        }
        if let Some(of) = &other.binary {
            self.binary.get_or_insert_default().merge(of);
        }
        if let Some(of) = &other.array {
            self.array.get_or_insert_default().merge(of);
        }
        if let Some(of) = &other.object {
            self.object.get_or_insert_with(|| Box::new(Object::new(false))).merge(of);
        }
    }

    /// How often it was of each type, with the names of the types.
    pub fn types(&self) -> [(&'static str, u64); 7] {
        let lengths = |of: Option<&Lengths>| of.map_or(0, |of| of.count);
        [
            ("null", self.null),
            ("boolean", self.truth[0] + self.truth[1]),
            ("number", self.numbers.as_ref().map_or(0, |of| of.count)),
            ("text", lengths(self.texts.as_ref().map(|of| &of.lengths))),
            ("binary", lengths(self.binary.as_deref())),
            ("array", lengths(self.array.as_ref().map(|of| &of.lengths))),
            ("object", lengths(self.object.as_ref().map(|of| &of.lengths))),
        ]
    }

    /// Decides, at the end, which objects in it have names that are data.
    pub fn settle(&mut self) {
        if let Some(array) = &mut self.array {
            array.element.settle();
            array.places.iter_mut().for_each(Field::settle);
        }
        if let Some(object) = &mut self.object {
            object.settle();
        }
    }

    /// A field that has seen nothing, and takes those objects as maps that this one does.
    pub fn like(&self) -> Field {
        Field {
            array: self.array.as_ref().map(|of| {
                let places = of.places.iter().map(Field::like).collect();
                Box::new(Array { element: of.element.like(), places, ..Array::default() })
            }),
            object: self.object.as_ref().map(|of| Box::new(of.like())),
            ..Field::default()
        }
    }
}

impl Array {
    fn add(&mut self, elements: &[Value]) {
        let first = self.lengths.count == 0;
        // Of arrays in arrays each level would be known twice, and all levels 2ⁿ times.
        let plain = elements.iter().all(|of| !of.is_array() && !of.is_object());
        if first && plain && (2..=MOST_PLACES).contains(&elements.len()) {
            self.places.resize_with(elements.len(), Field::default);
        }
        self.lengths.add(elements.len(), 1);
        elements.iter().for_each(|of| self.element.add(of));
        match plain && self.places.len() == elements.len() {
            true => self.places.iter_mut().zip(elements).for_each(|(of, value)| of.add(value)),
            false => self.places.clear(),
        }
    }

    fn merge(&mut self, other: &Array) {
        let first = self.lengths.count == 0;
        self.lengths.merge(&other.lengths);
        self.element.merge(&other.element);
        match self.places.len() == other.places.len() {
            true => self.places.iter_mut().zip(&other.places).for_each(|(of, more)| of.merge(more)),
            false if first => self.places.clone_from(&other.places),
            false => self.places.clear(),
        }
    }
}

impl Object {
    /// That of documents, or of a field.
    pub fn new(is_document: bool) -> Object {
        Object { is_document, sets: Some(BTreeMap::new()), ..Object::default() }
    }

    /// Takes an object in.
    pub fn add(&mut self, members: &Members<String, Value>) {
        self.lengths.add(members.len(), 1);
        if let Some(map) = &mut self.map {
            members.iter().for_each(|(name, value)| map.add(name, value));
            return;
        }
        let mut set = Vec::with_capacity(members.len());
        for (name, value) in members {
            let at = self.place(name);
            self.fields[at].1.add(value);
            set.push(at as u32);
        }
        self.note(set, 1);
        if self.fields.len() > FEW && self.lengths.count >= 8 && self.names_are_data() {
            self.become_map();
        }
    }

    /// Where a field is, which becomes one if there was none of its name.
    fn place(&mut self, name: &str) -> usize {
        if let Some(at) = self.places.get(name) {
            return *at;
        }
        self.places.insert(name.to_owned(), self.fields.len());
        self.fields.push((name.to_owned(), Field::default()));
        self.fields.len() - 1
    }

    fn note(&mut self, mut set: Vec<u32>, times: u64) {
        let Some(sets) = &mut self.sets else { return };
        set.sort_unstable();
        *sets.entry(set).or_default() += times;
        if sets.len() > MOST_SETS {
            self.sets = None;
        }
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.places.get(name).map(|at| &self.fields[*at].1)
    }

    fn merge(&mut self, other: &Object) {
        if self.map.is_none() && other.map.is_some() {
            self.become_map();
        }
        self.lengths.merge(&other.lengths);
        if let Some(map) = &mut self.map {
            match &other.map {
                Some(more) => {
                    map.names.merge(&more.names);
                    map.of.merge(&more.of);
                }
                None => other.fields.iter().for_each(|(name, of)| map.take(name, of)),
            }
            return;
        }
        let places: Vec<usize> = other.fields.iter().map(|(name, _)| self.place(name)).collect();
        for (at, (_, of)) in places.iter().zip(&other.fields) {
            self.fields[*at].1.merge(of);
        }
        match &other.sets {
            Some(sets) => sets.iter().for_each(|(set, times)| {
                self.note(set.iter().map(|at| places[*at as usize] as u32).collect(), *times);
            }),
            None => self.sets = None,
        }
        if self.fields.len() > FEW && self.names_are_data() {
            self.become_map();
        }
    }

    /// Whether there are many names, each object has few of them, and what is under them is alike.
    fn names_are_data(&self) -> bool {
        let names = self.fields.len();
        if names > MOST_NAMES {
            return true;
        }
        if self.is_document || names < LEAST || self.lengths.mean() * 3.0 > names as f64 {
            return false;
        }
        // A name that most objects have is that of a field, unless too many have others.
        let usual = |(_, of): &(String, Field)| of.seen * 2 > self.lengths.count;
        if names <= MANY && self.fields.iter().any(usual) {
            return false;
        }
        let mut types: BTreeMap<&str, u64> = BTreeMap::new();
        for (name, count) in self.fields.iter().flat_map(|(_, of)| of.types()) {
            *types.entry(name).or_default() += count;
        }
        let all: u64 = types.values().sum();
        types.values().any(|count| *count as f64 >= 0.9 * all as f64)
    }

    fn become_map(&mut self) {
        let mut map = Box::new(Map::default());
        std::mem::take(&mut self.fields).iter().for_each(|(name, of)| map.take(name, of));
        self.places.clear();
        self.sets = None;
        self.map = Some(map);
    }

    /// Decides, at the end, which objects in it have names that are data.
    pub fn settle(&mut self) {
        if self.map.is_none() && self.names_are_data() {
            self.become_map();
        }
        self.fields.iter_mut().for_each(|(_, of)| of.settle());
        if let Some(map) = &mut self.map {
            map.of.settle();
        }
    }

    /// One that has seen nothing, and takes those objects as maps that this one does.
    pub fn like(&self) -> Object {
        let mut like = Object::new(self.is_document);
        for (name, of) in &self.fields {
            let at = like.place(name);
            like.fields[at].1 = of.like();
        }
        like.map = self
            .map
            .as_ref()
            .map(|map| Box::new(Map { names: Texts::default(), of: map.of.like() }));
        like
    }
}

impl Map {
    fn add(&mut self, name: &str, value: &Value) {
        self.names.add(name, 1);
        self.of.add(value);
    }

    /// Takes a field in as what is under its name.
    fn take(&mut self, name: &str, field: &Field) {
        self.names.add(name, field.seen);
        self.of.merge(field);
    }
}
