//! Who wrote which value.

use std::collections::HashMap;

use hoap_record::history::{Attempt, Did};

/// Who wrote a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    pub attempt: u32,
    pub list: u32,
    /// Whether it is the last one of its attempt on that list.
    pub last: bool,
    /// Whether the database appended it to whatever was there.
    pub in_place: bool,
    /// Its version, once it was seen.
    pub version: Option<u32>,
}

/// The writer of every value of a history.
///
/// # Errors
/// Describes what makes it no history.
pub(crate) fn writes(history: &[Attempt]) -> Result<HashMap<u32, Write>, String> {
    let mut writes: HashMap<u32, Write> = HashMap::new();
    for (attempt, of) in history.iter().enumerate() {
        if of.to_ns < of.from_ns {
            return Err(format!("attempt {attempt} ended before it began"));
        }
        let mut lasts: Vec<(u32, u32)> = Vec::new();
        for did in &of.did {
            let Some(value) = did.written() else { continue };
            let list = did.list();
            let in_place = matches!(did, Did::Append(..));
            let attempt = attempt as u32;
            let write = Write { attempt, list, last: false, in_place, version: None };
            if writes.insert(value, write).is_some() {
                return Err(format!("the value {value} is written twice"));
            }
            match lasts.iter_mut().find(|(of, _)| *of == list) {
                Some(last) => last.1 = value,
                None => lasts.push((list, value)),
            }
        }
        for (_, value) in lasts {
            if let Some(write) = writes.get_mut(&value) {
                write.last = true;
            }
        }
    }
    Ok(writes)
}
