//! What the user sees while a command works: on standard error, so that results stay apart.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use hoap_report::text::harmless;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The text with what would move the cursor, colour the screen or turn the direction of writing made
/// visible: what a server says is printed, too. Lines stay, and so do hoap's own colours where they
/// are on.
pub fn visible(text: &str, colour: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match sgr(rest).filter(|_| colour) {
            Some(length) => {
                out.push_str(&rest[..length]);
                length
            }
            None => {
                out.push(if matches!(c, '\n' | '\t') { c } else { harmless(c) });
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    out
}

/// JSON text in which what [`visible`] would replace is escaped: it can only be in strings.
pub fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match harmless(c) == c {
            true => out.push(c),
            // All of these are in the first plane, where one escape holds one character.
            false => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    out
}

/// The length of the escape that a text begins with, where it only sets a colour.
fn sgr(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
    parameters[end..].starts_with('m').then_some(2 + end + 1)
}

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
        eprintln!("{}", visible(line.as_ref(), false));
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
        let message = visible(&message.into(), false);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_cursor_is_visible_and_our_colours_stay() {
        let text = "a\n\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;title\u{7} \u{1b}[2J \r\u{202e}";
        let plain =
            "a\n\u{fffd}[1;31mred\u{fffd}[0m \u{fffd}]0;title\u{fffd} \u{fffd}[2J \u{fffd}\u{fffd}";
        assert_eq!(visible(text, false), plain);
        let coloured =
            plain.replace("\u{fffd}[1;31m", "\u{1b}[1;31m").replace("\u{fffd}[0m", "\u{1b}[0m");
        assert_eq!(visible(text, true), coloured);
        assert_eq!(visible("\u{1b}[", true), "\u{fffd}[");
        let json = serde_json::to_string(&["\u{1b}[2J\u{9b}\u{202e}\n é"]).unwrap();
        assert_eq!(escaped(&json), r#"["\u001b[2J\u009b\u202e\n é"]"#);
    }
}
