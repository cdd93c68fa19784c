//! What terminals note in a run, as the mix and the inputs have it.

use hoap_ch2::data::DataSet;
use hoap_ch2::input::Inputs;
use hoap_ch2::ledger::{Delivery, HistoryKey, Ledger, Order, Payment, RunMark};
use hoap_ch2::mix::{Deck, Kind};
use hoap_ch2::nurand::Constants;
use hoap_data::random::Stream;

/// A run, and the counters of the districts after it.
pub struct Run {
    pub ledger: Ledger,
    pub districts: Vec<Counters>,
}

/// The numbers of the next order and of the oldest undelivered one.
#[derive(Clone, Copy)]
pub struct Counters {
    pub next: u32,
    pub oldest: u32,
}

impl Counters {
    /// As the load leaves them.
    pub fn loaded(data: &DataSet) -> Self {
        let (next, oldest) = (data.orders_per_district() + 1, data.delivered_per_district() + 1);
        Counters { next, oldest }
    }
}

/// What a payment says, by its key: warehouse, district, and those of the customer with the
/// customer's number; the amount.
pub fn payment(data: &DataSet, key: HistoryKey) -> ([u32; 5], i64) {
    let mut random = Stream::new(u64::from(key.terminal), &[key.count.into()]);
    let mut draw = |to: u32| random.uniform(1..=to.into()) as u32;
    let warehouses = data.spec().warehouses;
    let (w, d) = (draw(warehouses), draw(10));
    // TPC-C 2.5.1.2.
    let (c_w, c_d) = if draw(100) <= 15 { (draw(warehouses), draw(10)) } else { (w, d) };
    let c = draw(data.customers_per_district());
    ([w, d, c_w, c_d, c], random.uniform(100..=500_000))
}

struct Terminal {
    inputs: Inputs,
    deck: Deck<Kind>,
    number: u32,
    payments: u32,
    ledger: Ledger,
}

/// A run that ends with so many commits, on districts whose numbers lie up to so much apart, whose
/// terminals begin with this empty ledger.
pub fn run(data: &DataSet, terminals: u32, commits: usize, apart: i64, empty: Ledger) -> Run {
    let mut random = Stream::new(22, &[]);
    let constants = Constants::draw(data.c_last_load(), &mut random);
    let mark = RunMark::draw();
    let loaded = Counters::loaded(data);
    let mut districts: Vec<Counters> = Vec::new();
    for _ in 0..data.spec().warehouses {
        let oldest = loaded.oldest + random.uniform(0..=apart) as u32;
        districts.extend((0..10).map(|_| {
            let next = loaded.next + random.uniform(0..=apart) as u32;
            Counters { next, oldest }
        }));
    }
    let mut all: Vec<Terminal> = (0..terminals)
        .map(|number| Terminal {
            inputs: Inputs::new(*data, constants, Stream::new(7, &[number.into()]), None),
            deck: Deck::mix(),
            number,
            payments: 0,
            ledger: empty.clone(),
        })
        .collect();
    let mut noted = 0;
    while noted < commits {
        for terminal in &mut all {
            noted += terminal.next(data, mark, &mut districts, &mut random);
        }
    }
    let mut ledger = Ledger::default();
    all.into_iter().for_each(|terminal| ledger.merge(terminal.ledger));
    Run { ledger, districts }
}

impl Terminal {
    /// Runs a transaction and returns how much was noted.
    fn next(
        &mut self,
        data: &DataSet,
        mark: RunMark,
        districts: &mut [Counters],
        random: &mut Stream,
    ) -> usize {
        let at = |w: u32, d: u32| (w as usize - 1) * 10 + d as usize - 1;
        match self.deck.deal(random) {
            Kind::NewOrder => {
                let input = self.inputs.new_order();
                let (w, d, c, lines) = (input.w, input.d, input.c, input.lines.len() as u32);
                let district = &mut districts[at(w, d)];
                let o_id = district.next;
                district.next += 1;
                // i_price is 1.00 to 100.00 (TPC-C 4.3.3.1).
                let each = input.lines.iter().map(|line| i64::from(line.quantity));
                let amount = each.map(|n| n * random.uniform(100..=10_000)).sum();
                let digest = random.next_u64();
                self.ledger.orders.push(Order { w, d, o_id, c, lines, amount, digest });
                1
            }
            Kind::Payment => {
                let history = HistoryKey { run: mark, terminal: self.number, count: self.payments };
                self.payments += 1;
                let ([w, d, ..], amount) = payment(data, history);
                let digest = random.next_u64();
                self.ledger.payments.push(Payment { history, w, d, amount, digest });
                1
            }
            Kind::Delivery => {
                let w = self.inputs.delivery().w;
                let mut noted = 0;
                for d in 1..=10 {
                    let district = &mut districts[at(w, d)];
                    if district.oldest < district.next {
                        let (o_id, digest) = (district.oldest, random.next_u64());
                        self.ledger.deliveries.push(Delivery { w, d, o_id, digest });
                        district.oldest += 1;
                        noted += 1;
                    }
                }
                noted
            }
            Kind::OrderStatus | Kind::StockLevel => 0,
        }
    }
}
