//! `hoap gen`: a benchmark's documents as files or on standard output.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use hoap_conduct::size::Size;
use hoap_files::{
    Error, ErrorKind, FileSource, FilesWatch, Form, Options, Progress, Request, Versioned,
};
use hoap_report::number::duration;
use hoap_workload::words::counted;
use serde_json::{Map, Value, json};

use super::context::Context;
use crate::args::{Gen, Made, Named, Output};
use crate::console::{Bar, megabytes};
use crate::failure::Failure;
use crate::{built_in, streams};

/// How often progress is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

/// Writes the documents, or checks files that are there.
pub fn generate(context: &Context, args: &Gen) -> Result<(), Failure> {
    let threads = match args.threads {
        Some(threads) => threads.get(),
        None => thread::available_parallelism().map_or(1, |n| n.get()),
    };
    let made = match (&args.check, &args.benchmark) {
        (Some(dir), None) => return check(context, dir, threads),
        (None, Some(Named(made))) => made,
        (None, None) => {
            return Err(Failure::usage("gen: name a benchmark, or a folder with --check"));
        }
        (Some(_), Some(_)) => {
            return Err(Failure::usage(
                "gen: --check reads what its manifest names: leave out the benchmark",
            ));
        }
    };
    if args.dry_run {
        return dry_run(context, made, threads);
    }
    let data = made.data.files()?;
    let mut collections = made.collections.clone();
    if collections.is_empty() {
        collections = (0..data.collections().len()).collect();
    }
    write(context, &*data, &collections, &made.output, threads)
}

/// Says what would be written.
fn dry_run(context: &Context, made: &Made, threads: usize) -> Result<(), Failure> {
    let (source, some) = (made.data.source()?, !made.collections.is_empty());
    let Size { documents, bytes, making, .. } = Size::of(&*source, made.output.part.part);
    let seconds = making.as_secs_f64() / threads as f64;
    let result = json!({ "documents": documents, "bytes": bytes, "seconds": seconds });
    context.result(&result, || {
        let (documents, size) = (counted(documents, "document", "documents"), megabytes(bytes));
        let all = if some { " (of all collections)" } else { "" };
        let (threads, time) = (counted(threads, "thread", "threads"), duration(seconds));
        format!(
            "{documents}{all}, about {size} as NDJSON\nMaking them takes about {time} with {threads}. Other \
             formats,\ncompression and the disk change size and time.\nNothing was written."
        )
    });
    Ok(())
}

/// The data set of a manifest, of any benchmark.
fn known(benchmark: &str, parameters: &Map<String, Value>) -> Option<Versioned> {
    let entry = built_in::data().find(|entry| entry.name() == benchmark)?;
    Some(entry.of_parameters(parameters))
}

/// Writes documents.
fn write(
    context: &Context,
    data: &dyn FileSource,
    collections: &[usize],
    args: &Output,
    threads: usize,
) -> Result<(), Failure> {
    if let Some(twice) =
        (1..collections.len()).find(|&i| collections[..i].contains(&collections[i]))
    {
        let name = data.collections()[collections[twice]];
        return Err(Failure::usage(format!(
            "gen: {name} is named twice; name each collection once"
        )));
    }
    let form = Form::try_from(Options {
        format: args.format,
        layout: args.schema,
        codec: args.compress,
        level: args.level,
        row_group: args.row_group.map(|size| size.0),
        split: args.split.map(|size| size.0),
    })?;
    if let Some(chosen) = args.part.chosen() {
        context.console.say(chosen);
    }
    let request = Request { data, collections, part: args.part.part, form, threads };
    match &args.out {
        Some(dir) => to_files(context, args, &request, dir),
        None => to_stdout(context, &request),
    }
}

fn to_stdout(context: &Context, request: &Request<'_>) -> Result<(), Failure> {
    let mut shown = Shown::new(context, "gen");
    let mut progress = |p| shown.show(p);
    let watch =
        FilesWatch { stop: &|| context.stop.is_set(), progress: &mut progress, known: &known };
    match hoap_files::to_pipe(request, &mut streams::output(), watch) {
        // Whoever reads has enough, `head` for example.
        Err(e) if e.kind == ErrorKind::Closed => Ok(()),
        end => Ok(end.map(|_| ())?),
    }
}

