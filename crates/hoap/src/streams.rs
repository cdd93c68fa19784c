//! Standard error and standard output as whoever started the program left them: closed, full,
//! without a reader, or with one that does not read.
//!
//! What is said, and the results, are written by a thread of their own in the order in which they
//! came, so that nobody who measures or loads waits for a reader. What cannot be written to
//! standard error is lost, and nothing else is; at the end the results are waited for. Nothing else
//! prints: clippy's `print_stderr` and `print_stdout` see to it.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IsTerminal, Write, stderr, stdin, stdout};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How many bytes of lines wait for a reader that does not read; later lines are left out.
const MOST: usize = 1 << 20;
/// So many bytes are written at once, that it shows whether the reader goes on.
const PIECE: usize = 4096;
/// How often to look whether a reader goes on, and how many looks in sequence may find that it did
/// not: looks and not a time, which also passes while this program is not given the processor.
const LOOK: Duration = Duration::from_millis(100);
const PATIENCE: u32 = 10;
/// How long to wait before a write that would have blocked is tried again.
const AGAIN: Duration = Duration::from_millis(5);
/// To the cursor's right.
const ERASE: &str = "\u{1b}[K";

static QUEUE: Queue = Queue { text: Mutex::new(Text::new()), changed: Condvar::new() };

/// Says a line on standard error, above the one that changes.
pub fn say(line: &str) {
    QUEUE.change(|text| text.say(line));
}

/// Puts this line in the place of the one that changes, which stands below all that was said; empty
/// for none.
pub fn draw(line: String) {
    QUEUE.change(|text| text.drawn = line);
}

/// Asks on the terminal, below all that was said. `None` if there is none to ask and be answered on.
pub fn ask(question: &str) -> Option<String> {
    if !(stdin().is_terminal() && stderr().is_terminal()) {
        return None;
    }
    draw(question.to_owned());
    settle();
    let mut answer = String::new();
    // What cannot be read is no answer.
    let _ = stdin().read_line(&mut answer);
    // The answer's end has ended the line.
    QUEUE.change(|text| {
        text.drawn.clear();
        text.shown.clear();
    });
    Some(answer)
}

/// Prints a result on standard output.
pub fn print(text: &str) {
    let result = format!("{}\n", text.trim_end());
    QUEUE.change(|text| text.push(Stream::Output, &result));
}

/// Waits until the results are written.
///
/// # Errors
/// That of the first result that could not be written. A reader that has closed the pipe does not
/// want it, which is none.
pub fn finish() -> io::Result<()> {
    settle();
    let (results, failed) = {
        let mut text = QUEUE.lock();
        (text.results(), text.failed.take())
    };
    // They wait behind lines that nobody reads.
    let end = wanted(results.iter().try_for_each(|result| Stream::Output.write(result.as_bytes())));
    failed.map_or(end, Err)
}

/// Waits until all is written. A terminal may be stopped by whoever reads it (Ctrl-S), and is
/// waited for, as is the reader of a result; any other reader as long as it reads.
pub fn settle() {
    let terminal = stderr().is_terminal();
    QUEUE.settle(|text| terminal || text.writing == Some(Stream::Output));
}

/// Says the last line of a program that ends at once, and waits for nobody who does not read.
pub fn last(line: &str) {
    QUEUE.change(|text| {
        text.drawn.clear();
        text.say(line);
        text.ended = true;
    });
    QUEUE.settle(|_| false);
}

/// Standard output for what is too long to wait in memory. The handle buffers by lines, which
/// chunks of whole lines do not mind.
pub fn output() -> impl Write + Send {
    Patient(stdout())
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stream {
    Error,
    Output,
}

impl Stream {
    fn write(self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stream::Error => Patient(stderr()).write_all(bytes),
            Stream::Output => {
                let mut out = output();
                out.write_all(bytes).and_then(|()| out.flush())
            }
        }
    }
}

/// Whoever closed the pipe does not want the rest.
fn wanted(end: io::Result<()>) -> io::Result<()> {
    end.or_else(|e| if e.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(e) })
}

