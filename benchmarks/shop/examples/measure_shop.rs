//! Writes all customers and orders into a recycled buffer and counts the bytes:
//! `measure_shop <customers> [orders per customer]`. Run it under `time` for CPU seconds.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use hoap_shop::data::{ShopCollection, ShopData, ShopSpec};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut spec = ShopSpec::new(args.next().as_deref().unwrap_or("200000").parse()?);
    if let Some(each) = args.next() {
        spec.orders_per_customer = each.parse()?;
    }
    let data = ShopData::new(spec)?;
    let mut out = Vec::new();
    for collection in ShopCollection::ALL {
        let (mut bytes, start) = (0, Instant::now());
        for index in 0..data.count(collection) {
            data.append(collection, index, &mut out);
            if out.len() > 1 << 18 {
                bytes += out.len();
                out.clear();
            }
        }
        bytes += std::mem::take(&mut out).len();
        let rate = bytes as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!("{collection:<13} {bytes:>12} bytes {rate:>8.0} MB/s");
    }
    Ok(())
}
