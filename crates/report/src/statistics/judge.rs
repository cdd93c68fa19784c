//! Verdicts of many ratios at once.

use std::cmp::Ordering;

use super::ratio::{FALSE_VERDICTS, Ratio};

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeVerdict {
    /// The candidate differs, for the better.
    Better,
    /// The candidate differs, for the worse.
    Worse,
    /// Chance, a difference between runs of one kind, or one too small to matter explains what was
    /// seen.
    Undecided,
}

impl ChangeVerdict {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            ChangeVerdict::Better => "better",
            ChangeVerdict::Worse => "worse",
            ChangeVerdict::Undecided => "undecided",
        }
    }
}

/// A ratio to be judged.
#[derive(Clone, Copy, Debug)]
pub struct RatioQuestion {
    /// Candidate ÷ baseline; `None` where a side has no value.
    pub ratio: Option<Ratio>,
    /// How the candidate stands to the baseline where one of them has nothing at all, which needs
    /// no interval to tell from something.
    pub stopped: Option<Ordering>,
    /// Whether more is better.
    pub more_is_better: bool,
    /// Whether it is a headline: no false verdict at all among those, in 95 of 100 comparisons. Of
    /// the others at most 5 of 100 verdicts are false.
    pub headline: bool,
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// How often chance alone would do this, with account of how many questions were asked; compare
    /// it with [`FALSE_VERDICTS`]. `None` if a ratio has no error, or one from within one run of
    /// each side.
    pub chance: Option<f64>,
    /// Whether the difference is real, however small.
    pub real: bool,
    /// The verdict: real, and not too small to matter.
    pub verdict: ChangeVerdict,
}

/// Judges them together. `relevant` is the least relative difference that matters (0.01).
///
/// Headlines are held to the family-wise error rate (Holm 1979), the rest to the false discovery
/// rate (Benjamini and Hochberg 1995): a page of a hundred details would decide nothing by the
/// former.
pub fn judge(questions: &[RatioQuestion], relevant: f64) -> Vec<Finding> {
    // What only one run of each side knows is no evidence that they differ.
    let evidence = |ratio: Ratio| ratio.spread.filter(|s| s.between_runs).and(ratio.chance());
    let chances: Vec<Option<f64>> = questions.iter().map(|q| q.ratio.and_then(evidence)).collect();
    let mut adjusted: Vec<Option<f64>> = vec![None; questions.len()];
    for (headline, adjust) in [(true, holm as fn(&[f64]) -> Vec<f64>), (false, benjamini_hochberg)]
    {
        let members: Vec<(usize, f64)> = questions
            .iter()
            .enumerate()
            .filter(|(_, q)| q.headline == headline)
            .filter_map(|(at, _)| Some((at, chances[at]?)))
            .collect();
        let family: Vec<f64> = members.iter().map(|(_, chance)| *chance).collect();
        for ((at, _), chance) in members.iter().zip(adjust(&family)) {
            adjusted[*at] = Some(chance);
        }
    }
    questions.iter().zip(adjusted).map(|(q, chance)| finding(q, chance, relevant)).collect()
}

fn finding(question: &RatioQuestion, chance: Option<f64>, relevant: f64) -> Finding {
    if let Some(stopped) = question.stopped {
        let verdict = match (stopped, question.more_is_better) {
            (Ordering::Equal, _) => ChangeVerdict::Undecided,
            (Ordering::Greater, true) | (Ordering::Less, false) => ChangeVerdict::Better,
            (Ordering::Less, true) | (Ordering::Greater, false) => ChangeVerdict::Worse,
        };
        return Finding { chance: None, real: stopped.is_ne(), verdict };
    }
    let real = chance.is_some_and(|chance| chance < FALSE_VERDICTS);
    let verdict = match question.ratio {
        Some(ratio) if real && (ratio.value - 1.0).abs() >= relevant => {
            match (ratio.value > 1.0) == question.more_is_better {
                true => ChangeVerdict::Better,
                false => ChangeVerdict::Worse,
            }
        }
        _ => ChangeVerdict::Undecided,
    };
    Finding { chance, real, verdict }
}

