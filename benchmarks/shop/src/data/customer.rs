//! Customers.

use hoap_data::random::{Draws, Stream};
use hoap_data::writer::{Field, Writer};
use hoap_data::{Date, Timestamp, field};

use super::collection::ShopCollection;
use super::dataset::ShopData;
use super::text::Text;
use super::values::{
    self, CITY_HEADS, CITY_TAILS, FIRST_NAMES, GENDERS, LAST_NAMES, STREETS, geo_region,
};

// Words of a customer. Nested parts have streams of their own.
const NAME: u64 = 0;
const SCALARS: u64 = 1;
const PHONE: u64 = 2;
const URL: u64 = 4;
const DEVICES: u64 = 6;
const LINKED_DEVICES: u64 = 7;
const ADDRESS: u64 = 8;
const PREVIOUS: u64 = 9;
const CHILDREN: u64 = 10;
const PLACES: u64 = 11;
const SCORES: u64 = 12;
const PADDING: u64 = 13;

/// The most devices, lists of linked devices, children and visited places.
const MOST: Most = Most { devices: 4, lists: 3, linked: 3, children: 3, places: 4, cities: 3 };

struct Most {
    devices: u64,
    lists: u64,
    linked: u64,
    children: u64,
    places: u64,
    cities: u64,
}

const DEVICE_LEN: usize = 16;
const URL_LEN: usize = 12;
/// Digits of a phone number after the plus.
const PHONE_LEN: usize = 12;

impl ShopData {
    /// Writes a customer without its padding and its end, and returns the words for the padding.
    #[inline]
    pub(super) fn customer<W: Writer>(&self, number: u64, w: &mut W) -> Stream {
        let words = self.words(ShopCollection::Customer, number);
        let name = Name::new(words.draws(NAME));
        let mut draws = words.draws(SCALARS);
        let balance = draws.within(0, 1_100_000) as i64 - 100_000;
        let age = draws.within(18, 89);
        let born = Date::RUN_DATE.add_years(-(age as i32)).add_days(-(draws.below(365) as i64));
        let mut scores = words.draws(SCORES);
        let (linear, weighted) = (scores.below(1001), scores.below(10_001));
        let active = scores.below(10) != 0;

        w.begin_object(Field::ELEMENT);
        ShopCollection::Customer.key(number).write(field!("_id"), w);
        name.write(w);
        w.cents(field!("balance_current"), balance);
        w.text(field!("dob"), 10, |out| {
            out[..10].copy_from_slice(&Timestamp::from(born).to_bytes()[..10]);
        });
        let email = Text::new().str(name.first).str(".").str(name.last).number(number).lower_case();
        email.str("@example.com").write(field!("email"), w);
        w.bool(field!("is_active"), active);
        w.int(field!("linear_score"), linear);
        w.ratio(field!("weighted_score"), weighted as u32);
        phone(words.skip(PHONE), w);
        let group = age / 10 * 10;
        let decade = Text::new().number(group).str("-").number(group + 9);
        decade.write(field!("age_group"), w);
        w.int(field!("age_by_group"), age - group);
        url(words.skip(URL), w);
        w.begin_array(field!("devices"));
        devices(words.child(DEVICES), MOST.devices, w);
        w.end_array();
        linked_devices(words.child(LINKED_DEVICES), w);
        self.address(number, words, w);
        children(words.child(CHILDREN), w);
        self.visited_places(words.child(PLACES), w);
        if self.spec().embedded {
            w.begin_array(field!("orders"));
            for order in self.orders_of(number) {
                self.order(order, w);
                w.end_object();
            }
        } else {
            w.begin_array(field!("order_list"));
            for order in self.orders_of(number) {
                ShopCollection::Orders.key(order).write(Field::ELEMENT, w);
            }
        }
        w.end_array();
        words.skip(PADDING)
    }

    #[inline(always)]
    fn address<W: Writer>(&self, number: u64, words: Stream, w: &mut W) {
        let country = self.country_of(number);
        w.begin_object(field!("address"));
        street_and_city(words.draws(ADDRESS), w);
        values::zip(self.zip_of(number)).write(field!("zip"), w);
        values::country(country).write(field!("country"), w);
        w.str(field!("geo_region"), geo_region(country));
        let words = words.child(PREVIOUS);
        w.begin_object(field!("prev_address"));
        street_and_city(words.draws(0), w);
        let zip = words.draws(1).below(self.zips());
        let country = zip * self.spec().customers_per_zip / self.spec().customers_per_country;
        values::zip(zip).write(field!("zip"), w);
        values::country(country).write(field!("country"), w);
        w.begin_object(field!("property_current_owner"));
        Name::new(words.draws(2)).write(w);
        phone(words.skip(3), w);
        for _ in 0..3 {
            w.end_object();
        }
    }