fn to_files(
    context: &Context,
    args: &Output,
    request: &Request<'_>,
    dir: &Path,
) -> Result<(), Failure> {
    let started = Instant::now();
    let mut shown = Shown::new(context, "gen");
    let mut progress = |p| shown.show(p);
    let watch =
        FilesWatch { stop: &|| context.stop.is_set(), progress: &mut progress, known: &known };
    let written = hoap_files::to_files(request, dir, args.existing(), watch)?;
    drop(shown);
    let seconds = started.elapsed().as_secs_f64();
    let (documents, bytes, kept) = (written.documents, written.bytes, written.kept);
    let mut files = serde_json::to_value(&written.manifest.files).unwrap_or_default();
    for file in files.as_array_mut().into_iter().flatten() {
        let path = file["file"].as_str().map(|name| dir.join(name).display().to_string());
        file["file"] = path.into();
    }
    let result = json!({
        "documents": documents, "bytes": bytes, "seconds": seconds, "kept": kept, "files": files,
    });
    context.result(&result, || {
        let rate = bytes as f64 / 1e6 / seconds.max(1e-3);
        let (size, dir) = (megabytes(bytes), dir.display());
        let kept = match kept {
            0 => String::new(),
            n => format!(", {} kept", counted(n, "file", "files")),
        };
        let documents = counted(documents, "document", "documents");
        format!("{documents}, {size} in {seconds:.1} s ({rate:.0} MB/s) in {dir}{kept}")
    });
    Ok(())
}

fn check(context: &Context, dir: &Path, threads: usize) -> Result<(), Failure> {
    let mut shown = Shown::new(context, "check");
    let mut progress = |p| shown.show(p);
    let watch =
        FilesWatch { stop: &|| context.stop.is_set(), progress: &mut progress, known: &known };
    let checked = hoap_files::check(dir, threads, watch)?;
    drop(shown);
    let problems = &checked.problems;
    let result = json!({
        "files": checked.files, "documents": checked.documents, "bytes": checked.bytes,
        "problems": problems,
    });
    context.result(&result, || {
        let files = counted(checked.files, "file", "files");
        let documents = counted(checked.documents, "document", "documents");
        let size = megabytes(checked.bytes);
        let verdict = if problems.is_empty() { "all as written" } else { "not as written" };
        let mut lines = vec![format!("{files}, {documents}, {size}: {verdict}")];
        lines.extend(problems.iter().map(|p| format!("  {p}")));
        lines.join("\n")
    });
    match problems.as_slice() {
        [] => Ok(()),
        [first, more @ ..] => {
            let more = match more.len() {
                0 => String::new(),
                n => format!(" (and {n} more)"),
            };
            Err(Failure::check(format!("check {}: {first}{more}", dir.display())))
        }
    }
}

/// Shows progress, not too often.
struct Shown {
    bar: Bar,
    started: Instant,
    last: Instant,
}

impl Shown {
    fn new(context: &Context, what: &str) -> Shown {
        let now = Instant::now();
        Shown { bar: context.console.bar(what, 1), started: now, last: now }
    }

    fn show(&mut self, p: Progress) {
        if self.last.elapsed() < SHOWN_EVERY {
            return;
        }
        self.last = Instant::now();
        let seconds = self.started.elapsed().as_secs_f64();
        let (megabytes_a_second, documents_a_second) =
            (p.bytes as f64 / 1e6 / seconds, p.documents as f64 / seconds);
        self.bar.length(p.of);
        let message = format!(
            "{}, {megabytes_a_second:.0} MB/s, {documents_a_second:.0} documents/s",
            megabytes(p.bytes)
        );
        self.bar.set(p.done, message);
    }
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        let message = e.to_string();
        match e.kind {
            ErrorKind::Usage => Failure::usage(message),
            ErrorKind::Environment | ErrorKind::Closed => Failure::unavailable(message),
            ErrorKind::Broken => Failure::check(message),
            ErrorKind::Interrupted => Failure::interrupted(message),
        }
    }
}
