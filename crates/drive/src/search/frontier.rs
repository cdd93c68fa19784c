//! The steps that show the throughput frontier of transactions and queries (HATtrick: Milkai et
//! al., SIGMOD 2022, section 4).
//!
//! Transactions alone double their clients until that gains nothing, and so do queries alone. The
//! grid between the two numbers follows: on each line the transaction clients stay as many, and the
//! query clients become more.

use std::cell::Cell;

use hoap_record::Result;

/// Numbers of transaction clients and of query clients.
pub type Clients = (usize, usize);

/// Twice the clients gain nothing below this ratio of the throughputs.
const GAIN: f64 = 1.05;
/// The steps of a frontier at most, unless those of one side alone are more.
const MOST_STEPS: usize = 25;
/// Lines of the grid and steps of each, the finest first.
const GRIDS: [(usize, usize); 7] = [(4, 4), (4, 3), (3, 3), (3, 2), (2, 2), (2, 1), (1, 1)];

/// Runs the steps, with at most so many clients of each side. `step` returns the throughput of the
/// side that is alone, any number where both are, and `None` where the frontier is interrupted.
/// Returns whether it came to its end.
///
/// Errors: those of `step`.
pub fn frontier(
    most: Clients,
    mut step: impl FnMut(Clients) -> Result<Option<f64>>,
) -> Result<bool> {
    let steps = Cell::new(0);
    let mut step = |clients| {
        steps.set(steps.get() + 1);
        step(clients)
    };
    let Some(transactions) = enough(most.0, |clients| step((clients, 0)))? else {
        return Ok(false);
    };
    let Some(queries) = enough(most.1, |clients| step((0, clients)))? else { return Ok(false) };
    let left = MOST_STEPS.saturating_sub(steps.get());
    for clients in grid((transactions, queries), left) {
        if step(clients)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The clients from which on twice as many gain nothing.
fn enough(
    most: usize,
    mut step: impl FnMut(usize) -> Result<Option<f64>>,
) -> Result<Option<usize>> {
    let (mut enough, mut best) = (1, 0.0);
    let mut clients = 1;
    loop {
        let Some(throughput) = step(clients)? else { return Ok(None) };
        if throughput <= best * GAIN {
            return Ok(Some(enough));
        }
        (enough, best) = (clients, throughput);
        if clients >= most {
            return Ok(Some(enough));
        }
        clients = clients.saturating_mul(2).min(most);
    }
}

/// Steps with clients of both sides up to these: the finest grid of at most so many steps, and one
/// step where there is no room.
fn grid((transactions, queries): Clients, steps: usize) -> Vec<Clients> {
    let grid = |(lines, each)| -> Vec<Clients> {
        let queries = parts(queries, each);
        let line = |tx: usize| queries.iter().map(move |q| (tx, *q)).collect::<Vec<_>>();
        parts(transactions, lines).into_iter().flat_map(line).collect()
    };
    let fits = |made: &Vec<Clients>| made.len() <= steps;
    GRIDS.into_iter().map(grid).find(fits).unwrap_or_else(|| vec![(transactions, queries)])
}

/// `n` in equal parts: 1/of, 2/of, … of it, each once and at least 1.
fn parts(n: usize, of: usize) -> Vec<usize> {
    let mut parts: Vec<usize> = (1..=of).map(|part| (n * part).div_ceil(of)).collect();
    parts.dedup();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of a frontier of this system.
    fn steps(most: Clients, system: impl Fn(Clients) -> f64) -> Vec<Clients> {
        let mut steps = Vec::new();
        let whole = frontier(most, |clients| {
            steps.push(clients);
            Ok(Some(system(clients)))
        });
        assert_eq!(whole, Ok(true));
        steps
    }

    #[test]
    fn each_side_alone_doubles_until_that_gains_nothing_and_a_grid_follows() {
        let system = |(tx, q): Clients| if q == 0 { tx.min(8) as f64 } else { q.min(2) as f64 };
        let made = steps((256, 32), system);
        let alone = [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (0, 1), (0, 2), (0, 4)];
        assert_eq!(made[..8], alone);
        let grid: Vec<Clients> = [2, 4, 6, 8].iter().flat_map(|tx| [(*tx, 1), (*tx, 2)]).collect();
        assert_eq!(made[8..], grid);
        assert!(made.len() <= MOST_STEPS);
    }

    #[test]
    fn limits_and_the_number_of_steps_hold_on_every_system() {
        for (tx, q) in [(1, 1), (1, 32), (3, 5), (100, 7), (256, 32), (100_000, 1000)] {
            // More clients always gain.
            let made = steps((tx, q), |clients| (clients.0 + clients.1) as f64);
            assert!(made.contains(&(tx, 0)) && made.contains(&(0, q)) && made.contains(&(tx, q)));
            assert!(made.iter().all(|clients| clients.0 <= tx && clients.1 <= q), "{made:?}");
            let alone = made.iter().filter(|clients| clients.0 == 0 || clients.1 == 0).count();
            assert!(made.len() <= MOST_STEPS.max(alone + 1), "{made:?}");
            let mut once = made.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), made.len(), "{made:?}");
        }
        // Nothing works: one client is enough.
        assert_eq!(steps((8, 8), |_| 0.0), [(1, 0), (0, 1), (1, 1)]);
    }

    #[test]
    fn an_interrupted_one_runs_no_further_step() {
        for last in 1..12 {
            let mut made = 0;
            let whole = frontier((256, 32), |(tx, q)| {
                made += 1;
                Ok((made < last).then_some((tx.min(8) + q.min(2)) as f64))
            });
            assert_eq!((whole, made), (Ok(false), last));
        }
    }
}
