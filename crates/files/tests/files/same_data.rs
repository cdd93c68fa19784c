//! Every format holds the documents that the generator makes, value by value.

use std::collections::BTreeMap;
use std::io::Read;

use hoap_ch2::data::{Collection, Schema};
use hoap_files::{Codec, Format, Request};
use serde_json::Value;

use super::{data_set, documents, form, lines, options, request, written};

#[test]
fn ndjson_is_the_documents() {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let data = data_set(schema);
        let files = written(&request(&data));
        assert_eq!(files.len(), Collection::ALL.len());
        for c in Collection::ALL {
            assert!(files[&format!("{c}.ndjson")] == lines(&data, c as usize), "{schema} {c}");
        }
    }
}

#[test]
fn a_json_file_is_one_array() {
    let data = data_set(Schema::Ch2pp);
    let form = form(options(Format::Json, Codec::None));
    let files = written(&Request { form, ..request(&data) });
    for c in Collection::ALL {
        let array: Vec<Value> = serde_json::from_slice(&files[&format!("{c}.json")]).unwrap();
        assert_eq!(array, documents(&data, c as usize), "{c}");
    }
}

#[test]
fn compressed_text_is_the_text() {
    let data = data_set(Schema::Ch2pp);
    for format in [Format::Ndjson, Format::Json, Format::Csv] {
        let plain =
            written(&Request { form: form(options(format, Codec::None)), ..request(&data) });
        for (codec, ending) in [(Codec::Gzip, "gz"), (Codec::Zstd, "zst")] {
            let packed = written(&Request { form: form(options(format, codec)), ..request(&data) });
            assert_eq!(packed.len(), plain.len());
            for (name, text) in &plain {
                let packed = &packed[&format!("{name}.{ending}")];
                let mut unpacked = Vec::new();
                if codec == Codec::Gzip {
                    let mut reader = flate2::read::MultiGzDecoder::new(packed.as_slice());
                    reader.read_to_end(&mut unpacked).unwrap();
                } else {
                    unpacked = zstd::stream::decode_all(packed.as_slice()).unwrap();
                }
                assert!(unpacked == *text, "{name}.{ending}");
                assert!(text.len() < 10_000 || packed.len() < text.len(), "{name}.{ending}");
            }
        }
    }
}

pub(super) type Row = BTreeMap<String, String>;

pub(super) fn rows(text: &[u8]) -> Vec<Row> {
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_reader(text);
    let header = reader.headers().unwrap().clone();
    let named = |record: csv::StringRecord| {
        let pairs = header.iter().zip(record.iter());
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Row>()
    };
    reader.records().map(|record| named(record.unwrap())).collect()
}

/// The columns of an object, arrays apart; objects in it are spread.
fn flat(object: &Value, into: &mut BTreeMap<String, Value>) {
    for (name, value) in object.as_object().unwrap() {
        match (name.as_str(), value) {
            ("s_dists", Value::Array(texts)) => {
                for (n, text) in texts.iter().enumerate() {
                    into.insert(format!("s_dist_{:02}", n + 1), text.clone());
                }
            }
            (_, Value::Array(_)) => (),
            (_, Value::Object(_)) => flat(value, into),
            _ => {
                into.insert(name.clone(), value.clone());
            }
        }
    }
}

pub(super) fn assert_row(row: &Row, expected: &BTreeMap<String, Value>) {
    assert_eq!(row.len(), expected.len(), "{row:?} {expected:?}");
    for (name, value) in expected {
        let text = &row[name];
        match value {
            Value::Null => assert_eq!(text, "", "{name}"),
            Value::Bool(b) => assert_eq!(*text, b.to_string(), "{name}"),
            Value::String(s) => assert_eq!(text, s, "{name}"),
            Value::Number(n) => assert_eq!(text.parse::<f64>().ok(), n.as_f64(), "{name}"),
            other => panic!("{name}: {other}"),
        }
    }
}

