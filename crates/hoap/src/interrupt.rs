//! Ctrl-C: a command that has something to end (a run, a load) is asked to by the first, and left
//! at the second. Every other command, and every other part of one, is left at the first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hoap_drive::Stop;

use crate::console::undrawn;

/// Whether there is nothing to end.
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C leaves the program: what follows only reads, computes and writes.
pub fn at_once() {
    AT_ONCE.store(true, Ordering::Release);
}

/// From now on a first Ctrl-C asks for the end again: another run or load begins.
pub fn in_order() {
    AT_ONCE.store(false, Ordering::Release);
}

/// Leaves the program with this line.
fn leave(line: &str) -> ! {
    hoap_record::whole::abandon();
    let () = undrawn(|| {
        eprintln!("{line}");
        // Within, so that nothing is drawn again.
        std::process::exit(130)
    });
    unreachable!("the process has ended")
}

/// Sets `stop` at the first SIGINT or SIGTERM and leaves the program at the second, or at the first
/// after [`at_once`], or `patience` after the first where the command has one: what it is in the
/// middle of, a chunk to compress or a reader that does not read, may take any time.
pub fn on_interrupt(stop: &Stop, patience: Option<Duration>) {
    let stop = stop.clone();
    let handled = ctrlc::set_handler(move || {
        if stop.is_set() || AT_ONCE.load(Ordering::Acquire) {
            leave("\nhoap: interrupted");
        }
        undrawn(|| eprintln!("\ninterrupted: ending cleanly; press Ctrl-C again to leave at once"));
        stop.set();
        hoap_databases::stop_waiting();
        if let Some(patience) = patience {
            thread::spawn(move || {
                thread::sleep(patience);
                leave("hoap: interrupted; what it was writing is not whole; run it again");
            });
        }
    });
    // Without a handler Ctrl-C ends the program at once, which loses nothing but the clean end.
    if let Err(e) = handled {
        eprintln!("hoap: Ctrl-C will end the program at once: {e}");
    }
}
