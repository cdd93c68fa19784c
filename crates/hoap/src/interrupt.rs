//! Ctrl-C: a command that has something to end (a run, a load) is asked to by the first, and left
//! at the second. Every other command, and every other part of one, is left at the first.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use hoap_drive::Stop;
use nix::libc;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::streams;

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
    streams::last(line);
    std::process::exit(130)
}

/// Sets `stop` at the first SIGINT, SIGTERM or SIGHUP and leaves the program at the second, or at
/// the first after [`at_once`], or `patience` after the first where the command has one: what it is
/// in the middle of, a chunk to compress or a reader that does not read, may take any time.
///
/// A terminal that goes away may say so twice, so SIGHUP is never the second. Of these signals
/// whoever started the program may have had it ignore some, as `nohup` does, and shells for what
/// they run in the background: these stay ignored.
pub fn on_interrupt(stop: &Stop, patience: Option<Duration>) {
    let stop = stop.clone();
    let heard = hear(move |signal| {
        let again = stop.is_set();
        if again && signal == SignalKind::hangup() {
            return;
        }
        if again || AT_ONCE.load(Ordering::Acquire) {
            leave("\nhoap: interrupted");
        }
        stop.set();
        hoap_database::stop_waiting();
        if let Some(patience) = patience {
            // Without the thread the second Ctrl-C leaves.
            let _ = thread::Builder::new().spawn(move || {
                thread::sleep(patience);
                leave("hoap: interrupted; what it was writing is not whole; run it again");
            });
        }
        streams::say("\ninterrupted: ending cleanly; press Ctrl-C again to leave at once");
    });
    // Without a handler Ctrl-C ends the program at once, which loses nothing but the clean end.
    if let Err(e) = heard {
        streams::say(&format!("hoap: Ctrl-C will end the program at once: {e}"));
    }
}

/// Calls `handle` for each of these signals that comes and is not ignored, on a thread of its own:
/// all threads of the program's runtime may be at work.
fn hear(handle: impl Fn(SignalKind) + Send + 'static) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let within = runtime.enter();
    let mut signals = Vec::new();
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        if !is_ignored(kind) {
            signals.push((kind, signal(kind)?));
        }
    }
    drop(within);
    let mut any = move |cx: &mut Context<'_>| {
        for (kind, signal) in &mut signals {
            if signal.poll_recv(cx).is_ready() {
                return Poll::Ready(*kind);
            }
        }
        Poll::Pending
    };
    let thread = thread::Builder::new().name("signals".into());
    thread.spawn(move || {
        loop {
            handle(runtime.block_on(poll_fn(&mut any)));
        }
    })?;
    Ok(())
}

/// Whether the program was started to ignore a signal.
#[allow(unsafe_code)]
fn is_ignored(kind: SignalKind) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: Without a new action sigaction(2) changes nothing, and where it returns 0 it has
    // written the present one.
    unsafe {
        libc::sigaction(kind.as_raw_value(), ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
