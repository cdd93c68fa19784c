//! Orders, and the joining table of their prices.

use hoap_data::date::days_in_month;
use hoap_data::random::Stream;
use hoap_data::writer::{Field, Writer};
use hoap_data::{Date, field};

use super::collection::ShopCollection;
use super::dataset::{MONTH_COUNT, ShopData};
use super::text::Text;
use super::values::{self, DEPARTMENTS, MONTHS, PRODUCT_QUALITIES, PRODUCTS, WEEKDAYS};

// Words of an order.
const DAY: u64 = 0;
const PRICE: u64 = 1;
const PRODUCT: u64 = 2;
const COUPON: u64 = 3;
const PADDING: u64 = 4;

/// The years of orders: the three before the RUN_DATE of the published runs.
const YEARS: (u64, u64) = (2018, 2020);

/// Characters of a coupon.
const COUPON_LEN: usize = 8;

/// The prices of an order. List prices are multiples of 20 cents and discounts of 5 %, so the
/// discount is a whole number of cents and sale_price is exact.
struct Price {
    /// Cents.
    list: i64,
    discount_percent: i64,
    tax_percent: i64,
}

impl Price {
    #[inline(always)]
    fn new(words: Stream) -> Price {
        let mut draws = words.draws(PRICE);
        Price {
            list: 20 * draws.within(5, 50_000) as i64,
            discount_percent: 5 * draws.below(11) as i64,
            tax_percent: draws.below(21) as i64,
        }
    }

    /// The list price minus the discount, in cents.
    #[inline(always)]
    fn sale(&self) -> i64 {
        self.list - self.list * self.discount_percent / 100
    }

    /// In cents, half a cent rounded up.
    #[inline(always)]
    fn tax(&self) -> i64 {
        (self.sale() * self.tax_percent + 50) / 100
    }
}

impl ShopData {
    /// The sale_price of an order in cents.
    pub fn sale_cents(&self, order: u64) -> i64 {
        Price::new(self.words(ShopCollection::Orders, order)).sale()
    }

    /// The sum of sale_price, in cents, that a JOIN over this zip code and month answers; `None`
    /// where no order qualifies and the answer has no row.
    pub fn join_cents(&self, zip: u64, month: usize) -> Option<i64> {
        let prices = self.orders_of_zip_and_month(zip, month).map(|order| self.sale_cents(order));
        prices.reduce(|sum, price| sum + price)
    }

    /// Writes an order without its padding and its end, and returns the words for the padding.
    #[inline]
    pub(super) fn order<W: Writer>(&self, number: u64, w: &mut W) -> Stream {
        let words = self.words(ShopCollection::Orders, number);
        let month = self.month_of(number);
        let mut draws = words.draws(DAY);
        let year = draws.within(YEARS.0, YEARS.1);
        let day = 1 + draws.below(days_in_month(year as i32, month as u32 + 1).into());
        let quantity = draws.within(1, 10);
        let price = Price::new(words);
        w.begin_object(Field::ELEMENT);
        ShopCollection::Orders.key(number).write(field!("_id"), w);
        ShopCollection::Customer.key(self.customer_of(number)).write(field!("customer_id"), w);
        w.int(field!("year"), year);
        w.str(field!("month"), MONTHS[month]);
        w.int(field!("day"), day);
        w.str(field!("weekday"), weekday(year, month, day));
        w.int(field!("quantity"), quantity);
        w.cents(field!("list_price"), price.list);
        w.int(field!("discount_amount_percent"), price.discount_percent as u64);
        w.cents(field!("sale_price"), price.sale());
        w.cents(field!("tax"), price.tax());
        w.text(field!("coupon"), COUPON_LEN, |out| {
            words.skip(COUPON).alphanumerics(&mut out[..COUPON_LEN]);
        });
        let mut draws = words.draws(PRODUCT);
        let mut pick = |from: &[&'static str; 16]| from[draws.below(16) as usize];
        w.str(field!("department"), pick(&DEPARTMENTS));
        let name = Text::new().str(pick(&PRODUCT_QUALITIES)).str(" ").str(pick(&PRODUCTS));
        name.write(field!("product_name"), w);
        words.skip(PADDING)
    }

    /// Writes a document of the joining table without its end: key and price of the orders of a
    /// zip code and month.
    pub(super) fn sales<W: Writer>(&self, index: u64, w: &mut W) {
        let (zip, month) = (index / MONTH_COUNT, (index % MONTH_COUNT) as usize);
        w.begin_object(Field::ELEMENT);
        self.key(ShopCollection::Sales, index).write(field!("_id"), w);
        values::zip(zip).write(field!("zip"), w);
        w.str(field!("month"), MONTHS[month]);
        w.begin_array(field!("orders"));
        for order in self.orders_of_zip_and_month(zip, month) {
            w.begin_object(Field::ELEMENT);
            ShopCollection::Orders.key(order).write(field!("_id"), w);
            w.cents(field!("sale_price"), self.sale_cents(order));
            w.end_object();
        }
        w.end_array();
    }

    /// Bytes of the longest document of the joining table.
    pub(super) fn longest_sales(&self) -> usize {
        /// Key, zip code and month, and the brackets.
        const FIXED: usize = 150;
        /// `{"_id":"order:","sale_price":10000.00},` and the digits of twelve.
        const ORDER: usize = 60;
        let orders = self.spec().customers_per_zip * self.spec().orders_per_customer;
        FIXED + orders.div_ceil(MONTH_COUNT) as usize * ORDER
    }
}

/// Name of the day of the week; `month` from 0.
#[inline(always)]
fn weekday(year: u64, month: usize, day: u64) -> &'static str {
    let date = Date::new(year as i32, month as u32 + 1, day as u32);
    let days = date.map_or(0, Date::days_since_1970);
    WEEKDAYS[days.rem_euclid(7) as usize]
}
