//! What the user sees while a command works: on standard error, so that results stay apart.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use hoap_report::text::{COLUMNS, harmless, paragraph};

use crate::streams;

/// The text with what would move the cursor, colour the screen or turn the direction of writing
/// made visible: what a server says is printed, too. Lines stay, and so do hoap's own colours where
/// they are on.
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

/// Bytes for humans: "612 MB".
pub fn megabytes(bytes: u64) -> String {
    match bytes {
        0..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.0} MB", bytes as f64 / 1e6),
    }
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

/// How often a line is drawn at most.
const DRAWN_EVERY: Duration = Duration::from_millis(100);

/// The columns of the terminal that standard error is, less those of the "^C" that it may show.
fn columns() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stderr());
    size.map_or(COLUMNS, |(width, _)| usize::from(width.0)).saturating_sub("^C".len() + 1)
}

/// Whether the terminal can only print, as it says of itself.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Tells the user what goes on.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    terminal: bool,
    quiet: bool,
}

impl Console {
    /// Looks whether standard error is a terminal whose cursor can be moved. A quiet one says
    /// nothing.
    pub fn new(quiet: bool) -> Self {
        Console { terminal: std::io::stderr().is_terminal() && !is_dumb(), quiet }
    }

    /// How results are printed: in colour on a terminal that does not ask to do without.
    pub fn style(&self) -> hoap_report::Style<'static> {
        let asked = std::env::var_os("NO_COLOR").is_none() && !is_dumb();
        let colour = std::io::stdout().is_terminal() && asked;
        hoap_report::Style { colour, ..Default::default() }
    }

    /// Says one line.
    pub fn say(&self, line: impl AsRef<str>) {
        if !self.quiet {
            streams::say(&visible(line.as_ref(), false));
        }
    }

    /// Says a paragraph behind these words: as wide as the tables on a terminal, else one line.
    pub fn tell(&self, first: &str, words: &str) {
        match self.terminal {
            true => self.say(paragraph(first, words).trim_end()),
            false => self.say(format!("{first}{words}")),
        }
    }

    /// A line that changes.
    pub fn line(&self) -> Line {
        Line { console: *self, told: Instant::now() }
    }

    /// A bar for work of known length.
    pub fn bar(&self, what: &str, length: u64) -> Bar {
        Bar { line: self.line(), what: what.to_owned(), length, drawn: None, begun: None }
    }
}

/// A line that changes; gone from the screen when dropped.
pub struct Line {
    console: Console,
    told: Instant,
}

impl Line {
    /// What the line says now: on a terminal in so many columns at most, or every ten seconds on a
    /// line of its own where there is none.
    pub fn set(&mut self, drawn: impl FnOnce(usize) -> String, plain: impl FnOnce() -> String) {
        if self.console.quiet {
            return;
        }
        if self.console.terminal {
            let columns = columns();
            let line = visible(&drawn(columns), false);
            streams::draw(line.chars().take(columns).collect());
        } else if self.told.elapsed() >= PLAIN_EVERY {
            self.told = Instant::now();
            streams::say(&visible(&plain(), false));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        streams::draw(String::new());
    }
}

/// Progress of one piece of work of known length; gone from the screen when dropped.
pub struct Bar {
    line: Line,
    what: String,
    length: u64,
    drawn: Option<Instant>,
    /// When it was first told how much is done, and how much that was.
    begun: Option<(Instant, u64)>,
}

/// A bar says how much time is left once it has seen work for so long.
const SEEN: Duration = Duration::from_secs(1);

/// A length of time in a few letters: "40 s", "4 min", "2 h".
pub fn rounded(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil();
    match seconds {
        0.0..=90.0 => format!("{seconds} s"),
        90.0..=5400.0 => format!("{} min", (seconds / 60.0).round()),
        5400.0..=172_800.0 => format!("{} h", (seconds / 3600.0).round()),
        _ => format!("{} d", (seconds / 86_400.0).round()),
    }
}

/// What is left of work of this length at the pace so far, of which so much was `done` in this time
/// since it was at `first`.
fn at_this_pace(length: u64, (first, done): (u64, u64), time: Duration) -> Option<Duration> {
    let more = length.saturating_sub(done) as f64 / done.checked_sub(first)? as f64;
    Duration::try_from_secs_f64(time.as_secs_f64() * more).ok().filter(|_| time >= SEEN)
}

/// The columns of a bar's head and message that leave no room for the bar itself.
const FULL: usize = 8;

impl Bar {
    /// The work turned out to be of this length.
    pub fn length(&mut self, length: u64) {
        self.length = length;
    }

    /// So much is done; `message` says what a number cannot.
    pub fn set(&mut self, done: u64, message: impl Into<Cow<'static, str>>) {
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < DRAWN_EVERY) {
            return;
        }
        self.drawn = Some(Instant::now());
        let message: Cow<'static, str> = message.into();
        let what = &self.what;
        let (begun, first) = *self.begun.get_or_insert_with(|| (Instant::now(), done));
        let left = at_this_pace(self.length, (first, done), begun.elapsed());
        let message = match left.map(rounded) {
            Some(left) if !message.is_empty() => format!("{left} left, {message}"),
            Some(left) => format!("{left} left"),
            None => message.into_owned(),
        };
        let share = (done as f64 / self.length.max(1) as f64).min(1.0);
        let percent = (share * 100.0).floor();
        self.line.set(
            |columns| bar(columns, what, share, &format!("{percent:>3} % {message}")),
            || format!("{what} {percent} % {message}"),
        );
    }
}

/// "load ━━━━━━━━──────  57 % 112 MB/s" in so many columns, without the line where there is no
/// room.
fn bar(columns: usize, what: &str, share: f64, message: &str) -> String {
    let words = what.chars().count() + message.chars().count() + 2;
    match columns.saturating_sub(words) {
        0..FULL => format!("{what} {message}"),
        room => {
            let done = (room as f64 * share) as usize;
            format!("{what} {}{} {message}", "━".repeat(done), "─".repeat(room - done))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_the_columns_that_its_words_leave() {
        assert_eq!(bar(30, "load", 0.5, " 50 % 9 MB/s"), "load ━━━━━━──────  50 % 9 MB/s");
        assert_eq!(bar(20, "load", 0.5, " 50 % 9 MB/s"), "load  50 % 9 MB/s");
        for columns in 0..200 {
            let line = bar(columns, "load", 1.0, "100 % 9 MB/s");
            assert!(line.chars().count() <= columns.max("load 100 % 9 MB/s".len()), "{line}");
        }
    }

    #[test]
    fn a_bar_knows_what_is_left_at_its_pace() {
        let seconds = Duration::from_secs;
        let cases = [
            ((100, (0, 50), seconds(10)), Some(seconds(10))),
            // What an earlier process did takes no time now.
            ((100, (50, 75), seconds(10)), Some(seconds(10))),
            ((100, (0, 100), seconds(10)), Some(Duration::ZERO)),
            ((100, (0, 120), seconds(10)), Some(Duration::ZERO)),
            ((100, (0, 50), Duration::from_millis(500)), None),
            ((100, (50, 50), seconds(10)), None),
            ((100, (50, 40), seconds(10)), None),
        ];
        for ((length, done, time), left) in cases {
            assert_eq!(at_this_pace(length, done, time), left, "{done:?}");
        }
        for (time, words) in [(90, "90 s"), (91, "2 min"), (86_400, "24 h"), (864_000, "10 d")] {
            assert_eq!(rounded(seconds(time)), words);
        }
    }

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
