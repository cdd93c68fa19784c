//! What is done of an experiment: `experiment.json` in its folder, beside a copy of its file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hoap_record::input;
use hoap_record::whole::{Prepared, is_temporary};
use hoap_record::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use crate::file::Experiment;
use crate::plan::{Cell, Plan};

const RECORD: &str = "experiment.json";
const COPY: &str = "experiment.toml";
/// The most bytes of it: of all its configurations and stages.
const MOST_RECORD: u64 = 64 << 20;

/// What is done of an experiment, in its folder.
#[derive(Debug)]
pub struct Progress {
    folder: PathBuf,
    record: Record,
}

/// `experiment.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The experiment's name.
    experiment: String,
    /// The version that runs it: numbers of two versions are two experiments.
    hoap: String,
    /// The divisor of a rehearsal.
    scale_down: Option<u32>,
    configurations: BTreeMap<String, Begun>,
}

/// A configuration that has begun.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Begun {
    /// The targets, without their secrets.
    targets: BTreeMap<String, String>,
    /// Stages by name.
    stages: BTreeMap<String, State>,
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It began, and ended by an error, an interruption or a crash, or goes on.
    Begun,
    /// It is whole.
    Done,
}

/// What an experiment in a folder must be to go on there.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    /// The experiment's name.
    pub name: &'a str,
    /// Its file's text.
    pub text: &'a str,
    /// This version of the program.
    pub hoap: &'a str,
    /// The divisor of a rehearsal.
    pub scale_down: Option<u32>,
}

impl Progress {
    /// Begins an experiment in a folder, or goes on with it.
    ///
    /// # Errors
    /// Returns `Invalid` where the folder holds another experiment, another text of it, one of
    /// another version or scale; `Unavailable` where it cannot be read or written.
    pub fn open(folder: &Path, identity: Identity<'_>) -> Result<Progress> {
        let Identity { name, text, hoap, scale_down } = identity;
        let fresh = Record {
            experiment: name.into(),
            hoap: hoap.into(),
            scale_down,
            configurations: BTreeMap::new(),
        };
        let tried = || format!("go on with the experiment in {}", folder.display());
        if !folder.join(RECORD).exists() {
            unless_foreign(folder, text)?;
            fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
            write(&folder.join(COPY), text)?;
            let progress = Progress { folder: folder.into(), record: fresh };
            progress.write()?;
            return Ok(progress);
        }
        let record = read(folder)?;
        let differs = |what: &str, there: &str, here: &str| {
            let answer = format!("it was begun with {what} {there}, and this is {here}");
            let advice = "name another folder with --out, or take what it was begun with";
            Err(Error::new(ErrorKind::Invalid, tried(), answer).advise(advice))
        };
        let scale = |by: Option<u32>| by.map_or("none".into(), |by| by.to_string());
        for (what, there, here) in [
            ("the experiment", &record.experiment, &fresh.experiment),
            ("hoap", &record.hoap, &fresh.hoap),
            ("--scale-down", &scale(record.scale_down), &scale(scale_down)),
        ] {
            if there != here {
                return differs(what, there, here);
            }
        }
        if copy(folder)? != text {
            let answer = format!("its file is not the one it was begun with ({COPY} there)");
            let advice = "name another folder with --out, or run that copy";
            return Err(Error::new(ErrorKind::Invalid, tried(), answer).advise(advice));
        }
        Ok(Progress { folder: folder.into(), record })
    }

    /// Reads what is done, with the experiment.
    ///
    /// # Errors
    /// Returns `Invalid` where the folder holds no experiment, or its files are broken.
    pub fn read(folder: &Path) -> Result<(Progress, Experiment)> {
        let record = read(folder)?;
        let text = copy(folder)?;
        let experiment = Experiment::parse(&text).map_err(|e| broken(&folder.join(COPY), e))?;
        Ok((Progress { folder: folder.into(), record }, experiment))
    }

    /// The experiment's name.
    pub fn name(&self) -> &str {
        &self.record.experiment
    }

    /// The divisor of a rehearsal.
    pub fn scale_down(&self) -> Option<u32> {
        self.record.scale_down
    }

