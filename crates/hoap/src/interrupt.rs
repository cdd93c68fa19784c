//! Ctrl-C: the first asks for a clean end, the second ends at once.

use hoap_drive::Stop;

/// Sets `stop` at the first SIGINT or SIGTERM and leaves the program at the second.
pub fn on_interrupt(stop: &Stop) {
    let stop = stop.clone();
    let handled = ctrlc::set_handler(move || {
        if stop.is_set() {
            std::process::exit(130);
        }
        eprintln!("\ninterrupted: ending cleanly; press Ctrl-C again to leave at once");
        stop.set();
        hoap_databases::stop_waiting();
    });
    // Without a handler Ctrl-C ends the program at once, which loses nothing but the clean end.
    if let Err(e) = handled {
        eprintln!("hoap: Ctrl-C will end the program at once: {e}");
    }
}