/// The tables of arrays: collection, array, table, key as (field, column), column of the place in
/// the array, column of an element that is no object.
type Child = (
    Collection,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    Option<&'static str>,
    &'static str,
);
const CHILDREN: [Child; 5] = [
    (
        Collection::Orders,
        "o_orderline",
        "orderline",
        &[("o_w_id", "ol_w_id"), ("o_d_id", "ol_d_id"), ("o_id", "ol_o_id")],
        None,
        "",
    ),
    (
        Collection::Customer,
        "c_addresses",
        "customer_address",
        &[("c_w_id", "c_w_id"), ("c_d_id", "c_d_id"), ("c_id", "c_id")],
        Some("c_address_position"),
        "",
    ),
    (
        Collection::Customer,
        "c_phones",
        "customer_phone",
        &[("c_w_id", "c_w_id"), ("c_d_id", "c_d_id"), ("c_id", "c_id")],
        Some("c_phone_position"),
        "",
    ),
    (
        Collection::Customer,
        "c_item_categories",
        "customer_item_category",
        &[("c_w_id", "c_w_id"), ("c_d_id", "c_d_id"), ("c_id", "c_id")],
        Some("c_category_position"),
        "c_item_category",
    ),
    (
        Collection::Item,
        "i_categories",
        "item_category",
        &[("i_id", "i_id")],
        Some("i_category_position"),
        "i_category",
    ),
];

#[test]
fn csv_tables_join_to_the_documents() {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let data = data_set(schema);
        let form = form(options(Format::Csv, Codec::None));
        let files = written(&Request { form, ..request(&data) });
        let tables = if schema == Schema::Ch2 { 12 } else { 16 };
        assert_eq!(files.len(), tables, "{:?}", files.keys());
        for c in Collection::ALL {
            let documents = documents(&data, c as usize);
            let rows = rows(&files[&format!("{c}.csv")]);
            assert_eq!(rows.len(), documents.len());
            for (row, document) in rows.iter().zip(&documents) {
                let mut expected = BTreeMap::new();
                flat(document, &mut expected);
                assert_row(row, &expected);
            }
        }
        for (c, array, table, key, position, element) in CHILDREN {
            let Some(text) = files.get(&format!("{table}.csv")) else {
                assert!(schema == Schema::Ch2 && table != "orderline");
                continue;
            };
            let mut rows = rows(text).into_iter();
            for document in documents(&data, c as usize) {
                for (n, value) in document[array].as_array().unwrap().iter().enumerate() {
                    let mut expected = BTreeMap::new();
                    for (field, column) in key {
                        expected.insert((*column).to_owned(), document[*field].clone());
                    }
                    if let Some(position) = position {
                        expected.insert(position.to_owned(), (n + 1).into());
                    }
                    match value {
                        Value::Object(_) => flat(value, &mut expected),
                        _ => drop(expected.insert(element.to_owned(), value.clone())),
                    }
                    assert_row(&rows.next().expect("a row for each element"), &expected);
                }
            }
            assert_eq!(rows.next(), None, "{table}");
        }
    }
}

/// The joined addresses of CH2 suppliers hold commas, which must not become columns.
#[test]
fn csv_quotes_what_would_be_read_otherwise() {
    let data = data_set(Schema::Ch2);
    let form = form(options(Format::Csv, Codec::None));
    let collections = &[Collection::Supplier as usize];
    let files = written(&Request { form, collections, ..request(&data) });
    let text = std::str::from_utf8(&files["supplier.csv"]).unwrap();
    let line = text.lines().nth(1).unwrap();
    assert_eq!(line.matches('"').count(), 2, "{line}");
    assert!(rows(text.as_bytes()).iter().all(|row| row["su_address"].matches(", ").count() == 3));
}

#[cfg(feature = "parquet")]
pub(super) mod parquet {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::{Field, Row};
    use bytes::Bytes;
    use hoap_files::Options;

    use super::*;

    /// A row as the document it was.
    fn document(row: &Row) -> Value {
        row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect()
    }

