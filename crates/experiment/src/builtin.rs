//! The experiments of the papers and reports, which are part of the program.

/// An experiment of the program.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! builtin {
    ($($name:literal)*) => {
        [$(Builtin { name: $name, text: include_str!(concat!("../../../experiments/", $name, ".toml")) }),*]
    };
}

/// All of them: the papers' first, then those of this program's own, then the reports' by year.
pub const BUILTIN: [Builtin; 17] = builtin!(
    "ch2pp-fig8"
    "ch2pp-fig10"
    "ch2pp-columns"
    "ch2-fig9"
    "frontier"
    "ch2pp-link"
    "ch2pp-postgres"
    "nosql-2021-a"
    "nosql-2021-e"
    "nosql-2021-pagination"
    "nosql-2021-join"
    "dbaas-2020-a"
    "dbaas-2020-e"
    "dbaas-2020-pagination"
    "dbaas-2020-join"
    "dbaas-capella-a"
    "dbaas-capella-c"
);

/// The one of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|builtin| builtin.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Experiment, plan};

    #[test]
    fn every_file_is_an_experiment_whose_configurations_have_a_plan() {
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments"));
        let mut files: Vec<String> = files
            .unwrap()
            .map(|f| f.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        let mut names = BUILTIN.map(|b| b.name);
        files.sort();
        names.sort_unstable();
        assert_eq!(files, names, "each file is part of the program");
        for Builtin { name, text } in BUILTIN {
            let experiment = Experiment::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(experiment.source.is_some() && text.starts_with("# "), "{name}");
            for configuration in &experiment.configurations {
                let of = |name: &&String| {
                    configuration.targets.is_empty() || configuration.targets.contains(*name)
                };
                let targets = experiment.targets.keys().filter(of);
                let targets = targets.map(|name| (name.clone(), "null:".to_owned())).collect();
                for by in [None, Some(20)] {
                    let made = plan(&experiment, &configuration.label, &targets, by).unwrap();
                    assert!(made.cells.len() > 1, "{name}: {}", configuration.label);
                    assert!(made.cells.iter().any(|cell| cell.least().0 > 0), "{name}");
                }
            }
        }
    }
}
