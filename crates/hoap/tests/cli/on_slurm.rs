//! `deploy/slurm` as it is typed, on the Slurm of the lab: four nodes of one machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Place, until};

/// Where jobs are submitted. Those that are left end with it.
struct Cluster {
    p: Place,
    conf: String,
}

impl Cluster {
    fn new() -> Cluster {
        let p = Place::new();
        let db = format!("sqlite:{}", p.path("t.db").display());
        p.write("hoap.toml", &format!("target = \"{db}\"\noperational = \"{db}\"\n"));
        std::fs::create_dir(p.path("tmp")).unwrap();
        let conf = std::env::var("HOAP_TEST_SLURM")
            .expect("HOAP_TEST_SLURM: lab/up slurm, then eval \"$(lab/env)\"");
        Cluster { p, conf }
    }

    fn slurm(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", &self.conf).current_dir(self.p.path(".")).stdin(Stdio::null());
        command
    }

    /// Submits a script of `deploy/slurm` with these words, in which `hoap` is what `bin` has.
    /// Returns the job's number.
    fn submit(&self, script: &str, words: &str, bin: &Path) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/slurm").join(script);
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut path = OsString::from(bin);
        path.extend([OsString::from(":"), std::env::var_os("PATH").unwrap()]);
        let submitted = self
            .slurm("sbatch")
            .arg("--parsable")
            .arg(script)
            .args(words.split_whitespace())
            .env("PATH", path)
            .env("TMPDIR", self.p.path("tmp"))
            .env("HOAP_PORT", port.to_string())
            .output()
            .unwrap();
        assert!(submitted.status.success(), "{submitted:?}");
        String::from_utf8(submitted.stdout).unwrap().trim().to_owned()
    }

    /// Waits for the job, for which `sbatch --wait` would look every few seconds only. The exit code
    /// of its part that failed or of all, and what it wrote to the file of this name.
    fn end(&self, job: &str, output: &str) -> (Option<i32>, String) {
        let begun = Instant::now();
        let code = loop {
            let shown = self.slurm("scontrol").args(["show", "job", "-o", job]).output().unwrap();
            let shown = String::from_utf8(shown.stdout).unwrap();
            let of = |name: &str| {
                let words = shown.split_whitespace().filter_map(|w| w.strip_prefix(name));
                words.map(str::to_owned).collect::<Vec<_>>()
            };
            let states = of("JobState=");
            let ended = |s: &String| ["COMPLETED", "FAILED"].contains(&s.as_str());
            if !states.is_empty() && states.iter().all(ended) {
                let codes = of("ExitCode=");
                break codes.iter().filter_map(|code| code.split(':').next()?.parse().ok()).max();
            }
            assert!(begun.elapsed() < Duration::from_secs(300), "it does not end: {shown}");
            std::thread::sleep(Duration::from_millis(100));
        };
        let path = self.p.path(&output.replace('%', job));
        (code, std::fs::read_to_string(path).unwrap_or_default())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let here = self.p.path(".").canonicalize().unwrap_or_default();
        // Only jobs of this folder.
        let list = self.slurm("squeue").args(["-h", "-o", "%A %Z"]).output();
        for line in String::from_utf8_lossy(&list.map(|l| l.stdout).unwrap_or_default()).lines() {
            if let Some((id, folder)) = line.split_once(' ')
                && Path::new(folder).canonicalize().is_ok_and(|folder| folder == here)
            {
                let _ = self.slurm("scancel").arg(id).status();
            }
        }
    }
}

/// The folder of the program under test.
fn bin() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_hoap")).parent().unwrap().to_owned()
}

