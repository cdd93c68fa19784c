//! Non-uniform random numbers (TPC-C 2.1.6).

use hoap_data::random::Stream;
use serde::{Deserialize, Serialize};

/// The constants C of a run and of the load before it (TPC-C 2.1.6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constants {
    /// C for customer last names at the load.
    pub c_last_load: u32,
    /// C for customer last names in this run.
    pub c_last_run: u32,
    /// C for customer ids.
    pub c_id: u32,
    /// C for item ids.
    pub ol_i_id: u32,
}

impl Constants {
    /// Draws the constants of a run. The distance between the two constants for last names lies in
    /// 65…119 and is neither 96 nor 112 (TPC-C 2.1.6.1).
    pub fn draw(c_last_load: u32, random: &mut Stream) -> Self {
        let allowed: Vec<u32> = (0..=255).filter(|&c| fits(c_last_load, c)).collect();
        let pick = random.uniform(0..=allowed.len() as i64 - 1) as usize;
        Constants {
            c_last_load,
            c_last_run: allowed[pick],
            c_id: random.uniform(0..=1023) as u32,
            ol_i_id: random.uniform(0..=8191) as u32,
        }
    }
}

/// Whether TPC-C 2.1.6.1 allows these constants for load and run.
pub fn fits(load: u32, run: u32) -> bool {
    let delta = load.abs_diff(run);
    (65..=119).contains(&delta) && delta != 96 && delta != 112
}

/// NURand(A, x, y) of TPC-C 2.1.6 with constant `c`.
pub fn nurand(random: &mut Stream, a: u32, c: u32, x: u32, y: u32) -> u32 {
    let first = random.uniform(0..=i64::from(a)) as u32;
    let second = random.uniform(i64::from(x)..=i64::from(y)) as u32;
    (((first | second) + c) % (y - x + 1)) + x
}

/// The probability of each value of NURand(A, 1, n), from 1 on. `a` is a power of two minus one
/// (TPC-C 2.1.6).
pub fn probabilities(a: u32, c: u32, n: u32) -> Vec<f64> {
    // Within a block of equal high bits, `s | first` is t with probability 2^-(free bits of s) for
    // every t that contains s: a sum over subsets.
    let x = 1;
    let (block, bits) = (a as usize + 1, a.count_ones());
    let mut values = vec![0.0; n as usize];
    let mut start = x as usize & !(a as usize);
    let mut chance = vec![0.0; block];
    while start < (x + n) as usize {
        for (low, chance) in chance.iter_mut().enumerate() {
            let there = ((x as usize)..(x + n) as usize).contains(&(start + low));
            let free = bits - (low as u32).count_ones();
            *chance = if there { 1.0 / (f64::from(n) * 2f64.powi(free as i32)) } else { 0.0 };
        }
        for bit in 0..bits {
            for low in 0..block {
                if low >> bit & 1 == 1 {
                    chance[low] += chance[low ^ (1 << bit)];
                }
            }
        }
        for (low, chance) in chance.iter().enumerate() {
            values[(start + low + c as usize) % n as usize] += chance;
        }
        start += block;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compared with all pairs of draws, in ranges that are whole blocks and others.
    #[test]
    fn the_probabilities_are_those_of_all_pairs() {
        for (a, c, n) in [(15, 7, 50), (15, 0, 9), (7, 3, 16), (31, 100, 30), (1, 1, 1)] {
            let mut pairs = vec![0.0; n as usize];
            for first in 0..=a {
                for second in 1..=n {
                    let value = ((first | second) + c) % n;
                    pairs[value as usize] += 1.0 / f64::from((a + 1) * n);
                }
            }
            for (value, (one, other)) in probabilities(a, c, n).iter().zip(&pairs).enumerate() {
                assert!((one - other).abs() < 1e-12, "{a} {c} {n}: {value}: {one} {other}");
            }
        }
    }

    /// TPC-C 2.1.6.1: every constant of the load has a constant of the run.
    #[test]
    fn the_constants_of_load_and_run_differ_as_the_clause_says() {
        for load in 0..=255 {
            for seed in 0..20 {
                let run = Constants::draw(load, &mut Stream::new(seed, &[1])).c_last_run;
                let delta = load.abs_diff(run);
                assert!((65..=119).contains(&delta) && delta != 96 && delta != 112, "{load} {run}");
                assert!(run <= 255);
            }
        }
    }

    /// TPC-C 2.1.6: all values of x…y occur, none outside, and some far more often than others.
    #[test]
    fn nurand_covers_its_range_unevenly() {
        let mut random = Stream::new(7, &[2]);
        let mut seen = vec![0u32; 1000];
        for _ in 0..5_000_000 {
            seen[nurand(&mut random, 255, 173, 0, 999) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| n > 0));
        let (least, most) = (seen.iter().min().unwrap(), seen.iter().max().unwrap());
        assert!(*most > 100 * least, "{most} {least}");
    }
}
