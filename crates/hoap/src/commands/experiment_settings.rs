//! The settings of an experiment's source, in words: what its file and its presets set.

use hoap_databases::presets;
use hoap_experiment::Experiment;
use hoap_report::text::paragraph;

use crate::failure::Failure;

/// The settings for all configurations first, then those of single ones; of these schemes alone,
/// and of this configuration alone, where they are named.
///
/// # Errors
/// Returns a usage error where a preset is named that the database does not have.
pub fn settings(
    experiment: &Experiment,
    label: Option<&str>,
    schemes: Option<&[&str]>,
) -> Result<Vec<String>, Failure> {
    let mut said = Vec::new();
    let wanted = |scheme: &str| schemes.is_none_or(|schemes| schemes.contains(&scheme));
    let shared = experiment.options.iter().filter(|(scheme, _)| wanted(scheme));
    for (schemes, options) in together(shared) {
        said.push(format!("{}: {}", schemes.join(", "), in_words(schemes[0], options)?));
    }
    for configuration in &experiment.configurations {
        if label.is_some_and(|label| label != configuration.label) {
            continue;
        }
        let own = configuration.options.iter().filter(|(scheme, _)| wanted(scheme));
        for (schemes, options) in together(own) {
            let words = in_words(schemes[0], options)?;
            said.push(format!("{}; {}: {words}", configuration.label, schemes.join(", ")));
        }
    }
    Ok(said)
}

/// The settings as comments behind the experiment's file.
///
/// # Errors
/// Returns the errors of [`settings`].
pub fn as_comments(experiment: &Experiment) -> Result<String, Failure> {
    let settings = settings(experiment, None, None)?;
    let items = settings.iter().map(|setting| paragraph("#   ", setting));
    let items: Vec<String> = items.map(|text| commented(&text)).collect();
    Ok(match items.is_empty() {
        true => String::new(),
        false => {
            format!("\n# The options of URLs, with what the presets stand for:\n{}", items.concat())
        }
    })
}

/// The continuation of a comment is one, too.
fn commented(text: &str) -> String {
    let line = |line: &str| match line.starts_with('#') {
        true => format!("{line}\n"),
        false => format!("#{}\n", line.strip_prefix(' ').unwrap_or(line)),
    };
    text.lines().map(line).collect()
}

/// The schemes of one database that have the same options.
fn together<'a>(
    options: impl Iterator<Item = (&'a String, &'a String)>,
) -> Vec<(Vec<&'a str>, &'a str)> {
    let database = |scheme: &str| {
        let mut known = hoap_databases::known();
        known.find(|line| line.names.contains(&scheme)).map(|line| line.database)
    };
    let mut all: Vec<(Vec<&str>, &str)> = Vec::new();
    for (scheme, options) in options {
        let same = |(schemes, other): &&mut (Vec<&str>, &str)| {
            other == options && database(schemes[0]) == database(scheme)
        };
        match all.iter_mut().find(same) {
            Some((schemes, _)) => schemes.push(scheme),
            None => all.push((vec![scheme], options)),
        }
    }
    all
}

fn in_words(scheme: &str, options: &str) -> Result<String, Failure> {
    let preset = presets::of_options(scheme, options).map_err(|e| Failure::usage(e.to_string()))?;
    let listed = |options: &str| options.replace('&', ", ");
    let of_preset =
        preset.map(|p| format!("{} (preset {}: {})", listed(p.options), p.name, p.source));
    let own: Vec<&str> = options.split('&').filter(|o| !o.starts_with("preset=")).collect();
    let own = Some(own.join(", ")).filter(|own| !own.is_empty());
    Ok(of_preset.into_iter().chain(own).collect::<Vec<_>>().join("; "))
}
