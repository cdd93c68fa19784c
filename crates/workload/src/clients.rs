//! The random numbers of a run's clients.

use std::sync::{Mutex, PoisonError};

use hoap_data::random::Stream;

/// Gives each client of a run random numbers of its own: those of the seed, of the client's number,
/// and of how many clients had that number in the steps before. Which of them connects first makes
/// no difference.
#[derive(Debug, Default)]
pub struct ClientStreams {
    /// By number, how many clients were made.
    made: Mutex<Vec<u64>>,
}

impl ClientStreams {
    /// The numbers of the next client of this number, below `name`, which no other streams have.
    /// To be called when it is connected: an attempt that fails makes no client.
    pub fn next(&self, seed: u64, name: u64, number: usize) -> Stream {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() <= number {
            made.resize(number + 1, 0);
        }
        made[number] += 1;
        Stream::new(seed, &[name, number as u64, made[number]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_connects_first_each_client_of_each_step_has_its_own_numbers() {
        let streams = |orders: [&[usize]; 2]| {
            let made = ClientStreams::default();
            let mut all: Vec<_> = Vec::new();
            for (step, order) in orders.into_iter().enumerate() {
                all.extend(order.iter().map(|&n| ((step, n), made.next(7, 1, n).next_u64())));
            }
            all.sort_unstable();
            all
        };
        let all = streams([&[0, 1, 2], &[0, 1, 2]]);
        assert_eq!(all, streams([&[2, 0, 1], &[1, 2, 0]]));
        let mut drawn: Vec<u64> = all.into_iter().map(|(_, first)| first).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 6);
    }
}
