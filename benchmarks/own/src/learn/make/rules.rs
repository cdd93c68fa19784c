//! What of a sample may be written.

/// How often a value occurs at least that is written.
pub const FREQUENT: u64 = 20;

/// What may be written.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Whether values of the sample are written at all.
    pub values: bool,
    /// How often a value occurs at least that is written.
    pub least: u64,
}

impl Rules {
    /// Quantiles as they may be written: if values are not, on the steps 1, 2, 5, 10 …
    pub fn rounded(&self, pairs: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
        if self.values {
            return pairs;
        }
        let last = pairs.len().saturating_sub(1);
        let all = pairs.into_iter().enumerate();
        all.map(|(at, (share, value))| (share, step(value, at == last))).collect()
    }
}

/// The next of 1, 2, 5, 10, 20 … below a number, or above it.
fn step(value: f64, up: bool) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    if value < 0.0 {
        return -step(-value, !up);
    }
    let unit = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|n| n * unit);
    let found = match up {
        true => steps.into_iter().find(|step| *step >= value),
        false => steps.into_iter().rev().find(|step| *step <= value),
    };
    found.unwrap_or(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_beside_the_number() {
        for (value, down, up) in
            [(73_219.0, 50_000.0, 100_000.0), (-3.0, -5.0, -2.0), (0.0, 0.0, 0.0)]
        {
            assert_eq!((step(value, false), step(value, true)), (down, up), "{value}");
        }
    }
}
