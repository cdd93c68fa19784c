//! Writes a whole data set into a recycled buffer and counts the bytes:
//! `measure <ch2|ch2pp> <W> [extra fields] [collection]`. Run it under `time` for CPU seconds.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use hoap_ch2::data::{Collection, DataSet, Spec};
use hoap_data::Buffer;

/// Documents of a part: less than a megabyte.
const PART: u64 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = |default: &str| args.next().unwrap_or_else(|| default.to_owned());
    let mut spec = Spec::new(next("ch2pp").parse()?, next("1").parse()?);
    let extra_fields = next("");
    if !extra_fields.is_empty() {
        spec.extra_fields = extra_fields.parse()?;
    }
    let only = next("");
    let data = DataSet::new(spec)?;
    let mut out = Buffer::new();
    let (mut total, start) = (0, Instant::now());
    for collection in Collection::ALL.into_iter().filter(|c| only.is_empty() || c.name() == only) {
        let (mut bytes, start) = (0, Instant::now());
        let parts = data.count(collection).div_ceil(PART);
        for part in 1..=parts {
            out.clear();
            data.append_range(collection, data.part(collection, part, parts), b"\n", &mut out);
            bytes += out.len();
        }
        print(collection.name(), bytes, start);
        total += bytes;
    }
    print("total", total, start);
    Ok(())
}

fn print(what: &str, bytes: usize, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    println!("{what:<10} {bytes:>12} bytes {:>8.0} MB/s", bytes as f64 / seconds / 1e6);
}
