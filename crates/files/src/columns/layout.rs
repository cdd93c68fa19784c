//! The columns that hold the documents of a collection.

use std::sync::Arc;

use ::parquet::basic::{
    Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel,
};
use ::parquet::errors::Result as ParquetResult;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use ::parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use crate::error::{Error, ErrorKind, Result};
use crate::options::{Codec, Form};
use crate::shape::{Kind, Node, Scalar, Shape};

/// Precision and scale of money, and of a tax or a discount.
const CENTS: (i32, i32) = (18, 2);
const RATIO: (i32, i32) = (9, 4);

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub(crate) scalar: Scalar,
    pub(crate) nullable: bool,
    /// The innermost enclosing array.
    pub(crate) list: Option<usize>,
    /// Whether values repeat often.
    repeats: bool,
}

/// An array and its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    /// The enclosing array.
    pub(crate) parent: Option<usize>,
    /// Number of arrays around its elements, itself included.
    pub(crate) depth: i16,
    /// The range of its columns: the first, and the first after.
    pub(crate) first: usize,
    pub(crate) end: usize,
    /// The first array after the nested ones.
    pub(crate) next: usize,
}

/// The columns of a collection, in the order of the documents' values.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) leaves: Vec<Leaf>,
    /// The arrays, in the order in which they begin.
    pub(crate) lists: Vec<List>,
    pub(crate) schema: TypePtr,
    pub(crate) descriptor: SchemaDescriptor,
    pub(crate) properties: WriterPropertiesPtr,
}

impl Layout {
    pub(crate) fn new(name: &str, shape: &Shape, form: &Form) -> Result<Layout> {
        let mut building = Building { leaves: Vec::new(), lists: Vec::new(), list: None };
        let failed = |e: String| {
            let message = format!("lay out {name} as parquet: {e}; choose another format");
            Error::new(ErrorKind::Usage, message)
        };
        let fields = building.fields(&shape.fields).map_err(failed)?;
        let schema = Type::group_type_builder(name).with_fields(fields).build();
        let schema: TypePtr = Arc::new(schema.map_err(|e| failed(e.to_string()))?);
        let descriptor = SchemaDescriptor::new(schema.clone());
        let Building { leaves, lists, .. } = building;
        let properties = properties(&leaves, &descriptor, form);
        let properties = properties.map_err(|e| failed(e.to_string()))?;
        Ok(Layout { leaves, lists, schema, descriptor, properties: properties.into() })
    }
}

fn properties(
    leaves: &[Leaf],
    descriptor: &SchemaDescriptor,
    form: &Form,
) -> ParquetResult<WriterProperties> {
    let compression = match form.codec {
        Codec::Snappy => Compression::SNAPPY,
        Codec::Zstd => Compression::ZSTD(ZstdLevel::try_new(form.level as i32)?),
        Codec::None | Codec::Gzip => Compression::UNCOMPRESSED,
    };
    let mut properties = WriterProperties::builder()
        .set_compression(compression)
        .set_created_by(concat!("hoap version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_statistics_enabled(EnabledStatistics::Chunk);
    for (leaf, column) in leaves.iter().zip(descriptor.columns()) {
        // A dictionary of distinct values costs time and space.
        properties = properties.set_column_dictionary_enabled(column.path().clone(), leaf.repeats);
        if leaf.scalar == Scalar::Extra {
            // Random digits: bounds would exclude no row group.
            let none = EnabledStatistics::None;
            properties = properties.set_column_statistics_enabled(column.path().clone(), none);
        }
    }
    Ok(properties.build())
}

struct Building {
    leaves: Vec<Leaf>,
    lists: Vec<List>,
    list: Option<usize>,
}

impl Building {
    fn fields(&mut self, nodes: &[Node]) -> Result<Vec<TypePtr>, String> {
        nodes.iter().map(|node| self.field(&node.name, node)).collect()
    }

    fn field(&mut self, name: &str, node: &Node) -> Result<TypePtr, String> {
        let of = |e: ::parquet::errors::ParquetError| e.to_string();
        match &node.kind {
            Kind::Unknown => Err(format!("{name} has no value in any document looked at")),
            Kind::Scalar { scalar, repeats } => {
                let (nullable, list) = (node.nullable, self.list);
                self.leaves.push(Leaf { scalar: *scalar, nullable, list, repeats: *repeats });
                scalar_type(name, *scalar, nullable).map(Arc::new).map_err(of)
            }
            Kind::Object(nodes) => {
                let fields = self.fields(nodes)?;
                let group = Type::group_type_builder(name)
                    .with_repetition(Repetition::REQUIRED)
                    .with_fields(fields);
                group.build().map(Arc::new).map_err(of)
            }
            Kind::List(element) => {
                let (number, first, parent) = (self.lists.len(), self.leaves.len(), self.list);
                let depth = parent.map_or(0, |list| self.lists[list].depth) + 1;
                self.lists.push(List { parent, depth, first, end: first, next: number + 1 });
                self.list = Some(number);
                let wrong = |e| format!("{name}: {e}");
                let element = self.field("element", element).map_err(wrong)?;
                self.list = parent;
                self.lists[number].end = self.leaves.len();
                self.lists[number].next = self.lists.len();
                let repeated = Type::group_type_builder("list")
                    .with_repetition(Repetition::REPEATED)
                    .with_fields(vec![element]);
                let group = Type::group_type_builder(name)
                    .with_repetition(Repetition::REQUIRED)
                    .with_logical_type(Some(LogicalType::List))
                    .with_fields(vec![Arc::new(repeated.build().map_err(of)?)]);
                group.build().map(Arc::new).map_err(of)
            }
        }
    }
}

fn scalar_type(name: &str, scalar: Scalar, nullable: bool) -> ParquetResult<Type> {
    let decimal =
        |(precision, scale)| (Some(LogicalType::decimal(scale, precision)), precision, scale);
    let (physical, (logical, precision, scale)) = match scalar {
        Scalar::Bool => (Physical::BOOLEAN, (None, -1, -1)),
        Scalar::Int => (Physical::INT64, (None, -1, -1)),
        Scalar::Cents => (Physical::INT64, decimal(CENTS)),
        Scalar::Ratio => (Physical::INT32, decimal(RATIO)),
        Scalar::Decimal(digits) => (Physical::INT64, decimal((CENTS.0, digits.into()))),
        Scalar::Number => (Physical::DOUBLE, (None, -1, -1)),
        Scalar::Instant => {
            (Physical::INT64, (Some(LogicalType::timestamp(true, TimeUnit::MICROS)), -1, -1))
        }
        Scalar::Timestamp | Scalar::Text | Scalar::Extra => {
            (Physical::BYTE_ARRAY, (Some(LogicalType::String), -1, -1))
        }
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(if nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED })
        .with_logical_type(logical)
        .with_precision(precision)
        .with_scale(scale)
        .build()
}
