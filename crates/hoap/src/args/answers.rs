//! `hoap answers`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum AnswersCommand {
    /// Compare the answers in two or more folders with those in the first, query by query
    ///
    /// Answers are equal when their rows are, as a multiset, after rounding money to cents and
    /// with averages and ratios equal to a billionth. The order counts where ORDER BY decides it;
    /// rows that tie with the last one at a LIMIT may be any of those with its sort key.
    #[command(after_help = "Exit codes: 0 all equal, 1 one differs or is missing, 2 they cannot \
                            be compared: other benchmarks, other parameters, no answers.")]
    Compare(CompareAnswers),
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct CompareAnswers {
    /// Folder that `hoap query --answers-out` made, or that of a run with --keep-answers
    #[arg(value_name = "DIR")]
    pub first: PathBuf,
    /// Others, of the same data and parameters; two or more make a table, a column each
    #[arg(value_name = "DIR", required = true)]
    pub others: Vec<PathBuf>,
}
