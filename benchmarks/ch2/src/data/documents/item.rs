//! Items and their stocks.

use hoap_data::field;
use hoap_data::writer::{ExtraField, Field, Writer};

use super::UNIT;
use super::text::{categories, data, extra_fields, fill_letters, letters};
use crate::data::collection::{Collection, Ids};
use crate::data::{DataSet, Schema};

// Words of an item.
const SCALARS: u64 = 0;
const ITEM_DATA_DRAWS: u64 = 1;
const NAME: u64 = 4;
const ITEM_DATA: u64 = 16;

// Words of a stock, after its scalars.
const STOCK_DATA_DRAWS: u64 = 1;
const STOCK_DATA: u64 = 2;
const DISTS: u64 = 16;
/// Letters of one s_dist, three words.
const DIST_LEN: usize = 24;

/// Least and largest s_order_cnt (specification, section 3). TPC-C 4.3.3.1: 0 in every stock.
const ORDER_COUNT: (u64, u64) = (10, 3000);
/// One in this many orders of a stock is remote, rounded down, where there is more than one
/// warehouse (specification, section 3). TPC-C 4.3.3.1: s_remote_cnt is 0 in every stock.
const ORDERS_PER_REMOTE: u64 = 10;

static EXTRA: [ExtraField; 128] = ExtraField::all(b'i');

/// The flat names of the ten s_dist fields in CH2.
const DIST_FIELDS: [Field; 10] = [
    field!("s_dist_01"),
    field!("s_dist_02"),
    field!("s_dist_03"),
    field!("s_dist_04"),
    field!("s_dist_05"),
    field!("s_dist_06"),
    field!("s_dist_07"),
    field!("s_dist_08"),
    field!("s_dist_09"),
    field!("s_dist_10"),
];

/// The numbers of a stock that NewOrder changes (TPC-C 2.4.2.2), except s_ytd, which is loaded as
/// 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StockNumbers {
    /// s_quantity.
    pub quantity: u64,
    /// s_order_cnt.
    pub orders: u64,
    /// s_remote_cnt.
    pub remote: u64,
}

impl DataSet {
    /// The loaded numbers of the stock of an item in a warehouse.
    #[inline]
    pub fn stock_numbers(&self, warehouse: u32, item: u32) -> StockNumbers {
        let words = self.words(Collection::Stock, [0, warehouse, item]);
        let mut draws = words.draws(SCALARS);
        let quantity = draws.within(10, 100);
        let orders = draws.within(ORDER_COUNT.0, ORDER_COUNT.1);
        let remote = if self.spec().warehouses == 1 { 0 } else { orders / ORDERS_PER_REMOTE };
        StockNumbers { quantity, orders, remote }
    }

    #[inline(always)]
    pub(crate) fn item<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [.., id] = ids;
        let words = self.words(Collection::Item, ids);
        let mut draws = words.draws(SCALARS);
        let price = draws.within(UNIT as u64, 100 * UNIT as u64) as i64;
        let image = draws.within(1, 10_000);
        let name_len = draws.within(14, 24);
        w.begin_object(Field::ELEMENT);
        w.int(field!("i_id"), id.into());
        letters::<24, _>(w, field!("i_name"), words.skip(NAME), name_len);
        w.cents(field!("i_price"), price);
        extra_fields(w, &EXTRA, words, self.spec().extra_fields.item);
        if self.spec().schema == Schema::Ch2pp {
            categories(w, field!("i_categories"), words, 1, 3);
        }
        let original = self.choices().original_item(id);
        data(w, field!("i_data"), words.skip(ITEM_DATA), words.draws(ITEM_DATA_DRAWS), original);
        w.int(field!("i_im_id"), image);
        w.end_object();
    }

    #[inline(always)]
    pub(crate) fn stock<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [_, warehouse, item] = ids;
        let words = self.words(Collection::Stock, ids);
        let StockNumbers { quantity, orders, remote } = self.stock_numbers(warehouse, item);
        w.begin_object(Field::ELEMENT);
        w.int(field!("s_i_id"), item.into());
        w.int(field!("s_w_id"), warehouse.into());
        w.int(field!("s_quantity"), quantity);
        w.int(field!("s_ytd"), 0);
        w.int(field!("s_order_cnt"), orders);
        w.int(field!("s_remote_cnt"), remote);
        let original = self.choices().original_stock(warehouse, item);
        data(w, field!("s_data"), words.skip(STOCK_DATA), words.draws(STOCK_DATA_DRAWS), original);
        let mut dists = [0; DIST_FIELDS.len() * DIST_LEN];
        fill_letters::<{ DIST_FIELDS.len() * DIST_LEN }>(words.skip(DISTS), &mut dists);
        let (dists, _) = dists.as_chunks::<DIST_LEN>();
        if self.spec().schema == Schema::Ch2pp {
            w.begin_array(field!("s_dists"));
            for dist in dists {
                w.text(Field::ELEMENT, DIST_LEN, |out| out[..DIST_LEN].copy_from_slice(dist));
            }
            w.end_array();
        } else {
            for (field, dist) in DIST_FIELDS.into_iter().zip(dists) {
                w.text(field, DIST_LEN, |out| out[..DIST_LEN].copy_from_slice(dist));
            }
        }
        w.end_object();
    }
}
