//! A data set of customers and orders: sizes, keys and relations.

use std::ops::Range;

use hoap_data::permutation::Permutation;
use hoap_data::random::Stream;
use hoap_data::{Part, SpecError};

use super::collection::ShopCollection;
use super::spec::ShopSpec;
use super::text::Text;
use super::values::{self, MONTHS};

/// Separates this data's random streams from those of the other benchmarks.
const STREAM: u64 = 0x7368_6f70;

/// Number of months.
pub(super) const MONTH_COUNT: u64 = MONTHS.len() as u64;

/// The subject of a random choice: the tag of its key.
#[derive(Clone, Copy)]
enum Choice {
    Customer = 1,
    Order,
    Place,
    OrderNumber,
    Month,
}

/// All customers and orders of a specification, each computed on demand. Holds parameters only.
///
/// A document's index is the number in its key. A random permutation gives each customer a *place*.
/// Adjacent places share a zip code and a country, so each has exactly the number of customers in
/// the specification, spread over the keys. Another permutation gives each (customer, n-th order)
/// the number of the order.
#[derive(Clone, Copy, Debug)]
pub struct ShopData {
    spec: ShopSpec,
    /// The stream from which the keys of all others are drawn.
    root: Stream,
    places: Permutation,
    order_numbers: Permutation,
}

impl ShopData {
    /// The data set of this specification.
    ///
    /// # Errors
    /// Fails where a count or a size is out of its range, or the numbers per country or zip code do
    /// not divide.
    pub fn new(spec: ShopSpec) -> Result<ShopData, SpecError> {
        spec.validate()?;
        let root = Stream::new(spec.seed, &[u64::from(super::DATA_VERSION), STREAM]);
        let permutation = |choice, n| Permutation::new(n, root.at(choice as u64));
        Ok(ShopData {
            spec,
            root,
            places: permutation(Choice::Place, spec.customers),
            order_numbers: permutation(Choice::OrderNumber, spec.orders()),
        })
    }

    /// The specification of the data set.
    pub fn spec(&self) -> &ShopSpec {
        &self.spec
    }

    /// Number of documents of a collection.
    pub fn count(&self, collection: ShopCollection) -> u64 {
        match collection {
            ShopCollection::Customer => self.spec.customers,
            ShopCollection::Orders => self.spec.orders(),
            ShopCollection::Sales => self.zips() * MONTH_COUNT,
        }
    }

    /// The key of a document.
    #[inline(always)]
    pub(super) fn key(&self, collection: ShopCollection, index: u64) -> Text {
        match collection {
            ShopCollection::Sales => {
                let zip = values::zip(index / MONTH_COUNT);
                let month = MONTHS[(index % MONTH_COUNT) as usize];
                Text::new().str(collection.key_prefix()).str(zip.as_str()).str(":").str(month)
            }
            _ => collection.key(index),
        }
    }

    /// The indexes of part `part` of `of`, counted from 1. Parts are contiguous, join to
    /// `0..count`, and differ in size by at most one. A part that does not exist is empty.
    pub fn part(&self, collection: ShopCollection, part: u64, of: u64) -> Range<u64> {
        Part { part, of }.range(0..self.count(collection))
    }

    /// Appends the key of a document, such as `customer:42`.
    ///
    /// # Panics
    /// Where `index` is not below [`ShopData::count`].
    pub fn append_key(&self, collection: ShopCollection, index: u64, out: &mut String) {
        assert!(index < self.count(collection), "{collection} has no key {index}");
        out.push_str(self.key(collection, index).as_str());
    }

    /// The index of the document with this key; `None` for a key that the load does not create.
    pub fn index_of(&self, collection: ShopCollection, key: &str) -> Option<u64> {
        let rest = key.strip_prefix(collection.key_prefix())?;
        let index: u64 = match collection {
            ShopCollection::Sales => {
                let (zip, name) = rest.split_once(':')?;
                let month = MONTHS.iter().position(|month| *month == name)?;
                zip.parse::<u64>().ok()?.checked_mul(MONTH_COUNT)? + month as u64
            }
            _ => rest.parse().ok()?,
        };
        // One number has many texts, of which one is a key.
        (index < self.count(collection) && self.key(collection, index).as_str() == key)
            .then_some(index)
    }

    /// Number of countries.
    pub fn countries(&self) -> u64 {
        self.spec.customers / self.spec.customers_per_country
    }

    /// Number of zip codes.
    pub fn zips(&self) -> u64 {
        self.spec.customers / self.spec.customers_per_zip
    }

