//! Where the program runs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of a test's own, gone when dropped, in which `hoap` runs.
pub struct Place(tempfile::TempDir);

/// How a command ended.
pub struct End {
    /// The words behind `hoap`.
    pub line: String,
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hoap"));
        command.current_dir(self.0.path()).args(line.split_whitespace()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        hoap_conduct::labels::service_variables().for_each(|name| {
            command.env_remove(name);
        });
        command
    }

    /// Runs `hoap` with these words.
    pub fn run(&self, line: &str) -> End {
        End::of(line, self.command(line).output().unwrap())
    }

    /// Runs it and expects success.
    pub fn ok(&self, line: &str) -> End {
        let end = self.run(line);
        assert_eq!(end.code, 0, "hoap {line}:\n{}{}", end.out, end.err);
        end
    }

    pub fn read(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }
}

impl End {
    pub fn of(line: &str, output: Output) -> End {
        End {
            line: line.split_whitespace().collect::<Vec<_>>().join(" "),
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The command, what it printed, as `shown`, its errors and its exit code.
    pub fn transcript(&self, shown: impl Fn(&str) -> String) -> String {
        let mut text = format!("$ hoap {}\n{}", self.line, shown(&self.out));
        for line in self.err.lines().filter(|line| line.starts_with("hoap: ")) {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "exit code {}", self.code);
        text
    }
}

/// The names of the files of a folder and those below it, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        match path.is_dir() {
            true => all.extend(names(&path).into_iter().map(|below| format!("{name}/{below}"))),
            false => all.push(name),
        }
    }
    all.sort();
    all
}
