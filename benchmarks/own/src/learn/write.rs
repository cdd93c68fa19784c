//! The workload file.

use super::make::fields::Maker;
use super::make::rules::Rules;
use super::operations;
use super::relate::Related;
use super::sampled::Sampled;
use super::toml::{Toml, key, leaf, text};

/// How every learned file begins.
pub const BEGINS: &str = "# Learned by `hoap learn`";

/// The text of the file.
pub fn file(all: &[Sampled], related: Vec<Related>, rules: Rules) -> String {
    let mut out = format!(
        "{BEGINS}: what is done is for you to say, in `operations`.\n\
         # docs/own.md of hoap has every key.\nhoap = 1\n\n"
    );
    let indexes: Vec<_> =
        all.iter().zip(&related).map(|(of, related)| operations::indexes(of, related)).collect();
    out.push_str("operations = [\n");
    for operation in operations::suggested(all, &related, &indexes) {
        out.push_str(&format!("  {},\n", operation.inline()));
    }
    out.push_str("]\n");
    for ((of, related), indexes) in all.iter().zip(related).zip(indexes) {
        collection(all, of, related, (&indexes[..], rules), &mut out);
    }
    out
}

fn collection(
    all: &[Sampled],
    of: &Sampled,
    related: Related,
    (indexes, rules): (&[(String, Vec<String>)], Rules),
    out: &mut String,
) {
    out.push_str(&format!("\n[collections.{}]\n", of.name));
    match &related.parent {
        None => leaf(of.count()).lines("count", out),
        Some((parent, Toml::Table(count))) => {
            count.iter().for_each(|(name, value)| value.lines(name, out));
            text(&all[*parent].name).lines("per", out);
        }
        Some(_) => {}
    }
    if let Some((_, pattern)) = related.key.as_ref().filter(|(_, pattern)| pattern != "{n}") {
        text(pattern).lines("key", out);
    }
    for (name, fields) in indexes {
        let fields = Toml::List(fields.iter().map(|field| text(field)).collect());
        fields.lines(&format!("indexes.{name}"), out);
    }
    let maker = Maker { rules, instead: related.instead };
    let mut entries = maker.object(&of.root, "", 0);
    let rest = entries.split_off(1);
    for (name, value) in rest {
        value.lines(&name, out);
    }
    out.push_str(&format!("[collections.{}.fields]\n", of.name));
    if let Some((_, Toml::Table(fields))) = entries.pop() {
        for (name, value) in fields {
            value.lines(&key(&name), out);
        }
    }
}