    /// Begins a configuration on these targets, which have no secrets, or goes on with it.
    ///
    /// # Errors
    /// Returns `Invalid` where it was begun on other targets, or has begun and `resume` is not
    /// said.
    pub fn configuration(
        &mut self,
        label: &str,
        targets: &BTreeMap<String, String>,
        resume: bool,
    ) -> Result<()> {
        let folder = self.folder.display();
        let refuse = |answer: String, advice: &str| {
            let tried = format!("run the configuration {label} in {folder}");
            Err(Error::new(ErrorKind::Invalid, tried, answer).advise(advice))
        };
        if let Some(begun) = self.record.configurations.get(label) {
            if begun.targets != *targets {
                let of = |targets: &BTreeMap<String, String>| {
                    targets.values().cloned().collect::<Vec<_>>().join(" and ")
                };
                return refuse(
                    format!("it was begun on {}, and this is {}", of(&begun.targets), of(targets)),
                    "name another folder with --out",
                );
            }
            if !resume {
                return refuse("it has begun already".into(), "go on with it by --resume");
            }
            return Ok(());
        }
        let begun = Begun { targets: targets.clone(), stages: BTreeMap::new() };
        self.record.configurations.insert(label.into(), begun);
        self.write()
    }

    /// How far a stage is; none where it has not begun.
    pub fn state(&self, label: &str, stage: &str) -> Option<State> {
        self.record.configurations.get(label)?.stages.get(stage).copied()
    }

    /// Whether a stage is whole.
    pub fn is_done(&self, label: &str, stage: &str) -> bool {
        self.state(label, stage) == Some(State::Done)
    }

    /// Notes that a stage begins. What an earlier attempt left is moved aside, not removed.
    ///
    /// # Errors
    /// Returns `Unavailable` where the folder cannot be written, and `Invalid` where no attempt of
    /// this experiment made what is there.
    pub fn begin(&mut self, label: &str, cell: &Cell) -> Result<()> {
        if let Some(path) = cell.folder.as_ref().map(|folder| self.folder.join(folder)) {
            if path.exists() && self.state(label, &cell.name).is_none() {
                let answer = "it is there, and the stage has not begun";
                let tried = format!("begin the stage {} in {}", cell.name, path.display());
                return Err(Error::new(ErrorKind::Invalid, tried, answer)
                    .advise("move it away, or name another folder with --out"));
            }
            if path.exists() {
                let aside = |n: u32| path.with_file_name(format!("{}.interrupted-{n}", cell.name));
                let free = (1..).map(aside).find(|path| !path.exists()).unwrap_or_default();
                fs::rename(&path, &free).map_err(|e| failed(&free, e))?;
            }
            let parent = path.parent().unwrap_or(&self.folder);
            fs::create_dir_all(parent).map_err(|e| failed(parent, e))?;
        }
        self.set(label, &cell.name, State::Begun)
    }

    /// Notes that a stage is whole.
    ///
    /// # Errors
    /// Returns `Unavailable` where the folder cannot be written.
    pub fn done(&mut self, label: &str, stage: &str) -> Result<()> {
        self.set(label, stage, State::Done)
    }

    /// Where a run of the experiment is.
    pub fn path(&self, folder: &Path) -> PathBuf {
        self.folder.join(folder)
    }

    /// The commands of a plan that are not whole.
    pub fn missing<'a>(&self, plan: &'a Plan) -> Vec<&'a Cell> {
        plan.cells.iter().filter(|cell| !self.is_done(&plan.label, &cell.name)).collect()
    }

    fn set(&mut self, label: &str, stage: &str, state: State) -> Result<()> {
        let begun = self.record.configurations.entry(label.into()).or_default();
        begun.stages.insert(stage.into(), state);
        self.write()
    }

    fn write(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(&self.record).unwrap_or_default();
        write(&self.folder.join(RECORD), &format!("{text}\n"))
    }
}

/// Refuses to begin in a folder that holds anything but the copy of this text, which a killed
/// process may leave.
fn unless_foreign(folder: &Path, text: &str) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|e| failed(folder, e))?,
    };
    for entry in entries {
        let name = entry.map_err(|e| failed(folder, e))?.file_name();
        let ours = name == COPY && copy(folder)? == text;
        if !ours && !is_temporary(&name.to_string_lossy()) {
            let answer = format!("{} is there, which hoap did not make", name.display());
            let tried = format!("begin an experiment in {}", folder.display());
            return Err(Error::new(ErrorKind::Invalid, tried, answer)
                .advise("name another folder with --out"));
        }
    }
    Ok(())
}

