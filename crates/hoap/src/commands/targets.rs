//! `hoap targets`: the databases and what they can run.

use hoap_database::What;
use hoap_report::text::paragraph;
use serde_json::json;

use super::context::Context;
use crate::failure::Failure;

/// The characters of an option and its default with which its meaning shares a line.
const HALF: usize = 40;

fn capabilities(scheme: &hoap_databases::Scheme) -> Vec<&'static str> {
    scheme.capabilities().map(What::name).collect()
}

/// Lists them.
pub fn targets(context: &Context) -> Result<(), Failure> {
    let known = hoap_databases::known();
    let result: Vec<_> = known
        .clone()
        .map(|s| {
            let presets: serde_json::Map<_, _> = hoap_databases::presets::presets(s.names[0])
                .map(|preset| (preset.name.to_owned(), preset.options.into()))
                .collect();
            json!({
                "presets": presets, "schemes": s.names, "database": s.database, "built_in": s.built_in(),
                "capabilities": capabilities(s),
            })
        })
        .collect();
    context.result(&result, || {
        let mut text = String::new();
        for s in known {
            let state = if s.built_in() { "ready" } else { "not in this build" };
            text.push_str(&format!("{} · {state}\n", s.database));
            text.push_str(&paragraph("    ", s.form));
            // A database that is not built in does not say.
            if s.built_in() {
                text.push_str(&paragraph("    offers ", &capabilities(s).join(", ")));
            }
            for option in s.options {
                let setting = format!("      {}={}  ", option.name, option.default);
                match setting.len() {
                    0..=HALF => text.push_str(&paragraph(&setting, option.meaning)),
                    // Beside a long one there is no room.
                    _ => {
                        text.push_str(&format!("{}\n", setting.trim_end()));
                        text.push_str(&paragraph("        ", option.meaning));
                    }
                }
            }
            for preset in hoap_databases::presets::presets(s.names[0]) {
                let words = format!("{} ({})", preset.options.replace('&', ", "), preset.source);
                text.push_str(&paragraph(&format!("      preset={}  ", preset.name), &words));
            }
        }
        text
    });
    Ok(())
}
