//! What SQLite is to its guard.

use std::collections::BTreeMap;

use hoap_database::engine::{About, Calls, Engine};
use hoap_record::Description;

use super::database::SqliteEngine;
use super::settings;

impl Engine for SqliteEngine {
    fn about(&self) -> About {
        let limit = self.database().options.query_timeout;
        About {
            query_timeout: (!limit.is_zero()).then_some(limit),
            ..About::new("SQLite", &self.database().url, &["sqlite_", "hoap_"], Calls::Blocking)
        }
    }

    fn description(&self) -> Description {
        let database = self.database();
        let settings = match settings::in_force(database) {
            Ok(settings) => settings.into_iter().collect(),
            Err(e) => BTreeMap::from([(
                "settings".to_owned(),
                format!("unknown: {}", e.into_error("read the settings")),
            )]),
        };
        Description {
            url: database.url.clone(),
            name: "SQLite".to_owned(),
            version: rusqlite::version().to_owned(),
            settings,
        }
    }

    hoap_database::gives!(documents, export, transactions, analytics, key_value, shop);
}
