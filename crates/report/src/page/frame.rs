//! What stands around the sections of a page: its head, title, links and scripts.

use std::fmt::Write as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest, Sha256};

use super::body::Body;
use super::data;
use super::markup::escape;
use crate::kinds::GENERATOR;

const STYLE: &str = include_str!("../../assets/page.css");
/// One script in files: its parts share their names.
macro_rules! script {
    ($($last:literal)?) => {
        concat!(
            "(function () {\n\"use strict\";\n",
            include_str!("../../assets/script/1-legend.js"),
            include_str!("../../assets/script/1-scale.js"),
            include_str!("../../assets/script/2-plot.js"),
            include_str!("../../assets/script/3-draw.js"),
            include_str!("../../assets/script/4-tables.js"),
            include_str!("../../assets/script/5-menu.js"),
            $(include_str!($last),)?
            "})();\n"
        )
    };
}
const SCRIPT: &str = script!();
/// The same for a page that is told what is new.
const LIVE: &str = script!("../../assets/script/6-live.js");
const D3: &str = include_str!("../../assets/vendor/d3.min.js");
const PLOT: &str = include_str!("../../assets/vendor/plot.umd.min.js");
const LICENSES: &str = include_str!("../../assets/vendor/LICENSES.txt");

/// The page fetches nothing (but what is new, from where it came, if `live`) and runs no script but
/// `scripts`, whatever a run folder contains. Styles are allowed inline: Observable Plot gives each
/// chart a `style` element and attributes.
fn policy(scripts: &[&str], live: bool) -> String {
    let hashes: Vec<_> = scripts
        .iter()
        .map(|script| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script))))
        .collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri \
         'none'; form-action 'none'{}",
        hashes.join(" "),
        if live { "; connect-src 'self'" } else { "" }
    )
}

/// What stands around the sections of a page. All words are escaped.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// Title and heading.
    pub title: &'a str,
    /// The result in a line, for sites that show a link to the page.
    pub description: &'a str,
    /// Lines under the heading, such as when the runs were.
    pub about: &'a [String],
    /// What the page is made from: "the run folders".
    pub from: &'a str,
}

impl Frame<'_> {
    /// The page with these sections as one HTML file.
    pub fn around(&self, body: &Body) -> String {
        self.with(body, false)
    }

    /// The page of what goes on, which asks the server that it comes from what is new.
    pub(super) fn live(&self, body: &Body) -> String {
        self.with(body, true)
    }

    fn with(&self, body: &Body, live: bool) -> String {
        let mut out = String::with_capacity(1 << 20);
        let libraries = format!("\n/*!\n{LICENSES}*/\n{D3}\n{PLOT}\n");
        let script = format!("\n{}", if live { LIVE } else { SCRIPT });
        let (policy, title) = (policy(&[&libraries, &script], live), escape(self.title));
        let description = escape(self.description);
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             {GENERATOR}\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"description\" content=\"{description}\">\n\
             <meta property=\"og:type\" content=\"article\">\n\
             <meta property=\"og:title\" content=\"{title}\">\n\
             <meta property=\"og:description\" content=\"{description}\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the numbers</a>\n"
        );
        let _ = write!(out, "<header>\n<h1>{title}</h1>\n");
        for line in self.about {
            let _ = writeln!(out, "<p class=\"meta\">{}</p>", escape(line));
        }
        let _ = write!(
            out,
            "{}</header>\n<main id=\"main\" tabindex=\"-1\">\n{}</main>\n\
             <footer><p>Made by hoap from {} alone. Charts drawn with D3 and \
             Observable Plot; their licences are in the source of this page.</p></footer>\n\
             <script type=\"application/json\" id=\"data\">{}</script>\n\
             <script>{libraries}</script>\n<script>{script}</script>\n\
             </body>\n</html>\n",
            body.navigation(),
            body.html,
            escape(self.from),
            data::json(&body.charts)
        );
        out
    }
}
