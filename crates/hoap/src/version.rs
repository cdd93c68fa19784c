//! What this build is, as far as `build.rs` found out.

const COMMIT: Option<&str> = option_env!("HOAP_COMMIT");
const FEATURES: Option<&str> = option_env!("HOAP_FEATURES");
const DRIVERS: Option<&str> = option_env!("HOAP_DRIVERS");

/// The release and the commit: "0.1.0 (ebff943a1b2c)".
pub fn short() -> String {
    match COMMIT {
        None | Some("") => env!("CARGO_PKG_VERSION").to_owned(),
        Some(commit) => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
    }
}

/// The same with the databases, the other features and the drivers.
pub fn long() -> String {
    let known = hoap_databases::known().filter(|scheme| scheme.built_in());
    let databases: Vec<_> = known.map(|scheme| scheme.names[0]).collect();
    let features = FEATURES.filter(|features| !features.is_empty()).unwrap_or("none");
    format!(
        "{}\ndatabases: {}\nother features: {features}\ndrivers: {}",
        short(),
        databases.join(", "),
        DRIVERS.unwrap_or_default()
    )
}
