//! Files whose contents somebody else may have chosen, read within bounds: a pipe that nobody
//! writes, a device without an end and a text of millions of values cost neither time nor memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a file that people write: a configuration, an experiment, a price list, a plan,
/// properties, the text of a query.
pub const MOST_TEXT: u64 = 1 << 20;
/// The most values of a JSON text that is held as a whole. A value takes 350 bytes at most: one
/// field of an object that has no other.
pub const MOST_VALUES: usize = 1_500_000;

/// The most bytes of a text in a record: names, settings, words of a command, what was answered.
pub const MOST_WORDS: usize = 16 << 10;

/// Opens a file of a folder.
///
/// # Errors
/// The system's, and one for what is no file: whoever opens a pipe waits for its writer.
pub fn open(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// Reads a file of a folder.
///
/// # Errors
/// Those of [`open`], and one for a file of more than `most` bytes.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    within(open(path)?, most)
}

/// Reads a file that the user names, which may be a pipe: a shell's `<(command)`.
///
/// # Errors
/// The system's, and one for a file of more than [`MOST_TEXT`] bytes.
pub fn named(path: &Path) -> io::Result<Vec<u8>> {
    within(File::open(path)?, MOST_TEXT)
}

/// Reads the text of a file that the user names, without a byte order mark.
///
/// # Errors
/// Those of [`named`], and one for what is not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    unmarked(named(path)?)
}

/// The text without a byte order mark, which some editors put before it.
///
/// # Errors
/// Says which encoding it has, if it is not UTF-8.
pub fn unmarked(bytes: Vec<u8>) -> io::Result<String> {
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let is = if wide { "UTF-16" } else { "not UTF-8" };
    let text = String::from_utf8(bytes)
        .map_err(|_| io::Error::other(format!("it is {is}: save it as UTF-8")))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Refuses a JSON text of more than `most` values before it is read into memory.
///
/// # Errors
/// Says how many there may be.
pub fn values(json: &[u8], most: usize) -> Result<(), String> {
    // A value follows a comma, or is the first of its array or object. Text that has these
    // characters counts as more than it is.
    let begins = |byte: &&u8| matches!(byte, b',' | b'[' | b'{');
    match json.iter().filter(begins).nth(most) {
        None => Ok(()),
        Some(_) => Err(format!("it has more than {most} values")),
    }
}

/// Refuses the JSON text of a record that has more than `most` values, or a text of more than
/// [`MOST_WORDS`] bytes: who reads it prints its texts.
///
/// # Errors
/// Says how many there may be.
pub fn record(json: &[u8], most: usize) -> Result<(), String> {
    values(json, most)?;
    let (mut begin, mut escaped) = (None, false);
    for (at, byte) in json.iter().enumerate() {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        match begin.filter(|_| ends) {
            Some(begin) if at - begin > MOST_WORDS => {
                return Err(format!("it has a text of more than {MOST_WORDS} bytes"));
            }
            Some(_) => begin = None,
            None if ends => begin = Some(at + 1),
            None => {}
        }
    }
    Ok(())
}

fn within(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::Error::other(format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_or_has_no_end_is_refused_soon() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "\u{feff}a = 1").unwrap();
        assert_eq!(text(&file).unwrap(), "a = 1");
        assert_eq!(bytes(&file, 8).unwrap().len(), 8);
        assert_eq!(bytes(&file, 7).unwrap_err().to_string(), "it has more than 7 bytes");
        for no_file in [folder.path(), Path::new("/dev/zero")] {
            let why = bytes(no_file, 100).unwrap_err().to_string();
            assert_eq!(why, "it is not a regular file");
        }
        assert!(
            text(Path::new("/dev/zero")).unwrap_err().to_string().contains("more than 1048576")
        );
        for (wrong, says) in [(&b"\xff\xfea\0"[..], "UTF-16"), (b"\xe4", "not UTF-8")] {
            fs::write(&file, wrong).unwrap();
            assert!(text(&file).unwrap_err().to_string().contains(says));
        }
    }

    #[test]
    fn no_text_has_more_values_than_are_counted() {
        for (json, has) in
            [("1", 0), ("[]", 1), ("[1,2]", 2), ("{\"a\":{},\"b\":[[]]}", 5), ("\",\"", 1)]
        {
            assert_eq!(values(json.as_bytes(), has), Ok(()), "{json}");
            assert!(has == 0 || values(json.as_bytes(), has - 1).is_err(), "{json}");
        }
    }

    #[test]
    fn no_text_of_a_record_is_longer_than_its_bound() {
        for (piece, more) in [("x", 0), ("\\\"", 0), ("\\\\", 0), ("é", 0), ("x", 1), ("\\\"", 2)]
        {
            let words = piece.repeat((MOST_WORDS + more) / piece.len());
            let json = format!("{{\"a\":[\"\",\"{words}\"],\"{words}\":\"b\"}}");
            assert_eq!(record(json.as_bytes(), 9).is_ok(), more == 0, "{piece} {more}");
        }
        assert!(record(b"[1,2]", 1).is_err());
        assert!(record(b"\"open", 1).is_ok());
    }
}
