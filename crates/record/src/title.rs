//! The titles of benchmarks.

/// How people write the names that run folders have: "CH2++", "YCSB A", "YCSB E (update)", "YCSB
/// custom: 100 % read, uniform".
pub fn benchmark_title(name: &str) -> String {
    match name {
        "ch2" => "CH2".to_string(),
        "ch2pp" => "CH2++".to_string(),
        "pagination" => "Pagination".to_string(),
        "join" => "JOIN".to_string(),
        other => match other.strip_prefix("ycsb-") {
            Some(custom) if custom.starts_with("custom: ") => format!("YCSB {custom}"),
            Some(workload) => ycsb_title(workload),
            None => other.to_string(),
        },
    }
}

/// "a" is "YCSB A", "e-update" is "YCSB E (update)".
fn ycsb_title(workload: &str) -> String {
    let (letter, variant) = workload.split_once('-').unwrap_or((workload, ""));
    let letter = letter.to_uppercase();
    if variant.is_empty() { format!("YCSB {letter}") } else { format!("YCSB {letter} ({variant})") }
}
