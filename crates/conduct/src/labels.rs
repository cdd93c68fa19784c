//! The labels of a run: what tells it from others of its kind, in its record and all that is made
//! of it.

use std::collections::BTreeMap;
use std::str::FromStr;

use clap::Args;
use hoap_databases::url::redact;
use hoap_record::limits::MOST_LABELS;
use hoap_workload::{Error, ErrorKind, Result};

/// The flags of labels.
#[derive(Clone, Debug, Default, Args)]
pub struct LabelArgs {
    /// A label of the run, such as testbed=lab-3, in its record and all that is made of it;
    /// repeatable. In CI commit, branch and by come from its variables
    #[arg(long, value_name = "KEY=VALUE")]
    pub label: Vec<Label>,
    /// Who runs it: the label `by`
    #[arg(long, value_name = "NAME", value_parser = value)]
    pub by: Option<String>,
}

/// `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Letters, digits, `_`, `-` and `.`, a letter first.
    pub key: String,
    /// A line of text.
    pub value: String,
}

/// The most characters of a key.
const LONGEST_KEY: usize = 64;
/// The most characters of a value.
const LONGEST_VALUE: usize = 200;

impl FromStr for Label {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        match text.split_once('=') {
            Some((key, of))
                if key.starts_with(|c: char| c.is_ascii_alphabetic())
                    && !key.contains(other)
                    && key.len() <= LONGEST_KEY =>
            {
                Ok(Label { key: key.into(), value: value(of)? })
            }
            _ => Err(format!(
                "a label is KEY=VALUE, such as commit=4f2a91c; its key has letters, digits, _, - and ., \
                 a letter first, {LONGEST_KEY} at most"
            )),
        }
    }
}

/// The value of a label.
fn value(text: &str) -> std::result::Result<String, String> {
    let length = text.chars().count();
    match (1..=LONGEST_VALUE).contains(&length) && !text.contains(char::is_control) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "the value of a label is one line of text of 1 to {LONGEST_VALUE} characters"
        )),
    }
}

/// A service that runs jobs: a variable that it always sets, and those of a commit, a branch and
/// who began the job. Of several variables the first that is set counts.
struct Service {
    sets: &'static str,
    commit: &'static [&'static str],
    branch: &'static [&'static str],
    by: &'static [&'static str],
}

const SERVICES: [Service; 6] = [
    Service {
        sets: "GITHUB_ACTIONS",
        commit: &["GITHUB_SHA"],
        // The first is set in the job of a pull request, where the second is "12/merge".
        branch: &["GITHUB_HEAD_REF", "GITHUB_REF_NAME"],
        by: &["GITHUB_ACTOR"],
    },
    Service {
        sets: "GITLAB_CI",
        commit: &["CI_COMMIT_SHA"],
        branch: &["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"],
        by: &["GITLAB_USER_LOGIN"],
    },
    Service {
        sets: "BUILDKITE",
        commit: &["BUILDKITE_COMMIT"],
        branch: &["BUILDKITE_BRANCH"],
        by: &["BUILDKITE_BUILD_CREATOR"],
    },
    Service {
        sets: "CIRCLECI",
        commit: &["CIRCLE_SHA1"],
        branch: &["CIRCLE_BRANCH"],
        by: &["CIRCLE_USERNAME"],
    },
    Service {
        sets: "TF_BUILD",
        commit: &["BUILD_SOURCEVERSION"],
        branch: &["BUILD_SOURCEBRANCHNAME"],
        by: &["BUILD_REQUESTEDFOR"],
    },
    Service {
        sets: "JENKINS_URL",
        commit: &["GIT_COMMIT"],
        branch: &["CHANGE_BRANCH", "BRANCH_NAME", "GIT_BRANCH"],
        by: &["BUILD_USER_ID"],
    },
];

/// The variables by which a service is known: without them no label comes from the environment.
pub fn service_variables() -> impl Iterator<Item = &'static str> {
    SERVICES.iter().map(|service| service.sets)
}

