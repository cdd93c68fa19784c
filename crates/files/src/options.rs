//! Options of files: format, layout, compression, sizes; and their valid combinations.

use hoap_data::named;
use hoap_data::words::counted;

use crate::error::{Error, Result};

/// Bytes of documents in a row group unless stated otherwise.
pub const ROW_GROUP: u64 = 64 << 20;
/// The smallest file that output may be split into, and the smallest row group.
pub const LEAST_SIZE: u64 = 1_000_000;
/// The largest row group: offsets into a column of text have 32 bits.
pub const MOST_ROW_GROUP: u64 = 1 << 30;

named! {
    /// File format.
    Format, "format":
    /// A JSON document a line.
    Ndjson = "ndjson",
    /// A JSON array a file, its documents a line each.
    Json = "json",
    /// Comma-separated values with a header, as RFC 4180 quotes them; lines end with a line feed.
    Csv = "csv",
    /// Apache Parquet with nested columns.
    Parquet = "parquet",
}

named! {
    /// The layout of values.
    Layout, "schema":
    /// As in the documents, nested.
    Documents = "documents",
    /// As relational tables: objects become columns, arrays become tables of their own.
    Flat = "flat",
}

named! {
    /// Compression of whole text files, or of the pages of Parquet files.
    Codec, "compression":
    /// No compression.
    None = "none",
    /// gzip, text only: a member for each chunk of a file.
    Gzip = "gzip",
    /// Zstandard; of text, a frame for each chunk of a file.
    Zstd = "zstd",
    /// Snappy, Parquet only.
    Snappy = "snappy",
}

/// The user's options; `None` where not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Options {
    pub format: Format,
    pub layout: Layout,
    pub codec: Option<Codec>,
    /// Compression level: 1 to 9 of gzip, 1 to 22 of Zstandard.
    pub level: Option<u32>,
    /// Bytes of documents, as NDJSON, in a row group of Parquet.
    pub row_group: Option<u64>,
    /// The maximum size of a file, bytes.
    pub split: Option<u64>,
}

impl Options {
    /// Uncompressed NDJSON, a file for each collection.
    pub const NDJSON: Options = Options {
        format: Format::Ndjson,
        layout: Layout::Documents,
        codec: None,
        level: None,
        row_group: None,
        split: None,
    };
}

/// A valid combination of options, with the defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub(crate) format: Format,
    pub(crate) layout: Layout,
    pub(crate) codec: Codec,
    /// 0 where the codec has none.
    pub(crate) level: u32,
    /// 0 where the format has none.
    pub(crate) row_group: u64,
    pub(crate) split: Option<u64>,
}

impl TryFrom<Options> for Form {
    type Error = Error;

    /// # Errors
    /// A format that cannot hold the layout or is not part of this build, a codec that the format
    /// does not have, a level that the codec does not have, a size out of its bounds.
    fn try_from(o: Options) -> Result<Form> {
        let Options { format, layout, codec, level, row_group, split } = o;
        match (format, layout) {
            (Format::Csv, Layout::Documents) => {
                return Err(Error::usage(
                    "csv cannot hold nested documents: add --schema flat, or choose another format",
                ));
            }
            (Format::Csv, Layout::Flat) | (_, Layout::Documents) => (),
            (_, Layout::Flat) => {
                return Err(Error::usage(format!(
                    "{format} is written as documents: leave out --schema flat, or choose csv"
                )));
            }
        }
        if format == Format::Parquet && !cfg!(feature = "parquet") {
            return Err(Error::usage(
                "parquet is not part of this build: build with `cargo build --release --features \
                 parquet`, or choose another format",
            ));
        }
        let default = if format == Format::Parquet { Codec::Snappy } else { Codec::None };
        let codec = codec.unwrap_or(default);
        let fitting = match format {
            Format::Parquet => [Codec::None, Codec::Snappy, Codec::Zstd],
            _ => [Codec::None, Codec::Gzip, Codec::Zstd],
        };
        if !fitting.contains(&codec) {
            let fitting = fitting.map(|c| c.to_string()).join(", ");
            return Err(Error::usage(format!(
                "{format} cannot be compressed with {codec}: use one of {fitting}"
            )));
        }
        let highest = match codec {
            Codec::None | Codec::Snappy => 0,
            Codec::Gzip => 9,
            Codec::Zstd => 22,
        };
        // The documents are random: higher levels cost much and gain little.
        let level = level.unwrap_or(highest.min(1));
        if level > highest || (level == 0 && highest > 0) {
            return Err(Error::usage(match highest {
                0 => format!("compression {codec} has no levels: leave out --level"),
                _ => format!("{codec} has no level {level}: choose 1 to {highest}"),
            }));
        }
        if let Some(size) = split.filter(|&size| size < LEAST_SIZE) {
            return Err(Error::usage(format!(
                "files of {} are too small: split at 1MB or more",
                counted(size, "byte", "bytes")
            )));
        }
        let row_group = match (format, row_group) {
            (Format::Parquet, size) => size.unwrap_or(ROW_GROUP),
            (_, None) => 0,
            (_, Some(_)) => {
                return Err(Error::usage(format!(
                    "{format} has no row groups: leave out --row-group, or choose parquet"
                )));
            }
        };
        if row_group > 0 && !(LEAST_SIZE..=MOST_ROW_GROUP).contains(&row_group) {
            return Err(Error::usage(format!(
                "row groups of {} are not possible: choose 1MB to 1GiB",
                counted(row_group, "byte", "bytes")
            )));
        }
        Ok(Form { format, layout, codec, level, row_group, split })
    }
}

