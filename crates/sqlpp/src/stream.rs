//! The rows of an answer, read while it arrives.
//!
//! An answer is one JSON object. The elements of its member `results` are handed out one by one as
//! text; everything else is kept, with an empty list in the place of the rows, and read at the end.
//! What is held in memory is one row and the rest of the answer, however large the result is.

use hoap_database::failure::one_line;
use serde_json::Value;

use super::envelope::Envelope;

/// The bytes beside the rows that an answer may have: plans and profiles are some megabytes.
const ENVELOPE: usize = 64 << 20;

/// Splits an answer that arrives in pieces.
#[derive(Default)]
pub(super) struct Splitter {
    /// Everything but the rows.
    rest: Vec<u8>,
    /// The row that has begun.
    row: Vec<u8>,
    /// The last string at the top level, with its quotes: the name of a member if a colon follows.
    name: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
    state: State,
    /// Bytes of whole rows so far.
    bytes: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// After `"results":`.
    Before,
    /// In the list of rows.
    Rows,
}

impl Splitter {
    /// Bytes of rows so far, those of a row that has only begun among them.
    pub fn bytes(&self) -> u64 {
        self.bytes + self.row.len() as u64
    }

    /// Takes the next piece and calls `each` with every row that it completes.
    ///
    /// # Errors
    /// What `each` returned, or that the answer is too large beside its rows.
    pub fn push(
        &mut self,
        piece: &[u8],
        each: &mut (dyn FnMut(&[u8]) -> Result<(), String> + Send),
    ) -> Result<(), String> {
        let mut from = 0;
        while from < piece.len() {
            from += match self.in_string {
                true => self.string(&piece[from..]),
                false => self.other(&piece[from..], each)?,
            };
        }
        match self.rest.len() <= ENVELOPE {
            true => Ok(()),
            false => Err("the answer beside its rows is larger than 64 MB".to_owned()),
        }
    }

    /// Where the current byte belongs.
    fn sink(&mut self) -> &mut Vec<u8> {
        if self.state == State::Rows { &mut self.row } else { &mut self.rest }
    }

    /// Takes the part of a string that is there.
    fn string(&mut self, piece: &[u8]) -> usize {
        let mut taken = 0;
        if self.escaped {
            self.escaped = false;
            taken = 1;
        }
        loop {
            match memchr::memchr2(b'"', b'\\', &piece[taken..]) {
                None => {
                    taken = piece.len();
                    break;
                }
                Some(at) if piece[taken + at] == b'"' => {
                    taken += at + 1;
                    self.in_string = false;
                    break;
                }
                // The escaped byte may be in the next piece.
                Some(at) if taken + at + 1 == piece.len() => {
                    self.escaped = true;
                    taken = piece.len();
                    break;
                }
                Some(at) => taken += at + 2,
            }
        }
        if self.state == State::Outside && self.depth == 1 {
            self.name.extend_from_slice(&piece[..taken]);
        }
        self.sink().extend_from_slice(&piece[..taken]);
        taken
    }

    /// Takes one byte outside of strings.
    fn other(
        &mut self,
        piece: &[u8],
        each: &mut (dyn FnMut(&[u8]) -> Result<(), String> + Send),
    ) -> Result<usize, String> {
        let byte = piece[0];
        if self.state == State::Before && !byte.is_ascii_whitespace() {
            // Anything but a list is no result, such as a null.
            self.state = if byte == b'[' { State::Rows } else { State::Outside };
            if byte == b'[' {
                self.rest.push(b'[');
                self.depth += 1;
                return Ok(1);
            }
        }
        match byte {
            b'"' => {
                self.in_string = true;
                if self.state == State::Outside && self.depth == 1 {
                    self.name.clear();
                    self.name.push(b'"');
                }
            }
            b'{' | b'[' => self.depth += 1,
            b']' if self.state == State::Rows && self.depth == 2 => {
                self.end_row(each)?;
                self.state = State::Outside;
                self.depth -= 1;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b',' if self.state == State::Rows && self.depth == 2 => {
                self.end_row(each)?;
                return Ok(1);
            }
            b':' if self.depth == 1
                && self.state == State::Outside
                && self.name == b"\"results\"" =>
            {
                self.state = State::Before;
                self.rest.push(byte);
                return Ok(1);
            }
            _ if byte.is_ascii_whitespace() && self.row.is_empty() && self.state == State::Rows => {
                return Ok(1);
            }
            _ => {}
        }
        self.sink().push(byte);
        Ok(1)
    }

    fn end_row(
        &mut self,
        each: &mut (dyn FnMut(&[u8]) -> Result<(), String> + Send),
    ) -> Result<(), String> {
        let row = self.row.trim_ascii_end();
        if !row.is_empty() {
            self.bytes += row.len() as u64;
            each(row)?;
        }
        self.row.clear();
        Ok(())
    }

    /// The answer without its rows.
    ///
    /// # Errors
    /// The answer is no JSON object, or it ended before its end.
    pub fn end(self) -> Result<Envelope, String> {
        match serde_json::from_slice::<Value>(&self.rest) {
            Ok(members) if members.is_object() => Ok(Envelope::new(members)),
            Ok(_) => Err(format!("the answer is no object: {}", start(&self.rest))),
            Err(e) => Err(format!("the answer is no JSON ({e}): {}", start(&self.rest))),
        }
    }
}

/// The beginning of a text, in one line.
pub(super) fn start(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(200)]);
    one_line(text)
}
