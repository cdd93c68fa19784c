//! The page in a real browser. `./test` leaves the module `on_chromium` out where there is no
//! Chromium.

mod on_chromium;
mod policy;
