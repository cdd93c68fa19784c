//! Signals that were ignored and streams that cannot be written, as shells leave them.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{End, Place};

/// Commands that are one piece of work, the file by which it is seen to be under way, and that of a
/// run which must be whole in the end.
struct Work {
    lines: &'static [&'static str],
    begun: &'static str,
    run: Option<&'static str>,
}

/// Each says something on standard error before it is done.
const WORKS: [Work; 5] = [
    Work {
        lines: &["run ycsb-c --target null:?latency_us=1000 -p recordcount=100 --clients 1,2 \
                  --duration 400ms --warmup 0s --out run"],
        begun: "run/run.json",
        run: Some("run/run.json"),
    },
    Work {
        lines: &[
            "load ycsb --target sqlite:t.db -p recordcount=20000 -p fieldcount=1 --part auto/1",
        ],
        begun: "t.db",
        run: None,
    },
    Work {
        lines: &["gen ycsb -p recordcount=100000 -p fieldcount=1 --part auto/1 -o files"],
        begun: "files",
        run: None,
    },
    Work {
        lines: &["experiment run e.toml --target null:?latency_us=1000 --out e"],
        begun: "e/default/run/run.json",
        run: Some("e/default/again/run.json"),
    },
    Work {
        lines: &[
            "gather 2 --listen 127.0.0.1:PORT -o all",
            "run ycsb-c --target null:?latency_us=1000 -p recordcount=100 --clients 1,2 \
             --duration 400ms --warmup 0s --part 1/2 --meet 127.0.0.1:PORT --out d1",
            "run ycsb-c --target null:?latency_us=1000 -p recordcount=100 --clients 1,2 \
             --duration 400ms --warmup 0s --part 2/2 --meet 127.0.0.1:PORT --out d2",
        ],
        begun: "d1/run.json",
        run: Some("all/run.json"),
    },
];

const EXPERIMENT: &str = r#"
title = "Reads"
about = "A test."
targets = { target = "any" }
[[stage]]
name = "run"
command = "run"
benchmark = "ycsb-c"
flags = { target = "{target}", property = ["recordcount=100"], clients = [1, 2], duration = "200ms", warmup = "0s" }
[[stage]]
name = "again"
command = "run"
benchmark = "ycsb-c"
flags = { target = "{target}", property = ["recordcount=100"], clients = [1, 2], duration = "200ms", warmup = "0s" }
[[configuration]]
label = "default"
about = "as installed"
"#;

/// A run that goes on until somebody ends it.
const ENDLESS: &str = "run ycsb-c --target null:?latency_us=1000 -p recordcount=100 --clients 2 \
                       --duration 10m --warmup 0s --out run";

/// `hoap` behind the words of a program that sets something for it first.
fn behind(p: &Place, first: &[&str], line: &str) -> Command {
    let hoap = p.command(line);
    let words = first.iter().map(OsStr::new).chain([hoap.get_program()]);
    let mut words = words.chain(hoap.get_args());
    let mut command = Command::new(words.next().unwrap());
    command.args(words).current_dir(p.path(".")).stdin(Stdio::null()).stdout(Stdio::null());
    command.env("JOB_COMPLETION_INDEX", "0").env("HOAP_FLEET_TOKEN", "0123456789abcdef-of-a-test");
    command
}

impl Work {
    fn start(&self, p: &Place, command: &dyn Fn(&str) -> Command) -> Vec<Child> {
        p.write("e.toml", EXPERIMENT);
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let port = free.port().to_string();
        let lines = self.lines.iter().map(|line| line.replace("PORT", &port));
        lines.map(|line| command(&line).spawn().unwrap()).collect()
    }

    /// All have ended well, and the run is whole.
    fn is_done(&self, p: &Place, children: Vec<Child>, how: &str) {
        for (child, line) in children.into_iter().zip(self.lines) {
            assert_eq!(end(child), Some(0), "{how}: hoap {line}");
        }
        if let Some(run) = self.run {
            let run = p.json(run);
            assert_eq!(run["steps"].as_array().unwrap().len(), 2, "{how}: {run:#}");
            assert!(run["partial"].is_null(), "{how}: {run:#}");
        }
        if self.begun == "t.db" {
            let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
            let count = "SELECT count(*) FROM usertable";
            let count: i64 = database.query_row(count, [], |row| row.get(0)).unwrap();
            assert_eq!(count, 20_000, "{how}");
        }
    }
}

fn send(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
}

/// Waits for something that is there, or for the end of a child, longer than it takes anywhere.
fn wait(mut there: impl FnMut() -> bool, what: &str) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn end(mut child: Child) -> Option<i32> {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    child.wait().unwrap().code()
}

