//! Comma- or tab-separated values with a line of names: a cell that is empty is absent.

use std::io::Read;

use hoap_workload::Result;
use serde_json::{Map, Number, Value};

use super::source::{Each, Source};

/// Reads all lines.
pub fn read(source: &Source<'_>, from: impl Read, tab: bool, each: Each<'_>) -> Result<()> {
    let mut lines =
        csv::ReaderBuilder::new().delimiter(if tab { b'\t' } else { b',' }).from_reader(from);
    let wrong = |e: csv::Error| match e.position() {
        Some(place) => source.wrong(place.line() as usize, &why(&e)),
        None => source.unread(&e),
    };
    let names: Vec<String> = lines.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
    let mut line = csv::StringRecord::new();
    while lines.read_record(&mut line).map_err(wrong)? {
        let cells = names.iter().zip(line.iter()).filter(|(_, cell)| !cell.is_empty());
        let members = cells.map(|(name, cell)| (name.clone(), value(cell)));
        each(Value::Object(members.collect::<Map<_, _>>()))?;
    }
    Ok(())
}

fn why(e: &csv::Error) -> String {
    match e.kind() {
        csv::ErrorKind::Utf8 { .. } => "this is not UTF-8: save it as UTF-8".into(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("this line has {len} cells, and the first one has {expected_len}")
        }
        _ => e.to_string(),
    }
}

/// A number that is written as JSON writes one, true or false, else text.
fn value(cell: &str) -> Value {
    match cell {
        "true" | "True" | "TRUE" => return true.into(),
        "false" | "False" | "FALSE" => return false.into(),
        _ => {}
    }
    if let Ok(n) = cell.parse::<i64>()
        && n.to_string() == cell
    {
        return n.into();
    }
    let plain = |b: u8| b.is_ascii_digit() || b"+-.eE".contains(&b);
    // 007 is no number: it loses what is before it.
    let begins = cell.trim_start_matches('-');
    let zeros = begins.starts_with('0') && begins.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    match cell.parse::<f64>() {
        Ok(n)
            if cell.bytes().all(plain)
                && cell.contains('.')
                && !zeros
                && !cell.starts_with('+') =>
        {
            Number::from_f64(n).map_or_else(|| cell.into(), Value::Number)
        }
        _ => cell.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbers_only_if_nothing_is_lost() {
        for (cell, json) in [
            ("12", "12"),
            ("-0.50", "-0.5"),
            ("007", "\"007\""),
            ("+4", "\"+4\""),
            ("1e5", "\"1e5\""),
            ("NaN", "\"NaN\""),
            ("True", "true"),
            ("99999999999999999999", "\"99999999999999999999\""),
            ("1.2.3", "\"1.2.3\""),
            ("00.5", "\"00.5\""),
        ] {
            assert_eq!(value(cell).to_string(), json, "{cell}");
        }
    }
}
