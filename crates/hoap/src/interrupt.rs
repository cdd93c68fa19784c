//! Ctrl-C: the first asks for a clean end, the second ends at once.

use std::thread;
use std::time::Duration;

use hoap_drive::Stop;

/// Sets `stop` at the first SIGINT or SIGTERM and leaves the program at the second, or `patience`
/// after the first where the command has one. Such a command has nothing to end but itself: what it
/// is in the middle of, a chunk to compress or a reader that does not read, may take any time.
pub fn on_interrupt(stop: &Stop, patience: Option<Duration>) {
    let stop = stop.clone();
    let handled = ctrlc::set_handler(move || {
        if stop.is_set() {
            std::process::exit(130);
        }
        if patience != Some(Duration::ZERO) {
            eprintln!("\ninterrupted: ending cleanly; press Ctrl-C again to leave at once");
        }
        stop.set();
        if let Some(patience) = patience {
            thread::spawn(move || {
                thread::sleep(patience);
                eprintln!(
                    "hoap: interrupted; a file that it was writing is not whole; run it again"
                );
                std::process::exit(130);
            });
        }
    });
    // Without a handler Ctrl-C ends the program at once, which loses nothing but the clean end.
    if let Err(e) = handled {
        eprintln!("hoap: Ctrl-C will end the program at once: {e}");
    }
}
