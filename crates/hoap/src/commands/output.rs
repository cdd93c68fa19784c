//! Results that go where the user says: into a file, or to standard output.

use std::path::Path;

use hoap_record::Remark;
use hoap_record::output::{Kind, STANDARD, check, write as write_file};
use hoap_report::run::remarks::line;
use hoap_report::text::paragraph;

use super::context::Context;
use crate::failure::Failure;

/// Whether results go to standard output. A file that must stay is refused before any work.
pub fn is_standard(context: &Context, out: &Path, kind: &Kind) -> Result<bool, Failure> {
    if out != Path::new(STANDARD) {
        return check(out, kind).map(|()| false).map_err(Failure::from);
    }
    match context.json {
        true => Err(Failure::usage(format!(
            "write {} to standard output: --json prints the result there; name a file",
            kind.name
        ))),
        false => Ok(true),
    }
}

/// Writes a file whole or not at all, or prints it.
pub fn write(context: &Context, out: &Path, kind: &Kind, text: &str) -> Result<(), Failure> {
    match is_standard(context, out, kind)? {
        true => context.print(text),
        false => write_file(out, kind, text)?,
    }
    Ok(())
}

/// Writes a page, and says where it is. What it begins with is said in its place where it is
/// printed.
pub fn page(
    context: &Context,
    out: &Path,
    page: &hoap_report::Page,
    result: &serde_json::Value,
) -> Result<(), Failure> {
    write(context, out, &hoap_report::kinds::PAGE, &page.html)?;
    if out != Path::new(STANDARD) {
        let told = remarks(&page.remarks);
        context.result(result, || format!("{told}Page: {}", out.display()));
    }
    Ok(())
}

/// What a reader must know before the first number, each on lines of its own.
pub fn remarks(of: &[Remark]) -> String {
    of.iter().map(|remark| paragraph("! ", &line(remark, &[]))).collect()
}
