//! How acknowledged commits are packed, each by the one before it in its client's log.
//!
//! A client deals its transactions over all warehouses, whose districts give their numbers at the
//! same pace: the number of an order is near that of the one before. The payments of a terminal are
//! counted, and the deliveries of a transaction go from district to district. What is out of the
//! ordinary has a mark and takes more bytes. A digest is like no other, and is kept whole.

use super::log::{Bytes, Entry, number, signed, unsigned, whole};
use crate::ledger::{Delivery, HistoryKey, Order, Payment, RunMark};

/// A district in one number, where its number is one of the ten of a warehouse.
fn packed(w: u32, d: u32) -> Option<u64> {
    (1..=10).contains(&d).then(|| u64::from(w) * 10 + u64::from(d) - 1)
}

/// The inverse of [`packed`].
fn unpacked(place: u64) -> (u32, u32) {
    ((place / 10) as u32, (place % 10) as u32 + 1)
}

/// The step from a number to another.
fn step(from: u32, to: u32) -> u64 {
    unsigned(i64::from(to) - i64::from(from))
}

/// The inverse of [`step`].
fn stepped(from: u32, step: u64) -> u32 {
    (i64::from(from) + signed(step)) as u32
}

/// Numbers of lines of an order that are packed with another number: at most 15 (TPC-C 2.4.1.3).
const LINES: u64 = 16;

/// Twice the customer, and 1 where district or lines are out of the ordinary; district; number with
/// lines; amount; digest. 17 bytes where there are 1,000 warehouses.
impl Entry for Order {
    const NONE: Order = Order { w: 0, d: 0, o_id: 0, c: 0, lines: 0, amount: 0, digest: 0 };

    fn write(&self, before: &Order, to: &mut Bytes) {
        let (c, lines) = (u64::from(self.c), u64::from(self.lines));
        let number = step(before.o_id, self.o_id);
        match packed(self.w, self.d).filter(|_| lines < LINES) {
            Some(place) => {
                to.number(2 * c);
                to.number(place);
                to.number(number * LINES + lines);
            }
            None => [2 * c + 1, self.w.into(), self.d.into(), number, lines]
                .into_iter()
                .for_each(|n| to.number(n)),
        }
        to.number(unsigned(self.amount));
        to.whole(self.digest);
    }

    fn read(before: &Order, from: &mut &[u8]) -> Order {
        let first = number(from);
        let ((w, d), o_id, lines) = if first % 2 == 1 {
            let place = (number(from) as u32, number(from) as u32);
            (place, number(from), number(from))
        } else {
            let (place, number) = (unpacked(number(from)), number(from));
            (place, number / LINES, number % LINES)
        };
        Order {
            w,
            d,
            o_id: stepped(before.o_id, o_id),
            c: (first / 2) as u32,
            lines: lines as u32,
            amount: signed(number(from)),
            digest: whole(from),
        }
    }
}

/// Twice the amount; district; digest. 13 bytes where there are 1,000 warehouses. The amount's mark
/// says that a number follows: of the payments of this terminal that are left out, or 0 before all
/// fields one by one.
impl Entry for Payment {
    const NONE: Payment = Payment {
        history: HistoryKey { run: RunMark(0), terminal: 0, count: 0 },
        w: 0,
        d: 0,
        amount: 0,
        digest: 0,
    };

    fn write(&self, before: &Payment, to: &mut Bytes) {
        let HistoryKey { run, terminal, count } = self.history;
        let same = (run, terminal) == (before.history.run, before.history.terminal);
        let next = u64::from(before.history.count) + 1;
        let left_out = u64::from(count).checked_sub(next).filter(|_| same);
        let (place, amount) = (packed(self.w, self.d), unsigned(self.amount));
        match left_out.zip(place).filter(|_| amount <= u64::from(u32::MAX)) {
            Some((left_out, place)) => {
                to.number(2 * amount + u64::from(left_out > 0));
                if left_out > 0 {
                    to.number(left_out);
                }
                to.number(place);
            }
            None => {
                to.number(1u64);
                to.number(0u64);
                to.whole(run.0);
                [terminal, count, self.w, self.d].into_iter().for_each(|n| to.number(n));
                to.number(amount);
            }
        }
        to.whole(self.digest);
    }

    fn read(before: &Payment, from: &mut &[u8]) -> Payment {
        let first = number(from);
        let left_out = if first % 2 == 1 { number(from) } else { 0 };
        if first % 2 == 1 && left_out == 0 {
            let run = RunMark(whole(from));
            let [terminal, count, w, d] = [(); 4].map(|()| number(from) as u32);
            let history = HistoryKey { run, terminal, count };
            return Payment { history, w, d, amount: signed(number(from)), digest: whole(from) };
        }
        let count = u64::from(before.history.count) + 1 + left_out;
        let (w, d) = unpacked(number(from));
        Payment {
            history: HistoryKey { count: count as u32, ..before.history },
            w,
            d,
            amount: signed(first / 2),
            digest: whole(from),
        }
    }
}

