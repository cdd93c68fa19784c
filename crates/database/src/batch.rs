//! What a load writes: batches of documents, and the indexes at its end.

/// An index that a benchmark's operations need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// A name unique in the benchmark.
    pub name: String,
    /// The collection it is on.
    pub collection: String,
    /// Paths of its fields, in order.
    pub fields: Vec<String>,
}

impl Index {
    /// The index of this name on these paths of a collection.
    pub fn new(
        name: impl Into<String>,
        collection: impl Into<String>,
        fields: &[impl AsRef<str>],
    ) -> Index {
        let fields = fields.iter().map(|path| path.as_ref().to_owned()).collect();
        Index { name: name.into(), collection: collection.into(), fields }
    }

    /// The keys of a collection, by which every search finds in their order: an index without
    /// fields, which nobody makes.
    pub fn keys(collection: impl Into<String>) -> Index {
        Index { name: "key".into(), collection: collection.into(), fields: Vec::new() }
    }

    /// Whether it is that of the keys.
    pub fn is_keys(&self) -> bool {
        self.fields.is_empty()
    }
}

/// Documents as JSON text and their keys, in two reused buffers.
#[derive(Default)]
pub struct Batch {
    text: Vec<u8>,
    keys: String,
    /// Where each document ends in `text`, and its key in `keys`.
    ends: Vec<(usize, usize)>,
}

impl Batch {
    /// Appends one document: `fill` writes its key and its JSON text at the end of the buffers.
    pub fn push(&mut self, fill: impl FnOnce(&mut String, &mut Vec<u8>)) {
        fill(&mut self.keys, &mut self.text);
        self.ends.push((self.text.len(), self.keys.len()));
    }

    /// Removes all documents and keeps the buffers.
    pub fn clear(&mut self) {
        self.text.clear();
        self.keys.clear();
        self.ends.clear();
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of JSON text.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Key and JSON text of each document. The text is UTF-8.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let mut start = (0, 0);
        self.ends.iter().map(move |&end| {
            let document = (&self.keys[start.1..end.1], &self.text[start.0..end.0]);
            start = end;
            document
        })
    }
}
