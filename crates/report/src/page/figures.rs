//! The key figures as HTML.

use std::fmt::Write as _;

use hoap_record::Run;

use super::markup::{escape, explained};
use crate::run::figures::{KeyFigure, checks, machine, of_run};
use crate::run::void::{self, VOID};

/// Key figures as a definition list.
pub fn all(out: &mut String, figures: &[KeyFigure]) {
    out.push_str("<dl class=\"figures\">\n");
    figures.iter().for_each(|figure| write_one(out, figure));
    out.push_str("</dl>\n");
}

/// The key figures as a definition list. Those of a run that has a mark stand beside the name of
/// the check; those of a void run are struck out.
pub fn write(out: &mut String, run: &Run) {
    out.push_str("<dl class=\"figures\">\n");
    let mark = void::mark(run).zip(void::cause(run));
    for figure in of_run(run) {
        match &mark {
            None => write_one(out, &figure),
            Some((mark, cause)) => write_marked(out, &figure, mark, cause),
        }
    }
    write_one(out, &checks(run));
    machine(&[run]).iter().for_each(|figure| write_one(out, figure));
    out.push_str("</dl>\n");
}

fn write_one(out: &mut String, figure: &KeyFigure) {
    let bad = if figure.bad { " class=\"bad\"" } else { "" };
    let (label, note) = (explained(figure.label), explained(&figure.note));
    let value = figure.shown();
    let _ = writeln!(
        out,
        "<div{bad}><dt>{label}</dt><dd class=\"value\">{value}</dd><dd class=\"note\">{note}</dd></div>"
    );
}

/// The mark is a word before the number, because a screen reader does not announce that text is
/// struck out.
fn write_marked(out: &mut String, figure: &KeyFigure, mark: &str, cause: &str) {
    let (label, value, note) = (figure.label, figure.shown(), escape(&figure.note));
    let (class, from, to) = if mark == VOID { ("void", "<s>", "</s>") } else { ("bad", "", "") };
    let _ = writeln!(
        out,
        "<div class=\"{class}\"><dt>{label} <strong>{mark}</strong></dt><dd class=\"value\">{from}{value}{to}</dd>\
         <dd class=\"note\"><strong>{}</strong> {from}{note}{to}</dd></div>",
        escape(cause)
    );
}

impl KeyFigure {
    /// The value with its unit, as HTML.
    fn shown(&self) -> String {
        match self.unit {
            "" => escape(&self.value),
            unit => format!("{} <span class=\"unit\">{unit}</span>", escape(&self.value)),
        }
    }
}