/// `nohup` ignores SIGHUP; a shell without job control SIGINT, for what it runs in the background.
#[test]
fn signals_that_were_ignored_stay_ignored() {
    let all = ["sh", "-c", "trap '' HUP INT TERM; exec \"$0\" \"$@\""];
    let nohup = [(&["nohup"][..], &["-HUP"][..], &WORKS[0])];
    let all = WORKS.iter().map(|work| (&all[..], &["-HUP", "-INT", "-TERM"][..], work));
    for (first, signals, work) in nohup.into_iter().chain(all) {
        let p = Place::new();
        let children = work.start(&p, &|line| {
            let mut command = behind(&p, first, line);
            command.stderr(Stdio::null());
            command
        });
        wait(|| p.path(work.begun).exists(), work.begun);
        for child in &children {
            signals.iter().for_each(|signal| send(child, signal));
        }
        work.is_done(&p, children, &format!("{first:?}"));
    }
}

/// What standard error is.
#[derive(Clone, Copy, Debug)]
enum Stream {
    Closed,
    /// A disk without space.
    Full,
    /// Its reader has ended.
    Unread,
    /// Its reader does not read, and it takes no more.
    Stopped,
}

/// A stream that takes no more, and the end at which nobody reads.
fn stopped() -> (UnixStream, UnixStream) {
    let (mut stream, reader) = UnixStream::pair().unwrap();
    stream.set_nonblocking(true).unwrap();
    for bytes in [&[b'.'; 4096][..], b"."] {
        let full = loop {
            if let Err(e) = stream.write(bytes) {
                break e;
            }
        };
        assert_eq!(full.kind(), ErrorKind::WouldBlock);
    }
    (stream, reader)
}

impl Stream {
    const ALL: [Stream; 4] = [Stream::Closed, Stream::Full, Stream::Unread, Stream::Stopped];

    /// `hoap` with this standard error behind such words, and what must live as long as it does.
    fn command(self, p: &Place, first: &[&str], line: &str) -> (Command, Option<UnixStream>) {
        let closed = ["sh", "-c", "exec 2>&-; exec \"$0\" \"$@\""];
        let first = match self {
            Stream::Closed => [&closed[..], first].concat(),
            _ => first.to_vec(),
        };
        let mut command = behind(p, &first, line);
        let (stream, reader) = match self {
            Stream::Closed => (Stdio::null(), None),
            Stream::Full => (File::options().write(true).open("/dev/full").unwrap().into(), None),
            Stream::Unread => (std::io::pipe().unwrap().1.into(), None),
            Stream::Stopped => {
                let (stream, reader) = stopped();
                stream.set_nonblocking(false).unwrap();
                (OwnedFd::from(stream).into(), Some(reader))
            }
        };
        command.stderr(stream);
        (command, reader)
    }
}

/// One function writes, so each stream is met once, and each command meets one.
#[test]
fn what_cannot_be_said_changes_nothing() {
    let streams = Stream::ALL.map(|stream| (stream, &WORKS[0]));
    let others = WORKS[1..].iter().map(|work| (Stream::Full, work));
    for (stream, work) in streams.into_iter().chain(others) {
        let (p, readers) = (Place::new(), std::cell::RefCell::new(Vec::new()));
        let children = work.start(&p, &|line| {
            let (command, reader) = stream.command(&p, &[], line);
            readers.borrow_mut().extend(reader);
            command
        });
        work.is_done(&p, children, &format!("{stream:?}"));
    }
}

/// Of a terminal that goes away a program may hear twice; a test may have been started to ignore
/// SIGHUP and SIGINT.
#[test]
fn a_run_is_kept_whoever_ends_it_and_whatever_cannot_be_said() {
    let ways: [(&[&str], &[&str]); 4] = [
        (&[], &["-TERM"]),
        (&["nohup"], &["-TERM"]),
        (&["env", "--default-signal=HUP"], &["-HUP", "-HUP"]),
        (&["env", "--default-signal=INT"], &["-INT"]),
    ];
    let streams = Stream::ALL.map(|stream| (stream, ways[0]));
    let others = ways[1..].iter().map(|way| (Stream::Unread, *way));
    for (stream, (first, signals)) in streams.into_iter().chain(others) {
        let p = Place::new();
        let (mut command, _reader) = stream.command(&p, first, ENDLESS);
        let child = command.spawn().unwrap();
        let samples = p.path("run/samples.csv");
        wait(|| measured(&samples), "no sample was written");
        signals.iter().for_each(|signal| send(&child, signal));
        let how = format!("{stream:?} {first:?} {signals:?}");
        assert_eq!(end(child), Some(130), "{how}");
        let run = p.json("run/run.json");
        assert_eq!(run["steps"].as_array().unwrap().len(), 1, "{how}: {run:#}");
        assert!(run["partial"].as_str().unwrap().contains("interrupted"), "{how}: {run:#}");
    }
}

fn measured(samples: &Path) -> bool {
    std::fs::read_to_string(samples).is_ok_and(|text| text.contains("measured"))
}

