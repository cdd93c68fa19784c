//! What the command line lists.

use hoap_conduct::data::{DataEntry, DataLine};
use hoap_conduct::offer::BenchmarkLine;
use hoap_conduct::registry::{Benchmark, Entry};
use hoap_database::shop::{CUSTOMERS, ORDERS};

use crate::answers::{JOINS, PAGES};
use crate::documents::ShopFlags;
use crate::run::{JoinFlags, PaginationFlags};

/// Pagination and JOIN.
pub static BENCHMARK: Benchmark = Benchmark { data: &DATA, runs: &RUNS };

static DATA: [&dyn DataEntry; 1] = [&DataLine::<ShopFlags> {
    name: "shop",
    about: "The customers and orders of Pagination and JOIN",
    collections: &[CUSTOMERS, ORDERS],
    variant: (),
}];

static RUNS: [&dyn Entry; 2] = [
    &BenchmarkLine::<PaginationFlags> {
        name: "pagination",
        about: "Pages of customers of a country",
        variant: (),
        questions: Some(&PAGES),
    },
    &BenchmarkLine::<JoinFlags> {
        name: "join",
        about: "Sales of a zip code's customers in a month",
        variant: (),
        questions: Some(&JOINS),
    },
];