/// Where the next delivery is.
const NEXT_DISTRICT: u64 = 0;
const SAME_DISTRICT: u64 = 1;
const ANOTHER: u64 = 2;

/// Three times the number, with what the district is to the one before; digest. 9 or 10 bytes.
/// Another district follows: plus one, or 0 and its two numbers.
impl Entry for Delivery {
    const NONE: Delivery = Delivery { w: 0, d: 0, o_id: 0, digest: 0 };

    fn write(&self, before: &Delivery, to: &mut Bytes) {
        let number = step(before.o_id, self.o_id);
        let (place, last) = (packed(self.w, self.d), packed(before.w, before.d));
        match place.zip(last) {
            Some((place, last)) if place == last => to.number(3 * number + SAME_DISTRICT),
            Some((place, last)) if place == last + 1 => to.number(3 * number + NEXT_DISTRICT),
            _ => {
                to.number(3 * number + ANOTHER);
                to.number(place.map_or(0, |place| place + 1));
                if place.is_none() {
                    to.number(self.w);
                    to.number(self.d);
                }
            }
        }
        to.whole(self.digest);
    }

    fn read(before: &Delivery, from: &mut &[u8]) -> Delivery {
        let first = number(from);
        let (w, d) = match first % 3 {
            SAME_DISTRICT => (before.w, before.d),
            NEXT_DISTRICT => unpacked(packed(before.w, before.d).map_or(0, |last| last + 1)),
            _ => match number(from).checked_sub(1) {
                Some(place) => unpacked(place),
                None => (number(from) as u32, number(from) as u32),
            },
        };
        Delivery { w, d, o_id: stepped(before.o_id, first / 3), digest: whole(from) }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use hoap_data::random::Stream;

    use super::*;
    use crate::ledger::log::Log;

    const MOST: u32 = u32::MAX;

    /// A number that is often extreme or near another.
    fn any(random: &mut Stream, ordinary: u32) -> u32 {
        match random.uniform(0..=5) {
            0 => 0,
            1 => MOST,
            2 => random.next_u64() as u32,
            _ => random.uniform(0..=i64::from(ordinary)) as u32,
        }
    }

    fn amount(random: &mut Stream) -> i64 {
        match random.uniform(0..=7) {
            0 => i64::MIN,
            1 => i64::MAX,
            2 => -1,
            3 => random.next_u64() as i64,
            // Where the packed form ends.
            4 => i64::from(MOST) / 2 + random.uniform(-2..=2),
            _ => random.uniform(0..=500_000),
        }
    }

    fn digest(random: &mut Stream) -> u64 {
        match random.uniform(0..=3) {
            0 => 0,
            1 => u64::MAX,
            _ => random.next_u64(),
        }
    }

    fn comes_back<T: Entry + Debug>(mut make: impl FnMut(&mut Stream) -> T) {
        let mut random = Stream::new(22, &[]);
        let entries: Vec<T> = (0..20_000).map(|_| make(&mut random)).collect();
        let mut log: Log<T> = entries.iter().copied().collect();
        for (at, (found, made)) in log.iter().zip(&entries).enumerate() {
            assert_eq!(found, *made, "{at}");
        }
        assert_eq!(log.len(), log.iter().count());
        let mut sorted = entries;
        sorted.sort_unstable();
        log.sort();
        assert!(log.iter().eq(sorted));
    }

    #[test]
    fn orders_come_back_whatever_they_are() {
        comes_back(|random| Order {
            w: any(random, 1_000),
            d: any(random, 11),
            o_id: any(random, 3_500),
            c: any(random, 3_000),
            lines: any(random, 17),
            amount: amount(random),
            digest: digest(random),
        });
    }

    /// Of many terminals and runs, with payments left out, twice, and out of order.
    #[test]
    fn payments_come_back_whatever_they_are() {
        let mut count = 0u32;
        comes_back(|random| {
            count = match random.uniform(0..=9) {
                0 => any(random, 9),
                1 => count,
                2 => count.wrapping_add(random.uniform(2..=400) as u32),
                _ => count.wrapping_add(1),
            };
            let terminal = any(random, 1);
            let run = RunMark(random.uniform(0..=1) as u64 * u64::MAX);
            Payment {
                history: HistoryKey { run, terminal, count },
                w: any(random, 1_000),
                d: any(random, 11),
                amount: amount(random),
                digest: digest(random),
            }
        });
    }

    #[test]
    fn deliveries_come_back_whatever_they_are() {
        let (mut w, mut d) = (0u32, 0u32);
        comes_back(|random| {
            (w, d) = match random.uniform(0..=9) {
                0 => (any(random, 1_000), any(random, 11)),
                1 => (w.wrapping_add(1), 1),
                _ => (w, d.wrapping_add(1)),
            };
            Delivery { w, d, o_id: any(random, 3_500), digest: digest(random) }
        });
    }
}
