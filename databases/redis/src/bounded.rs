//! What a server sends, looked at before the driver keeps it.
//!
//! The driver keeps an answer until its end has come, however long it is. This stream, between it and
//! the socket, follows RESP's frames and ends the connection at an answer that is too long.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What an answer may cost: its bytes, and what the driver keeps of each value in it beside these.
const LONGEST: u64 = 512 << 20;
const OF_A_VALUE: u64 = 64;
/// Bytes of a line. Lines are lengths, numbers, statuses and errors; text is of a known length.
const LINE: u64 = 64 << 10;

/// A stream whose answers are bounded.
pub(super) struct Bounded<S> {
    inner: S,
    answers: Answers,
}

impl<S> Bounded<S> {
    pub fn new(inner: S) -> Self {
        Bounded { inner, answers: Answers::default() }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(cx, buffer))?;
        let looked = this.answers.look_at(&buffer.filled()[before..]);
        Poll::Ready(looked.map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why)))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().inner).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(cx)
    }
}

/// Where one is in the answers of a server.
#[derive(Default)]
struct Answers {
    /// The type of the line that has begun, and its length so far.
    line: Option<(u8, u64)>,
    /// The number in the line: `None` where it has none, or is a negative one.
    number: Option<u64>,
    /// Bytes of a text that have not come, its line's end included.
    text: u64,
    /// Values of the answer that have not come, besides the one that has begun.
    values: u64,
    /// What the answer has cost so far.
    cost: u64,
}

impl Answers {
    /// Looks at the next bytes.
    ///
    /// # Errors
    /// In words, why nothing more is read.
    fn look_at(&mut self, mut bytes: &[u8]) -> Result<(), String> {
        while let [first, rest @ ..] = bytes {
            if self.text > 0 {
                let skipped = self.text.min(bytes.len() as u64);
                self.text -= skipped;
                bytes = &bytes[skipped as usize..];
                continue;
            }
            bytes = rest;
            match &mut self.line {
                None => {
                    (self.line, self.number) = (Some((*first, 1)), Some(0));
                    self.spend(OF_A_VALUE)?;
                }
                Some((kind, _)) if *first == b'\n' => {
                    let kind = *kind;
                    self.line = None;
                    self.end_of_line(kind)?;
                }
                Some((_, length)) => {
                    *length += 1;
                    if *length > LINE {
                        return Err(format!("the server sends a line of more than {LINE} bytes"));
                    }
                    self.number = digit(self.number, *first);
                }
            }
        }
        Ok(())
    }

    /// A line has come: what follows it.
    fn end_of_line(&mut self, kind: u8) -> Result<(), String> {
        let number = self.number.unwrap_or(0);
        let within = match kind {
            b'$' | b'=' | b'!' => {
                self.spend(number)?;
                self.text = if self.number.is_some() { number + 2 } else { 0 };
                0
            }
            b'*' | b'~' | b'>' => number,
            // Pairs. Attributes come before the value that they are of.
            b'%' => number.saturating_mul(2),
            b'|' => number.saturating_mul(2).saturating_add(1),
            _ => 0,
        };
        // Each of them costs when it begins; so many that they could not all come are refused now.
        if within.saturating_mul(OF_A_VALUE) > LONGEST {
            return Err(too_long());
        }
        match (within, self.values) {
            (0, 0) => self.cost = 0,
            (0, _) => self.values -= 1,
            (within, _) => self.values += within - 1,
        }
        Ok(())
    }

    fn spend(&mut self, cost: u64) -> Result<(), String> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > LONGEST { Err(too_long()) } else { Ok(()) }
    }
}

fn too_long() -> String {
    format!("the server sends an answer of more than {LONGEST} bytes")
}

/// The number with one more digit.
fn digit(number: Option<u64>, byte: u8) -> Option<u64> {
    match byte {
        b'0'..=b'9' => Some(number?.saturating_mul(10).saturating_add(u64::from(byte - b'0'))),
        b'\r' => number,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the bytes are cut.
    fn look(answer: &[u8]) -> [Result<Answers, String>; 3] {
        [1, 3, usize::MAX].map(|piece| {
            let mut answers = Answers::default();
            let mut parts = answer.chunks(piece.min(answer.len()));
            parts.try_for_each(|part| answers.look_at(part)).map(|()| answers)
        })
    }

    #[test]
    fn good_answers_pass_and_leave_nothing() {
        for answer in [
            "+OK\r\n",
            "-ERR 12 wrong\r\n",
            ":-1\r\n",
            "$5\r\nhe\n$9\r\n",
            "$0\r\n\r\n",
            "$-1\r\n",
            "*-1\r\n",
            "*0\r\n",
            "*3\r\n$1\r\na\r\n*2\r\n:1\r\n*0\r\n+x\r\n",
            "%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n_\r\n",
            "|1\r\n+k\r\n+v\r\n*1\r\n#t\r\n",
            "~1\r\n=8\r\ntxt:abcd\r\n",
            ">2\r\n+a\r\n(12345678901234567890123\r\n",
        ] {
            for answers in look(answer.repeat(3).as_bytes()) {
                let Answers { line, text, values, cost, .. } = answers.unwrap();
                assert_eq!((line, text, values, cost), (None, 0, 0, 0), "{answer:?}");
            }
        }
    }

    #[test]
    fn answers_that_are_too_long_are_refused_before_they_come() {
        let line = format!("+{}", "a".repeat(LINE as usize));
        for (answer, word) in [
            ("$2147483648\r\n", "answer"),
            ("*2\r\n$300000000\r\n", "no"),
            ("=99999999999999999999999\r\n", "answer"),
            ("*4294967295\r\n", "answer"),
            ("%4294967295\r\n", "answer"),
            ("*1\r\n*1\r\n*99999999\r\n", "answer"),
            (&*line, "line"),
        ] {
            for looked in look(answer.as_bytes()) {
                match looked {
                    Ok(_) => assert_eq!(word, "no", "{answer}"),
                    Err(why) => assert!(why.contains(word), "{answer}: {why}"),
                }
            }
        }
        // Together, where none is alone.
        let mut answers = Answers::default();
        let text = format!("${}\r\n", LONGEST / 2);
        answers.look_at(b"*2\r\n").unwrap();
        answers.look_at(text.as_bytes()).unwrap();
        let mebibyte = vec![b'x'; 1 << 20];
        for _ in 0..LONGEST / 2 / (1 << 20) {
            answers.look_at(&mebibyte).unwrap();
        }
        answers.look_at(b"\r\n").unwrap();
        assert!(answers.look_at(text.as_bytes()).is_err());
    }
}
