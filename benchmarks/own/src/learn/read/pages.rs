//! A Parquet file whose pages are within bounds: a small file may say that a row has a billion values.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;

/// The most values of a column that are read for a row. They come in pages, some rows at a time.
pub const MOST_VALUES: u64 = 16_000_000;
/// The most bytes of a page, decompressed.
const MOST_BYTES: usize = 256 << 20;
/// How many rows are read at a time.
const BATCH: usize = 64;

/// A file that counts what is read for each row.
pub struct Bounded {
    file: SerializedFileReader<File>,
    most: u64,
    /// Rows that are read.
    row: Arc<AtomicU64>,
}

impl Bounded {
    /// With so many values of a column at most.
    pub fn new(file: SerializedFileReader<File>, most: u64) -> Bounded {
        Bounded { file, most, row: Arc::default() }
    }

    /// Its rows.
    pub fn rows(&self) -> Result<impl Iterator<Item = Result<parquet::record::Row>>> {
        let rows = RowIter::from_file(None, self)?.with_batch_size(BATCH);
        Ok(rows.inspect(|_| {
            self.row.fetch_add(1, Ordering::Relaxed);
        }))
    }
}

impl FileReader for Bounded {
    fn metadata(&self) -> &ParquetMetaData {
        self.file.metadata()
    }

    fn num_row_groups(&self) -> usize {
        self.file.num_row_groups()
    }

    fn get_row_group(&self, i: usize) -> Result<Box<dyn RowGroupReader + '_>> {
        Ok(Box::new(Group { group: self.file.get_row_group(i)?, of: self }))
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>> {
        RowIter::from_file(projection, self)
    }
}

struct Group<'a> {
    group: Box<dyn RowGroupReader + 'a>,
    of: &'a Bounded,
}

impl RowGroupReader for Group<'_> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.group.metadata()
    }

    fn num_columns(&self) -> usize {
        self.group.num_columns()
    }

    fn get_column_page_reader(&self, i: usize) -> Result<Box<dyn PageReader>> {
        let pages = self.group.get_column_page_reader(i)?;
        let (most, rows) = (self.of.most, self.of.row.clone());
        Ok(Box::new(Pages { pages, most, rows, row: 0, values: 0 }))
    }

    fn get_column_bloom_filter(&self, i: usize) -> Option<&Sbbf> {
        self.group.get_column_bloom_filter(i)
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>> {
        RowIter::from_row_group(projection, self)
    }
}

/// The pages of a column.
struct Pages {
    pages: Box<dyn PageReader>,
    most: u64,
    rows: Arc<AtomicU64>,
    /// The row for which these values were read.
    row: u64,
    values: u64,
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(page) = self.pages.get_next_page()? else { return Ok(None) };
        let row = self.rows.load(Ordering::Relaxed);
        if row != self.row {
            (self.row, self.values) = (row, 0);
        }
        // Those of a dictionary stand for values of other pages.
        if !matches!(page, Page::DictionaryPage { .. }) {
            self.values += u64::from(page.num_values());
        }
        let more = |than: u64, of: &str| {
            Err(ParquetError::General(format!("row {}: more than {than} {of}", row + 1)))
        };
        match (self.values > self.most, page.buffer().len() > MOST_BYTES) {
            (true, _) => more(self.most, "values of a column are read for it"),
            (_, true) => more(MOST_BYTES as u64, "bytes are in a page"),
            _ => Ok(Some(page)),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        self.pages.take_deferred_dictionary()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    use parquet::data_type::Int64Type;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;

    /// Rows of so many values each in one column.
    fn file(rows: &[usize]) -> File {
        let file = tempfile::tempfile().unwrap();
        let schema = Arc::new(parse_message_type("message m { repeated int64 a; }").unwrap());
        let mut writer =
            SerializedFileWriter::new(file.try_clone().unwrap(), schema, Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        for values in rows {
            let repeated: Vec<i16> = (0..*values).map(|n| i16::from(n > 0)).collect();
            let (values, defined) = (vec![7; *values], vec![1; *values]);
            let typed = column.typed::<Int64Type>();
            typed.write_batch(&values, Some(&defined), Some(&repeated)).unwrap();
        }
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        file
    }

    #[test]
    fn a_row_has_so_many_values_at_most() {
        for (rows, most, read) in [
            (&[3_000][..], 3_000, Ok(1)),
            (&[3_000], 2_999, Err("row 1: more than 2999 values")),
            (&[10; 300], 3_000, Ok(300)),
            (&[100_000, 10, 100_000], 90_000, Err("row 1: more than 90000 values")),
        ] {
            let bounded = Bounded::new(SerializedFileReader::new(file(rows)).unwrap(), most);
            let all: Result<Vec<_>> = bounded.rows().unwrap().collect();
            match (all.map(|all| all.len()).map_err(|e| e.to_string()), read) {
                (Ok(rows), Ok(expected)) => assert_eq!(rows, expected),
                (Err(e), Err(says)) => assert!(e.contains(says), "{e}"),
                (other, _) => panic!("{rows:?}, {most}: {other:?}"),
            }
        }
    }
}
