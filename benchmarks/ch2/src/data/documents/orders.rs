//! Orders with their lines, and the neworder documents of undelivered orders.

use hoap_data::random::Stream;
use hoap_data::writer::{ExtraField, Field, Writer};
use hoap_data::{DAY_MICROS, Timestamp, field};

use super::UNIT;
use super::text::{extra_fields, letters};
use crate::data::DataSet;
use crate::data::collection::{Collection, Ids};

// Words of an order.
const SCALARS: u64 = 0;
const LINES: u64 = 16;
/// Words of one line.
const LINE_WORDS: u64 = 8;
const LINE_DELIVERY: u64 = 1;
const LINE_DIST_INFO: u64 = 2;

// The following values differ from the table ORDER-LINE of TPC-C 4.3.3.1 (specification, section 3;
// `docs/benchmarks.md` compares the two).

/// Largest quantity of a line; the smallest is one. TPC-C: 5 in every line.
const MAX_QUANTITY: u64 = 50;
/// Largest amount of a line in cents; the smallest is one. TPC-C: 9,999.99, and only undelivered
/// lines have amounts.
const MAX_AMOUNT: u64 = 5000 * UNIT as u64;
/// Every fifth delivered order has amounts, the others have 0.00. TPC-C: all have 0.00.
const ORDERS_WITH_AMOUNT: u32 = 5;
/// Days from the entry of an order to the delivery of its lines. TPC-C: 0, OL_DELIVERY_D is
/// O_ENTRY_D.
const DELIVERY_DAYS: (i64, i64) = (2, 151);

static EXTRA: [ExtraField; 128] = ExtraField::all(b'o');

/// The values that the lines of an order share.
struct Order {
    words: Stream,
    id: u32,
    delivered: bool,
    lines: u64,
    carrier: u64,
}

/// The numbers of one line.
struct Line {
    item: u64,
    quantity: u64,
    /// In cents.
    amount: i64,
}

impl Order {
    #[inline(always)]
    fn new(data: &DataSet, ids: Ids) -> Order {
        let words = data.words(Collection::Orders, ids);
        let mut draws = words.draws(SCALARS);
        let (lines, carrier) = (draws.within(5, 15), draws.within(1, 10));
        let [.., id] = ids;
        Order { words, id, delivered: id <= data.delivered_per_district(), lines, carrier }
    }

    /// The words of a line, counted from 0.
    #[inline(always)]
    fn line_words(&self, line: u64) -> Stream {
        self.words.skip(LINES + line * LINE_WORDS)
    }

    #[inline(always)]
    fn line(&self, data: &DataSet, line: u64) -> Line {
        let mut draws = self.line_words(line).draws(0);
        let item = draws.within(1, data.items().into());
        let quantity = draws.within(1, MAX_QUANTITY);
        let amount = draws.within(1, MAX_AMOUNT) as i64;
        let free = self.delivered && !self.id.is_multiple_of(ORDERS_WITH_AMOUNT);
        Line { item, quantity, amount: if free { 0 } else { amount } }
    }

    #[inline(always)]
    fn delivery(&self, entry: Timestamp, line: u64) -> Timestamp {
        let (first, last) = DELIVERY_DAYS;
        let values = ((last - first) * DAY_MICROS) as u64 + 1;
        let after = self.line_words(line).draws(LINE_DELIVERY).below(values) as i64;
        entry.add_micros(first * DAY_MICROS + after)
    }
}

impl DataSet {
    #[inline(always)]
    pub(crate) fn order<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [warehouse, district, id] = ids;
        let order = Order::new(self, ids);
        let customer = self.choices().customer_of_order(ids);
        let entry = self.customer_since([warehouse, district, customer]);
        w.begin_object(Field::ELEMENT);
        w.int(field!("o_id"), id.into());
        w.int(field!("o_c_id"), customer.into());
        w.int(field!("o_d_id"), district.into());
        w.int(field!("o_w_id"), warehouse.into());
        if order.delivered {
            w.int(field!("o_carrier_id"), order.carrier);
        } else {
            w.null(field!("o_carrier_id"));
        }
        w.int(field!("o_ol_cnt"), order.lines);
        w.int(field!("o_all_local"), 1);
        w.timestamp(field!("o_entry_d"), entry);
        extra_fields(w, &EXTRA, order.words, self.spec().extra_fields.orders);
        w.begin_array(field!("o_orderline"));
        for number in 0..order.lines {
            let line = order.line(self, number);
            w.begin_object(Field::ELEMENT);
            w.int(field!("ol_number"), number + 1);
            w.int(field!("ol_i_id"), line.item);
            w.int(field!("ol_supply_w_id"), warehouse.into());
            if order.delivered {
                w.timestamp(field!("ol_delivery_d"), order.delivery(entry, number));
            } else {
                w.null(field!("ol_delivery_d"));
            }
            w.int(field!("ol_quantity"), line.quantity);
            w.cents(field!("ol_amount"), line.amount);
            let dist_info = order.line_words(number).skip(LINE_DIST_INFO);
            letters::<24, _>(w, field!("ol_dist_info"), dist_info, 24);
            w.end_object();
        }
        w.end_array();
        w.end_object();
    }

    #[inline(always)]
    pub(crate) fn neworder<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [warehouse, district, order] = ids.map(u64::from);
        w.begin_object(Field::ELEMENT);
        w.int(field!("no_o_id"), order);
        w.int(field!("no_d_id"), district);
        w.int(field!("no_w_id"), warehouse);
        w.end_object();
    }

    /// Sum of the amounts that the load delivers to the customer with this index, in cents.
    pub fn delivered_at_load(&self, customer: u64) -> i64 {
        self.delivered_to_customer(self.ids(Collection::Customer, customer))
    }

    /// Sum of the delivered amounts of a customer, in cents: the delivered part of c_balance.
    /// TPC-C's consistency condition 3.3.2.10 therefore holds right after the load.
    #[inline(always)]
    pub(super) fn delivered_to_customer(&self, ids: Ids) -> i64 {
        let [warehouse, district, _] = ids;
        let id = self.choices().order_of_customer(ids);
        if id > self.delivered_per_district() || !id.is_multiple_of(ORDERS_WITH_AMOUNT) {
            return 0;
        }
        let order = Order::new(self, [warehouse, district, id]);
        (0..order.lines).map(|number| order.line(self, number).amount).sum()
    }
}