/// The process of this rank of a job that runs `hoap run`, and its token.
fn driver(job: &str, rank: usize) -> Option<(String, String)> {
    let all = std::fs::read_dir("/proc").unwrap().map_while(Result::ok);
    all.map(|process| process.path()).find_map(|process| {
        let words = std::fs::read(process.join("cmdline")).ok()?;
        let words = String::from_utf8_lossy(&words).into_owned();
        let environment = std::fs::read(process.join("environ")).ok()?;
        let environment = String::from_utf8_lossy(&environment).into_owned();
        let is = |line: String| environment.split('\0').any(|set| set == line);
        let ours = words.split('\0').nth(1) == Some("run")
            && is(format!("SLURM_JOB_ID={job}"))
            && is(format!("SLURM_PROCID={rank}"));
        let token = environment.split('\0').find_map(|l| l.strip_prefix("HOAP_FLEET_TOKEN="));
        let token = token.filter(|_| ours)?.to_owned();
        Some((process.file_name()?.to_string_lossy().into_owned(), token))
    })
}

/// The files below a folder that hold a text.
pub fn that_hold(text: &str, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(that_hold(text, &path));
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes.windows(text.len()).any(|some| some == text.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn four_drivers_load_and_run_and_who_is_killed_or_left_out_is_named() {
    let cluster = Cluster::new();
    let p = &cluster.p;
    let load = cluster.submit("load.sbatch", "ycsb -p recordcount=400", &bin());
    let (code, said) = cluster.end(&load, "hoap-load-%-1.txt");
    assert_eq!(code, Some(0), "{said}");

    let run = "ycsb-a -p recordcount=400 --clients 2 --warmup 200ms";
    let job = cluster.submit("run.sbatch", &format!("{run} --duration 1s"), &bin());
    let folder = format!("runs/hoap-{job}");
    let (code, said) = cluster.end(&job, "hoap-%.txt");
    assert_eq!(code, Some(0), "{said}");
    let whole = p.json(&format!("{folder}/run.json"));
    let parts = serde_json::json!(["1/4", "2/4", "3/4", "4/4"]);
    assert_eq!(whole["configuration"]["part"], parts);
    assert_eq!(whole["configuration"]["part-from"], "SLURM_PROCID");
    assert_eq!(whole["steps"][0]["tx_clients"], 8);
    let checks = whole["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{checks:#?}");
    assert!(checks.iter().any(|check| check["name"] == "nothing lost: writes"), "{checks:#?}");

    // The third is killed while it measures.
    let job = cluster.submit("run.sbatch", &format!("{run} --duration 10m"), &bin());
    let killed = p.path(&format!("hoap-{job}.txt"));
    let begun = || std::fs::read_to_string(&killed).is_ok_and(|said| said.contains("step 1"));
    until("it begins", begun);
    let (process, token) = driver(&job, 2).expect("the third driver");
    let shown = std::fs::read_dir("/proc").unwrap().map_while(Result::ok).any(|process| {
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains(&token)
    });
    assert!(!shown, "the token is on a command line");
    assert!(Command::new("kill").args(["-KILL", &process]).status().unwrap().success());
    let (code, said) = cluster.end(&job, "hoap-%.txt");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("part 3/4 is gone"), "{said}");
    assert!(!p.path(&format!("runs/hoap-{job}")).exists());
    assert!(!that_hold("recordcount", p.0.path()).is_empty(), "nothing was searched");
    assert_eq!(that_hold(&token, p.0.path()), Vec::<PathBuf>::new());

    // The second does not come, for which `gather` waits less than it would.
    let wrapper = format!(
        "#!/bin/sh\ncase $1 in\ngather) set -- \"$@\" --wait 3s ;;\n\
         run) [ \"$SLURM_PROCID\" != 1 ] || exit 0 ;;\nesac\nexec {} \"$@\"\n",
        env!("CARGO_BIN_EXE_hoap")
    );
    p.write("bin/hoap", &wrapper);
    let chmod = Command::new("chmod").arg("+x").arg(p.path("bin/hoap")).status().unwrap();
    assert!(chmod.success());
    let job = cluster.submit("run.sbatch", &format!("{run} --duration 1s"), &p.path("bin"));
    let (code, said) = cluster.end(&job, "hoap-%.txt");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("part 2/4 did not come within 3 s"), "{said}");
}
