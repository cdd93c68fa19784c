//! The databases of an experiment's configurations: of one by flags, of all by a file.

use std::collections::BTreeMap;
use std::path::Path;

use hoap_experiment::Experiment;

use crate::args::RunExperiment;
use crate::failure::Failure;

/// The URLs of a configuration by the names of its targets.
pub type Targets = BTreeMap<String, String>;

/// The configurations that were asked for, in the order of the experiment, each with its databases.
///
/// # Errors
/// Fails where the flags name no configuration, and where the file cannot be read or names one that
/// the experiment does not have.
pub fn chosen<'a>(
    experiment: &'a Experiment,
    args: &'a RunExperiment,
) -> Result<Vec<(&'a str, Targets)>, Failure> {
    let Some(file) = &args.targets else {
        return Ok(vec![(label(experiment, args)?, of_flags(args))]);
    };
    let mut named = of_file(file)?;
    let all = experiment.labels().into_iter();
    let found: Vec<_> = all.filter_map(|label| Some((label, named.remove(label)?))).collect();
    let refuse = |why: String| {
        let file = file.display();
        Err(Failure::usage(format!("run the configurations of {file}: {why}")))
    };
    match (named.keys().next(), found.is_empty()) {
        (Some(unknown), _) => {
            let there = experiment.labels().join("; ");
            refuse(format!("there is no configuration {unknown:?}; there are {there}"))
        }
        (None, true) => refuse("it names none".to_owned()),
        (None, false) => Ok(found),
    }
}

/// The databases that the flags name.
fn of_flags(args: &RunExperiment) -> Targets {
    let named = [
        ("target", &args.target),
        ("operational", &args.operational),
        ("analytical", &args.analytical),
    ];
    named.into_iter().filter_map(|(name, url)| Some((name.to_owned(), url.clone()?))).collect()
}

/// A file of URLs: a table for each configuration. It may have passwords, and no error repeats what
/// it holds.
fn of_file(file: &Path) -> Result<BTreeMap<String, Targets>, Failure> {
    let failed = |why: String| Failure::usage(format!("read {}: {why}", file.display()));
    let text = hoap_record::input::text(file).map_err(|e| failed(e.to_string()))?;
    toml::from_str(&text).map_err(|e: toml::de::Error| {
        let start = e.span().map_or(0, |span| span.start.min(text.len()));
        let line = text[..start].matches('\n').count() + 1;
        failed(format!(
            "line {line}: it has a table for each configuration, with the URLs of its targets: \
             [\"LABEL\"], then target = \"URL\", or operational and analytical"
        ))
    })
}

/// The configuration that was asked for, or the only one.
fn label<'a>(experiment: &'a Experiment, args: &'a RunExperiment) -> Result<&'a str, Failure> {
    match (&args.label, experiment.configurations.as_slice()) {
        (Some(label), _) => Ok(label),
        (None, [one]) => Ok(&one.label),
        (None, _) => Err(Failure::usage(format!(
            "run the experiment {}: it has several configurations; name one with --configuration: \
             {}; or all whose databases a file names, with --all --targets FILE",
            args.experiment,
            experiment.labels().join("; ")
        ))),
    }
}
