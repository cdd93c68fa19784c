//! A document is the same alone, in its part, and for any writer (specification, section 1), with
//! parameters and keys chosen at random.

use hoap_ch2::data::{Collection, DataSet, ExtraFields, Schema, Spec};
use hoap_data::random::Stream;
use hoap_data::writer::{ExtraField, Field, TEXT_SLACK, Writer, extra_text};
use hoap_data::{Buffer, Date, Timestamp};
use serde_json::{Map, Value};

/// Data sets that are tried.
const CASES: u64 = 200;
/// Longest part of a collection that is compared.
const PART: u64 = 40;

fn choose<T: Copy>(stream: &mut Stream, from: &[T]) -> T {
    from[stream.uniform(0..=from.len() as i64 - 1) as usize]
}

fn extra_fields(stream: &mut Stream) -> u32 {
    match stream.uniform(0..=4) {
        0 => 0,
        1 => 1,
        2 => 128,
        _ => stream.uniform(2..=127) as u32,
    }
}

fn any_data_set(stream: &mut Stream) -> DataSet {
    let schema = choose(stream, &[Schema::Ch2, Schema::Ch2pp]);
    let warehouses = choose(stream, &[1, 2, 9, 10, 999, 1000, 10_000_000]);
    let mut spec = Spec::new(schema, warehouses);
    spec.seed = stream.next_u64();
    spec.scale_down = choose(stream, &[1, 2, 5, 20, 100]);
    let days = Date::new(9990, 12, 31).expect("a day").days_since_1970();
    spec.run_date = Date::MIN.add_years(7).add_days(stream.uniform(0..=days + 717_000));
    if schema == Schema::Ch2pp {
        let [customer, orders, item] = [(); 3].map(|()| extra_fields(stream));
        spec.extra_fields = ExtraFields { customer, orders, item };
    }
    DataSet::new(spec).unwrap_or_else(|e| panic!("{spec:?}: {e}"))
}

/// A few documents of a collection, most of all the first and the last ones.
fn any_part(stream: &mut Stream, data: &DataSet, collection: Collection) -> std::ops::Range<u64> {
    let count = data.count(collection);
    let start = match stream.uniform(0..=3) {
        0 => 0,
        1 => count.saturating_sub(PART),
        _ => stream.uniform(0..=count as i64 - 1) as u64,
    };
    start..count.min(start + stream.uniform(0..=PART as i64) as u64)
}

#[test]
fn alone_as_in_a_part() {
    let mut stream = Stream::new(1, &[]);
    let mut together = Buffer::new();
    let (mut alone, mut compared) = (Vec::new(), 0);
    for _ in 0..CASES {
        let data = any_data_set(&mut stream);
        for collection in Collection::ALL {
            let part = any_part(&mut stream, &data, collection);
            // Over what another data set left there, after other bytes, with any end.
            together.clear();
            together.extend_from_slice(b"[");
            data.append_range(collection, part.clone(), b",\n", &mut together);
            let mut rest = together.strip_prefix(b"[").expect("still there");
            for index in part {
                alone.clear();
                alone.push(b'>');
                data.append(collection, index, &mut alone);
                alone.extend_from_slice(b",\n");
                let (document, others) = rest.split_at_checked(alone.len() - 1).unwrap_or_default();
                let what = format!("{collection} {index} of {:?}", data.spec());
                assert_eq!(
                    String::from_utf8_lossy(document),
                    String::from_utf8_lossy(&alone[1..]),
                    "{what}"
                );
                rest = others;
                compared += 1;
            }
            assert!(rest.is_empty(), "{collection} of {:?}", data.spec());
        }
    }
    assert!(compared > 20_000, "{compared}");
}

/// What a writer of its own makes of the values is what a parser reads from the JSON, in the same
/// order: it has none of the JSON writer's shortcuts.
#[test]
fn as_another_writer_sees_it() {
    let mut stream = Stream::new(2, &[]);
    let mut json = Vec::new();
    for _ in 0..CASES {
        let data = any_data_set(&mut stream);
        for collection in Collection::ALL {
            let index = stream.uniform(0..=data.count(collection) as i64 - 1) as u64;
            json.clear();
            data.append(collection, index, &mut json);
            let mut tree = Tree::default();
            data.write(collection, index, &mut tree);
            let expected: Value = serde_json::from_slice(&json).expect("JSON");
            let what = format!("{collection} {index} of {:?}", data.spec());
            assert_eq!(tree.finish().to_string(), expected.to_string(), "{what}");
        }
    }
}

/// Builds a value from the calls of a [`Writer`], those without default only.
#[derive(Default)]
struct Tree {
    /// What is open, outermost first, each under its name.
    open: Vec<(String, Value)>,
    done: Value,
}

impl Tree {
    fn finish(self) -> Value {
        assert!(self.open.is_empty(), "the document has not ended");
        self.done
    }

    fn add(&mut self, name: String, value: Value) {
        match self.open.last_mut() {
            None => self.done = value,
            Some((_, Value::Array(elements))) => elements.push(value),
            Some((_, Value::Object(fields))) => {
                assert!(fields.insert(name.clone(), value).is_none(), "{name} twice");
            }
            Some(_) => unreachable!("only arrays and objects are open"),
        }
    }

    fn close(&mut self) {
        let (name, value) = self.open.pop().expect("something is open");
        self.add(name, value);
    }
}

impl Writer for Tree {
    fn begin_object(&mut self, field: Field) {
        self.open.push((field.name().to_owned(), Value::Object(Map::new())));
    }

    fn end_object(&mut self) {
        self.close();
    }

    fn begin_array(&mut self, field: Field) {
        self.open.push((field.name().to_owned(), Value::Array(Vec::new())));
    }

    fn end_array(&mut self) {
        self.close();
    }

    fn null(&mut self, field: Field) {
        self.add(field.name().to_owned(), Value::Null);
    }

    fn bool(&mut self, field: Field, value: bool) {
        self.add(field.name().to_owned(), value.into());
    }

    fn int(&mut self, field: Field, value: u64) {
        self.add(field.name().to_owned(), value.into());
    }

    fn cents(&mut self, field: Field, value: i64) {
        self.add(field.name().to_owned(), (value as f64 / 100.0).into());
    }

    fn ratio(&mut self, field: Field, value: u32) {
        self.add(field.name().to_owned(), (f64::from(value) / 10_000.0).into());
    }

    fn timestamp(&mut self, field: Field, value: Timestamp) {
        self.add(field.name().to_owned(), value.to_string().into());
    }

    fn text(&mut self, field: Field, len: usize, fill: impl FnOnce(&mut [u8])) {
        let mut text = vec![b'?'; len + TEXT_SLACK];
        fill(&mut text);
        text.truncate(len);
        self.add(field.name().to_owned(), String::from_utf8(text).expect("ASCII").into());
    }

    fn extra(&mut self, field: &'static ExtraField, words: [u64; 2]) {
        let text = String::from_utf8(extra_text(words).to_vec()).expect("ASCII");
        assert_eq!(text, format!("{:016x}{:016x}", words[0], words[1]));
        self.add(field.name().to_owned(), text.into());
    }
}