fn read(folder: &Path) -> Result<Record> {
    let path = folder.join(RECORD);
    let text = input::bytes(&path, MOST_RECORD).map_err(|e| {
        Error::new(ErrorKind::Invalid, format!("read {}", path.display()), e)
            .advise("name the folder of an experiment")
    })?;
    serde_json::from_slice(&text).map_err(|e| broken(&path, e))
}

fn copy(folder: &Path) -> Result<String> {
    let path = folder.join(COPY);
    let text = input::bytes(&path, input::MOST_TEXT).and_then(input::unmarked);
    text.map_err(|e| broken(&path, e))
}

fn write(path: &Path, text: &str) -> Result<()> {
    Prepared::write(path, text.as_bytes()).and_then(Prepared::commit).map_err(|e| failed(path, e))
}

fn broken(path: &Path, e: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Invalid, format!("read {}", path.display()), e)
}

fn failed(path: &Path, e: std::io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("write {}", path.display()), e)
        .advise("name another folder with --out")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Command;

    const IDENTITY: Identity<'_> =
        Identity { name: "e", text: "text", hoap: "0.1.0", scale_down: Some(20) };

    fn cell(name: &str) -> Cell {
        Cell {
            name: name.into(),
            command: Command::Run,
            benchmark: "ycsb-a".into(),
            flags: Default::default(),
            folder: Some(PathBuf::from("4 nodes").join(name)),
        }
    }

    #[test]
    fn what_is_done_is_remembered_and_what_was_interrupted_is_kept_aside() {
        let folder = tempfile::tempdir().unwrap();
        let targets = BTreeMap::from([("target".to_string(), "null:".to_string())]);
        let cells = vec![cell("a"), cell("b"), cell("c")];
        let plan = Plan { label: "4 nodes".into(), cells };
        {
            let mut progress = Progress::open(folder.path(), IDENTITY).unwrap();
            progress.configuration("4 nodes", &targets, false).unwrap();
            for (name, whole) in [("a", true), ("b", false)] {
                progress.begin("4 nodes", &cell(name)).unwrap();
                fs::create_dir(folder.path().join("4 nodes").join(name)).unwrap();
                if whole {
                    progress.done("4 nodes", name).unwrap();
                }
            }
        }
        let mut progress = Progress::open(folder.path(), IDENTITY).unwrap();
        let missing: Vec<&str> = progress.missing(&plan).iter().map(|c| c.name.as_str()).collect();
        assert_eq!(missing, ["b", "c"]);
        let again = progress.configuration("4 nodes", &targets, false).unwrap_err();
        assert!(again.to_string().contains("go on with it by --resume"), "{again}");
        progress.configuration("4 nodes", &targets, true).unwrap();
        let other = BTreeMap::from([("target".to_string(), "sqlite:x".to_string())]);
        let refused = progress.configuration("4 nodes", &other, true).unwrap_err().to_string();
        assert!(refused.contains("begun on null:, and this is sqlite:x"), "{refused}");
        for n in 1..3 {
            progress.begin("4 nodes", &cell("b")).unwrap();
            assert!(folder.path().join(format!("4 nodes/b.interrupted-{n}")).exists());
            fs::create_dir(folder.path().join("4 nodes/b")).unwrap();
        }
        assert!(folder.path().join("4 nodes/a").exists());
    }

    #[test]
    fn another_experiment_version_scale_or_text_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        Progress::open(folder.path(), IDENTITY).unwrap();
        for (identity, says) in [
            (Identity { name: "f", ..IDENTITY }, "begun with the experiment e, and this is f"),
            (Identity { hoap: "0.2.0", ..IDENTITY }, "begun with hoap 0.1.0, and this is 0.2.0"),
            (Identity { scale_down: None, ..IDENTITY }, "--scale-down 20, and this is none"),
            (Identity { text: "other", ..IDENTITY }, "its file is not the one"),
        ] {
            let told = Progress::open(folder.path(), identity).unwrap_err().to_string();
            assert!(told.contains(says), "no {says:?} in {told:?}");
        }
        fs::write(folder.path().join(RECORD), "{").unwrap();
        let told = Progress::open(folder.path(), IDENTITY).unwrap_err().to_string();
        assert!(told.contains("experiment.json"), "{told}");
        let none = Progress::read(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(none.contains("name the folder of an experiment"), "{none}");
    }
}
