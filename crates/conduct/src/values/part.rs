//! `--part I/N`, and `auto/N` under a scheduler.

use std::fmt;
use std::str::FromStr;

use hoap_data::Part;

/// The index of a pod of an Indexed Job of Kubernetes, from 0.
const POD: &str = "JOB_COMPLETION_INDEX";
/// The rank of a task in a step of a Slurm job, from 0.
const RANK: &str = "SLURM_PROCID";
/// How many tasks that step has.
const TASKS: &str = "SLURM_NTASKS";
/// The number of a task of a Slurm array, as the user numbered them.
const ARRAY: &str = "SLURM_ARRAY_TASK_ID";

/// `I/N`, with 1 ≤ I ≤ N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartArg {
    /// The part.
    pub part: Part,
    /// The variable of the environment that named it, where the user typed `auto/N`.
    pub from: Option<&'static str>,
}

impl PartArg {
    /// Everything.
    pub const WHOLE: PartArg = PartArg { part: Part::WHOLE, from: None };

    /// What a user of `auto/N` must know: which part it is, and who says so.
    pub fn chosen(&self) -> Option<String> {
        self.from.map(|from| format!("part {self}, from {from}"))
    }

    /// The part of `auto/of` in an environment.
    fn auto(of: u64, environment: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let number = |name: &str| match environment(name) {
            None => Ok(None),
            Some(text) => match text.trim().parse::<u64>() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(format!("auto/{of}: {name} is {text:?}, which is no number")),
            },
        };
        let tasks = number(TASKS)?.unwrap_or(1);
        let (from, given, part) = if let Some(index) = number(POD)? {
            (POD, index, index.saturating_add(1))
        } else if let (Some(rank), true) = (number(RANK)?, tasks > 1) {
            if tasks != of {
                return Err(format!(
                    "auto/{of}: {TASKS} is {tasks}, and each task is a part: give auto/{tasks}"
                ));
            }
            (RANK, rank, rank.saturating_add(1))
        } else if let Some(task) = number(ARRAY)? {
            (ARRAY, task, task)
        } else {
            return Err(format!(
                "auto/{of}: no scheduler says which part this is: neither {POD} (Kubernetes, \
                 Indexed Job) nor {RANK} (Slurm, with {TASKS} above 1) nor {ARRAY} (Slurm, \
                 --array=1-{of}) is set; type the part as I/{of}"
            ));
        };
        if !(1..=of).contains(&part) {
            let numbering = match from {
                ARRAY => format!("number the array from 1: --array=1-{of}"),
                _ => format!("numbers from 0 to {} are expected", of - 1),
            };
            return Err(format!("auto/{of}: {from} is {given}: {numbering}"));
        }
        Ok(PartArg { part: Part { part, of }, from: Some(from) })
    }

    fn read(s: &str, environment: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let wrong = || "a part is I/N with I from 1 to N, such as 1/4, or auto/N".into();
        let (part, of) = s.split_once('/').ok_or_else(wrong)?;
        let of: u64 = of.parse().ok().filter(|of| *of > 0).ok_or_else(wrong)?;
        if part == "auto" {
            return PartArg::auto(of, environment);
        }
        let part: u64 = part.parse().map_err(|_| wrong())?;
        match (1..=of).contains(&part) {
            true => Ok(PartArg { part: Part { part, of }, from: None }),
            false => Err(wrong()),
        }
    }
}

impl FromStr for PartArg {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        PartArg::read(s, |name| std::env::var(name).ok())
    }
}

impl fmt::Display for PartArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part.part, self.part.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `--part s` where these variables are set: the part, and who named it.
    fn read(s: &str, set: &[(&str, &str)]) -> Result<(String, Option<&'static str>), String> {
        let value = |name: &str| {
            set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.to_string())
        };
        PartArg::read(s, value).map(|part| (part.to_string(), part.from))
    }

    #[test]
    fn a_part_is_typed_or_the_schedulers() {
        let (array, rank) = ((ARRAY, "2"), (RANK, "3"));
        let of = |part: &str, from| Ok((part.to_owned(), from));
        assert_eq!(read("2/4", &[(POD, "0")]), of("2/4", None));
        assert_eq!(read("auto/4", &[(POD, "0"), rank, (TASKS, "4")]), of("1/4", Some(POD)));
        assert_eq!(read("auto/4", &[rank, (TASKS, "4"), array]), of("4/4", Some(RANK)));
        // A job of one task has a rank too, as each task of an array is.
        assert_eq!(read("auto/4", &[(RANK, "0"), (TASKS, "1"), array]), of("2/4", Some(ARRAY)));
        assert_eq!(read("auto/4", &[(RANK, "0"), array]), of("2/4", Some(ARRAY)));
    }

    #[test]
    fn what_names_no_part_is_refused_with_the_reason() {
        for wrong in ["", "1", "0/4", "5/4", "1/0", "a/b", "-1/2", "1/2/3", "auto", "auto/0"] {
            assert!(read(wrong, &[]).unwrap_err().contains("such as 1/4"), "{wrong}");
        }
        for (set, says) in [
            (&[][..], &[POD, RANK, ARRAY, "I/4"][..]),
            (&[(RANK, "0"), (TASKS, "1")], &[POD, RANK, ARRAY]),
            (&[(POD, "4")], &["JOB_COMPLETION_INDEX is 4", "0 to 3"]),
            (&[(POD, "18446744073709551615")], &["0 to 3"]),
            (&[(POD, "-1")], &["\"-1\"", "no number"]),
            (&[(RANK, "0"), (TASKS, "8")], &["SLURM_NTASKS is 8", "auto/8"]),
            (&[(ARRAY, "0")], &["SLURM_ARRAY_TASK_ID is 0", "--array=1-4"]),
            (&[(ARRAY, "5")], &["--array=1-4"]),
        ] {
            let e = read("auto/4", set).unwrap_err();
            assert!(says.iter().all(|words| e.contains(words)), "{set:?}: {e}");
        }
    }
}
