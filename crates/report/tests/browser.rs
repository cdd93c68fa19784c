//! The page in a real browser. `./test` leaves the module `on_chromium` out where there is no Chromium.

mod common;

#[path = "browser/on_chromium.rs"]
mod on_chromium;
#[path = "browser/policy.rs"]
mod policy;