/// Whoever shares a pipe or a terminal with `hoap` may make writes to it return at once.
#[test]
fn a_result_waits_for_its_reader() {
    let p = Place::new();
    let line = "gen ycsb -p recordcount=4000 --stdout";
    let whole = p.ok(line).out;
    let (stream, mut reader) = stopped();
    let mut command = p.command(line);
    let child = command.stdout(OwnedFd::from(stream)).stderr(Stdio::piped()).spawn().unwrap();
    // Its end of the stream.
    drop(command);
    let (mut read, mut some) = (Vec::new(), [0; 16 << 10]);
    while let n @ 1.. = reader.read(&mut some).unwrap() {
        read.extend_from_slice(&some[..n]);
        // Slower than documents are made.
        std::thread::sleep(Duration::from_millis(1));
    }
    let end = End::of(child.wait_with_output().unwrap());
    assert_eq!((end.code, end.err.as_str()), (0, ""));
    assert!(String::from_utf8(read).unwrap().trim_start_matches('.') == whole);
}

#[test]
fn no_stage_waits_for_the_reader_of_the_one_before() {
    let (p, work) = (Place::new(), &WORKS[3]);
    let (stream, mut reader) = stopped();
    stream.set_nonblocking(false).unwrap();
    let children = work.start(&p, &|line| {
        let mut command = behind(&p, &[], line);
        command.stdout(OwnedFd::from(stream.try_clone().unwrap())).stderr(Stdio::null());
        command
    });
    drop(stream);
    let last = p.path(work.run.unwrap());
    let whole =
        || std::fs::read_to_string(&last).is_ok_and(|run| !run.contains("the run did not end"));
    wait(whole, "the last stage waits");
    let mut read = String::new();
    reader.read_to_string(&mut read).unwrap();
    work.is_done(&p, children, "standard output is stopped");
    assert_eq!(read.matches("\nmore    hoap show --full ").count(), 2, "{read}");
}

/// A path that is not UTF-8, where a command reads or writes one, with its result as JSON.
#[test]
fn paths_need_not_be_utf_8() {
    let p = Place::new();
    let name = |of: &str| {
        let bytes = [of.as_bytes(), b"-\xff"].concat();
        std::os::unix::ffi::OsStringExt::from_vec(bytes)
    };
    let run = "run ycsb-c --target null: -p recordcount=10 --operations 20 --warmup 0s";
    p.write("e.toml", EXPERIMENT);
    p.write("flags.toml", "operations = 20\n");
    let flags: std::ffi::OsString = name("flags");
    std::fs::rename(p.path("flags.toml"), p.0.path().join(flags)).unwrap();
    let run_folder: std::ffi::OsString = name("run");
    for (line, paths) in [
        (format!("--json {run} --out"), vec!["run"]),
        (
            "--json run ycsb-c --target null: -p recordcount=10 --warmup 0s --config".into(),
            vec!["flags"],
        ),
        ("--json report a -o page.html --csv".into(), vec!["csv"]),
        ("--json report a -o".into(), vec!["page"]),
        ("--json experiment run e.toml --target null: --out".into(), vec!["e"]),
        ("--json experiment report".into(), vec!["e"]),
        ("--json gen ycsb -p recordcount=10 -o".into(), vec!["files"]),
    ] {
        let mut command = p.command(&line);
        command.args(paths.iter().map(|path| -> std::ffi::OsString { name(path) }));
        let end = End::of(command.output().unwrap());
        assert!(end.code == 0 && !end.err.contains("panicked"), "hoap {line}: {end:#?}");
        assert!(serde_json::from_str::<serde_json::Value>(&end.out).is_ok(), "{line}: {end:#?}");
        if line.contains(run) {
            let mut copy = Command::new("cp");
            copy.arg("-r").arg(&run_folder).arg("a").current_dir(p.0.path());
            let copied = copy.status().unwrap();
            assert!(copied.success(), "the run is where it was to be");
        }
    }
    let mut url = p.command("load ycsb --target");
    let odd: std::ffi::OsString = name("sqlite:t.db");
    let end = End::of(url.arg(odd).output().unwrap());
    assert!(end.code == 2 && end.err.contains("it is not UTF-8"), "{end:#?}");
}

/// What a shell may have set before a command.
#[test]
fn odd_shells_change_nothing() {
    let p = Place::new();
    let run = "run ycsb-c --target null: -p recordcount=10 --operations 20 --warmup 0s";
    for (n, before) in [
        "ulimit -s 256",
        "export TERM=dumb",
        "unset TERM",
        "export TERM= COLUMNS=60",
        "ulimit -Sn 64",
    ]
    .into_iter()
    .enumerate()
    {
        for line in [format!("{run} --clients 100 --json --out r{n}"), format!("show r{n}")] {
            let shell = format!("{before}; exec {} {line}", env!("CARGO_BIN_EXE_hoap"));
            let mut command = Command::new("bash");
            command.args(["-c", &shell]).current_dir(p.0.path()).stdin(Stdio::null());
            let end = End::of(command.output().unwrap());
            assert!(end.code == 0, "{before}: {line}: {end:#?}");
            assert!(!end.err.contains('\u{1b}') && !end.out.contains('\u{1b}'), "{end:#?}");
        }
    }
    assert!(p.text("r0/run.json").contains("\"partial\": null"));
}
