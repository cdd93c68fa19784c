//! Reading the rows of a CSV file of a run folder.
//!
//! A month's run has millions of rows. Those that each tick has are read field by field where they
//! stand as Hoap writes them ([`Plain`]), in a fifth of the time of the general reader.

use std::path::Path;
use std::str::FromStr;

use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result};
use crate::lines::Lines;
use crate::machine::MachineRow;
use crate::rows::Sample;

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

/// A row that is read field by field.
pub(crate) trait Plain: Default + DeserializeOwned {
    /// The line before the rows.
    const HEADER: &'static str;

    /// Takes the values of a row; `None` where one is not as Hoap writes it.
    fn fill(&mut self, fields: &mut Fields<'_>) -> Option<()>;
}

/// The same as [`each_row`], faster.
pub(crate) fn each_plain<T: Plain>(
    path: &Path,
    check: impl Fn(&T) -> std::result::Result<(), String>,
    mut take: impl FnMut(&T),
) -> Result<()> {
    let mut lines = Lines::open(path)?;
    let (mut row, mut taken) = (T::default(), 0u64);
    let header = |line: &[u8]| line.strip_suffix(b"\n") == Some(T::HEADER.as_bytes());
    if matches!(lines.next(), Ok(Some(line)) if header(line)) {
        loop {
            match lines.next() {
                Ok(Some(line)) if Fields::read(line, &mut row) && check(&row).is_ok() => {}
                Ok(None) => return Ok(()),
                _ => break,
            }
            taken += 1;
            take(&row);
        }
    }
    // The general reader knows what else may stand in a file, and says what is wrong with it.
    let mut seen = 0;
    each_row(path, check, |row: T| {
        seen += 1;
        if seen > taken {
            take(&row);
        }
        Ok(())
    })
}

/// The fields that are left of a row that has neither quotes nor line ends within it; `None` after
/// the last one.
pub(crate) struct Fields<'a>(Option<&'a str>);

impl<'a> Fields<'a> {
    /// Fields are short: to look at their bytes takes less time than a search of the library.
    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.take()?;
        let Some(at) = rest.bytes().position(|byte| byte == b',') else { return Some(rest) };
        self.0 = Some(&rest[at + 1..]);
        Some(&rest[..at])
    }

    /// Whether a line, with its end, was read into `row`.
    fn read<T: Plain>(line: &[u8], row: &mut T) -> bool {
        let Some(line) = line.strip_suffix(b"\n") else { return false };
        let odd = line.iter().fold(false, |odd, byte| odd | (*byte == b'"') | (*byte == b'\r'));
        let Ok(text) = std::str::from_utf8(line) else { return false };
        let mut fields = Fields(Some(text));
        !odd && row.fill(&mut fields).is_some() && fields.next().is_none()
    }

    fn text(&mut self, into: &mut String) -> Option<()> {
        into.clear();
        into.push_str(self.next()?);
        Some(())
    }

    fn number<N: FromStr>(&mut self) -> Option<N> {
        self.next()?.parse().ok()
    }

    /// A number, or none in an empty field.
    fn maybe<N: FromStr>(&mut self) -> Option<Option<N>> {
        match self.next()? {
            "" => Some(None),
            text => Some(Some(text.parse().ok()?)),
        }
    }
}

impl Plain for Sample {
    const HEADER: &'static str =
        "step,phase,at_seconds,seconds,kind,count,failed,retries,mean_us,p50_us,p99_us,max_us";

    fn fill(&mut self, fields: &mut Fields<'_>) -> Option<()> {
        self.step = fields.number()?;
        fields.text(&mut self.phase)?;
        self.at_seconds = fields.number()?;
        self.seconds = fields.number()?;
        fields.text(&mut self.kind)?;
        self.count = fields.number()?;
        self.failed = fields.number()?;
        self.retries = fields.number()?;
        self.mean_us = fields.number()?;
        self.p50_us = fields.number()?;
        self.p99_us = fields.number()?;
        self.max_us = fields.number()?;
        Some(())
    }
}

impl Plain for MachineRow {
    const HEADER: &'static str = "step,phase,at_seconds,seconds,user,system,busiest_thread,waited,\
                                  machine,steal,busiest_core,cores,cpu_pressure,memory_pressure,\
                                  io_pressure,voluntary_switches,involuntary_switches,\
                                  received_bytes,sent_bytes,loopback_bytes,resident_bytes";

    fn fill(&mut self, fields: &mut Fields<'_>) -> Option<()> {
        self.step = fields.number()?;
        fields.text(&mut self.phase)?;
        self.at_seconds = fields.number()?;
        self.seconds = fields.number()?;
        self.user = fields.number()?;
        self.system = fields.number()?;
        self.busiest_thread = fields.maybe()?;
        self.waited = fields.maybe()?;
        self.machine = fields.number()?;
        self.steal = fields.number()?;
        self.busiest_core = fields.number()?;
        fields.text(&mut self.cores)?;
        self.cpu_pressure = fields.maybe()?;
        self.memory_pressure = fields.maybe()?;
        self.io_pressure = fields.maybe()?;
        self.voluntary_switches = fields.number()?;
        self.involuntary_switches = fields.number()?;
        self.received_bytes = fields.number()?;
        self.sent_bytes = fields.number()?;
        self.loopback_bytes = fields.number()?;
        self.resident_bytes = fields.number()?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use hoap_data::random::Stream;
    use serde::Serialize;

    use super::*;

    fn written<T: Serialize>(rows: &[T]) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        rows.iter().for_each(|row| writer.serialize(row).unwrap());
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    }

