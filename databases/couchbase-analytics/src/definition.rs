//! Statements of Couchbase's analytical services.

use hoap_database::failure::Done;
use hoap_sqlpp::quote;
use hoap_sqlpp::store::{Definition, KEY, Shadow, published};
use serde_json::Value;

use super::options::{Options, ParsedUrl};

/// The collection and the key under which an operational Couchbase database keeps the note.
const OPERATIONAL_NOTES: &str = "hoap_notes";
const OPERATIONAL_NOTE: &str = "note";

/// The collections of CH2 and CH2++.
const SHADOWED: &[&str] = &[
    "customer",
    "district",
    "history",
    "item",
    "nation",
    "neworder",
    "orders",
    "region",
    "stock",
    "supplier",
    "warehouse",
    OPERATIONAL_NOTES,
];

/// Collections of one scope.
pub(super) struct AnalyticsDefinition {
    parts: Vec<String>,
    /// Quoted, with dots.
    quoted: String,
    /// The operational scope, quoted.
    source: String,
    /// The link, quoted; empty without.
    link: String,
    options: Options,
}

impl AnalyticsDefinition {
    pub fn new(parsed: &ParsedUrl) -> Done<Self> {
        let options = parsed.options.clone();
        let join = |parts: &mut dyn Iterator<Item = &str>| -> Done<String> {
            let mut all = String::new();
            for part in parts {
                all.push_str(if all.is_empty() { "" } else { "." });
                quote(part, &mut all)?;
            }
            Ok(all)
        };
        let quoted = join(&mut parsed.parts.iter().map(String::as_str))?;
        let shadows = !options.link.is_empty();
        let source = if shadows { join(&mut options.source.split('.'))? } else { String::new() };
        let link =
            if shadows { join(&mut std::iter::once(&*options.link))? } else { String::new() };
        Ok(AnalyticsDefinition { parts: parsed.parts.clone(), quoted, source, link, options })
    }

    fn shadows(&self) -> bool {
        !self.link.is_empty()
    }

    /// The condition that an entry of the metadata belongs to this scope.
    fn here(&self, entry: &str) -> String {
        let text = |text: &str| Value::from(text).to_string();
        match self.options.server {
            // A scope of two parts is one name there.
            true => format!("{entry}.DataverseName = {}", text(&self.parts.join("/"))),
            false => format!(
                "{entry}.DatabaseName = {} AND {entry}.DataverseName = {}",
                text(&self.parts[0]),
                text(&self.parts[1])
            ),
        }
    }

    fn storage(&self) -> String {
        match self.options.storage {
            "server" => String::new(),
            format => format!(" WITH {{\"storage-format\": {{\"format\": \"{format}\"}}}}"),
        }
    }
}

impl Definition for AnalyticsDefinition {
    fn name(&self, collection: &str) -> String {
        format!("{}.`{collection}`", self.quoted)
    }

    fn key(&self, variable: &str) -> String {
        if self.shadows() { format!("meta({variable}).id") } else { format!("{variable}.{KEY}") }
    }

    fn context(&self) -> (&'static str, String) {
        ("query_context", format!("default:{}", self.quoted))
    }

    fn prelude(&self, _: &str) -> String {
        String::new()
    }

    fn create(&self, collections: &[&str]) -> Vec<String> {
        let mut all = Vec::new();
        if self.options.server {
            all.push(format!("CREATE ANALYTICS SCOPE {} IF NOT EXISTS", self.quoted));
        } else {
            // Quoting has refused a name with a backtick.
            all.push(format!("CREATE DATABASE `{}` IF NOT EXISTS", self.parts[0]));
            all.push(format!("CREATE SCOPE {} IF NOT EXISTS", self.quoted));
        }
        for collection in collections {
            let (name, storage) = (self.name(collection), self.storage());
            all.push(match self.shadows() {
                true => format!(
                    "CREATE ANALYTICS COLLECTION IF NOT EXISTS {name} \
                     ON {}.`{collection}` AT {}{storage}",
                    self.source, self.link
                ),
                false => format!(
                    "CREATE COLLECTION IF NOT EXISTS {name} PRIMARY KEY ({KEY}: string){storage}"
                ),
            });
        }
        all
    }

    fn remove(&self, collection: &str) -> String {
        format!("DROP ANALYTICS COLLECTION {} IF EXISTS", self.name(collection))
    }

    fn existing(&self) -> String {
        format!(
            "SELECT VALUE d.DatasetName FROM Metadata.`Dataset` AS d \
             WHERE {} AND d.DatasetName IN $names",
            self.here("d")
        )
    }

    fn indexes(&self) -> String {
        format!(
            "SELECT VALUE i.IndexName FROM Metadata.`Index` AS i \
             WHERE {} AND i.DatasetName = $name",
            self.here("i")
        )
    }

    fn index(&self, name: &str, collection: &str, fields: &[(String, &str)]) -> String {
        let fields: Vec<_> = fields.iter().map(|(path, kind)| format!("{path}: {kind}")).collect();
        let (on, fields) = (self.name(collection), fields.join(", "));
        format!("CREATE ANALYTICS INDEX `{name}` IF NOT EXISTS ON {on}({fields})")
    }

    fn published(&self, collection: &str) -> Vec<String> {
        let on = self.name(collection);
        let all = published(collection);
        all.iter()
            .map(|text| format!("CREATE ANALYTICS INDEX {}", text.replace('@', &on)))
            .collect()
    }

    fn analyze(&self, collection: &str) -> Option<String> {
        let sample = self.options.analyze;
        let statement = format!(
            "ANALYZE ANALYTICS COLLECTION {} WITH {{\"sample\": \"{sample}\"}}",
            self.name(collection)
        );
        (sample != "off").then_some(statement)
    }

    fn cancel(&self) -> &'static str {
        if self.options.server {
            "/analytics/admin/active_requests"
        } else {
            "/api/v1/active_requests"
        }
    }

    fn lines(&self) -> Option<&'static str> {
        None
    }

    fn several(&self) -> bool {
        false
    }

    fn shadow(&self) -> Option<Shadow> {
        if !self.shadows() {
            return None;
        }
        let name = self.name(OPERATIONAL_NOTES);
        let connect = match self.options.server {
            true => format!("CONNECT LINK {}.{}", self.quoted, self.link),
            false => format!("CONNECT LINK {}", self.link),
        };
        let progress = match self.options.server {
            true => "/analytics/status/ingestion",
            false => "/api/v1/status/ingestion",
        };
        Some(Shadow {
            progress,
            link: self.options.link.clone(),
            collections: SHADOWED,
            analyzed: &SHADOWED[..SHADOWED.len() - 1],
            indexed_before: self.options.indexed_before,
            connect,
            note: format!(
                "SELECT VALUE n FROM {name} AS n WHERE meta(n).id = \"{OPERATIONAL_NOTE}\""
            ),
            scope: self.parts.join("/"),
            scope_with_dots: self.parts.join("."),
        })
    }
}
