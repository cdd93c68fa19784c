//! The file of an experiment.

use std::collections::{BTreeMap, BTreeSet};

use hoap_record::named;
use serde::Deserialize;
use toml::{Table, Value};

/// The most stages of an experiment, and the most configurations.
const MOST: usize = 1000;
/// Flags of the experiment itself, of the user's command line, and of nobody else: where files are,
/// which addresses are spoken to and which are listened at. A file from elsewhere says none of it.
pub const OF_THE_USER: [&str; 24] = [
    "answers",
    "answers-out",
    "config",
    "explain",
    "export",
    "insecure-without-tls",
    "json",
    "load",
    "meet",
    "metrics",
    "observe",
    "open",
    "otlp",
    "out",
    "part",
    "prices",
    "queries-dir",
    "quiet",
    "replace",
    "resume",
    "server-facts",
    "start-at",
    "tls-ca",
    "dry-run",
];
/// Flags that name a database. A file gives them a placeholder of `targets`.
pub const DATABASES: [&str; 3] = ["target", "operational", "analytical"];
/// Options that say where a database is, who logs in and who is trusted: words in their names, and
/// whole names.
const WORDS: [&str; 14] = [
    "auth",
    "cert",
    "directory",
    "endpoint",
    "file",
    "folder",
    "host",
    "keyspace",
    "pass",
    "port",
    "prefix",
    "ssl",
    "tls",
    "user",
];
const WHOLE: [&str; 6] = ["dbname", "link", "options", "schema", "scope", "source"];
/// Properties of YCSB that name a file which is written.
const FILES: [&str; 1] = ["exportfile"];

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

named! {
    /// A command that is part of an experiment.
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    Command, "command":
    /// `hoap load`
    Load = "load",
    /// `hoap verify`
    Verify = "verify",
    /// `hoap query`
    Query = "query",
    /// `hoap run`
    Run = "run",
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
        let most = self.stages.len().max(self.configurations.len());
        if self.stages.is_empty() || self.configurations.is_empty() || most > MOST {
            return Err(format!(
                "an experiment has from 1 to {MOST} of [[stage]] and of [[configuration]]"
            ));
        }
        let names: Vec<&str> = self.stages.iter().map(|s| s.name.as_str()).collect();
        let names = unique("stage", &names)?;
        let labels = unique("configuration", &self.labels())?;
        for stage in &self.stages {
            let known = |label: &String| labels.contains(label.as_str());
            if let Some(label) = stage.only.iter().find(|label| !known(label)) {
                return Err(format!("stage {}: no configuration is {label:?}", stage.name));
            }
            self.harmless(&stage.flags).map_err(|e| format!("stage {}: {e}", stage.name))?;
        }
        options(&self.options)?;
        for configuration in &self.configurations {
            let Configuration { label, targets, flags, .. } = configuration;
            if let Some(name) = targets.iter().find(|name| !self.targets.contains_key(*name)) {
                return Err(format!("configuration {label}: no target is {name:?}"));
            }
            if let Some(stage) = flags.keys().find(|stage| !names.contains(stage.as_str())) {
                return Err(format!("configuration {label}: no stage is {stage:?}"));
            }
            let wrong = |e: String| format!("configuration {label}: {e}");
            flags.values().try_for_each(|flags| self.harmless(flags)).map_err(wrong)?;
            options(&configuration.options).map_err(wrong)?;
        }
        Ok(())
    }

    /// Refuses flags by which a file would choose what else is read, written, asked or listened at
    /// than the user's command line says.
    fn harmless(&self, flags: &Table) -> Result<(), String> {
        for (flag, value) in flags {
            if OF_THE_USER.contains(&flag.as_str()) {
                return Err(format!(
                    "a file cannot give {flag:?}: paths, addresses and what is done with them are \
                     of the command line"
                ));
            }
            let named = value.as_str().and_then(|v| v.strip_prefix('{')?.strip_suffix('}'));
            let target = named.is_some_and(|name| self.targets.contains_key(name));
            if DATABASES.contains(&flag.as_str()) && !target {
                return Err(format!(
                    "{flag} names no target of the experiment, as {{target}} does: databases are \
                     of the command line"
                ));
            }
            let written = match (flag.as_str(), value) {
                ("properties", Value::Table(table)) => table.keys().cloned().collect(),
                ("properties", _) => {
                    return Err("a file has properties as a table, not as other files".into());
                }
                ("property", value) => names_of(value),
                _ => Vec::new(),
            };
            if let Some(name) = written.iter().find(|name| FILES.contains(&name.as_str())) {
                return Err(format!(
                    "a file cannot give the property {name}: paths are of the command line"
                ));
            }
        }
        Ok(())
    }
}

