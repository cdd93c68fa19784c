//! Paths into documents.

/// Appends the path of a field of the document that a variable names.
pub(super) fn path(variable: &str, path: &str, out: &mut String) {
    out.push_str(variable);
    for segment in path.split('.') {
        let (name, positions) = segment.split_at(segment.find('[').unwrap_or(segment.len()));
        out.push_str(&format!(".`{name}`{positions}"));
    }
}
