//! What the user sees while a command works: on standard error, so that results stay apart.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often progress is told where there is no terminal to draw on.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Tells the user what goes on.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    terminal: bool,
}

impl Console {
    /// Looks whether standard error is a terminal.
    pub fn new() -> Self {
        Console { terminal: std::io::stderr().is_terminal() }
    }

    /// How results are printed: in colour on a terminal that does not ask to do without.
    pub fn style(&self) -> hoap_report::Style<'static> {
        let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        hoap_report::Style { colour, ..Default::default() }
    }

    /// Says one line.
    pub fn say(&self, line: impl AsRef<str>) {
        eprintln!("{}", line.as_ref());
    }

    /// A bar for work of known length.
    pub fn bar(&self, what: &str, length: u64) -> Bar {
        let target = match self.terminal {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("{prefix} {wide_bar:.dim} {percent:>3} % {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━━─");
        let bar = ProgressBar::with_draw_target(Some(length), target).with_style(style);
        bar.set_prefix(what.to_owned());
        Bar { bar, plain: !self.terminal, what: what.to_owned(), told: Instant::now() }
    }

    /// A line that changes, for work without a length.
    pub fn line(&self) -> Bar {
        let mut bar = self.bar("", 1);
        let style = ProgressStyle::with_template("{msg}");
        bar.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.what.clear();
        bar
    }
}

/// Progress of one piece of work; gone from the screen when dropped.
pub struct Bar {
    bar: ProgressBar,
    plain: bool,
    what: String,
    told: Instant,
}

impl Bar {
    /// The work turned out to be of this length.
    pub fn length(&self, length: u64) {
        self.bar.set_length(length);
    }

    /// So much is done; `message` says what a number cannot.
    pub fn set(&mut self, done: u64, message: impl Into<Cow<'static, str>>) {
        let message = message.into();
        if self.plain && self.told.elapsed() >= PLAIN_EVERY {
            self.told = Instant::now();
            let percent = 100 * done / self.bar.length().unwrap_or(1).max(1);
            match self.what.is_empty() {
                true => eprintln!("{message}"),
                false => eprintln!("{} {percent} % {message}", self.what),
            }
        }
        self.bar.set_position(done);
        self.bar.set_message(message);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
