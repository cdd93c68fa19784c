//! The bytes do not depend on threads, nor on how the work is divided.

use std::collections::BTreeMap;

use hoap_ch2::data::{Collection, Schema};
use hoap_data::Part;
use hoap_files::{Codec, FilesWatch, Form, Format, Options, Request, to_pipe};
use hoap_suites::benchmarks::known;

use super::{data_set, form, lines, options, request, shop, written, ycsb};

fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for format in [Format::Ndjson, Format::Json, Format::Csv, Format::Parquet] {
        for codec in [Codec::None, Codec::Zstd] {
            let plain = options(format, codec);
            let row_group = (format == Format::Parquet).then_some(1 << 20);
            for split in [None, Some(1 << 20)] {
                if format != Format::Parquet || cfg!(feature = "parquet") {
                    forms.push(form(Options { split, row_group, ..plain }));
                }
            }
        }
    }
    forms
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let (ch2pp, shop, ycsb) = (data_set(Schema::Ch2pp), shop(), ycsb());
    same_with_any_threads(&request(&ch2pp));
    same_with_any_threads(&request(&shop));
    same_with_any_threads(&request(&ycsb));
}

fn same_with_any_threads(request: &Request<'_>) {
    for form in forms() {
        let of = |threads| written(&Request { form, threads, ..*request });
        let one = of(1);
        for threads in [2, 3, 8] {
            assert!(of(threads) == one, "{form:?} with {threads} threads");
        }
    }
}

#[test]
fn parts_hold_what_the_whole_holds() {
    let (ch2pp, shop, ycsb) = (data_set(Schema::Ch2pp), shop(), ycsb());
    let collections = &[Collection::Orders as usize, Collection::Region as usize];
    parts_join(&Request { collections, ..request(&ch2pp) });
    parts_join(&request(&shop));
    parts_join(&request(&ycsb));
}

fn parts_join(request: &Request<'_>) {
    let data = request.data;
    let names = data.collections();
    for of in [2, 3, 70] {
        let mut joined: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for part in 1..=of {
            let part = Part { part, of };
            let files = written(&Request { part, ..*request });
            for &at in request.collections {
                let text = &files[&format!("{}.{}.ndjson", names[at], part.part)];
                joined.entry(at).or_default().extend_from_slice(text);
            }
        }
        for (at, text) in joined {
            assert!(text == lines(data, at), "{} in {of} parts", names[at]);
        }
    }
}

/// An empty part is still a file of its format.
#[test]
fn empty_parts_can_be_read() {
    let data = data_set(Schema::Ch2pp);
    let part = Part { part: 1, of: 100 };
    let empty = |format, codec| {
        let collections = &[Collection::Region as usize];
        let form = form(options(format, codec));
        written(&Request { form, part, collections, ..request(&data) })
    };
    let json = empty(Format::Json, Codec::None);
    let array: Vec<serde_json::Value> = serde_json::from_slice(&json["region.1.json"]).unwrap();
    assert!(array.is_empty());
    assert_eq!(empty(Format::Ndjson, Codec::None)["region.1.ndjson"], b"");
    let csv = empty(Format::Csv, Codec::None);
    assert_eq!(csv["region.1.csv"], b"r_regionkey,r_name,r_comment\n");
    let zstd = empty(Format::Ndjson, Codec::Zstd);
    let text = zstd::stream::decode_all(zstd["region.1.ndjson.zst"].as_slice()).unwrap();
    assert!(text.is_empty() && !zstd["region.1.ndjson.zst"].is_empty());
    #[cfg(feature = "parquet")]
    {
        use ::parquet::file::reader::{FileReader, SerializedFileReader};
        let parquet = empty(Format::Parquet, Codec::Snappy);
        let bytes = bytes::Bytes::from(parquet["region.1.parquet"].clone());
        let reader = SerializedFileReader::new(bytes).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}

#[test]
fn a_pipe_gets_all_collections_in_order() {
    let (ch2, shop, ycsb) = (data_set(Schema::Ch2), shop(), ycsb());
    pipe_gets_all(&request(&ch2));
    pipe_gets_all(&request(&shop));
    pipe_gets_all(&request(&ycsb));
}

fn pipe_gets_all(request: &Request<'_>) {
    let Request { data, collections, .. } = *request;
    let expected: Vec<u8> = collections.iter().flat_map(|&at| lines(data, at)).collect();
    for threads in [1, 2, 5] {
        let mut out = Vec::new();
        let mut last = 0;
        let mut progress = |p: hoap_files::Progress| {
            assert!(p.done <= p.of && p.bytes > last);
            last = p.bytes;
        };
        let watch = FilesWatch { stop: &|| false, progress: &mut progress, known: &known };
        let request = Request { threads, ..*request };
        let (documents, bytes) = to_pipe(&request, &mut out, watch).unwrap();
        assert!(out == expected);
        assert_eq!(bytes, out.len() as u64);
        assert_eq!(documents, collections.iter().map(|&at| data.count(at)).sum::<u64>());
    }
}
