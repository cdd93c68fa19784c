//! `hoap bundle`: run folders as one file that others can audit.

use std::collections::BTreeMap;
use std::path::Path;

use hoap_audit::manifest::{BundledRun, MOST_FILE, Program, is_name, plain};
use hoap_audit::pack::{self, Content, KIND, Parts};
use hoap_conduct::registry::of_run;
use hoap_databases::url::{has_secret, redact};
use hoap_history::digest;
use hoap_record::words::counted;
use hoap_record::{Run, input, output, whole};
use hoap_report::compare::Side;
use hoap_report::prices::PriceList;
use serde_json::{Value, json};

use super::context::Context;
use crate::args::Bundle;
use crate::built_in;
use crate::failure::Failure;
use crate::version;

/// Writes the bundle.
pub fn bundle(context: &Context, args: &Bundle) -> Result<(), Failure> {
    output::check(&args.out, &KIND)?;
    let mut parts = Parts {
        program: program()?,
        runs: Vec::new(),
        reasons: reasons(&args.reason)?,
        files: BTreeMap::new(),
    };
    for path in &args.runs {
        for of in Side::open(path)?.runs {
            add(&mut parts, &of.folder, &of.run)?;
        }
    }
    for path in &args.prices {
        let (_, text) = PriceList::with_text(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("prices/{}.toml", plain(&name));
        parts.files.insert(name, Content::Bytes(text.into_bytes()));
    }
    let digest = write(&args.out, &parts)?;
    let (runs, files) = (parts.runs.len(), parts.files.len());
    let result = json!({ "bundle": args.out, "runs": runs, "files": files, "sha256": digest });
    context.result(&result, || {
        format!(
            "{}: {}, {}\nSHA-256: {digest}",
            args.out.display(),
            counted(runs, "run", "runs"),
            counted(files, "file", "files")
        )
    });
    Ok(())
}

/// Writes the bundle of these parts, whole or not at all; its SHA-256.
pub fn write(path: &Path, parts: &Parts) -> Result<String, Failure> {
    no_secrets(parts)?;
    let mut end = Ok(String::new());
    let written = whole::write_with(path, |file| {
        end = pack::write(file, parts);
        end.as_ref().map(|_| ()).map_err(|e| std::io::Error::other(e.to_string()))
    });
    let digest = end?;
    written.map_err(|e| output::failed(path, &e))?;
    Ok(digest)
}

/// This program.
pub fn program() -> Result<Program, Failure> {
    let path = std::env::current_exe()
        .map_err(|e| Failure::unavailable(format!("find this program: {e}")))?;
    Ok(Program { version: version::short(), sha256: pack::sha256(&path)? })
}

fn reasons(told: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let one = |text: &String| match text.split_once('=') {
        Some((name, why)) if !name.trim().is_empty() && !why.trim().is_empty() => {
            Ok((name.trim().to_owned(), why.trim().to_owned()))
        }
        _ => Err(Failure::usage(format!(
            "--reason {text}: write SETTING=TEXT, as in 'fsync=a laboratory without power failures'"
        ))),
    };
    told.iter().map(one).collect()
}

/// Adds a run folder, with the query texts that ran.
pub fn add(parts: &mut Parts, folder: &Path, run: &Run) -> Result<(), Failure> {
    let number = format!("{:02}", parts.runs.len() + 1);
    let at = format!("runs/{number}");
    if parts.files.keys().any(|name| name.starts_with(&format!("{at}/"))) {
        return Err(Failure::usage(format!("bundle {at}: it has files and is no run")));
    }
    let name = folder.display().to_string();
    // An absolute path tells whose machine it was.
    let name = name.rsplit('/').next().unwrap_or_default().to_owned();
    for file in digest::files(folder)? {
        let within = format!("{at}/{}", file.to_string_lossy());
        if !is_name(&within) {
            return Err(Failure::usage(format!(
                "bundle {within}: no file of a bundle has this name"
            )));
        }
        parts.files.insert(within, Content::File(folder.join(file)));
    }
    parts.runs.push(BundledRun { at, name, repeats: None });
    let texts = of_run(built_in::runs(), &run.benchmark).map(|entry| entry.texts(run));
    for (name, text) in texts.transpose()?.unwrap_or_default() {
        parts.files.insert(format!("texts/{number}/{name}"), Content::Bytes(text.into_bytes()));
    }
    Ok(())
}

/// Refuses files with a password: Hoap writes none, and a text of a folder may have one.
fn no_secrets(parts: &Parts) -> Result<(), Failure> {
    for (name, content) in &parts.files {
        // Numbers, and documents that the program made.
        let made = ["samples.csv", "machine.csv", "ledger.json", "witness.ndjson"];
        if name.ends_with(".hlog") || made.iter().any(|file| name.ends_with(file)) {
            continue;
        }
        let bytes = match content {
            Content::Bytes(bytes) => bytes.clone(),
            Content::File(path) => input::bytes(path, MOST_FILE)
                .map_err(|e| Failure::usage(format!("read {}: {e}", path.display())))?,
        };
        let holds = match serde_json::from_slice(&bytes) {
            Ok(value) => in_json(&value),
            Err(_) => String::from_utf8_lossy(&bytes).lines().any(is_secret),
        };
        if holds {
            return Err(Failure::usage(format!(
                "bundle {name}: it holds a password, which everybody could read; nothing was written. \
                 Run again with the password in a file for --config"
            )));
        }
    }
    match parts.reasons.values().any(|why| is_secret(why)) {
        true => Err(Failure::usage("bundle: a --reason holds a password; leave it out")),
        false => Ok(()),
    }
}

fn in_json(value: &Value) -> bool {
    match value {
        Value::String(text) => is_secret(text),
        Value::Array(values) => values.iter().any(in_json),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| is_secret(name) || in_json(value))
        }
        _ => false,
    }
}

/// Whether a text holds a secret that is not hidden yet.
fn is_secret(text: &str) -> bool {
    has_secret(text) && redact(text) != text
}
