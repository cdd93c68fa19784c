//! A run on a terminal, as an emulator of one shows it.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::held::Golden;
use super::place::Place;
use super::terminal::{mask, scrub, terminal};

/// About 100 and 200 operations a second.
const RUN: &str = "run ycsb-c --target null:?latency_us=20000 --clients 2,4 --warmup 1s --out run";

/// A terminal in which a command runs.
struct Terminal {
    child: Child,
    master: File,
    screen: vt100::Parser,
    /// The same, so high that nothing leaves it.
    all: vt100::Parser,
}

impl Terminal {
    fn start(p: &Place, line: &str, columns: u16) -> Terminal {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let slave = || Stdio::from(pty.slave.try_clone().unwrap());
        let mut command = p.command(line);
        command.env("TERM", "xterm").env("NO_COLOR", "1").stdout(slave()).stderr(slave());
        let child = command.spawn().unwrap();
        let of = |rows| NonZeroU16::new(rows).zip(NonZeroU16::new(columns)).unwrap();
        let parser = |(rows, columns)| vt100::Parser::new(rows, columns, 0);
        let (screen, all) = (parser(of(24)), parser(of(500)));
        Terminal { child, master: pty.master.into(), screen, all }
    }

    /// Reads until the last line shows these words, or the command ends.
    fn until(&mut self, words: &str) -> bool {
        let begun = Instant::now();
        let mut bytes = [0; 4096];
        // Where the other end is closed, some systems say so by an error.
        while let Ok(n @ 1..) = self.master.read(&mut bytes) {
            self.screen.process(&bytes[..n]);
            self.all.process(&bytes[..n]);
            let screen = self.screen.screen();
            let wrapped = (0..24).find(|&row| screen.row_wrapped(row));
            assert_eq!(wrapped, None, "wider than the window:\n{}", screen.contents());
            if screen.contents().trim_end().lines().last().is_some_and(|l| l.contains(words)) {
                return true;
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "{}", screen.contents());
        }
        false
    }
}

fn masked(text: &str) -> String {
    text.lines().map(|line| mask(&scrub(line)) + "\n").collect()
}

#[test]
fn a_run_shows_one_line_that_vanishes_without_a_trace() {
    let mut golden = Golden::of("screen");
    let places = [80, 120].map(|columns| (columns, Place::new()));
    let begun = places.each_ref().map(|(columns, p)| {
        (columns, Terminal::start(p, &format!("{RUN} --duration 3s"), *columns))
    });
    // Side by side, and each is read as it writes.
    let during = std::thread::scope(|scope| {
        let read = begun.map(|(columns, mut shown)| {
            scope.spawn(move || {
                assert!(shown.until("step 2 of 2 · measured 2 of 3 s"), "it never said so");
                let during = masked(&shown.screen.screen().contents());
                assert!(!shown.until("no line says this"));
                (columns, shown, during)
            })
        });
        read.map(|read| read.join().unwrap())
    });
    for (columns, mut shown, during) in during {
        golden.text(&format!("{columns}-during.txt"), &during);
        assert!(shown.child.wait().unwrap().success());
        let all = shown.all.screen().contents();
        assert!(!all.contains(" · "), "a live line is left:\n{all}");
        assert!(all.trim_end().ends_with("ops/s; nothing was checked"), "{all}");
        // Remarks that a slow machine has leave their blank line.
        let end = terminal(&all, &[], false).replace("\n\n", "\n");
        golden.text(&format!("{columns}-end.txt"), &end);
    }
}

#[test]
fn an_interrupted_run_leaves_no_line_either() {
    let p = Place::new();
    let mut shown = Terminal::start(&p, &format!("{RUN} --duration 10m"), 80);
    assert!(shown.until(" · measured "), "it never said so");
    let pid = Pid::from_raw(i32::try_from(shown.child.id()).unwrap());
    kill(pid, Signal::SIGTERM).unwrap();
    assert!(!shown.until("no line says this"));
    assert_eq!(shown.child.wait().unwrap().code(), Some(130));
    let all = shown.all.screen().contents();
    assert!(all.contains("interrupted: ending cleanly"), "{all}");
    assert!(!all.contains(" · "), "a live line is left:\n{all}");
}

/// Ctrl-S stops a terminal, so that nothing can be written to it until Ctrl-Q.
#[test]
fn a_run_waits_for_no_terminal_and_the_end_does() {
    let p = Place::new();
    let mut shown = Terminal::start(&p, &format!("{RUN} --duration 300ms"), 80);
    shown.master.write_all(b"\x13").unwrap();
    let begun = Instant::now();
    let steps = || -> Option<usize> {
        let text = std::fs::read(p.path("run/run.json")).ok()?;
        serde_json::from_slice::<serde_json::Value>(&text).ok()?["steps"].as_array().map(Vec::len)
    };
    while steps() != Some(2) {
        assert!(begun.elapsed() < Duration::from_secs(60), "it waits for the terminal");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(shown.child.try_wait().unwrap().is_none(), "it ended with its result untold");
    shown.master.write_all(b"\x11").unwrap();
    assert!(!shown.until("no line says this"));
    assert!(shown.child.wait().unwrap().success());
    let all = shown.all.screen().contents();
    assert!(all.trim_end().ends_with("ops/s; nothing was checked"), "{all}");
}
