//! Random choices that span several documents: the customer of an order, the special tenth of the
//! items.

use hoap_data::NATIONS;
use hoap_data::permutation::Permutation;
use hoap_data::random::Stream;

use crate::data::collection::Ids;

/// The subject of a choice that spans several documents: the tag of its key.
#[derive(Clone, Copy)]
enum Choice {
    CLastLoad = 100,
    OrderOfCustomer,
    BadCredit,
    OriginalItem,
    OriginalStock,
    SupplierNation,
    SupplierComment,
}

/// The permutations behind a choice, one for each parent of the documents.
#[derive(Clone, Copy, Debug)]
struct Shuffle {
    keys: Stream,
    /// A permutation of the right size; its key is replaced.
    form: Permutation,
}

impl Shuffle {
    fn new(root: Stream, choice: Choice, n: u32) -> Shuffle {
        Shuffle { keys: root.child(choice as u64), form: Permutation::new(n.into(), 0) }
    }

    /// The permutation of the documents with these parent ids.
    #[inline(always)]
    fn of(&self, ids: Ids) -> Permutation {
        self.form.with_key(self.keys.at(packed(ids)))
    }

    /// Whether `i` is in the chosen tenth, which is exact.
    #[inline(always)]
    fn tenth(&self, ids: Ids, i: u32) -> bool {
        self.of(ids).apply(i.into()) < self.form.size() / 10
    }
}

/// The random choices of a data set that span several documents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choices {
    order_of_customer: Shuffle,
    bad_credit: Shuffle,
    original_item: Shuffle,
    original_stock: Shuffle,
    supplier_nation: Shuffle,
    supplier_comment: Shuffle,
}

impl Choices {
    /// The choices for these numbers of customers of a district, items and suppliers.
    pub(crate) fn new(root: Stream, customers: u32, items: u32, suppliers: u32) -> Choices {
        Choices {
            order_of_customer: Shuffle::new(root, Choice::OrderOfCustomer, customers),
            bad_credit: Shuffle::new(root, Choice::BadCredit, customers),
            original_item: Shuffle::new(root, Choice::OriginalItem, items),
            original_stock: Shuffle::new(root, Choice::OriginalStock, items),
            supplier_nation: Shuffle::new(root, Choice::SupplierNation, suppliers),
            supplier_comment: Shuffle::new(root, Choice::SupplierComment, suppliers),
        }
    }

    /// The customer of an initial order: a random permutation of the district's customers (TPC-C
    /// 4.3.3.1, O_C_ID).
    #[inline]
    pub(crate) fn customer_of_order(&self, [w, d, o]: Ids) -> u32 {
        self.order_of_customer.of([w, d, 0]).apply(u64::from(o - 1)) as u32 + 1
    }

    /// The initial order of a customer: the inverse of [`Choices::customer_of_order`].
    #[inline]
    pub(crate) fn order_of_customer(&self, [w, d, c]: Ids) -> u32 {
        self.order_of_customer.of([w, d, 0]).inverse(u64::from(c - 1)) as u32 + 1
    }

    /// Whether the customer is one of the district's 10 % with bad credit (TPC-C 4.3.3.1,
    /// C_CREDIT).
    #[inline]
    pub(crate) fn bad_credit(&self, [w, d, c]: Ids) -> bool {
        self.bad_credit.tenth([w, d, 0], c - 1)
    }

    /// Whether the item is one of the 10 % whose i_data holds ORIGINAL (TPC-C 4.3.3.1).
    #[inline]
    pub(crate) fn original_item(&self, item: u32) -> bool {
        self.original_item.tenth([0; 3], item - 1)
    }

    /// Whether the stock is one of the warehouse's 10 % whose s_data holds ORIGINAL (TPC-C
    /// 4.3.3.1).
    #[inline]
    pub(crate) fn original_stock(&self, warehouse: u32, item: u32) -> bool {
        self.original_stock.tenth([warehouse, 0, 0], item - 1)
    }

    /// Position in [`NATIONS`] of a supplier's nation. Numbers of suppliers per nation differ by at
    /// most one (CH2 paper 3.2: no skew).
    pub(crate) fn nation_of_supplier(&self, supplier: u32) -> usize {
        let permutation = self.supplier_nation.of([0; 3]);
        permutation.apply(u64::from(supplier)) as usize % NATIONS.len()
    }

    /// The supplier's rank in a random order; the first ones get the marked comments.
    pub(crate) fn comment_rank(&self, supplier: u32) -> u64 {
        self.supplier_comment.of([0; 3]).apply(u64::from(supplier))
    }
}

/// The constant C of NURand(255) of the load (TPC-C 2.1.6.1), 0 to 255.
pub(crate) fn c_last_load(root: Stream) -> u32 {
    root.child(Choice::CLastLoad as u64).draws(0).below(256) as u32
}

/// The parts of a key as one number, unique within a collection.
#[inline(always)]
pub(crate) fn packed([a, b, c]: Ids) -> u64 {
    u64::from(a) << 40 | u64::from(b) << 20 | u64::from(c)
}
