//! Processes that these tests start, and end.

use super::*;

fn shell(folder: &Path) -> Shell {
    let environment = BTreeMap::from([("WORD".to_owned(), "seven".to_owned())]);
    Shell { folder: folder.to_owned(), environment, log: folder.join("log") }
}

const NEVER: &dyn Fn() -> bool = &|| false;

#[test]
fn a_command_gives_its_output_or_says_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let shell = shell(folder.path());
    assert_eq!(shell.run("echo $WORD; pwd >&2", NEVER).unwrap(), "seven\n");
    let e = shell.run("echo no room >&2; exit 9", NEVER).unwrap_err().to_string();
    for says in ["echo no room", "exit code 9: no room", "log"] {
        assert!(e.contains(says), "{e}");
    }
    assert_eq!(shell.run("sleep 60", &|| true).unwrap_err().kind, ErrorKind::Cancelled);
    let e = shell.processes("echo 999999999 nobody", NEVER).unwrap_err().to_string();
    assert!(e.contains("nobody"), "{e}");
}

/// A process that starts another and waits for it.
fn family(folder: &Path) -> (Running, Vec<Process>) {
    let mut command = Command::new("bash");
    command.args(["-c", "sleep 60 & wait"]);
    let running = Running::start(command, &folder.join("log")).unwrap();
    let parent = running.process().unwrap();
    let begun = Instant::now();
    while parent.descendants().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(30), "no child");
        std::thread::sleep(LOOK);
    }
    let all = stopped_with_descendants(&[parent]);
    assert_eq!(all.len(), 2, "{all:?}");
    (running, all)
}

#[test]
fn a_family_is_stopped_goes_on_and_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut running, all) = family(folder.path());
    // A signal is acted on when its process has the processor next.
    let stopped = || all.iter().all(|p| stat(p.pid).is_some_and(|s| s.state == 'T'));
    let begun = Instant::now();
    while !stopped() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{all:?}");
        std::thread::sleep(LOOK);
    }
    all.iter().for_each(|p| p.signal(Signal::SIGCONT));
    assert!(!wait_gone(&all, Duration::from_millis(50)));
    all.iter().for_each(|p| p.signal(Signal::SIGKILL));
    assert!(wait_gone(&all, Duration::from_secs(30)));
    assert_eq!(running.wait(Duration::from_secs(30), NEVER), Some(-1));
}

#[test]
fn what_is_dropped_has_ended_and_a_number_that_is_used_again_is_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let (running, all) = family(folder.path());
    drop(running);
    assert!(wait_gone(&all, Duration::from_secs(30)), "the whole group");
    let own = Process::find(std::process::id() as i32).unwrap();
    let other = Process { start: own.start + 1, ..own };
    assert!(own.is_alive() && !other.is_alive());
    other.signal(Signal::SIGKILL);
    assert_eq!((Process::find(0), Process::find(-1), Process::find(1)), (None, None, None));
}