/// Who runs it, where a service of CI says so.
pub fn by_of_environment() -> Option<String> {
    of_service(variable).remove("by")
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The labels that a service's variables say. A value that a label cannot have is left out.
fn of_service(variable: impl Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
    let set = |name: &&str| variable(name).filter(|of| !of.is_empty());
    let Some(service) = SERVICES.iter().find(|service| set(&service.sets).is_some()) else {
        return BTreeMap::new();
    };
    let Service { sets: _, commit, branch, by } = service;
    let labels = [("commit", commit), ("branch", branch), ("by", by)];
    let found = labels.into_iter().filter_map(|(key, names)| {
        let of = value(&names.iter().find_map(set)?).ok()?;
        Some((key.to_owned(), of))
    });
    found.collect()
}

impl LabelArgs {
    /// All labels, without secrets: those of CI, and those that the user gave in their place.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where a key was given twice, or there are too many.
    pub fn all(&self) -> Result<BTreeMap<String, String>> {
        self.with(variable)
    }

    fn with(&self, variable: impl Fn(&str) -> Option<String>) -> Result<BTreeMap<String, String>> {
        let mut given = BTreeMap::new();
        let by = self.by.iter().map(|name| ("by", name));
        for (key, of) in self.label.iter().map(|l| (l.key.as_str(), &l.value)).chain(by) {
            if given.insert(key.to_owned(), redact(of)).is_some() {
                let answer = format!("{key} is given twice");
                return Err(Error::new(ErrorKind::Invalid, "label the run", answer)
                    .advise("leave one of them out"));
            }
        }
        let mut all = of_service(variable);
        all.extend(given);
        match all.len() <= MOST_LABELS {
            true => Ok(all),
            false => {
                let answer = format!("there are {}, more than {MOST_LABELS}", all.len());
                Err(Error::new(ErrorKind::Invalid, "label the run", answer)
                    .advise("leave some of them out"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(of: &[(&str, &str)]) -> BTreeMap<String, String> {
        of.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }

    fn args(words: &[&str], by: Option<&str>) -> LabelArgs {
        let label = words.iter().map(|word| word.parse().unwrap()).collect();
        LabelArgs { label, by: by.map(String::from) }
    }

    #[test]
    fn a_label_is_a_key_and_a_line_of_text() {
        let long = "x".repeat(200);
        for (text, key, value) in [
            ("commit=4f2a", "commit", "4f2a"),
            ("a.b-c_1=x=y z", "a.b-c_1", "x=y z"),
            (&*format!("k={long}"), "k", &*long),
        ] {
            assert_eq!(text.parse(), Ok(Label { key: key.into(), value: value.into() }));
        }
        let longer = format!("k={long}x");
        let key = format!("{}=v", "k".repeat(65));
        for wrong in ["", "commit", "=x", "k=", "1k=v", "k k=v", "ä=v", "k=a\nb", &longer, &key] {
            assert!(wrong.parse::<Label>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_service_says_commit_branch_and_who_began_the_job() {
        for (set, wanted) in [
            (&[("GITHUB_SHA", "4f2a"), ("GITHUB_ACTOR", "ada")][..], &[][..]),
            (
                &[("GITHUB_ACTIONS", "true"), ("GITHUB_SHA", "4f2a"), ("GITHUB_REF_NAME", "main")],
                &[("commit", "4f2a"), ("branch", "main")],
            ),
            (
                &[
                    ("GITHUB_ACTIONS", "true"),
                    ("GITHUB_HEAD_REF", "faster"),
                    ("GITHUB_REF_NAME", "12/merge"),
                    ("GITHUB_ACTOR", "ada"),
                ],
                &[("branch", "faster"), ("by", "ada")],
            ),
            (
                &[("GITHUB_ACTIONS", "true"), ("GITHUB_HEAD_REF", ""), ("GITHUB_REF_NAME", "main")],
                &[("branch", "main")],
            ),
            (
                &[
                    ("GITLAB_CI", "true"),
                    ("CI_COMMIT_SHA", "9c01"),
                    ("CI_COMMIT_REF_NAME", "main"),
                    ("GITLAB_USER_LOGIN", "ada"),
                ],
                &[("commit", "9c01"), ("branch", "main"), ("by", "ada")],
            ),
            (
                &[("BUILDKITE", "true"), ("BUILDKITE_COMMIT", "9c01"), ("BUILDKITE_BRANCH", "x")],
                &[("commit", "9c01"), ("branch", "x")],
            ),
            (
                &[("CIRCLECI", "true"), ("CIRCLE_SHA1", "9c01"), ("CIRCLE_BRANCH", "x")],
                &[("commit", "9c01"), ("branch", "x")],
            ),
            (&[("TF_BUILD", "True"), ("BUILD_SOURCEVERSION", "9c01")], &[("commit", "9c01")]),
            (
                &[("JENKINS_URL", "http://ci"), ("GIT_COMMIT", "9c01"), ("GIT_BRANCH", "origin/x")],
                &[("commit", "9c01"), ("branch", "origin/x")],
            ),
            (&[("GITLAB_CI", "true"), ("CI_COMMIT_SHA", "a\nb")], &[]),
        ] {
            let set = labels(set);
            assert_eq!(of_service(|name| set.get(name).cloned()), labels(wanted), "{set:?}");
        }
    }

    #[test]
    fn what_the_user_says_takes_the_place_of_what_the_service_says() {
        let set = labels(&[("GITLAB_CI", "true"), ("CI_COMMIT_SHA", "9c01")]);
        let with = |args: LabelArgs| args.with(|name| set.get(name).cloned());
        let given = args(&["commit=4f2a", "testbed=lab"], Some("ada"));
        let wanted = labels(&[("commit", "4f2a"), ("testbed", "lab"), ("by", "ada")]);
        assert_eq!(with(given).unwrap(), wanted);
        assert_eq!(with(args(&[], None)).unwrap(), labels(&[("commit", "9c01")]));
        for twice in [args(&["a=1", "a=1"], None), args(&["by=ada"], Some("ada"))] {
            assert!(with(twice).unwrap_err().to_string().contains("given twice"));
        }
    }

    /// As it may come from a configuration file.
    #[test]
    fn a_label_has_no_password() {
        let with = args(&["on=redis://me:hunter2@h"], Some("postgres://me:hunter2@h"));
        let all = with.with(|_| None).unwrap();
        assert_eq!(all["on"], "redis://me:***@h");
        assert!(!format!("{all:?}").contains("hunter2"));
    }
}
