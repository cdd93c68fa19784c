//! Queries are held against the collections and compiled.

use hoap_conduct::queries::names;
use hoap_workload::answers::{Column, Limit, Query as Asked};

use super::action::{Query, Which};
use super::model::Kind;
use super::operations::Making;
use super::references::Scope;
use crate::file::model::Name;
use crate::file::operation;
use crate::file::wrong::{Wrong, instead};

impl Making<'_, '_> {
    /// A query, each text of which names its parameters, and nothing else.
    pub fn query(&self, of: &operation::Query) -> Result<Query, Wrong> {
        let (mut scope, mut draws) = (Scope::default(), Vec::new());
        self.draws(&of.draws, &mut scope, &mut draws)?;
        if let Some(at) = draws.iter().position(|draw| !matches!(draw.which, Which::There(..))) {
            let message = "a query writes nothing: draw.NAME = { from = \"COLLECTION\" }";
            return Err(Wrong::new(of.draws[at].name.at, message));
        }
        let mut params = Vec::new();
        for (name, operand) in &of.params {
            let (source, kind) = self.references.source(operand, (None, false), &scope)?;
            if let Kind::Object | Kind::Array | Kind::Map = kind {
                let message =
                    format!("${} is {}: a parameter is one value", name.text, kind.words());
                return Err(Wrong::new(name.at, message));
            }
            params.push((name.text.clone(), source));
        }
        for (dialect, text) in &of.texts {
            let used = names::of(&dialect.text, text);
            let known = |name: &&str| params.iter().any(|(param, _)| param == name);
            let query = format!("the text of {} in {}", of.name.text, dialect.text);
            if let Some(unknown) = used.iter().find(|name| !known(name)) {
                let message = format!("{query} names ${unknown}, which is none of its params");
                return Err(Wrong::new(dialect.at, message));
            }
            if let Some((unused, _)) = params.iter().find(|of| !used.contains(of.0.as_str())) {
                return Err(Wrong::new(dialect.at, format!("{query} does not name ${unused}")));
            }
        }
        let texts = of.texts.iter().map(|(dialect, text)| (dialect.text.clone(), text.clone()));
        let (texts, expect) = (texts.collect(), of.expect);
        Ok(Query { draws, params, slots: scope.slots, texts, expect })
    }

    /// The place of the query of this name.
    pub fn asked(&self, name: &Name) -> Result<usize, Wrong> {
        let queries = &self.references.names.file.queries;
        let names = || queries.iter().map(|query| query.name.text.as_str());
        match names().position(|known| known == name.text) {
            Some(at) => Ok(at),
            None => Err(Wrong::new(
                name.at,
                format!("no query {}{}", name.text, instead(&name.text, names())),
            )),
        }
    }
}

/// What is asked, for whom compares answers. The words are kept until the program ends, as is the
/// file that they are of.
pub fn asked(queries: &[operation::Query]) -> Vec<Asked> {
    let text = |text: &str| -> &'static str { text.to_owned().leak() };
    let one = |(number, of): (u8, &operation::Query)| {
        let columns =
            of.columns.iter().map(|(name, kind)| Column { name: text(name), kind: *kind });
        let parameters: Vec<&'static str> =
            of.params.iter().map(|(name, _)| text(&name.text)).collect();
        Asked {
            number,
            name: text(&of.name.text),
            asks: text(of.about.as_deref().unwrap_or_default()),
            parameters: parameters.leak(),
            columns: columns.collect::<Vec<_>>().leak(),
            order: of.order.clone().leak(),
            limit: Limit::None,
        }
    };
    // A file has few.
    (1..).zip(queries).map(one).collect()
}
