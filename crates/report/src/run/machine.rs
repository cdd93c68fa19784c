//! What the driver's machine did over time, from `machine.csv`, in bounded memory.

use std::path::Path;

use hoap_record::folder::each_machine;
use hoap_record::{MachineRow, Result};

/// From this number of points on, neighbours of a step and phase are joined in pairs, and pairs of
/// pairs. An hour in spans of a second has fewer.
const MOST: usize = 4096;

/// A span of time, or several joined. CPU time is in cores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachinePoint {
    /// The row. Of joined ones CPU times are means over the time, the busiest core and the memory
    /// the highest; counts are sums.
    pub row: MachineRow,
    /// How many rows it is of.
    rows: usize,
}

/// Reads them, in the order of time. None where the run recorded none.
///
/// # Errors
/// `Invalid`, where the file is broken.
pub fn read(folder: &Path) -> Result<Vec<MachinePoint>> {
    let mut points = Vec::new();
    let mut each = 1;
    each_machine(folder, |row| push(&mut points, &mut each, row.clone(), MOST))?;
    Ok(points)
}

fn push(points: &mut Vec<MachinePoint>, each: &mut usize, row: MachineRow, most: usize) {
    add(points, MachinePoint { row, rows: 1 }, *each);
    // A point that is not joined on its way in would double this with every `most` rows, and a day
    // end in a single point.
    if points.len() >= most && *each < usize::MAX / 2 {
        *each *= 2;
        *points = joined(std::mem::take(points), *each);
    }
}

/// The points with neighbours joined until each is of so many rows.
fn joined(points: Vec<MachinePoint>, each: usize) -> Vec<MachinePoint> {
    let mut out: Vec<MachinePoint> = Vec::new();
    points.into_iter().for_each(|point| add(&mut out, point, each));
    out
}

/// Adds a point to the last one, as far as that is of no more than `each` rows then.
fn add(points: &mut Vec<MachinePoint>, point: MachinePoint, each: usize) {
    match points.last_mut() {
        Some(last) if last.rows + point.rows <= each && last.goes_on_in(&point) => {
            last.join(point);
        }
        _ => points.push(point),
    }
}

/// At most `most` points, and one more for each step and phase.
pub fn at_most(points: &[MachinePoint], most: usize) -> Vec<MachinePoint> {
    let rows: usize = points.iter().map(|point| point.rows).sum();
    joined(points.to_vec(), rows.div_ceil(most.max(1)))
}

impl MachinePoint {
    fn goes_on_in(&self, next: &MachinePoint) -> bool {
        self.row.step == next.row.step && self.row.phase == next.row.phase
    }

    fn join(&mut self, next: MachinePoint) {
        let (a, b) = (&self.row, next.row);
        let all = a.seconds + b.seconds;
        let mean = |x: f64, y: f64| match all > 0.0 {
            true => (x * a.seconds + y * b.seconds) / all,
            false => x,
        };
        let some = |x: Option<f64>, y: Option<f64>| Some(mean(x?, y?));
        self.row = MachineRow {
            at_seconds: b.at_seconds,
            seconds: all,
            user: mean(a.user, b.user),
            system: mean(a.system, b.system),
            busiest_thread: a.busiest_thread.zip(b.busiest_thread).map(|(a, b)| a.max(b)),
            waited: some(a.waited, b.waited),
            machine: mean(a.machine, b.machine),
            steal: mean(a.steal, b.steal),
            busiest_core: a.busiest_core.max(b.busiest_core),
            cores: String::new(),
            cpu_pressure: some(a.cpu_pressure, b.cpu_pressure),
            memory_pressure: some(a.memory_pressure, b.memory_pressure),
            io_pressure: some(a.io_pressure, b.io_pressure),
            voluntary_switches: a.voluntary_switches.saturating_add(b.voluntary_switches),
            involuntary_switches: a.involuntary_switches.saturating_add(b.involuntary_switches),
            received_bytes: a.received_bytes.saturating_add(b.received_bytes),
            sent_bytes: a.sent_bytes.saturating_add(b.sent_bytes),
            loopback_bytes: a.loopback_bytes.saturating_add(b.loopback_bytes),
            resident_bytes: a.resident_bytes.max(b.resident_bytes),
            step: b.step,
            phase: b.phase,
        };
        self.rows += next.rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(at: usize, step: usize) -> MachineRow {
        let at_seconds = at as f64;
        let (user, busiest_core) = (at_seconds, if at == 77 { 0.99 } else { 0.1 });
        let phase = "measured".into();
        let (waited, sent_bytes) = (Some(0.5), 3);
        let (seconds, rest) = (1.0, MachineRow::default());
        MachineRow {
            step,
            phase,
            at_seconds,
            seconds,
            user,
            busiest_core,
            waited,
            sent_bytes,
            ..rest
        }
    }

    #[test]
    fn a_long_series_is_joined_and_keeps_means_peaks_and_sums() {
        let (mut points, mut each) = (Vec::new(), 1);
        for at in 1..=1000 {
            push(&mut points, &mut each, row(at, at / 501), 64);
        }
        // A quarter of what there may be is the least, whatever the number of rows.
        assert!((16..64).contains(&points.len()), "{}", points.len());
        assert!(each <= 1000 / 16, "{each}");
        for points in [points.clone(), at_most(&points, 10)] {
            assert!(points.iter().all(|point| point.row.waited == Some(0.5)));
            let sum: f64 = points.iter().map(|point| point.row.user * point.row.seconds).sum();
            assert!((sum - 500_500.0).abs() < 1e-6, "{sum}");
            let peak = points.iter().map(|point| point.row.busiest_core).fold(0.0, f64::max);
            assert_eq!(peak, 0.99);
            assert_eq!(points.iter().map(|point| point.row.sent_bytes).sum::<u64>(), 3000);
            let ends: Vec<f64> = points
                .chunk_by(|a, b| a.row.step == b.row.step)
                .map(|of| of[of.len() - 1].row.at_seconds)
                .collect();
            assert_eq!(ends, [500.0, 1000.0], "no point is of two steps");
        }
        assert!(at_most(&points, 10).len() <= 12);
    }
}
