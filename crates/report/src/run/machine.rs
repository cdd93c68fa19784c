//! What the driver's machine did over time, in few points.

use hoap_record::MachineRow;

/// The rows with neighbours of a step and phase joined, so that at most `most` remain, and one more
/// for each step and phase.
pub fn at_most(rows: &[MachineRow], most: usize) -> Vec<MachineRow> {
    let each = rows.len().div_ceil(most.max(1)).max(1);
    let of_phase = rows.chunk_by(|a, b| a.step == b.step && a.phase == b.phase);
    let joined = |rows: &[MachineRow]| {
        let mut rows = rows.iter().cloned();
        let first = rows.next().unwrap_or_default();
        rows.fold(first, |mut all, row| {
            all.join(row);
            all
        })
    };
    of_phase.flat_map(|rows| rows.chunks(each)).map(joined).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_series_is_joined_and_keeps_means_peaks_and_sums() {
        let row = |at: usize| MachineRow {
            step: at / 501,
            phase: "measured".into(),
            at_seconds: at as f64,
            seconds: 1.0,
            user: at as f64,
            busiest_core: if at == 77 { 0.99 } else { 0.1 },
            waited: Some(0.5),
            sent_bytes: 3,
            ..MachineRow::default()
        };
        let rows: Vec<MachineRow> = (1..=1000).map(row).collect();
        let points = at_most(&rows, 10);
        assert!(points.len() <= 12 && points.iter().all(|point| point.waited == Some(0.5)));
        let sum: f64 = points.iter().map(|point| point.user * point.seconds).sum();
        assert!((sum - 500_500.0).abs() < 1e-6, "{sum}");
        assert_eq!(points.iter().map(|point| point.busiest_core).fold(0.0, f64::max), 0.99);
        assert_eq!(points.iter().map(|point| point.sent_bytes).sum::<u64>(), 3000);
        let of_steps = points.chunk_by(|a, b| a.step == b.step);
        let ends: Vec<f64> = of_steps.map(|of| of[of.len() - 1].at_seconds).collect();
        assert_eq!(ends, [500.0, 1000.0], "no point is of two steps");
        assert_eq!(at_most(&rows, 1000), rows);
        assert_eq!(at_most(&[], 10), []);
    }
}