impl Form {
    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The extension of file names.
    pub(crate) fn extension(&self) -> String {
        extension(self.format, self.codec)
    }
}

/// The extension of file names, without the leading dot: `ndjson.gz`.
pub(crate) fn extension(format: Format, codec: Codec) -> String {
    let packed = match (format, codec) {
        (Format::Parquet, _) | (_, Codec::None | Codec::Snappy) => "",
        (_, Codec::Gzip) => ".gz",
        (_, Codec::Zstd) => ".zst",
    };
    format!("{format}{packed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_together() {
        let plain = Options::NDJSON;
        let form = Form::try_from(plain).unwrap();
        assert_eq!((form.codec, form.level, form.extension()), (Codec::None, 0, "ndjson".into()));
        let csv = Options { format: Format::Csv, layout: Layout::Flat, ..plain };
        let gz = Form::try_from(Options { codec: Some(Codec::Gzip), ..csv }).unwrap();
        assert_eq!((gz.level, gz.extension()), (1, "csv.gz".into()));
        for (wrong, says) in [
            (Options { layout: Layout::Documents, ..csv }, "--schema flat"),
            (Options { format: Format::Json, ..csv }, "--schema flat"),
            (Options { codec: Some(Codec::Snappy), ..plain }, "none, gzip, zstd"),
            (Options { level: Some(3), ..plain }, "no levels"),
            (Options { codec: Some(Codec::Gzip), level: Some(10), ..plain }, "1 to 9"),
            (Options { codec: Some(Codec::Zstd), level: Some(0), ..plain }, "1 to 22"),
            (Options { row_group: Some(1 << 26), ..plain }, "row groups"),
            (Options { split: Some(1000), ..plain }, "1MB"),
        ] {
            let e = Form::try_from(wrong).unwrap_err();
            assert!(e.to_string().contains(says) && !e.to_string().contains('\n'), "{e}");
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet() {
        let plain = Options { format: Format::Parquet, ..Options::NDJSON };
        let form = Form::try_from(plain).unwrap();
        assert_eq!((form.codec, form.row_group), (Codec::Snappy, ROW_GROUP));
        let zstd = Form::try_from(Options { codec: Some(Codec::Zstd), ..plain }).unwrap();
        assert_eq!((zstd.level, zstd.extension()), (1, "parquet".into()));
        for wrong in [
            Options { codec: Some(Codec::Gzip), ..plain },
            Options { row_group: Some(1), ..plain },
            Options { row_group: Some(u64::MAX), ..plain },
            Options { layout: Layout::Flat, ..plain },
        ] {
            assert!(Form::try_from(wrong).is_err());
        }
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn parquet_says_how_to_build_it() {
        let parquet = Options { format: Format::Parquet, ..Options::NDJSON };
        let e = Form::try_from(parquet).unwrap_err();
        assert!(e.to_string().contains("cargo build --release --features parquet"));
    }
}