/// What is to be written, and what is on the screen.
struct Text {
    /// What is not written yet, no two of one stream in sequence.
    waiting: VecDeque<(Stream, String)>,
    /// How many bytes of it are lines.
    said: usize,
    /// How many lines were left out.
    left_out: usize,
    /// The line that changes.
    drawn: String,
    /// What of it is on the screen.
    shown: String,
    /// Where bytes are being written to.
    writing: Option<Stream>,
    /// How often a reader took something.
    taken: u64,
    /// Why a result was not written.
    failed: Option<io::Error>,
    /// Whether there is a thread that writes.
    threaded: bool,
    /// Whether nothing follows any more.
    ended: bool,
}

impl Text {
    const fn new() -> Text {
        Text {
            waiting: VecDeque::new(),
            said: 0,
            left_out: 0,
            drawn: String::new(),
            shown: String::new(),
            writing: None,
            taken: 0,
            failed: None,
            threaded: false,
            ended: false,
        }
    }

    fn waits(&self) -> bool {
        self.writing.is_some() || !self.waiting.is_empty() || self.drawn != self.shown
    }

    fn push(&mut self, stream: Stream, text: &str) {
        match self.waiting.back_mut().filter(|(last, _)| *last == stream) {
            Some((_, before)) => before.push_str(text),
            None => self.waiting.push_back((stream, text.to_owned())),
        }
    }

    fn say(&mut self, line: &str) {
        if self.said + line.len() >= MOST {
            self.left_out += 1;
            return;
        }
        self.said += line.len() + 1;
        self.push(Stream::Error, line);
        self.push(Stream::Error, "\n");
    }

    /// What comes next: of lines, what leads from what is on the screen to what is to be there.
    fn take(&mut self) -> (Stream, String) {
        let mut bytes = String::new();
        if !self.shown.is_empty() {
            bytes = format!("\r{ERASE}");
            self.shown.clear();
        }
        if let Some((stream, text)) = self.waiting.pop_front() {
            if stream == Stream::Output && bytes.is_empty() {
                return (stream, text);
            }
            if stream == Stream::Output {
                self.waiting.push_front((stream, text));
                return (Stream::Error, bytes);
            }
            self.said -= text.len();
            bytes.push_str(&text);
        }
        if self.said == 0 && self.left_out > 0 {
            let n = std::mem::take(&mut self.left_out);
            bytes.push_str(&format!("({n} more lines, which nobody read, are left out)\n"));
        }
        bytes.push_str(&self.drawn);
        self.shown.clone_from(&self.drawn);
        (Stream::Error, bytes)
    }

    /// The results that wait, which wait no longer.
    fn results(&mut self) -> Vec<String> {
        let all = std::mem::take(&mut self.waiting).into_iter();
        let (results, lines): (VecDeque<_>, _) =
            all.partition(|(stream, _)| *stream == Stream::Output);
        self.waiting = lines;
        results.into_iter().map(|(_, text)| text).collect()
    }
}

struct Queue {
    text: Mutex<Text>,
    changed: Condvar,
}

impl Queue {
    /// The text is consistent wherever a thread could panic.
    fn lock(&self) -> MutexGuard<'_, Text> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is to be written.
    fn change(&'static self, change: impl FnOnce(&mut Text)) {
        let mut text = self.lock();
        if text.ended {
            return;
        }
        change(&mut text);
        if !text.threaded && text.waits() {
            let thread = thread::Builder::new().name("streams".into());
            text.threaded = thread.spawn(|| self.run()).is_ok();
        }
        self.changed.notify_all();
    }

    /// Writes what comes, for ever.
    fn run(&self) {
        let mut text = self.lock();
        loop {
            while !text.waits() {
                text = self.changed.wait(text).unwrap_or_else(PoisonError::into_inner);
            }
            text = self.write(text);
        }
    }

