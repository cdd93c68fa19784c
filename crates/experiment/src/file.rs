//! The file of an experiment.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Table;

/// An experiment, as its file says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// What it shows, in a line.
    pub title: String,
    /// Where it was published: paper or report, section, figure. A user's own has none.
    #[serde(default)]
    pub source: Option<String>,
    /// What was measured with what, and what a reader looks for.
    pub about: String,
    /// What a repetition has otherwise than the source, a sentence each.
    #[serde(default)]
    pub differs: Vec<String>,
    /// The study whose published figures stand beside, by its name in `hoap report --published`.
    #[serde(default)]
    pub published: Option<String>,
    /// The databases that the user names: flag and meaning.
    pub targets: BTreeMap<String, String>,
    /// Options of targets by the scheme of their URL, as the source had them: `couchbase =
    /// "durability=none"`, or a preset with them all: `"preset=nosql-2021"`. An option that the
    /// user's URL has wins.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// What is done for each configuration, in this order.
    #[serde(rename = "stage")]
    pub stages: Vec<Stage>,
    /// The systems under test.
    #[serde(rename = "configuration")]
    pub configurations: Vec<Configuration>,
}

/// One command.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stage {
    /// Its name, unique in the experiment; of a run also that of its folder.
    pub name: String,
    /// What is done.
    pub command: Command,
    /// The benchmark, by its name in that command.
    pub benchmark: String,
    /// The configurations that have it; all where it names none.
    #[serde(default)]
    pub only: Vec<String>,
    /// Flags by their long names. `{name}` in a text is the URL of that target.
    #[serde(default)]
    pub flags: Table,
}

/// A command that is part of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// `hoap load`
    Load,
    /// `hoap verify`
    Verify,
    /// `hoap query`
    Query,
    /// `hoap run`
    Run,
}

impl Command {
    /// As users type it.
    pub fn name(self) -> &'static str {
        match self {
            Command::Load => "load",
            Command::Verify => "verify",
            Command::Query => "query",
            Command::Run => "run",
        }
    }
}

/// A system under test, in one setting.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Configuration {
    /// Its name in the figures: "4Q+4A".
    pub label: String,
    /// What it is.
    pub about: String,
    /// Nodes of its cluster.
    #[serde(default)]
    pub nodes: Option<u32>,
    /// A price list of the program, or a file: what its cluster costs.
    #[serde(default)]
    pub prices: Option<String>,
    /// The targets that it has; all where it names none.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Options of targets that this configuration has otherwise, by scheme.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Flags that this configuration has otherwise, by the name of the stage.
    #[serde(default)]
    pub flags: BTreeMap<String, Table>,
}

impl Experiment {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Says in words what is wrong, with the line where there is one.
    pub fn parse(text: &str) -> Result<Experiment, String> {
        let experiment: Experiment = toml::from_str(text).map_err(|e| {
            let words = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
            match e.span() {
                Some(span) => {
                    let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
                    format!("line {line}: {words}")
                }
                None => words,
            }
        })?;
        experiment.check()?;
        Ok(experiment)
    }

    /// The configuration of this label.
    ///
    /// # Errors
    /// Names the labels that there are, where this is none of them.
    pub fn configuration(&self, label: &str) -> Result<&Configuration, String> {
        self.configurations.iter().find(|c| c.label == label).ok_or_else(|| {
            format!("there is no configuration {label:?}; there are {}", self.labels().join(", "))
        })
    }

    /// The labels of all configurations, in the order of the file.
    pub fn labels(&self) -> Vec<&str> {
        self.configurations.iter().map(|c| c.label.as_str()).collect()
    }

    /// The stages that a configuration has.
    pub fn stages_of<'a>(&'a self, label: &'a str) -> impl Iterator<Item = &'a Stage> {
        self.stages.iter().filter(move |s| s.only.is_empty() || s.only.iter().any(|l| l == label))
    }

    /// What one part of the file says of another must be there.
    fn check(&self) -> Result<(), String> {
        if self.stages.is_empty() || self.configurations.is_empty() {
            return Err("an experiment has a [[stage]] and a [[configuration]] at least".into());
        }
        let names: Vec<&str> = self.stages.iter().map(|s| s.name.as_str()).collect();
        unique("stage", &names)?;
        unique("configuration", &self.labels())?;
        for stage in &self.stages {
            let known = |label: &String| self.labels().contains(&label.as_str());
            if let Some(label) = stage.only.iter().find(|label| !known(label)) {
                return Err(format!("stage {}: no configuration is {label:?}", stage.name));
            }
            if let Some(flag) = ["out", "config", "resume", "replace"]
                .into_iter()
                .find(|flag| stage.flags.contains_key(*flag))
            {
                return Err(format!("stage {}: the experiment itself gives {flag:?}", stage.name));
            }
        }
        for configuration in &self.configurations {
            let Configuration { label, targets, flags, .. } = configuration;
            if let Some(name) = targets.iter().find(|name| !self.targets.contains_key(*name)) {
                return Err(format!("configuration {label}: no target is {name:?}"));
            }
            if let Some(stage) = flags.keys().find(|stage| !names.contains(&stage.as_str())) {
                return Err(format!("configuration {label}: no stage is {stage:?}"));
            }
        }
        Ok(())
    }
}

/// Names that become folders and words of a command line.
fn unique(what: &str, names: &[&str]) -> Result<(), String> {
    for (n, name) in names.iter().enumerate() {
        let plain = |c: char| c.is_alphanumeric() || " +-_.,()%".contains(c);
        if name.is_empty() || !name.chars().all(plain) || name.starts_with('.') {
            return Err(format!(
                "{what} {name:?}: a name is letters, digits, spaces and + - _ . , ( ) %, and does \
                 not begin with a dot"
            ));
        }
        if names[..n].contains(name) {
            return Err(format!("{what} {name:?} is there twice"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        title = "T"
        about = "A"
        targets = { target = "the database" }
        [[stage]]
        name = "load"
        command = "load"
        benchmark = "ycsb"
        flags = { target = "{target}" }
        [[configuration]]
        label = "one"
        about = "a node"
    "#;

    #[test]
    fn what_is_wrong_with_a_file_is_said_with_its_place() {
        assert!(Experiment::parse(SMALL).is_ok());
        for (from, to, says) in [
            ("title = \"T\"", "titel = \"T\"", "line 2: unknown field `titel`"),
            ("\"load\"\n        benchmark", "\"lod\"\n        benchmark", "unknown variant `lod`"),
            ("flags = {", "only = [\"two\"]\nflags = {", "stage load: no configuration is \"two\""),
            ("\"{target}\" }", "\"x\", out = \"y\" }", "the experiment itself gives \"out\""),
            ("label = \"one\"", "label = \"a/b\"", "configuration \"a/b\": a name is"),
            ("label = \"one\"", "label = \"..\"", "configuration \"..\": a name is"),
            ("about = \"a node\"", "about = \"\"\ntargets = [\"x\"]", "one: no target is \"x\""),
            ("about = \"a node\"", "about = \"\"\nflags.run = {}", "one: no stage is \"run\""),
        ] {
            let text = SMALL.replacen(from, to, 1);
            assert_ne!(text, SMALL, "{from}");
            let told = Experiment::parse(&text).unwrap_err();
            assert!(told.contains(says), "no {says:?} in {told:?}");
        }
        let twice = SMALL.replace(
            "[[configuration]]",
            "[[configuration]]\nlabel=\"one\"\nabout=\"\"\n[[configuration]]",
        );
        assert!(Experiment::parse(&twice).unwrap_err().contains("there twice"));
    }
}
