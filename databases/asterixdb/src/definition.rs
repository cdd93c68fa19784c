//! AsterixDB's statements.

use hoap_database::failure::Done;
use hoap_sqlpp::quote;
use hoap_sqlpp::store::{Definition, KEY, Shadow, published};

use super::options::Options;

/// Couchbase's DATE_ADD_STR, which AsterixDB lacks, for days, the only unit of the queries. It is
/// inlined.
const DATE_ADD_STR: &str = "DECLARE FUNCTION date_add_str(d, n, part) { \
    CASE part WHEN 'day' THEN string(date(d) + duration('P' || string(n) || 'D')) END }; ";

/// Datasets of one dataverse.
pub(super) struct AsterixDefinition {
    dataverse: String,
    /// Quoted.
    quoted: String,
    settings: String,
    storage: String,
    analyze: bool,
}

impl AsterixDefinition {
    pub fn new(dataverse: String, options: &Options) -> Done<Self> {
        let mut quoted = String::new();
        quote(&dataverse, &mut quoted)?;
        let mut settings = String::new();
        let names = ["sortmemory", "joinmemory", "groupmemory"];
        for (name, (_, megabytes)) in names.iter().zip(options.memory()) {
            if megabytes > 0 {
                settings.push_str(&format!("SET `compiler.{name}` \"{megabytes}MB\"; "));
            }
        }
        if let Some(partitions) = options.parallelism {
            settings.push_str(&format!("SET `compiler.parallelism` \"{partitions}\"; "));
        }
        let storage = match options.storage {
            "server" => String::new(),
            format => format!(" WITH {{\"storage-format\": {{\"format\": \"{format}\"}}}}"),
        };
        Ok(AsterixDefinition { dataverse, quoted, settings, storage, analyze: options.analyze })
    }

    /// The dataverse as a string of SQL++, which is one of JSON.
    fn literal(&self) -> String {
        serde_json::Value::from(&*self.dataverse).to_string()
    }
}

impl Definition for AsterixDefinition {
    fn name(&self, collection: &str) -> String {
        format!("{}.`{collection}`", self.quoted)
    }

    fn key(&self, variable: &str) -> String {
        format!("{variable}.{KEY}")
    }

    fn context(&self) -> (&'static str, String) {
        ("dataverse", self.dataverse.clone())
    }

    fn prelude(&self, text: &str) -> String {
        let mut prelude = self.settings.clone();
        if text.contains("date_add_str") {
            prelude.push_str(DATE_ADD_STR);
        }
        prelude
    }

    fn create(&self, collections: &[&str]) -> Vec<String> {
        let dataverse = &self.quoted;
        let mut all = vec![
            format!("CREATE DATAVERSE {dataverse} IF NOT EXISTS"),
            format!("CREATE TYPE {dataverse}.hoap_document IF NOT EXISTS AS {{{KEY}: string}}"),
        ];
        for collection in collections {
            all.push(format!(
                "CREATE DATASET {}({dataverse}.hoap_document) IF NOT EXISTS PRIMARY KEY {KEY}{}",
                self.name(collection),
                self.storage
            ));
        }
        all
    }

    fn remove(&self, collection: &str) -> String {
        format!("DROP DATASET {} IF EXISTS", self.name(collection))
    }

    fn existing(&self) -> String {
        format!(
            "SELECT VALUE d.DatasetName FROM Metadata.`Dataset` AS d \
             WHERE d.DataverseName = {} AND d.DatasetName IN $names",
            self.literal()
        )
    }

    fn indexes(&self) -> String {
        format!(
            "SELECT VALUE i.IndexName FROM Metadata.`Index` AS i \
             WHERE i.DataverseName = {} AND i.DatasetName = $name",
            self.literal()
        )
    }

    fn index(&self, name: &str, collection: &str, fields: &[(String, &str)]) -> String {
        let fields: Vec<_> = fields.iter().map(|(path, kind)| format!("{path}: {kind}")).collect();
        let (on, fields) = (self.name(collection), fields.join(", "));
        format!("CREATE INDEX `{name}` IF NOT EXISTS ON {on}({fields})")
    }

    fn published(&self, collection: &str) -> Vec<String> {
        let on = self.name(collection);
        let all = published(collection);
        all.iter().map(|text| format!("CREATE INDEX {}", text.replace('@', &on))).collect()
    }

    fn analyze(&self, collection: &str) -> Option<String> {
        self.analyze.then(|| format!("ANALYZE DATASET {}", self.name(collection)))
    }

    // The function counts the files; what a load left in memory is in none before ANALYZE.
    fn stored(&self, collection: &str) -> Result<String, &'static str> {
        match self.analyze {
            true => Ok(format!(
                "SELECT VALUE s.size FROM storage_size('Default', {}, '{collection}') AS s",
                self.literal()
            )),
            false => Err("its figure is of files, and only a load with analyze=on ends in files"),
        }
    }

    fn cancel(&self) -> &'static str {
        "/admin/requests/running"
    }

    fn lines(&self) -> Option<&'static str> {
        // The nodes parse a text; the compiler parses the value of a parameter, at a third of the
        // speed. It makes a constant of each text in a list, at more than half the speed.
        Some("SELECT VALUE parse_json(r) FROM split($d, \"\\n\") AS r")
    }

    fn several(&self) -> bool {
        true
    }

    fn shadow(&self) -> Option<Shadow> {
        None
    }
}
