//! The fuzz targets of public parsers. Parsers that are not public have theirs beside them, in a
//! module `fuzz`.

pub mod files;
pub mod texts;
