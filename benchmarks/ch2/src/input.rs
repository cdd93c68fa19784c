//! Inputs of the five transactions (TPC-C 2.4.1, 2.5.1, 2.6.1, 2.7.1, 2.8.1).

use hoap_data::random::Stream;

use crate::data::{DataSet, last_name};
use crate::mix::Deck;
use crate::nurand::{Constants, nurand};

/// A customer by id or by last name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// c_id.
    Id(u32),
    /// c_last.
    Name(String),
}

/// Input of NewOrder (TPC-C 2.4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOrder {
    /// Warehouse, district and customer.
    pub w: u32,
    #[allow(missing_docs)]
    pub d: u32,
    #[allow(missing_docs)]
    pub c: u32,
    /// 5 to 15 lines.
    pub lines: Vec<OrderLine>,
}

impl NewOrder {
    /// Whether all lines come from the order's own warehouse.
    pub fn all_local(&self) -> bool {
        self.lines.iter().all(|l| l.supply_w == self.w)
    }
}

/// A line of a new order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderLine {
    /// The item; the number of items plus one in a transaction that is to roll back (TPC-C
    /// 2.4.1.5).
    pub item: u32,
    /// The warehouse that supplies it.
    pub supply_w: u32,
    /// 1 to 10.
    pub quantity: u32,
}

/// Input of Payment (TPC-C 2.5.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// The warehouse and district of the payment.
    pub w: u32,
    #[allow(missing_docs)]
    pub d: u32,
    /// The customer's warehouse and district.
    pub c_w: u32,
    #[allow(missing_docs)]
    pub c_d: u32,
    /// The customer.
    pub who: Who,
    /// Cents, 1.00 to 5,000.00.
    pub amount: i64,
}

/// Input of OrderStatus (TPC-C 2.6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderStatus {
    /// The customer's warehouse and district.
    pub w: u32,
    #[allow(missing_docs)]
    pub d: u32,
    /// The customer.
    pub who: Who,
}

/// Input of Delivery (TPC-C 2.7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The warehouse whose ten districts are delivered.
    pub w: u32,
    /// 1 to 10.
    pub carrier: u32,
}

/// Input of StockLevel (TPC-C 2.8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StockLevel {
    /// Warehouse and district.
    pub w: u32,
    #[allow(missing_docs)]
    pub d: u32,
    /// 10 to 20.
    pub threshold: i64,
}

/// Draws the inputs of one client.
pub struct Inputs {
    data: DataSet,
    constants: Constants,
    random: Stream,
    /// The terminal's warehouse and StockLevel district, where it has one (TPC-C 2.4.1.1, 2.8.1.1).
    home: Option<(u32, u32)>,
    rollback: Deck<bool>,
    remote_line: Deck<bool>,
    remote_payment: Deck<bool>,
    payment_by_name: Deck<bool>,
    status_by_name: Deck<bool>,
}

impl Inputs {
    /// Inputs drawn from a client's own random numbers. Without a `home` every transaction draws
    /// its warehouse and district.
    pub fn new(
        data: DataSet,
        constants: Constants,
        random: Stream,
        home: Option<(u32, u32)>,
    ) -> Self {
        Inputs {
            data,
            constants,
            random,
            home,
            rollback: Deck::share(1),
            remote_line: Deck::share(1),
            remote_payment: Deck::share(15),
            payment_by_name: Deck::share(60),
            status_by_name: Deck::share(60),
        }
    }

    /// The input of a NewOrder (TPC-C 2.4.1).
    pub fn new_order(&mut self) -> NewOrder {
        let (w, d) = (self.warehouse(), self.district());
        let c = self.customer();
        let count = self.draw(5, 15);
        let rollback = self.rollback.deal(&mut self.random);
        let lines = (1..=count)
            .map(|n| OrderLine {
                item: if rollback && n == count { self.data.items() + 1 } else { self.item() },
                supply_w: self.supplying(w),
                quantity: self.draw(1, 10),
            })
            .collect();
        NewOrder { w, d, c, lines }
    }

    /// The input of a Payment (TPC-C 2.5.1).
    pub fn payment(&mut self) -> Payment {
        let (w, d) = (self.warehouse(), self.district());
        let remote = self.remote_payment.deal(&mut self.random);
        let (c_w, c_d) = match remote && self.warehouses() > 1 {
            true => (self.other_warehouse(w), self.district()),
            false => (w, d),
        };
        let by_name = self.payment_by_name.deal(&mut self.random);
        let who = self.who(by_name);
        let amount = self.random.uniform(100..=500_000);
        Payment { w, d, c_w, c_d, who, amount }
    }

    /// The input of an OrderStatus (TPC-C 2.6.1).
    pub fn order_status(&mut self) -> OrderStatus {
        let by_name = self.status_by_name.deal(&mut self.random);
        OrderStatus { w: self.warehouse(), d: self.district(), who: self.who(by_name) }
    }

    /// The input of a Delivery (TPC-C 2.7.1).
    pub fn delivery(&mut self) -> Delivery {
        Delivery { w: self.warehouse(), carrier: self.draw(1, 10) }
    }

    /// The input of a StockLevel (TPC-C 2.8.1).
    pub fn stock_level(&mut self) -> StockLevel {
        let (w, d) = match self.home {
            Some(home) => home,
            None => (self.warehouse(), self.district()),
        };
        StockLevel { w, d, threshold: self.random.uniform(10..=20) }
    }

    /// The client's random numbers, for its other draws.
    pub fn random(&mut self) -> &mut Stream {
        &mut self.random
    }

