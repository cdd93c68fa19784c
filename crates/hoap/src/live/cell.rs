//! The time series of a run that goes on, in few cells: neighbours are joined where it has many.

use hoap_drive::{Phase, Tick};
use hoap_record::{FRESHNESS, MachineRow, Sample};
use serde_json::{Value, json};

/// A series has at most so many cells; then neighbours are joined in pairs.
const MOST: usize = 300;
/// The length of a cell at first, seconds. Ticks of a second come early at times.
const SHORTEST: f64 = 0.9;

/// One interval, or several of a step's phase.
struct Cell {
    /// Later ones have higher ones.
    number: usize,
    step: usize,
    phase: Phase,
    at_seconds: f64,
    seconds: f64,
    /// Operations and queries that count for the phase, and the probe's ages.
    rows: Vec<Sample>,
    /// How many of the rows, the first ones, are of transactions.
    tx_rows: usize,
    machine: Option<MachineRow>,
}

/// The cells so far.
#[derive(Default)]
pub struct Cells {
    all: Vec<Cell>,
    /// How many pairs were joined to one, again and again.
    halved: i32,
    next: usize,
}

impl Cells {
    /// Adds an interval. Returns whether cells were joined that had ended.
    pub fn add(&mut self, tick: &Tick<'_>) -> bool {
        let Some(new) = Cell::of(self.next, tick) else { return false };
        let length = SHORTEST * 2f64.powi(self.halved);
        match self.all.last_mut().filter(|last| last.seconds < length && last.goes_on_in(&new)) {
            Some(last) => last.join(new),
            None => {
                self.next += 1;
                self.all.push(new);
            }
        }
        let full = self.all.len() > MOST;
        if full {
            self.halved += 1;
            let mut half: Vec<Cell> = Vec::with_capacity(MOST);
            let mut taken = true;
            for cell in self.all.drain(..) {
                match half.last_mut().filter(|last| !taken && last.goes_on_in(&cell)) {
                    Some(last) => last.join(cell),
                    None => half.push(cell),
                }
                taken = !taken;
            }
            self.all = half;
        }
        full
    }

    /// All of them, as the page takes them.
    pub fn all(&self) -> Value {
        self.all.iter().map(Cell::shown).collect()
    }

    /// Those from this number on.
    pub fn since(&self, number: usize) -> Value {
        let from = self.all.partition_point(|cell| cell.number < number);
        self.all[from..].iter().map(Cell::shown).collect()
    }

    /// The number of the one that goes on.
    pub fn last(&self) -> usize {
        self.all.last().map_or(0, |cell| cell.number)
    }
}

impl Cell {
    fn of(number: usize, tick: &Tick<'_>) -> Option<Cell> {
        let counts = |row: &Sample| row.phase == tick.phase.name();
        let tx_rows = tick.samples.iter().take(tick.tx_rows).filter(|row| counts(row)).count();
        let seen = |(at, row): &(usize, &Sample)| {
            counts(row) && (*at < tick.tx_rows || row.count + row.failed > 0)
        };
        let rows = tick.samples.iter().enumerate().filter(seen).map(|(_, row)| row.clone());
        Some(Cell {
            number,
            step: tick.plan.number,
            phase: tick.phase,
            at_seconds: tick.samples.first()?.at_seconds,
            seconds: tick.length.as_secs_f64(),
            rows: rows.collect(),
            tx_rows,
            machine: tick.machine.cloned(),
        })
    }

    fn goes_on_in(&self, next: &Cell) -> bool {
        (self.step, self.phase) == (next.step, next.phase)
    }

    fn join(&mut self, next: Cell) {
        self.at_seconds = next.at_seconds;
        self.seconds += next.seconds;
        for row in next.rows {
            match self.rows.iter_mut().find(|of| of.kind == row.kind) {
                Some(of) => of.join(&row),
                None => self.rows.push(row),
            }
        }
        match (&mut self.machine, next.machine) {
            (Some(machine), Some(more)) => machine.join(more),
            (machine, more) => *machine = machine.take().or(more),
        }
    }

