//! A data set: sizes, keys, and the randomness of its documents.

use std::ops::Range;

use hoap_data::random::Stream;
use hoap_data::{Date, Part, REGIONS, SpecError, Timestamp};

use crate::data::choice::{self, Choices};
use crate::data::collection::{Collection, Ids, Keys};
use crate::data::spec::Spec;

/// Districts of a warehouse (TPC-C 4.3.3.1).
const DISTRICTS: u32 = 10;
/// Suppliers of a data set (CH2 paper, table 1); a stock's is `s_w_id * s_i_id mod 10000`.
const SUPPLIERS: u32 = 10_000;
/// Items, and stocks of a warehouse, before scale-down (TPC-C 4.3.3.1).
const ITEMS: u32 = 100_000;
/// Customers of a district, each with one order, before scale-down (TPC-C 4.3.3.1).
const CUSTOMERS: u32 = 3000;
/// Delivered orders of a district before scale-down (TPC-C 4.3.3.1).
const DELIVERED: u32 = 2100;
/// Days between END_DATE and the last initial order, so that every delivery lies in the past
/// (specification, section 3).
const LAST_ORDER_DAYS: i64 = 151;

/// All documents of a data set, each computed on demand. Holds parameters only.
#[derive(Clone, Copy, Debug)]
pub struct DataSet {
    spec: Spec,
    /// The streams of the collections, in the order of [`Collection::ALL`].
    collections: [Stream; Collection::ALL.len()],
    choices: Choices,
    items: u32,
    customers: u32,
    delivered: u32,
    c_last_load: u32,
    /// First instant of c_since, and the number of its possible values.
    since: (Timestamp, u64),
}

impl DataSet {
    /// The data set of this specification.
    ///
    /// # Errors
    /// Fails where warehouses, extra fields, scale-down or run date are out of their ranges, or CH2
    /// is given extra fields.
    pub fn new(spec: Spec) -> Result<DataSet, SpecError> {
        spec.validate()?;
        // The keys of all other streams are drawn from this one.
        let root = Stream::new(spec.seed, &[u64::from(super::DATA_VERSION)]);
        let (items, customers) = (ITEMS / spec.scale_down, CUSTOMERS / spec.scale_down);
        let mut data = DataSet {
            spec,
            collections: Collection::ALL.map(|collection| root.child(collection as u64)),
            choices: Choices::new(root, customers, items, SUPPLIERS),
            items,
            customers,
            delivered: DELIVERED / spec.scale_down,
            c_last_load: choice::c_last_load(root),
            since: (Timestamp::from(spec.run_date), 1),
        };
        let first = Timestamp::from(data.start_date());
        let last = Timestamp::from(data.end_date().add_days(-LAST_ORDER_DAYS));
        data.since = (first, (last.micros() - first.micros()) as u64 + 1);
        Ok(data)
    }

    /// The specification of the data set.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Number of documents of a collection (specification, section 1).
    pub fn count(&self, collection: Collection) -> u64 {
        self.keys(collection).count()
    }

    /// The indexes of part `part` of `of`, counted from 1. Parts are contiguous, join to
    /// `0..count`, and differ in size by at most one. A part that does not exist is empty.
    pub fn part(&self, collection: Collection, part: u64, of: u64) -> Range<u64> {
        Part { part, of }.range(0..self.count(collection))
    }

    #[inline]
    pub(crate) fn ids(&self, collection: Collection, index: u64) -> Ids {
        let keys = self.keys(collection);
        assert!(index < keys.count(), "{collection} has no document {index}");
        keys.ids(index)
    }

    /// Appends the key of a document, such as `1.2.3`.
    ///
    /// # Panics
    /// Where `index` is not below [`DataSet::count`].
    pub fn append_key(&self, collection: Collection, index: u64, out: &mut String) {
        let keys = self.keys(collection);
        assert!(index < keys.count(), "{collection} has no key {index}");
        keys.append(index, out);
    }

    /// The index of the document with this key; `None` for a key that the load does not create.
    pub fn index_of(&self, collection: Collection, key: &str) -> Option<u64> {
        self.keys(collection).index_of(key)
    }

    /// Items, and stocks of a warehouse: 100,000 before scale-down.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Customers of a district: 3,000 before scale-down.
    pub fn customers_per_district(&self) -> u32 {
        self.customers
    }

    /// Initial orders of a district, one a customer.
    pub fn orders_per_district(&self) -> u32 {
        self.customers_per_district()
    }

    /// Delivered initial orders of a district, those with the smallest numbers: 2,100 before
    /// scale-down.
    pub fn delivered_per_district(&self) -> u32 {
        self.delivered
    }

    /// Suppliers, 10,000 at every scale.
    pub fn suppliers(&self) -> u32 {
        SUPPLIERS
    }

    /// Districts of a warehouse, 10.
    pub fn districts_per_warehouse(&self) -> u32 {
        DISTRICTS
    }

    /// START_DATE, seven years before RUN_DATE: the first day of the history.
    pub fn start_date(&self) -> Date {
        self.spec.run_date.add_years(-7)
    }

    /// END_DATE, the day before RUN_DATE: the last day of the history.
    pub fn end_date(&self) -> Date {
        self.spec.run_date.add_days(-1)
    }

    /// The constant C of NURand(255) with which the load chose last names (TPC-C 2.1.6.1), 0 to
    /// 255: a function of the seed.
    pub fn c_last_load(&self) -> u32 {
        self.c_last_load
    }

    pub(crate) fn keys(&self, collection: Collection) -> Keys {
        let warehouses = (self.spec.warehouses, 1);
        let districts = (DISTRICTS, 1);
        let customers = (self.customers_per_district(), 1);
        let delivered = self.delivered_per_district();
        let undelivered = (self.orders_per_district() - delivered, delivered + 1);
        let items = (self.items(), 1);
        match collection {
            Collection::Warehouse => Keys::new([warehouses]),
            Collection::District => Keys::new([warehouses, districts]),
            Collection::Customer | Collection::History | Collection::Orders => {
                Keys::new([warehouses, districts, customers])
            }
            Collection::Neworder => Keys::new([warehouses, districts, undelivered]),
            Collection::Stock => Keys::new([warehouses, items]),
            Collection::Item => Keys::new([items]),
            Collection::Supplier => Keys::new([(SUPPLIERS, 0)]),
            Collection::Nation => Keys::of_nations(),
            Collection::Region => Keys::new([(REGIONS.len() as u32, 0)]),
        }
    }

    /// The random words of one document.
    #[inline(always)]
    pub(crate) fn words(&self, collection: Collection, ids: Ids) -> Stream {
        self.collections[collection as usize].child(choice::packed(ids))
    }

    /// The random choices that span documents.
    #[inline(always)]
    pub(crate) fn choices(&self) -> &Choices {
        &self.choices
    }

    /// First instant of c_since and the number of its possible values.
    #[inline(always)]
    pub(crate) fn since(&self) -> (Timestamp, u64) {
        self.since
    }
}