/// The names of properties, each `name=value`.
fn names_of(pairs: &Value) -> Vec<String> {
    let one = pairs.as_str().into_iter();
    let all = one.chain(pairs.as_array().into_iter().flatten().filter_map(Value::as_str));
    all.map(|pair| pair.split('=').next().unwrap_or(pair).trim().to_owned()).collect()
}

/// Refuses options of a URL that name a file, an address or who is trusted.
fn options(all: &BTreeMap<String, String>) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.,".contains(c);
    for (scheme, options) in all {
        let secures = |option: &&str| {
            let name = option.split('=').next().unwrap_or_default().to_ascii_lowercase();
            WHOLE.contains(&&*name) || WORDS.iter().any(|word| name.contains(word))
        };
        let odd = |option: &&str| {
            secures(option) || option.splitn(2, '=').any(|word| !word.chars().all(plain))
        };
        if let Some(option) = options.split('&').find(odd) {
            return Err(format!(
                "a file cannot give the option {option:?} of {scheme}: paths, addresses and \
                 encryption are of the URL on the command line"
            ));
        }
    }
    Ok(())
}

/// Names that become folders and words of a command line.
fn unique<'a>(what: &str, names: &[&'a str]) -> Result<BTreeSet<&'a str>, String> {
    let mut all = BTreeSet::new();
    for name in names {
        let plain = |c: char| c.is_alphanumeric() || " +-_.,()%".contains(c);
        if name.is_empty() || !name.chars().all(plain) || name.starts_with('.') {
            return Err(format!(
                "{what} {name:?}: a name is letters, digits, spaces and + - _ . , ( ) %, and does \
                 not begin with a dot"
            ));
        }
        if !all.insert(*name) {
            return Err(format!("{what} {name:?} is there twice"));
        }
    }
    Ok(all)
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
            ("\"{target}\" }", "\"{target}\", out = \"y\" }", "a file cannot give \"out\""),
            (
                "\"{target}\" }",
                "\"sqlite:victim.db\" }",
                "target names no target of the experiment",
            ),
            ("\"{target}\" }", "\"{other}\" }", "target names no target of the experiment"),
            ("\"{target}\" }", "[\"{target}\"] }", "target names no target of the experiment"),
            ("\"{target}\" }", "\"{target}\", metrics = \"0.0.0.0:1\" }", "give \"metrics\""),
            ("\"{target}\" }", "\"{target}\", otlp = \"http://h\" }", "give \"otlp\""),
            ("\"{target}\" }", "\"{target}\", export = \"ycsb=.bashrc\" }", "give \"export\""),
            ("\"{target}\" }", "\"{target}\", properties = \"/dev/zero\" }", "as a table"),
            (
                "\"{target}\" }",
                "\"{target}\", property = [\"a=1\", \" exportfile=.bashrc\"] }",
                "the property exportfile",
            ),
            (
                "\"{target}\" }",
                "\"{target}\", properties = { exportfile = \".bashrc\" } }",
                "the property exportfile",
            ),
            (
                "label = \"one\"",
                "label = \"one\"\nflags.load = { out = \"y\" }",
                "one: a file cannot",
            ),
            (
                "title = \"T\"",
                "title = \"T\"\noptions = { duckdb = \"link=sqlite:victim.db\" }",
                "the option \"link=sqlite:victim.db\" of duckdb",
            ),
            (
                "title = \"T\"",
                "title = \"T\"\noptions = { postgres = \"a=1&sslmode=disable\" }",
                "the option \"sslmode=disable\"",
            ),
            (
                "label = \"one\"",
                "label = \"one\"\noptions = { asterixdb = \"load_folder=/home\" }",
                "the option \"load_folder=/home\" of asterixdb",
            ),
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
        let stage = "[[stage]]\nname=\"N\"\ncommand=\"load\"\nbenchmark=\"ycsb\"\n";
        let many: String = (0..MOST).map(|n| stage.replace('N', &format!("s{n}"))).collect();
        let many = SMALL.replacen("[[stage]]", &format!("{many}[[stage]]"), 1);
        assert!(Experiment::parse(&many).unwrap_err().contains("from 1 to 1000 of [[stage]]"));
    }
}