    /// Numbers alone but for the names of kinds. A row is its kind, successes, failures, and the
    /// median, 99th percentile and longest of its response times in microseconds.
    fn shown(&self) -> Value {
        let row = |row: &Sample| {
            json!([row.kind, row.count, row.failed, row.p50_us, row.p99_us, row.max_us])
        };
        let (operations, others) = self.rows.split_at(self.tx_rows.min(self.rows.len()));
        let (probe, queries): (Vec<_>, Vec<_>) =
            others.iter().partition(|row| row.kind == FRESHNESS);
        let mut shown = json!({
            "n": self.number, "step": self.step, "phase": self.phase.name(),
            "at": self.at_seconds, "seconds": self.seconds,
            "operations": operations.iter().map(row).collect::<Value>(),
        });
        if !queries.is_empty() {
            shown["queries"] = queries.into_iter().map(row).collect();
        }
        if let Some(ages) = probe.first() {
            shown["freshness"] = row(ages);
        }
        if let Some(MachineRow { user, system, steal, machine, .. }) = &self.machine {
            shown["cpu"] = json!([user, system, steal, machine]);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hoap_drive::{End, StepPlan};

    use super::*;

    fn tick<'a>(plan: &'a StepPlan, phase: Phase, samples: &'a [Sample], tx: usize) -> Tick<'a> {
        Tick {
            plan,
            phase,
            elapsed: Duration::ZERO,
            length: Duration::from_secs_f64(samples[0].seconds),
            samples,
            tx_rows: tx,
            machine: None,
            tx_ended: 0,
            tx_per_second: 0.0,
            times_us: None,
            failed: 0,
            queries_finished: 0,
            running: vec![],
        }
    }

    /// However many intervals there are: few cells with all that counts, and none over two phases.
    #[test]
    fn a_long_run_has_few_cells_with_all_of_its_operations() {
        let plan = StepPlan::new(1, 1, 1, End::After(Duration::from_secs(1)));
        let mut cells = Cells::default();
        let (mut joined, mut ended) = (0, [0u64; 2]);
        for n in 1..=5_000u64 {
            let phase = if n <= 30 { Phase::Warmup } else { Phase::Measured };
            let row = |phase: &str, kind: &str, count| Sample {
                step: 1,
                phase: phase.into(),
                at_seconds: n as f64 / 10.0,
                seconds: 0.1,
                kind: kind.into(),
                count,
                p99_us: n,
                ..Sample::default()
            };
            // What began in the phase before has a row of its own, and counts for nothing.
            let rows = [
                row("warmup", "NewOrder", if n == 31 { 7 } else { 2 }),
                row(phase.name(), "NewOrder", n % 5),
                row(phase.name(), "Q01", u64::from(n % 50 == 0)),
            ];
            let rows = if phase == Phase::Warmup { &rows[1..] } else { &rows[..] };
            let tx = rows.len() - 1;
            ended[usize::from(phase == Phase::Measured)] += n % 5;
            joined += u64::from(cells.add(&tick(&plan, phase, rows, tx)));
        }
        assert!((1..4).contains(&joined), "{joined}");
        let all = cells.all();
        let all = all.as_array().unwrap();
        assert!(all.len() <= MOST && all.len() >= MOST / 2, "{}", all.len());
        let sum = |phase: &str, list: &str| -> u64 {
            let of = all.iter().filter(|cell| cell["phase"] == phase);
            let rows = of.flat_map(|cell| cell[list].as_array().into_iter().flatten());
            rows.map(|row| row[1].as_u64().unwrap()).sum()
        };
        assert_eq!([sum("warmup", "operations"), sum("measured", "operations")], ended);
        assert_eq!(sum("measured", "queries"), 100);
        let seconds: f64 = all.iter().map(|cell| cell["seconds"].as_f64().unwrap()).sum();
        assert!((seconds - 500.0).abs() < 1e-6);
        assert!(all.windows(2).all(|pair| pair[0]["n"].as_u64() < pair[1]["n"].as_u64()));
        assert_eq!(cells.since(cells.last()).as_array().unwrap(), &all[all.len() - 1..]);
        assert_eq!(cells.since(0), cells.all());
        assert_eq!(all.last().unwrap()["operations"][0][4], 5_000);
    }
}