/// The p-values in rising order, by their places.
fn rising(chances: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&a, &b| chances[a].total_cmp(&chances[b]));
    order
}

/// Holm's adjusted p-values: below α they are rejected with a family-wise error rate of α.
fn holm(chances: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; chances.len()];
    let mut least: f64 = 0.0;
    for (rank, at) in rising(chances).into_iter().enumerate() {
        least = least.max(chances[at] * (chances.len() - rank) as f64);
        adjusted[at] = least.min(1.0);
    }
    adjusted
}

/// Benjamini and Hochberg's adjusted p-values: of those below α at most the share α is expected
/// false.
fn benjamini_hochberg(chances: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; chances.len()];
    let mut most: f64 = 1.0;
    for (rank, at) in rising(chances).into_iter().enumerate().rev() {
        most = most.min(chances[at] * chances.len() as f64 / (rank + 1) as f64);
        adjusted[at] = most;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Estimate;

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    /// As R's `p.adjust(c(0.01, 0.04, 0.03, 0.005), …)` has them.
    #[test]
    fn adjusted_p_values_are_those_of_the_literature() {
        let chances = [0.01, 0.04, 0.03, 0.005];
        assert!(close(&holm(&chances), &[0.03, 0.06, 0.06, 0.02]));
        assert!(close(&benjamini_hochberg(&chances), &[0.02, 0.04, 0.04, 0.02]));
        assert!(holm(&[]).is_empty() && benjamini_hochberg(&[]).is_empty());
    }

    fn question(candidate: [f64; 3], more_is_better: bool) -> RatioQuestion {
        let baseline = Estimate::of_runs(&[100.0, 100.1, 99.9]).unwrap();
        let candidate = Estimate::of_runs(&candidate).unwrap();
        let ratio = Some(Ratio::of(&candidate, &baseline));
        RatioQuestion { ratio, stopped: None, more_is_better, headline: true }
    }

    #[test]
    fn three_words_and_the_direction_in_which_they_point() {
        let much = [110.0, 110.2, 109.9];
        let verdict = |q: RatioQuestion| judge(&[q], 0.01)[0].verdict;
        assert_eq!(verdict(question(much, true)), ChangeVerdict::Better);
        assert_eq!(verdict(question(much, false)), ChangeVerdict::Worse);
        assert_eq!(verdict(question([90.0, 110.0, 130.0], true)), ChangeVerdict::Undecided);
        let nothing =
            RatioQuestion { ratio: None, stopped: None, more_is_better: true, headline: true };
        let finding = judge(&[nothing], 0.01)[0];
        assert_eq!((finding.verdict, finding.chance), (ChangeVerdict::Undecided, None));
    }

    /// However narrow its interval: it does not hold what differs from run to run.
    #[test]
    fn one_run_a_side_decides_nothing() {
        let of = |value| Estimate::new(value, 1e-6, 500.0, crate::statistics::Basis::Series(900.0));
        let ratio = Some(Ratio::of(&of(200.0).unwrap(), &of(100.0).unwrap()));
        let single = RatioQuestion { ratio, stopped: None, more_is_better: true, headline: true };
        let finding = judge(&[single], 0.01)[0];
        assert_eq!((finding.verdict, finding.chance), (ChangeVerdict::Undecided, None));
        assert!(!finding.real);
    }

    #[test]
    fn a_real_difference_too_small_to_matter_is_no_verdict() {
        let little = question([100.5, 100.51, 100.49], true);
        let finding = judge(&[little], 0.01)[0];
        assert!(finding.real);
        assert_eq!(finding.verdict, ChangeVerdict::Undecided);
        assert_eq!(judge(&[little], 0.001)[0].verdict, ChangeVerdict::Better);
    }
}
