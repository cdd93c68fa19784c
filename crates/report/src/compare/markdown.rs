//! A document as Markdown (GitHub's tables) and as plain text.

use super::document::Block;
use crate::format::markdown::{self, escaped};
use crate::format::text;

/// As Markdown.
pub fn markdown(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Remark(words) => out.push_str(&format!("> **{}**\n\n", escaped(words))),
            Block::Heading(level, words) => {
                out.push_str(&format!("{} {}\n\n", "#".repeat(level + 1), escaped(words)));
            }
            Block::Paragraph(words) => out.push_str(&format!("{}\n\n", escaped(words))),
            Block::Table(table) => out.push_str(&markdown::table(table)),
            Block::Folded(summary, table) => out.push_str(&format!(
                "<details><summary>{summary}</summary>\n\n{}</details>\n\n",
                markdown::table(table)
            )),
        }
    }
    out
}

/// As plain text for a terminal.
pub fn plain(blocks: &[Block]) -> String {
    let mut out = String::new();
    let mut after_table = false;
    for block in blocks {
        if std::mem::replace(&mut after_table, matches!(block, Block::Table(_)))
            && matches!(block, Block::Paragraph(_))
        {
            out.push('\n');
        }
        match block {
            Block::Remark(words) => out.push_str(&text::paragraph("! ", words)),
            Block::Heading(level, words) => {
                if !out.ends_with("\n\n") {
                    out.push('\n');
                }
                out.push_str(&text::paragraph("", words));
                if *level == 1 {
                    out.push('\n');
                }
            }
            Block::Paragraph(words) => out.push_str(&text::paragraph("", words)),
            Block::Folded(summary, table) => {
                let names: Vec<String> = table.rows.iter().map(|row| row[0].show(None)).collect();
                let words = format!("{summary}: {}", names.join(", "));
                out.push_str(&text::paragraph("", &words));
            }
            Block::Table(table) => {
                out.push_str(&text::table(table));
                for reason in table.reasons() {
                    out.push_str(&text::paragraph("incomplete  ", &reason));
                }
            }
        }
    }
    out.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number::Unit;
    use crate::format::table::Sheet;

    #[test]
    fn what_a_folder_says_stays_words() {
        let table = Sheet::new("t", "t")
            .text("a|b", |_: &f64| "<script>|**x**")
            .number("n", Unit::Count, |x| *x)
            .rows([1234.0]);
        let text = markdown(&[Block::Heading(1, "# x".into()), Block::Table(table)]);
        assert_eq!(
            text,
            "## \\# x\n\n| a\\|b | n |\n| --- | ---: |\n| \\<script\\>\\|\\*\\*x\\*\\* | 1,234 |\n\n"
        );
    }
}