    fn draw(&mut self, from: u32, to: u32) -> u32 {
        self.random.uniform(i64::from(from)..=i64::from(to)) as u32
    }

    fn warehouses(&self) -> u32 {
        self.data.spec().warehouses
    }

    fn warehouse(&mut self) -> u32 {
        match self.home {
            Some((w, _)) => w,
            None => self.draw(1, self.warehouses()),
        }
    }

    fn other_warehouse(&mut self, w: u32) -> u32 {
        let drawn = self.draw(1, self.warehouses() - 1);
        if drawn >= w { drawn + 1 } else { drawn }
    }

    fn supplying(&mut self, w: u32) -> u32 {
        let remote = self.remote_line.deal(&mut self.random);
        if remote && self.warehouses() > 1 { self.other_warehouse(w) } else { w }
    }

    fn district(&mut self) -> u32 {
        self.draw(1, 10)
    }

    fn customer(&mut self) -> u32 {
        let customers = self.data.customers_per_district();
        nurand(&mut self.random, 1023, self.constants.c_id, 1, customers)
    }

    fn item(&mut self) -> u32 {
        nurand(&mut self.random, 8191, self.constants.ol_i_id, 1, self.data.items())
    }

    /// Draws a customer. Scaled-down data has fewer last names; only those are drawn.
    fn who(&mut self, by_name: bool) -> Who {
        match by_name {
            false => Who::Id(self.customer()),
            true => {
                let most = self.data.customers_per_district().min(1000) - 1;
                let c = self.constants.c_last_run;
                Who::Name(last_name(nurand(&mut self.random, 255, c, 0, most)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Spec};

    fn inputs(warehouses: u32) -> Inputs {
        let data = DataSet::new(Spec::new(Schema::Ch2pp, warehouses)).unwrap();
        let mut random = Stream::new(11, &[5]);
        let constants = Constants::draw(data.c_last_load(), &mut random);
        Inputs::new(data, constants, random, None)
    }

    /// TPC-C 2.4.1: ranges, 1 % rollbacks in the last line, 1 % remote lines.
    #[test]
    fn new_orders_obey_their_shares_and_ranges() {
        let mut inputs = inputs(4);
        let orders: Vec<NewOrder> = (0..20_000).map(|_| inputs.new_order()).collect();
        let mut lines = 0;
        let mut remote = 0;
        let mut rollbacks = 0;
        for order in &orders {
            assert!((1..=4).contains(&order.w) && (1..=10).contains(&order.d));
            assert!((1..=3000).contains(&order.c));
            assert!((5..=15).contains(&order.lines.len()));
            for (i, line) in order.lines.iter().enumerate() {
                let unused = line.item == 100_001;
                assert!((1..=100_000).contains(&line.item) || unused);
                assert!(!unused || i + 1 == order.lines.len(), "unused item not in the last line");
                assert!((1..=10).contains(&line.quantity) && (1..=4).contains(&line.supply_w));
                lines += 1;
                remote += usize::from(line.supply_w != order.w);
                rollbacks += usize::from(unused);
            }
        }
        assert_eq!(rollbacks, 200);
        assert!(remote == lines / 100 || remote == lines / 100 + 1, "{remote} of {lines}");
        let average = lines as f64 / orders.len() as f64;
        assert!((9.9..10.1).contains(&average), "{average}");
    }

    /// TPC-C 2.5.1.2 and 2.6.1.2.
    #[test]
    fn payments_and_order_status_obey_their_shares() {
        let mut inputs = inputs(4);
        let payments: Vec<Payment> = (0..10_000).map(|_| inputs.payment()).collect();
        assert_eq!(payments.iter().filter(|p| p.c_w != p.w).count(), 1500);
        assert_eq!(payments.iter().filter(|p| matches!(p.who, Who::Name(_))).count(), 6000);
        assert!(payments.iter().all(|p| (100..=500_000).contains(&p.amount)));
        assert!(payments.iter().all(|p| p.c_w != p.w || p.c_d == p.d));
        let status: Vec<OrderStatus> = (0..1000).map(|_| inputs.order_status()).collect();
        assert_eq!(status.iter().filter(|s| matches!(s.who, Who::Name(_))).count(), 600);
    }

    /// TPC-C 2.7.1.2, 2.8.1.2.
    #[test]
    fn deliveries_and_stock_levels_stay_in_range() {
        let mut inputs = inputs(2);
        for _ in 0..2000 {
            assert!((1..=10).contains(&inputs.delivery().carrier));
            assert!((10..=20).contains(&inputs.stock_level().threshold));
        }
    }

    /// With one warehouse nothing is remote.
    #[test]
    fn with_one_warehouse_nothing_is_remote() {
        let mut inputs = inputs(1);
        for _ in 0..1000 {
            assert!(inputs.new_order().all_local());
            let p = inputs.payment();
            assert_eq!((p.w, p.d), (p.c_w, p.c_d));
        }
    }

    /// A terminal keeps its warehouse (TPC-C 2.4.1.1) and its StockLevel district (2.8.1.1).
    #[test]
    fn a_terminal_stays_at_home() {
        let mut at_home = inputs(4);
        at_home.home = Some((3, 7));
        for _ in 0..100 {
            assert_eq!(at_home.new_order().w, 3);
            assert_eq!(at_home.payment().w, 3);
            let s = at_home.stock_level();
            assert_eq!((s.w, s.d), (3, 7));
        }
    }
}