    /// What both readers make of a file, in words: a mean may be no number.
    fn both<T: Plain + Debug>(text: &[u8]) -> [String; 2] {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("rows.csv");
        std::fs::write(&path, text).unwrap();
        let check = |_: &T| Ok(());
        let (mut plain, mut general) = (Vec::new(), Vec::new());
        let end = each_plain(&path, check, |row: &T| plain.push(format!("{row:?}")));
        let other = each_row(&path, check, |row: T| {
            general.push(format!("{row:?}"));
            Ok(())
        });
        [format!("{plain:?} {end:?}"), format!("{general:?} {other:?}")]
    }

    fn samples(number: usize) -> Vec<Sample> {
        let mut stream = Stream::new(8, &[]);
        let mut count = move || stream.uniform(0..=1 << 53) as u64;
        let row = |at: usize| Sample {
            step: at,
            phase: ["warmup", "measured", ""][at % 3].into(),
            at_seconds: count() as f64 / 1e6,
            seconds: count() as f64 / 1e12,
            kind: ["READ", "Ä"][at % 2].into(),
            count: count(),
            failed: count(),
            retries: count(),
            mean_us: [f64::NAN, 0.1 + 0.2, 1e300, 5.0][at % 4],
            p50_us: count(),
            p99_us: count(),
            max_us: count(),
        };
        (0..number).map(row).collect()
    }

    /// The order of the fields is that of the type, which is that of the file.
    #[test]
    fn rows_as_hoap_writes_them_are_read_without_the_general_reader() {
        let rows = samples(50);
        let text = written(&rows);
        assert_eq!(text.lines().next(), Some(Sample::HEADER));
        for (line, row) in text.split_inclusive('\n').skip(1).zip(&rows) {
            let mut read = Sample::default();
            assert!(Fields::read(line.as_bytes(), &mut read), "{line}");
            assert_eq!(format!("{read:?}"), format!("{row:?}"));
        }
        let full = MachineRow {
            phase: "measured".into(),
            user: 0.25,
            busiest_thread: Some(0.5),
            cores: "80 70".into(),
            io_pressure: Some(0.125),
            resident_bytes: 7,
            ..MachineRow::default()
        };
        let rows = [MachineRow::default(), full];
        let text = written(&rows);
        assert_eq!(text.lines().next(), Some(MachineRow::HEADER));
        for (line, row) in text.split_inclusive('\n').skip(1).zip(&rows) {
            let mut read = MachineRow::default();
            assert!(Fields::read(line.as_bytes(), &mut read) && read == *row, "{line}");
        }
    }

    #[test]
    fn whatever_else_stands_in_a_file_is_what_the_general_reader_makes_of_it() {
        let text = written(&samples(9));
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let with = |at: usize, line: &str| [&lines[..at], &[line], &lines[at..]].concat().concat();
        let row =
            |kind: &str, count: &str| format!("1,measured,2.0,1.0,{kind},{count},0,0,1,1,1,1");
        for text in [
            text.clone(),
            String::new(),
            lines[0].to_owned(),
            lines[0].trim_end().to_owned(),
            text.trim_end().to_owned(),
            text.replace('\n', "\r\n"),
            with(0, "\u{feff}"),
            with(4, "\n"),
            with(4, "\n\n"),
            with(4, "1,measured\n"),
            with(4, &format!("{}\n", row("READ", "+5"))),
            with(4, &format!("{}\n", row("READ", "0x1f"))),
            with(4, &format!("{}\n", row("READ", "-1"))),
            with(4, &format!("{}\n", row("READ", " 1"))),
            with(4, &format!("{}\n", row("READ", "18446744073709551616"))),
            with(4, &format!("{},1\n", row("READ", "1"))),
            with(4, &format!("{}\n", row("\"READ\"", "1"))),
            with(4, &format!("{}\n", row("RE\"AD", "1"))),
            with(4, &format!("{}\n", row("RE\rAD", "1"))),
            with(4, &format!("{}\n{}\n", row("\"RE\nAD\"", "1"), row("UPDATE", "2"))),
            with(9, &format!("{}\n", row("\"READ", "1"))),
            text.replacen("step,phase", "phase,step", 1),
            text.replacen(",max_us", ",longest", 1),
            text.replacen("max_us\n", "max_us,more\n", 1),
        ] {
            let [plain, general] = both::<Sample>(text.as_bytes());
            assert_eq!(plain, general, "{text}");
        }
        let mut bytes = text.clone().into_bytes();
        let at = text.find("READ").unwrap();
        bytes[at] = 0xff;
        let [plain, general] = both::<Sample>(&bytes);
        assert_eq!(plain, general);
        assert!(plain.contains("Invalid"), "{plain}");
    }

    #[test]
    fn a_row_that_is_refused_is_named_by_its_line() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("rows.csv");
        std::fs::write(&path, written(&samples(9))).unwrap();
        let (mut taken, check) = (0, |row: &Sample| match row.step {
            5 => Err("it is the sixth".to_owned()),
            _ => Ok(()),
        });
        let end = each_plain(&path, check, |_| taken += 1);
        let told = end.unwrap_err().to_string();
        assert!(told.contains("rows.csv") && told.contains("line 7: it is the sixth"), "{told}");
        assert_eq!(taken, 5);
    }
}