    /// Appends the name of a country, counted from 0: the value of address.country.
    pub fn append_country(&self, country: u64, out: &mut String) {
        out.push_str(values::country(country).as_str());
    }

    /// Appends a zip code, counted from 0: the value of address.zip.
    pub fn append_zip(&self, zip: u64, out: &mut String) {
        out.push_str(values::zip(zip).as_str());
    }

    /// The country of a customer.
    pub fn country_of(&self, customer: u64) -> u64 {
        self.places.apply(customer) / self.spec.customers_per_country
    }

    /// The zip code of a customer.
    pub fn zip_of(&self, customer: u64) -> u64 {
        self.places.apply(customer) / self.spec.customers_per_zip
    }

    /// The customers of a country, in no particular order. None where there is no such country.
    pub fn customers_of_country(&self, country: u64) -> impl ExactSizeIterator<Item = u64> + use<> {
        self.customers_of(country, self.countries(), self.spec.customers_per_country)
    }

    /// The customers of a zip code, in no particular order. None where there is no such zip code.
    pub fn customers_of_zip(&self, zip: u64) -> impl ExactSizeIterator<Item = u64> + use<> {
        self.customers_of(zip, self.zips(), self.spec.customers_per_zip)
    }

    /// The customers of the n-th of `of` groups of `size` places.
    fn customers_of(
        &self,
        n: u64,
        of: u64,
        size: u64,
    ) -> impl ExactSizeIterator<Item = u64> + use<> {
        let (places, size) = (self.places, if n < of { size as usize } else { 0 });
        (0..size).map(move |i| places.inverse(n * size as u64 + i as u64))
    }

    /// The orders of a customer, in the order of the customer's order_list.
    pub fn orders_of(&self, customer: u64) -> impl ExactSizeIterator<Item = u64> + use<> {
        let (numbers, each) = (self.order_numbers, self.spec.orders_per_customer);
        (0..each as usize).map(move |n| numbers.apply(customer * each + n as u64))
    }

    /// The customer of an order: the inverse of [`ShopData::orders_of`].
    pub fn customer_of(&self, order: u64) -> u64 {
        self.order_numbers.inverse(order) / self.spec.orders_per_customer
    }

    /// The month of an order, a position in [`MONTHS`]. The numbers of orders per month of a zip
    /// code's customers differ by at most one.
    pub fn month_of(&self, order: u64) -> usize {
        let each = self.spec.orders_per_customer;
        let slot = self.order_numbers.inverse(order);
        let place = self.places.apply(slot / each);
        let (zip, in_zip) =
            (place / self.spec.customers_per_zip, place % self.spec.customers_per_zip);
        let rank = self.months(zip).apply(in_zip * each + slot % each);
        ((rank + zip) % MONTH_COUNT) as usize
    }

    /// The orders of a month by the customers of a zip code, which a JOIN adds up. In no particular
    /// order. None where there is no such zip code or month.
    pub fn orders_of_zip_and_month(
        &self,
        zip: u64,
        month: usize,
    ) -> impl Iterator<Item = u64> + use<> {
        let data = *self;
        let (zips, each) = (self.spec.customers_per_zip, self.spec.orders_per_customer);
        let exists = zip < self.zips() && month < MONTHS.len();
        let end = if exists { zips * each } else { 0 };
        let months = self.months(zip);
        // The inverse of `month_of`: every twelfth rank from the first one of the month.
        let first = (month as u64 + MONTH_COUNT - zip % MONTH_COUNT) % MONTH_COUNT;
        (first..end).step_by(MONTHS.len()).map(move |rank| {
            let in_zip = months.inverse(rank);
            let customer = data.places.inverse(zip * zips + in_zip / each);
            data.order_numbers.apply(customer * each + in_zip % each)
        })
    }

    /// The random permutation behind the months of a zip code's orders.
    fn months(&self, zip: u64) -> Permutation {
        let orders = self.spec.customers_per_zip * self.spec.orders_per_customer;
        Permutation::new(orders, self.root.child(Choice::Month as u64).at(zip))
    }

    /// The random words of one document.
    #[inline(always)]
    pub(super) fn words(&self, collection: ShopCollection, index: u64) -> Stream {
        let choice = match collection {
            ShopCollection::Customer => Choice::Customer,
            ShopCollection::Orders | ShopCollection::Sales => Choice::Order,
        };
        self.root.child(choice as u64).child(index)
    }
}