    /// Writes what comes next, while others say more.
    fn write<'a>(&'a self, mut text: MutexGuard<'a, Text>) -> MutexGuard<'a, Text> {
        let (stream, bytes) = text.take();
        text.writing = Some(stream);
        for piece in bytes.as_bytes().chunks(PIECE) {
            drop(text);
            let end = stream.write(piece);
            text = self.lock();
            text.taken += 1;
            if let Err(e) = end {
                if let (Stream::Output, Err(e)) = (stream, wanted(Err(e))) {
                    text.failed.get_or_insert(e);
                }
                break;
            }
        }
        text.writing = None;
        self.changed.notify_all();
        text
    }

    /// Waits until all is written, or until so many looks in sequence found that the reader took
    /// nothing, and it is none to wait `for_ever` for.
    fn settle(&self, for_ever: impl Fn(&Text) -> bool) {
        let mut text = self.lock();
        let (mut taken, mut looks) = (text.taken, 0);
        while text.waits() && (looks < PATIENCE || for_ever(&text)) {
            if !text.threaded {
                text = self.write(text);
                continue;
            }
            let woken = self.changed.wait_timeout(text, LOOK);
            let (locked, look) = woken.unwrap_or_else(PoisonError::into_inner);
            text = locked;
            if text.taken == taken {
                looks += u32::from(look.timed_out())
            } else {
                looks = 0
            }
            taken = text.taken;
        }
    }
}

/// Waits for the reader where whoever shares its pipe or terminal made writes return at once.
struct Patient<W>(W);

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        patiently(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        patiently(|| self.0.flush())
    }
}

fn patiently<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(e) if e.kind() == ErrorKind::WouldBlock => thread::sleep(AGAIN),
            end => return end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that is written, each time with where it goes.
    fn written(text: &mut Text) -> Vec<(Stream, String)> {
        std::iter::from_fn(|| text.waits().then(|| text.take())).collect()
    }

    fn error(bytes: &str) -> (Stream, String) {
        (Stream::Error, bytes.replace('<', &format!("\r{ERASE}")))
    }

    fn output(bytes: &str) -> (Stream, String) {
        (Stream::Output, bytes.into())
    }

    #[test]
    fn the_line_that_changes_stands_below_what_is_said() {
        let text = &mut Text::new();
        for (said, drawn, bytes) in
            [("a", "", "a\n"), ("b", "1 %", "b\n1 %"), ("c", "1 %", "<c\n1 %"), ("d", "", "<d\n")]
        {
            text.say(said);
            text.drawn = drawn.into();
            assert_eq!(written(text), [error(bytes)]);
        }
        text.drawn = "2 %".into();
        assert_eq!(written(text), [error("2 %")]);
        text.drawn.clear();
        assert_eq!(written(text), [error("<")]);
    }

    #[test]
    fn results_and_lines_keep_their_order() {
        let text = &mut Text::new();
        let fill = |text: &mut Text| {
            text.say("a");
            text.say("b");
            text.push(Stream::Output, "result\n");
            text.say("c");
        };
        fill(text);
        assert_eq!(written(text), [error("a\nb\n"), output("result\n"), error("c\n")]);
        text.drawn = "1 %".into();
        assert_eq!(written(text), [error("1 %")]);
        text.push(Stream::Output, "result\n");
        assert_eq!(written(text), [error("<"), output("result\n"), error("1 %")]);
        text.drawn.clear();
        assert_eq!(written(text), [error("<")]);
        // A reader of lines that does not read keeps no result.
        fill(text);
        assert_eq!(text.results(), ["result\n"]);
        assert_eq!(written(text), [error("a\nb\n"), error("c\n")]);
    }

    #[test]
    fn lines_that_nobody_reads_take_no_more_memory_than_the_limit() {
        let text = &mut Text::new();
        let line = "x".repeat(PIECE);
        (0..2 * MOST / PIECE).for_each(|_| text.say(&line));
        let left_out = text.left_out;
        let all = written(text).remove(0).1;
        assert!(all.len() <= MOST + PIECE, "{}", all.len());
        assert_eq!(all.lines().count() - 1 + left_out, 2 * MOST / PIECE);
        let told = format!("({left_out} more lines, which nobody read, are left out)\n");
        assert!(all.ends_with(&told));
        text.say("later");
        assert_eq!(written(text), [error("later\n")]);
    }
}
