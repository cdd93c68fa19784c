//! What the run folders say is on the terminal, on the page and in the tables: all of it, the same
//! everywhere. `./test` leaves the module `on_chromium` out where there is no Chromium.
// Tables of cases, and stories told to their end.
#![allow(clippy::too_many_lines)]

mod compare;
mod configurations;
mod merge;
mod on_chromium;
mod places;
mod plain;
mod policy;
mod prices;
mod read;
mod report;
mod rolled;
mod void;
mod ycsb;
