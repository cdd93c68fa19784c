//! How much data a load writes, known before it begins.

use std::time::{Duration, Instant};

use hoap_data::Part;
use hoap_workload::load::LoadSource;

/// How much data there is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Documents.
    pub documents: u64,
    /// About how many bytes they are as JSON.
    pub bytes: u64,
    /// About how many write units they are where a unit is a kilobyte that a document begins.
    pub write_units: u64,
    /// About how long one core takes to make them.
    pub making: Duration,
}

impl Size {
    /// The size of a part of these documents: some of each collection are made.
    pub fn of(source: &dyn LoadSource, part: Part) -> Size {
        const MADE: u64 = 500;
        let mut size = Size::default();
        let (mut key, mut text) = (String::new(), Vec::new());
        for at in 0..source.collections().len() {
            let all = source.part(at, part.part, part.of);
            let count = all.end - all.start;
            let made = count.min(MADE);
            text.clear();
            let mut units = 0;
            let begun = Instant::now();
            for n in 0..made {
                let before = text.len();
                source.append(at, all.start + count / made * n, &mut key, &mut text);
                units += (text.len() - before).div_ceil(1024);
            }
            let times = count as f64 / made.max(1) as f64;
            size.making += begun.elapsed().mul_f64(times);
            size.documents += count;
            size.bytes += (text.len() as f64 * times) as u64;
            size.write_units += (units as f64 * times) as u64;
        }
        size
    }
}
