//! Student's t distribution.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// From so many degrees of freedom on the distribution is the normal one, to within two parts in ten
/// thousand of a 95 % interval. Its inverse takes ever longer with their number.
pub(super) const NORMAL: f64 = 1e4;

fn student(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom).ok()
}

/// Half the width of the central interval of this confidence (0.95), in standard errors.
pub fn width(confidence: f64, freedom: f64) -> f64 {
    let up_to = 0.5 + confidence / 2.0;
    if freedom >= NORMAL {
        return Normal::standard().inverse_cdf(up_to);
    }
    student(freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(up_to))
}

/// How often chance alone gives a value this many standard errors away from nothing, or further.
pub fn chance(errors: f64, freedom: f64) -> f64 {
    match student(freedom.min(NORMAL)) {
        Some(t) if errors.is_finite() => (2.0 * t.sf(errors.abs())).min(1.0),
        Some(_) if errors.is_infinite() => 0.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of any table of the distribution.
    #[test]
    fn quantiles_and_probabilities_are_those_of_the_tables() {
        for (freedom, wanted) in [
            (1.0, 12.706),
            (2.0, 4.303),
            (9.0, 2.262),
            (9_999.0, 1.960),
            (1e6, 1.960),
            (f64::INFINITY, 1.960),
        ] {
            let t = width(0.95, freedom);
            assert!((t - wanted).abs() < 1e-3, "{freedom}: {t}");
            let back = chance(t, freedom);
            assert!((back - 0.05).abs() < 1e-4, "{freedom}: {back}");
        }
        assert_eq!(chance(0.0, 3.0), 1.0);
        assert_eq!(chance(f64::INFINITY, 3.0), 0.0);
        assert_eq!((chance(f64::NAN, 3.0), width(0.95, 0.0)), (1.0, f64::INFINITY));
    }
}
