//! The mix of transactions, and decks that deal shares exactly.

use std::time::Duration;

use hoap_data::named;
use hoap_data::random::Stream;

named! {
    /// The five transactions of TPC-C, in the order of their numbers in results.
    #[derive(Hash)]
    #[allow(missing_docs)]
    Kind, "transaction":
    NewOrder = "NewOrder",
    Payment = "Payment",
    OrderStatus = "OrderStatus",
    Delivery = "Delivery",
    StockLevel = "StockLevel",
}

impl Kind {
    /// The share of the mix in percent (CH2 paper 3.3, TPC-C 5.2.3).
    pub const fn percent(self) -> usize {
        match self {
            Kind::NewOrder => 45,
            Kind::Payment => 43,
            Kind::OrderStatus | Kind::Delivery | Kind::StockLevel => 4,
        }
    }

    /// The keying time and the mean think time (TPC-C 5.2.5.7).
    pub const fn times(self) -> (Duration, Duration) {
        let (keying, think) = match self {
            Kind::NewOrder => (18, 12),
            Kind::Payment => (3, 12),
            Kind::OrderStatus => (2, 10),
            Kind::Delivery => (2, 5),
            Kind::StockLevel => (2, 5),
        };
        (Duration::from_secs(keying), Duration::from_secs(think))
    }
}

/// A think time from the truncated negative exponential distribution of TPC-C 5.2.5.4.
pub fn think_time(mean: Duration, random: &mut Stream) -> Duration {
    // 1 − unit lies in (0, 1], so the logarithm is finite.
    let drawn = -(1.0 - random.unit()).ln() * mean.as_secs_f64();
    Duration::from_secs_f64(drawn.min(10.0 * mean.as_secs_f64()))
}

/// A deck of cards, dealt in random order and reshuffled after the last card (TPC-C 5.2.4.2).
///
/// Decks deal the mix and also the rollbacks, remote lines and look-ups by name. These shares are
/// exact for each client over every hundred draws. A short run therefore meets the bounds of TPC-C
/// 9.2 by construction and not by chance.
#[derive(Clone, Debug)]
pub struct Deck<T> {
    cards: Vec<T>,
    dealt: usize,
}

impl<T: Copy> Deck<T> {
    /// A deck of these cards. Panics without a card.
    pub fn new(cards: Vec<T>) -> Self {
        assert!(!cards.is_empty(), "a deck needs a card");
        Deck { dealt: cards.len(), cards }
    }

    /// Deals the next card.
    pub fn deal(&mut self, random: &mut Stream) -> T {
        if self.dealt == self.cards.len() {
            for i in (1..self.cards.len()).rev() {
                self.cards.swap(i, random.uniform(0..=i as i64) as usize);
            }
            self.dealt = 0;
        }
        self.dealt += 1;
        self.cards[self.dealt - 1]
    }
}

impl Deck<Kind> {
    /// The mix, a hundred cards.
    pub fn mix() -> Self {
        Deck::new(Kind::ALL.iter().flat_map(|&k| vec![k; k.percent()]).collect())
    }
}

impl Deck<bool> {
    /// A hundred cards, `percent` of them true.
    pub fn share(percent: usize) -> Self {
        Deck::new((0..100).map(|i| i < percent).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CH2 paper 3.3, TPC-C 5.2.3 and 5.2.4.2.
    #[test]
    fn a_hundred_cards_hold_the_mix_exactly_in_random_order() {
        let mut random = Stream::new(1, &[3]);
        let mut deck = Deck::mix();
        let deal: Vec<Kind> = (0..200).map(|_| deck.deal(&mut random)).collect();
        for hundred in deal.chunks(100) {
            for kind in Kind::ALL {
                assert_eq!(hundred.iter().filter(|&&k| k == kind).count(), kind.percent());
            }
        }
        assert_ne!(deal[..100], deal[100..]);
    }

    /// TPC-C 5.2.5.4: negative exponential, truncated at ten times the mean.
    #[test]
    fn think_times_have_their_mean_and_their_limit() {
        let mut random = Stream::new(1, &[4]);
        let mean = Duration::from_secs(12);
        let drawn: Vec<f64> =
            (0..100_000).map(|_| think_time(mean, &mut random).as_secs_f64()).collect();
        let seen = drawn.iter().sum::<f64>() / drawn.len() as f64;
        assert!((seen - 12.0).abs() < 0.2, "{seen}");
        assert!(drawn.iter().all(|&t| t <= 120.0));
    }
}