    #[inline(always)]
    fn visited_places<W: Writer>(&self, words: Stream, w: &mut W) {
        w.begin_array(field!("visited_places"));
        for place in 0..words.draws(0).within(1, MOST.places) {
            let country = words.draws(1 + 2 * place).below(self.countries());
            let mut draws = words.draws(2 + 2 * place);
            w.begin_object(Field::ELEMENT);
            values::country(country).write(field!("country"), w);
            w.begin_array(field!("cities"));
            for _ in 0..draws.within(1, MOST.cities) {
                city(&mut draws).write(Field::ELEMENT, w);
            }
            w.end_array();
            w.end_object();
        }
        w.end_array();
    }
}

#[inline(always)]
fn pick<const N: usize>(from: &[&'static str; N], draws: &mut Draws) -> &'static str {
    from[draws.below(N as u64) as usize]
}

/// A person's name.
struct Name {
    first: &'static str,
    middle: &'static str,
    last: &'static str,
}

impl Name {
    #[inline(always)]
    fn new(mut draws: Draws) -> Name {
        let given = &FIRST_NAMES[draws.below(2) as usize];
        Name {
            first: pick(given, &mut draws),
            middle: pick(given, &mut draws),
            last: pick(&LAST_NAMES, &mut draws),
        }
    }

    #[inline(always)]
    fn write<W: Writer>(&self, w: &mut W) {
        w.str(field!("first_name"), self.first);
        w.str(field!("middle_name"), self.middle);
        w.str(field!("last_name"), self.last);
    }
}

/// Uses two words.
#[inline(always)]
fn phone<W: Writer>(mut words: Stream, w: &mut W) {
    w.text(field!("phone"), 1 + PHONE_LEN, |out| {
        out[0] = b'+';
        words.digits(&mut out[1..1 + PHONE_LEN]);
    });
}

/// Uses two words.
#[inline(always)]
fn url<W: Writer>(mut words: Stream, w: &mut W) {
    const SITE: &[u8] = b"https://example.com/";
    w.text(field!("url"), SITE.len() + URL_LEN, |out| {
        let (site, path) = out.split_at_mut(SITE.len());
        site.copy_from_slice(SITE);
        words.letters(&mut path[..URL_LEN]);
    });
}

/// One to `most` devices.
#[inline(always)]
fn devices<W: Writer>(words: Stream, most: u64, w: &mut W) {
    let count = words.draws(0).within(1, most);
    let mut words = words.skip(1);
    for _ in 0..count {
        w.text(Field::ELEMENT, DEVICE_LEN, |out| words.alphanumerics(&mut out[..DEVICE_LEN]));
    }
}

#[inline(always)]
fn linked_devices<W: Writer>(words: Stream, w: &mut W) {
    w.begin_array(field!("linked_devices"));
    for list in 0..words.draws(0).within(1, MOST.lists) {
        w.begin_array(Field::ELEMENT);
        devices(words.child(1 + list), MOST.linked, w);
        w.end_array();
    }
    w.end_array();
}

#[inline(always)]
fn street_and_city<W: Writer>(mut draws: Draws, w: &mut W) {
    let street = Text::new().number(draws.within(1, 999)).str(" ").str(pick(&STREETS, &mut draws));
    street.write(field!("street"), w);
    city(&mut draws).write(field!("city"), w);
}

#[inline(always)]
fn city(draws: &mut Draws) -> Text {
    Text::new().str(pick(&CITY_HEADS, draws)).str(pick(&CITY_TAILS, draws))
}

#[inline(always)]
fn children<W: Writer>(words: Stream, w: &mut W) {
    w.begin_array(field!("children"));
    for child in 0..words.draws(0).within(0, MOST.children) {
        let mut draws = words.draws(1 + child);
        let gender = draws.below(2) as usize;
        w.begin_object(Field::ELEMENT);
        w.str(field!("first_name"), pick(&FIRST_NAMES[gender], &mut draws));
        w.str(field!("gender"), GENDERS[gender]);
        w.int(field!("age"), draws.below(18));
        w.end_object();
    }
    w.end_array();
}