    fn value(field: &Field) -> Value {
        match field {
            Field::Null => Value::Null,
            Field::Bool(b) => (*b).into(),
            Field::Long(n) => (*n).into(),
            Field::Str(s) => s.as_str().into(),
            Field::Group(row) => document(row),
            Field::ListInternal(list) => list.elements().iter().map(value).collect(),
            Field::Decimal(d) => {
                let bytes = d.data();
                let sign = if bytes[0] & 0x80 == 0 { 0u8 } else { 0xff };
                let mut wide = [sign; 8];
                wide[8 - bytes.len()..].copy_from_slice(bytes);
                let units = i64::from_be_bytes(wide);
                let scale = d.scale() as usize;
                // As the documents write it, so that the same text becomes the same number.
                let digits = format!("{:0width$}", units.unsigned_abs(), width = scale + 1);
                let (whole, fraction) = digits.split_at(digits.len() - scale);
                let minus = if units < 0 { "-" } else { "" };
                serde_json::from_str(&format!("{minus}{whole}.{fraction}")).unwrap()
            }
            other => panic!("{other:?}"),
        }
    }

    pub(in super::super) fn reader(file: &[u8]) -> SerializedFileReader<Bytes> {
        SerializedFileReader::new(Bytes::copy_from_slice(file)).unwrap()
    }

    /// All rows of a file, as the documents they were.
    pub(in super::super) fn documents_of(file: &[u8]) -> Vec<Value> {
        reader(file).get_row_iter(None).unwrap().map(|row| document(&row.unwrap())).collect()
    }

    #[test]
    fn rows_are_the_documents() {
        for (schema, codec) in [
            (Schema::Ch2, Codec::Snappy),
            (Schema::Ch2pp, Codec::None),
            (Schema::Ch2pp, Codec::Snappy),
            (Schema::Ch2pp, Codec::Zstd),
        ] {
            let data = data_set(schema);
            let form = form(options(Format::Parquet, codec));
            let files = written(&Request { form, ..request(&data) });
            assert_eq!(files.len(), Collection::ALL.len());
            for c in Collection::ALL {
                let rows = documents_of(&files[&format!("{c}.parquet")]);
                assert!(rows == documents(&data, c as usize), "{schema} {codec} {c}");
            }
        }
    }

    /// Nested values are columns, not JSON text, and only what may be null is optional.
    #[test]
    fn nested_columns() {
        let data = data_set(Schema::Ch2pp);
        let form = form(options(Format::Parquet, Codec::Snappy));
        let collections = &[Collection::Orders as usize, Collection::Customer as usize];
        let files = written(&Request { form, collections, ..request(&data) });
        let columns = |name: &str| {
            let reader = reader(&files[name]);
            let schema = reader.metadata().file_metadata().schema_descr_ptr();
            let column = |c: &::parquet::schema::types::ColumnDescPtr| {
                (c.path().string(), (c.max_def_level(), c.max_rep_level()))
            };
            schema.columns().iter().map(column).collect::<BTreeMap<_, _>>()
        };
        let orders = columns("orders.parquet");
        assert_eq!(orders["o_id"], (0, 0));
        assert_eq!(orders["o_carrier_id"], (1, 0));
        assert_eq!(orders["o_orderline.list.element.ol_i_id"], (1, 1));
        assert_eq!(orders["o_orderline.list.element.ol_delivery_d"], (2, 1));
        let customer = columns("customer.parquet");
        assert_eq!(customer["c_name.c_first"], (0, 0));
        assert_eq!(customer["c_item_categories.list.element"], (1, 1));
    }

    /// A row group holds about as many bytes of documents as was asked for, and readers see where
    /// one ends and the next begins.
    #[test]
    fn row_groups_of_the_size_asked_for() {
        let data = data_set(Schema::Ch2pp);
        let options = options(Format::Parquet, Codec::None);
        let form = form(Options { row_group: Some(1 << 20), ..options });
        let collections = &[Collection::Orders as usize];
        let files = written(&Request { form, collections, ..request(&data) });
        let reader = reader(&files["orders.parquet"]);
        let groups = reader.metadata().row_groups();
        let rows: Vec<i64> = groups.iter().map(|g| g.num_rows()).collect();
        assert_eq!(rows.iter().sum::<i64>() as u64, data.count(Collection::Orders));
        let text = lines(&data, Collection::Orders as usize).len() as i64;
        let expected = text / (1 << 20) + 1;
        assert!((expected - 1..=expected + 1).contains(&(rows.len() as i64)), "{rows:?} {text}");
    }
}
