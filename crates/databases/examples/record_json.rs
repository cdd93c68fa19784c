//! What reading and writing records with `hoap_database::json` costs, beside `serde_json` into the same
//! buffers. CPU alone, on one thread; the two alternate.
//!
//!     cargo run --release -p hoap-databases --example record_json
#![allow(clippy::print_stdout)]

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use hoap_database::json;
use hoap_database::key_value::Record;
use hoap_ycsb::data::{FieldLength, RecordSpec, Records};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};

const RECORDS: u64 = 200;
const ROUNDS: usize = 60;
/// Times that a round goes through all records.
const PASSES: usize = 20;

/// A JSON object into a [`Record`].
struct Object<'a>(&'a [String], &'a mut Record);

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Object(names, record) = self;
        let mut next = 0;
        while let Some(found) = map.next_key_seed(Name(names, next))? {
            match found {
                Some(number) => {
                    next = number + 1;
                    map.next_value_seed(Text(number as u16, record))?;
                }
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The number of a name, which is mostly the one expected.
struct Name<'a>(&'a [String], usize);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Option<usize>, D::Error> {
        d.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<usize>, E> {
        let Name(names, expected) = self;
        match names.get(expected) {
            Some(there) if there == name => Ok(Some(expected)),
            _ => Ok(names.iter().position(|n| n == name)),
        }
    }
}

/// A string or null into a field.
struct Text<'a>(u16, &'a mut Record);

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl Visitor<'_> for Text<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.1.push(self.0, |out| out.extend_from_slice(text.as_bytes()));
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

fn library_read(text: &[u8], names: &[String], record: &mut Record) {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.deserialize_map(Object(names, record)).unwrap();
}

fn library_write(record: &Record, names: &[String], out: &mut Vec<u8>) {
    let mut writer = serde_json::Serializer::new(out);
    let mut map = writer.serialize_map(Some(record.len())).unwrap();
    for (number, value) in record.iter() {
        let name = &names[usize::from(number)];
        map.serialize_entry(name, std::str::from_utf8(value).unwrap()).unwrap();
    }
    map.end().unwrap();
}

/// Nanoseconds a record, the least of both: what else runs on the machine only adds to them.
fn beside(ours: &mut dyn FnMut(usize), library: &mut dyn FnMut(usize)) -> [f64; 2] {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..2 * ROUNDS {
        let start = Instant::now();
        for i in (0..RECORDS as usize).cycle().take(PASSES * RECORDS as usize) {
            if round % 2 == 0 { ours(i) } else { library(i) }
        }
        let each = start.elapsed().as_nanos() as f64 / (PASSES * RECORDS as usize) as f64;
        times[round % 2].push(each);
    }
    times.map(|times| times.into_iter().fold(f64::INFINITY, f64::min))
}

fn main() {
    println!("nanoseconds a record, least of {ROUNDS} rounds: json.rs, serde_json, times faster");
    for (fields, length) in [(10, 100), (10, 10), (1, 1000), (100, 100)] {
        let length_of = FieldLength::Constant(length);
        let spec =
            RecordSpec { count: RECORDS, fields, length: length_of, ..RecordSpec::default() };
        let records = Records::new(spec).unwrap();
        let names: Vec<String> = (0..fields).map(|n| records.field_name(n)).collect();
        let mut texts = vec![Vec::new(); RECORDS as usize];
        for (index, text) in (0..).zip(&mut texts) {
            records.append(index, text);
        }
        let spaced: Vec<Vec<u8>> = texts.iter().map(|text| with_spaces(text)).collect();
        let mut all = vec![Record::default(); RECORDS as usize];
        for (text, record) in texts.iter().zip(&mut all) {
            json::read(text, &names, record).unwrap();
            let mut same = Record::default();
            library_read(text, &names, &mut same);
            assert_eq!(*record, same);
        }
        for (what, texts) in [("read", &texts), ("read, spaces", &spaced)] {
            let (mut one, mut other) = (Record::default(), Record::default());
            let ours = &mut |i: usize| {
                one.clear();
                json::read(black_box(&texts[i]), &names, &mut one).unwrap();
            };
            let library = &mut |i: usize| {
                other.clear();
                library_read(black_box(&texts[i]), &names, &mut other);
            };
            show(fields, length, what, beside(ours, library));
        }
        let (mut one, mut other) = (Vec::new(), Vec::new());
        let ours = &mut |i: usize| {
            one.clear();
            json::write(black_box(&all[i]), &names, &mut one);
        };
        let library = &mut |i: usize| {
            other.clear();
            library_write(black_box(&all[i]), &names, &mut other);
        };
        show(fields, length, "write", beside(ours, library));
        assert_eq!(one, other);
    }
}

/// As PostgreSQL writes it.
fn with_spaces(text: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(text).unwrap();
    text.replace("\":\"", "\": \"").replace("\",\"", "\", \"").into_bytes()
}

fn show(fields: u16, length: u32, what: &str, [ours, library]: [f64; 2]) {
    let shape = format!("{fields} fields of {length} bytes, {what}");
    println!("{shape:<38} {ours:>8.0} {library:>8.0} {:>6.2}", library / ours);
}
