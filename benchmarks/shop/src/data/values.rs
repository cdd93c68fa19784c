//! Values that documents share: months, countries, zip codes, names.

use hoap_data::{NATIONS, REGIONS};

use super::text::Text;

/// Names of the months, January first.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of the days of the week; 1970-01-01 was the first.
pub(super) const WEEKDAYS: [&str; 7] =
    ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// Name of country `n`: the nations in turn, with a number from 2 on where they repeat.
#[inline]
pub(super) fn country(n: u64) -> Text {
    let nations = NATIONS.len() as u64;
    let name = Text::new().str(NATIONS[(n % nations) as usize].0);
    match n / nations {
        0 => name,
        round => name.str(" ").number(round + 1),
    }
}

/// Region of country `n`.
#[inline]
pub(super) fn geo_region(n: u64) -> &'static str {
    let nation = NATIONS[(n % NATIONS.len() as u64) as usize];
    REGIONS[nation.2 as usize]
}

/// Zip code `n`: five digits, more from 100,000 on.
#[inline]
pub(super) fn zip(n: u64) -> Text {
    let zeros = ["0000", "000", "00", "0", ""];
    let digits = super::text::digits(n);
    Text::new().str(zeros[digits.min(5) - 1]).number(n)
}

pub(super) const FIRST_NAMES: [[&str; 16]; 2] = [
    [
        "Ada", "Bella", "Clara", "Dora", "Elena", "Fatima", "Grace", "Hanna", "Ines", "Julia",
        "Karin", "Leila", "Maria", "Nadia", "Olga", "Priya",
    ],
    [
        "Adam", "Boris", "Carlos", "David", "Emil", "Felix", "Georg", "Hugo", "Ivan", "Jorge",
        "Karim", "Lukas", "Marco", "Nikhil", "Omar", "Pedro",
    ],
];

/// Genders, in the order of [`FIRST_NAMES`].
pub(super) const GENDERS: [&str; 2] = ["female", "male"];

pub(super) const LAST_NAMES: [&str; 32] = [
    "Adams", "Baker", "Castro", "Dubois", "Evans", "Fischer", "Garcia", "Hansen", "Ito", "Jensen",
    "Kumar", "Lopez", "Meyer", "Novak", "Okafor", "Petrov", "Quinn", "Rossi", "Silva", "Tanaka",
    "Usman", "Vargas", "Weber", "Xu", "Yilmaz", "Zhang", "Bauer", "Costa", "Haddad", "Kowalski",
    "Moreau", "Santos",
];

pub(super) const CITY_HEADS: [&str; 16] = [
    "Ash", "Bay", "Clear", "Deer", "East", "Fair", "Glen", "High", "Iron", "King", "Lake", "Maple",
    "North", "Oak", "River", "Stone",
];

pub(super) const CITY_TAILS: [&str; 16] = [
    "bridge", "brook", "bury", "dale", "field", "ford", "gate", "ham", "haven", "hill", "mont",
    "port", "ton", "view", "ville", "wood",
];

pub(super) const STREETS: [&str; 16] = [
    "Cedar Street",
    "Church Road",
    "Elm Street",
    "Garden Lane",
    "Hill Road",
    "Lake Avenue",
    "Main Street",
    "Market Square",
    "Mill Lane",
    "Oak Avenue",
    "Park Avenue",
    "Pine Street",
    "School Road",
    "Station Road",
    "Sunset Drive",
    "Water Street",
];

pub(super) const DEPARTMENTS: [&str; 16] = [
    "Appliances",
    "Automotive",
    "Baby",
    "Beauty",
    "Books",
    "Clothing",
    "Electronics",
    "Garden",
    "Grocery",
    "Health",
    "Jewelry",
    "Kitchen",
    "Music",
    "Office",
    "Sports",
    "Toys",
];

pub(super) const PRODUCT_QUALITIES: [&str; 16] = [
    "Basic", "Bright", "Classic", "Compact", "Deluxe", "Durable", "Elegant", "Folding", "Handmade",
    "Light", "Modern", "Portable", "Premium", "Quiet", "Smart", "Sturdy",
];

pub(super) const PRODUCTS: [&str; 16] = [
    "Backpack", "Blanket", "Camera", "Chair", "Clock", "Desk", "Guitar", "Helmet", "Kettle",
    "Lamp", "Mirror", "Notebook", "Radio", "Scarf", "Table", "Umbrella",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of countries and zip codes differ, also beyond the nations and beyond five digits.
    #[test]
    fn values_differ() {
        let mut countries: Vec<String> = (0..2000).map(|n| country(n).as_str().into()).collect();
        let mut zips: Vec<String> = (0..120_000).map(|n| zip(n).as_str().into()).collect();
        assert_eq!((countries[0].as_str(), countries[62].as_str()), ("Algeria", "Algeria 2"));
        assert_eq!(
            [0, 7, 99_999, 100_000].map(|n| zips[n].as_str()),
            ["00000", "00007", "99999", "100000"]
        );
        for values in [&mut countries, &mut zips] {
            let count = values.len();
            values.sort();
            values.dedup();
            assert_eq!(values.len(), count);
        }
    }
}
