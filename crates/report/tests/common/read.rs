//! What a reader sees of a report.

use hoap_record::Run;
use hoap_report::tables::Entry;
use hoap_report::text::COLUMNS;
use unicode_width::UnicodeWidthStr;

/// No line is wider than a terminal.
pub fn fits(text: &str) {
    for line in text.lines() {
        assert!(line.width() <= COLUMNS, "{} columns: {line}", line.width());
    }
}

/// The words of a page: tags and scripts out, entities and white space as a browser shows them.
pub fn words(page: &str) -> String {
    let body = &page
        [page.find("<body>").unwrap()..page.find("<script type=\"application/json\"").unwrap()];
    let mut out = String::new();
    let mut tag = false;
    for c in body.chars() {
        match c {
            '<' => tag = true,
            '>' if tag => {
                tag = false;
                out.push(' ');
            }
            c if !tag => out.push(c),
            _ => {}
        }
    }
    let out = out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    let out = out.replace("&#39;", "'").replace("&amp;", "&");
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The data block as a browser parses it.
pub fn data(page: &str) -> serde_json::Value {
    let open = "<script type=\"application/json\" id=\"data\">";
    let start = page.find(open).unwrap() + open.len();
    let end = start + page[start..].find("</script").unwrap();
    serde_json::from_str(&page[start..end]).unwrap()
}

pub fn entry(run: &Run) -> [Entry<'_>; 1] {
    [Entry { name: "run", run }]
}
