//! Documents as JSON text, made where they are wanted.

/// Appends the key and the JSON text of the document with an index, which is UTF-8.
type Append<'a> = &'a mut (dyn FnMut(u64, &mut String, &mut Vec<u8>) + Send);

/// Documents that are not made yet: whoever takes them makes each of them once.
pub struct Texts<'a> {
    append: Append<'a>,
    next: u64,
    end: u64,
}

impl<'a> Texts<'a> {
    /// The documents with the indexes from `next` to `end`.
    pub fn new(append: Append<'a>, next: u64, end: u64) -> Self {
        Texts { append, next, end }
    }

    /// Number of documents.
    pub fn len(&self) -> u64 {
        self.end.saturating_sub(self.next)
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes the next document: appends its key and its text. Says whether there was one.
    pub fn append_next(&mut self, key: &mut String, text: &mut Vec<u8>) -> bool {
        if self.is_empty() {
            return false;
        }
        (self.append)(self.next, key, text);
        self.next += 1;
        true
    }
}
