//! Reading the rows of a CSV file of a run folder.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result};
use crate::lines::Lines;

/// Passes each row of a file to `take`, which may say what is wrong with it. One that `check` refuses
/// is none.
pub(crate) fn each_row<T: DeserializeOwned>(
    path: &Path,
    check: impl Fn(&T) -> std::result::Result<(), String>,
    mut take: impl FnMut(T) -> std::result::Result<(), String>,
) -> Result<()> {
    let broken =
        |answer: String| Error::new(ErrorKind::Invalid, format!("read {}", path.display()), answer);
    let mut reader = csv::Reader::from_reader(Lines::open(path)?);
    let header = reader.headers().map_err(|e| broken(e.to_string()))?.clone();
    let mut row = csv::StringRecord::new();
    loop {
        match reader.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(e) if e.is_io_error() => return Err(reader.get_ref().broken(e)),
            Err(e) => return Err(broken(e.to_string())),
        }
        let parsed: T = row.deserialize(Some(&header)).map_err(|e| broken(e.to_string()))?;
        let line = || row.position().map_or(0, csv::Position::line);
        let taken = check(&parsed).and_then(|()| take(parsed));
        taken.map_err(|what| broken(format!("line {}: {what}", line())))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Sample;

    #[test]
    fn a_row_that_is_refused_is_named_by_its_line() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("rows.csv");
        let mut writer = csv::Writer::from_path(&path).unwrap();
        let row = |step| Sample { step, ..Sample::default() };
        (0..9).for_each(|step| writer.serialize(row(step)).unwrap());
        writer.flush().unwrap();
        let (mut taken, check) = (0, |row: &Sample| match row.step {
            5 => Err("it is the sixth".to_owned()),
            _ => Ok(()),
        });
        let end = each_row(&path, check, |_| {
            taken += 1;
            Ok(())
        });
        let told = end.unwrap_err().to_string();
        assert!(told.contains("rows.csv") && told.contains("line 7: it is the sixth"), "{told}");
        assert_eq!(taken, 5);
    }
}
