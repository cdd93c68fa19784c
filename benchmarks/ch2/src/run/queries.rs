//! What runs of the analytical queries have in common.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hoap_conduct::flags::{Settings, settings};
use hoap_conduct::values::QueryList;
use hoap_workload::Result;
use serde_json::json;

use crate::data::Schema;
use crate::queries::{ParameterSet, QuerySet, Texts, texts};

/// Which query texts run.
#[derive(Debug, Args)]
pub struct TextArgs {
    /// published: SQL++ with the collections in the published order; naive: closest to the
    /// definition; tuned: rewritten for the engine; answers are equal
    #[arg(long, value_name = "SET", default_value_t = QuerySet::Tuned)]
    pub query_set: QuerySet,
    /// Folder of query texts to use instead of the built-in ones: DIR/<benchmark>/<dialect>/q01.sql
    #[arg(long, value_name = "DIR")]
    pub queries_dir: Option<PathBuf>,
}

impl TextArgs {
    /// The texts that the flags choose: all, or of a folder those of these queries. `say` is told
    /// what differs from the built-in ones.
    ///
    /// # Errors
    /// Fails where the dialect has no texts, or a file cannot be read.
    pub fn texts(
        &self,
        schema: Schema,
        dialect: &str,
        queries: &QueryList,
        say: impl Fn(&str),
    ) -> Result<Texts> {
        let Some(dir) = &self.queries_dir else {
            if self.in_effect(schema, dialect) != self.query_set {
                say(&format!("{dialect} has no published texts: the naive ones are asked"));
            }
            return Texts::embedded(schema, dialect, self.query_set);
        };
        let texts = Texts::from_dir(dir, (schema, dialect), self.query_set, &queries.0)?;
        texts.literals().iter().for_each(|line| say(line));
        Ok(texts)
    }

    /// The set that is asked in this dialect.
    pub(super) fn in_effect(&self, schema: Schema, dialect: &str) -> QuerySet {
        match &self.queries_dir {
            None => texts::in_effect(schema, dialect, self.query_set),
            Some(_) => self.query_set,
        }
    }

    pub(super) fn settings(&self) -> Settings {
        let TextArgs { query_set, queries_dir } = self;
        settings(
            json!({ "query-set": query_set.name(), "queries-dir": queries_dir.as_ref().map(|dir| dir.display().to_string()) }),
        )
    }
}

/// Which parameters the queries get.
#[derive(Debug, Args)]
pub struct ParameterArgs {
    /// ref: those of the published runs; check: no empty answer at W = 1; random: drawn
    #[arg(long, value_enum, default_value_t = ParameterChoice::Ref)]
    pub params: ParameterChoice,
    /// Seed of random parameters
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub params_seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ParameterChoice {
    Ref,
    Check,
    Random,
}

impl ParameterArgs {
    /// The parameters that the flags choose.
    pub fn set(&self) -> ParameterSet {
        match self.params {
            ParameterChoice::Ref => ParameterSet::Reference,
            ParameterChoice::Check => ParameterSet::Check,
            ParameterChoice::Random => {
                ParameterSet::Random { seed: self.params_seed, stream: 0, turn: 0 }
            }
        }
    }

    pub(super) fn settings(&self) -> Settings {
        let ParameterArgs { params: _, params_seed } = self;
        settings(json!({ "params": self.set().name(), "params-seed": params_seed }))
    }
}

#[cfg(test)]
mod tests {
    use hoap_databases::dialect;

    use super::*;

    #[test]
    fn every_database_with_queries_has_a_dialect_whose_texts_there_are() {
        let known = hoap_databases::known();
        for scheme in
            known.filter(|s| s.capabilities().any(|what| what == hoap_database::What::Analytics))
        {
            for name in scheme.names {
                let dialect = dialect(&format!("{name}:x")).unwrap();
                assert!(Texts::embedded(Schema::Ch2, dialect, QuerySet::Naive).is_ok(), "{name}");
            }
        }
        assert!(dialect("null:").is_err() && dialect("oracle:x").is_err());
    }
}
