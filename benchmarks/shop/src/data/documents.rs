//! Customers and orders as documents.

use std::ops::Range;

use hoap_data::json::{JsonWriter, SCRATCH};
use hoap_data::random::Stream;
use hoap_data::writer::{TEXT_SLACK, Writer};
use hoap_data::{Buffer, Measured, field};

use super::collection::ShopCollection;
use super::dataset::ShopData;
use super::spec::PADDING_FRAME;
use super::text::letters16;

impl ShopData {
    /// Appends a document as JSON, without white space and without a line end. Its fields are in
    /// the order of the specification's section 2, then `padding`, which gives it exactly the
    /// length in [`ShopSpec`](super::ShopSpec); with embedded orders, those of all of them together.
    /// The joining table has none.
    ///
    /// # Panics
    /// Where `index` is not below [`ShopData::count`].
    pub fn append(&self, collection: ShopCollection, index: u64, out: &mut Vec<u8>) {
        assert!(index < self.count(collection), "{collection} has no document {index}");
        let start = out.len();
        out.resize(start + self.bytes(collection) + ROOM_BEHIND, 0);
        let len = self.json(collection, index, &mut out[start..]);
        out.truncate(start + len);
    }

    /// Appends the documents of a range as JSON, each followed by `end`. Faster than one call per
    /// document.
    ///
    /// # Panics
    /// Where the range goes beyond [`ShopData::count`].
    pub fn append_range(
        &self,
        collection: ShopCollection,
        range: Range<u64>,
        end: &[u8],
        out: &mut Buffer,
    ) {
        assert!(range.end <= self.count(collection), "{collection} has no documents {range:?}");
        let room = self.bytes(collection) + ROOM_BEHIND + end.len();
        for index in range {
            out.append(room, |out| {
                let len = self.json(collection, index, out);
                out[len..len + end.len()].copy_from_slice(end);
                len + end.len()
            });
        }
    }

    /// Writes a document in the writer's form. Its padding has the length of that of the JSON
    /// document.
    ///
    /// # Panics
    /// Where `index` is not below [`ShopData::count`].
    pub fn write<W: Writer>(&self, collection: ShopCollection, index: u64, w: &mut W) {
        assert!(index < self.count(collection), "{collection} has no document {index}");
        let mut measured = Measured::new(w);
        let words = self.fields(collection, index, &mut measured);
        let len = self.padding(collection, measured.so_far());
        end(words, len, w);
    }

    /// Writes a document as JSON and returns its length.
    fn json(&self, collection: ShopCollection, index: u64, out: &mut [u8]) -> usize {
        let mut w = JsonWriter::new(out);
        let words = self.fields(collection, index, &mut w);
        let len = self.padding(collection, w.written());
        end(words, len, &mut w);
        w.finish()
    }

    /// Writes a document without its padding and its end, and returns the words for the padding, if
    /// it has any.
    #[inline]
    fn fields<W: Writer>(
        &self,
        collection: ShopCollection,
        index: u64,
        w: &mut W,
    ) -> Option<Stream> {
        match collection {
            ShopCollection::Customer => Some(self.customer(index, w)),
            ShopCollection::Orders => Some(self.order(index, w)),
            ShopCollection::Sales => {
                self.sales(index, w);
                None
            }
        }
    }

    /// Bytes of every document of a collection; of the joining table the most.
    fn bytes(&self, collection: ShopCollection) -> usize {
        let spec = self.spec();
        match collection {
            ShopCollection::Customer if spec.embedded => {
                spec.customer_bytes + spec.orders_per_customer as usize * spec.order_bytes
            }
            ShopCollection::Customer => spec.customer_bytes,
            ShopCollection::Orders => spec.order_bytes,
            ShopCollection::Sales => self.longest_sales(),
        }
    }

    /// Characters of padding that a document of `written` bytes so far lacks.
    fn padding(&self, collection: ShopCollection, written: usize) -> usize {
        self.bytes(collection).saturating_sub(written + PADDING_FRAME)
    }
}

/// Bytes of scratch that the writer needs after a document: its window, and a last word of text.
const ROOM_BEHIND: usize = SCRATCH + TEXT_SLACK;

/// Ends the document, one that is padded with `len` random letters `a` to `p`.
fn end<W: Writer>(words: Option<Stream>, len: usize, w: &mut W) {
    if let Some(mut words) = words {
        w.text(field!("padding"), len, |out| {
            let (chunks, rest) = out[..len].as_chunks_mut();
            chunks.iter_mut().for_each(|chunk| *chunk = letters16(words.next_u64()));
            rest.copy_from_slice(&letters16(words.next_u64())[..rest.len()]);
        });
    }
    w.end_object();
}
