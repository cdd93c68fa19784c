//! `hoap doctor`: a short round on an empty database, in a form to paste into an issue.

use hoap_doctor::{Doctor, Examined, examine};
use hoap_record::Verdict;
use hoap_report::text::paragraph;
use hoap_workload::words::counted;
use serde_json::json;

use super::context::Context;
use super::verify::in_short;
use crate::failure::Failure;

/// Examines, prints what was found, and fails where something failed.
pub async fn doctor(context: &Context, args: &Doctor) -> Result<(), Failure> {
    let examined = examine(context, args).await?;
    let Examined { databases, checks } = &examined;
    let json: Vec<_> = databases.iter().map(|(role, d)| json!({"role": role, "is": d})).collect();
    let version = env!("CARGO_PKG_VERSION");
    context.result(&json!({ "hoap": version, "databases": json, "checks": checks }), || {
        let host = hoap_drive::host();
        let mut text = format!("hoap doctor {version}, {}\n", hoap_drive::now());
        text.push_str(&paragraph("machine: ", &format!("{}, {}", host.system, host.processor)));
        text.push_str(&described(&examined));
        text.push('\n');
        text.push_str(&hoap_report::check_lines(checks));
        text.push_str(&format!("\n{}", in_short(checks)));
        text
    });
    match checks.iter().filter(|c| c.verdict == Verdict::Fail).collect::<Vec<_>>()[..] {
        [] => Ok(()),
        [first, ..] => {
            let failed = checks.iter().filter(|c| c.verdict == Verdict::Fail).count();
            let of = counted(checks.len(), "step", "steps");
            let why = first.detail.as_deref().unwrap_or_default();
            Err(Failure::check(format!("{failed} of {of} failed, first {}: {why}", first.name)))
        }
    }
}

/// Names, versions and settings.
fn described(Examined { databases, .. }: &Examined) -> String {
    let mut text = String::new();
    for (role, database) in databases {
        let name = format!("{} {}, {}", database.name, database.version, database.url);
        text.push_str(&paragraph(&format!("{role}: "), &name));
        let settings = database.settings.iter().map(|(name, value)| format!("{name}={value}"));
        text.push_str(&paragraph("  ", &settings.collect::<Vec<_>>().join(", ")));
    }
    text
}
