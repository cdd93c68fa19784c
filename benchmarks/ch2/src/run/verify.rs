//! `hoap verify`: consistency conditions and answers.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use hoap_conduct::caller::Caller;
use hoap_conduct::queries::{CancelOnStop, still_answers};
use hoap_conduct::values::QueryList;
use hoap_database::{Answer, Database};
use hoap_record::{Check, Verdict, input};
use hoap_workload::answers::{AnswerFile, AnswerFolder, Query, compare};
use hoap_workload::checks::sample::unforeseen;
use hoap_workload::checks::{Finding, Level, Reads, Watch};
use hoap_workload::load::indexes;
use hoap_workload::{Error, ErrorKind, Local};

use super::checks::{Start, of_all_documents};
use super::queries::TextArgs;
use crate::answers::{DataSetName, StoredAnswer, StoredAnswers, stored};
use crate::checks::conditions::Deliveries;
use crate::checks::sample::Sample;
use crate::data::{DataSet, Schema};
use crate::ledger::Ledger;
use crate::note;
use crate::queries::{ParameterSet, Parameters, catalogue};
use crate::stream::run_query;

/// The flags of `hoap verify`.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Verify {
    pub benchmark: Benchmark,
    /// The database
    #[arg(long, alias = "operational", value_name = "URL")]
    pub target: String,
    /// Answers to compare with: a folder that `hoap query --answers-out` made, or a file of stored
    /// digests; without it the stored digests of well-known data sets
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// full: every document is read, and the conditions are computed here; database: it adds up
    /// what they compare by its own queries, and a sample is read
    #[arg(long, value_name = "HOW", default_value = "full", value_parser = of_all())]
    pub check: Level,
    /// Documents of each collection that are read by key and compared with the load
    #[arg(long, value_name = "COUNT", default_value_t = crate::checks::sample::SIZE)]
    pub sample: u64,
    /// Draws the same documents as a check that names this seed; without it another sample each
    /// time
    #[arg(long, value_name = "SEED")]
    pub sample_seed: Option<u64>,
    #[command(flatten)]
    pub texts: TextArgs,
}

/// Reads the level of a check of all documents, which needs no run's ledger.
fn of_all() -> impl TypedValueParser<Value = Level> {
    let names = PossibleValuesParser::new([Level::Full, Level::Database].map(Level::name));
    names.try_map(|name| name.parse())
}

/// A benchmark with documents of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Benchmark {
    /// CH2, the first version: flat names and addresses
    Ch2,
    /// CH2++: nested documents, arrays, extra fields
    Ch2pp,
}

impl Benchmark {
    /// Its schema.
    pub fn schema(self) -> Schema {
        match self {
            Benchmark::Ch2 => Schema::Ch2,
            Benchmark::Ch2pp => Schema::Ch2pp,
        }
    }
}

/// What a verification found.
pub struct Verified {
    /// The checks.
    pub checks: Vec<Check>,
    /// Why queries failed that gave no answer to compare. Their checks failed, and so did no
    /// promise of the database.
    pub unanswered: Vec<Error>,
}

/// All checks: the conditions, then the answers.
///
/// # Errors
/// Fails where the database holds no data of the benchmark or cannot be read, or `--answers` names
/// no answers.
pub fn checks<'a>(caller: &'a dyn Caller, args: &'a Verify) -> Local<'a, Result<Verified, Error>> {
    Box::pin(async move {
        let schema = args.benchmark.schema();
        let target = hoap_databases::open(&args.target).await?;
        target.documents()?;
        let (note, data) = note::expect_loaded(&target, schema).await?;
        let when = if note.runs == 0 { "after the load" } else { "after runs" };
        let (stop, reads) = (|| caller.stop().is_set(), Reads::new());
        let watch = Watch::new(&stop, &reads);
        let sample = Sample::of(&data, args.sample, args.sample_seed.unwrap_or_else(unforeseen));
        let (fresh, level) = (note.runs == 0, args.check);
        let sample = sample.as_loaded(fresh);
        let start =
            Start { target: &target, data: &data, fresh, level, before: &[], reads: &reads };
        let asked = caller.stop();
        let (mut checks, _) =
            of_all_documents(&start, Deliveries::OfCustomers, asked, when).await?;
        checks.extend(level.left_out(when));
        checks.insert(0, indexes::check(target.documents()?, &data, when).await?);
        let nobody = Ledger::default();
        checks.push(sample.check(&target, &data, &nobody, when, &watch).await?);
        let mut unanswered = Vec::new();

        let wanted = match &args.answers {
            Some(path) => Wanted::read(path, schema, &data)?,
            None => Wanted::on_record(&data),
        };
        match wanted {
            Ok(_) if note.runs > 0 => {
                let why = "transactions ran since the load, so the answers are not the loaded ones";
                checks.push(skipped(when, why));
            }
            Ok(wanted) => {
                let of = (&target, &data);
                checks.extend(answers(caller, args, of, wanted, &mut unanswered).await?);
            }
            Err(why) => checks.push(skipped(when, &why)),
        }
        Ok(Verified { checks, unanswered })
    })
}

fn skipped(when: &str, why: &str) -> Check {
    Check {
        when: when.into(),
        name: "answers".into(),
        compares: "the 22 answers with those on record".into(),
        verdict: Verdict::Skip,
        checked: 0,
        detail: Some(why.into()),
    }
}

/// An answer that a query must give.
struct Wanted {
    query: &'static Query,
    parameters: Parameters,
    /// Where it comes from, for the check's name.
    from: String,
    on_record: OnRecord,
}

enum OnRecord {
    Digest(Box<StoredAnswers>),
    Whole(Answer),
}

impl Wanted {
    /// The digests that are part of the program, or why there are none.
    fn on_record(data: &DataSet) -> Result<Vec<Wanted>, String> {
        let sets = [ParameterSet::Reference, ParameterSet::Check];
        let stored = sets.iter().filter_map(|&set| stored(data.spec(), set));
        let wanted: Vec<_> = stored.flat_map(Wanted::digests).collect();
        match wanted.is_empty() {
            false => Ok(wanted),
            true => Err("none are on record for this data set; compare with another engine's: \
                         hoap query --answers-out DIR there, --answers DIR here"
                .into()),
        }
    }

    fn digests(stored: &StoredAnswers) -> Vec<Wanted> {
        let of = |(&number, answer): (&u8, &StoredAnswer)| {
            Some(Wanted {
                query: catalogue::query(number)?,
                parameters: answer.parameters.clone().into_iter().collect(),
                from: format!("{} parameters", stored.parameters),
                on_record: OnRecord::Digest(Box::new(stored.clone())),
            })
        };
        stored.answers.iter().filter_map(of).collect()
    }

    /// The answers of a folder or the digests of a file that the user names.
    fn read(
        path: &Path,
        schema: Schema,
        data: &DataSet,
    ) -> Result<Result<Vec<Wanted>, String>, Error> {
        let wrong = |e: &dyn std::fmt::Display| {
            Error::new(ErrorKind::Invalid, format!("read answers {}", path.display()), e)
        };
        if !path.is_dir() {
            let text = input::named(path).map_err(|e| wrong(&e))?;
            let stored: StoredAnswers = serde_json::from_slice(&text).map_err(|e| wrong(&e))?;
            if stored.data != DataSetName::new(data.spec()) {
                return Err(wrong(&"they are of another data set"));
            }
            return Ok(Ok(Wanted::digests(&stored)));
        }
        let folder = AnswerFolder::read(path, &[&catalogue::CH2, &catalogue::CH2PP])?;
        if folder.asked.benchmark != schema.name() {
            return Err(wrong(&format!("they are of {}", folder.asked.benchmark)));
        }
        let of = |(number, answer): (u8, AnswerFile)| {
            Some(Wanted {
                query: catalogue::query(number)?,
                parameters: answer.parameters.clone().into_iter().collect(),
                from: format!("as {} gave it", answer.target),
                on_record: OnRecord::Whole(answer.answer()),
            })
        };
        Ok(Ok(folder.answers.into_iter().filter_map(of).collect()))
    }
}

/// Asks the queries and compares. One that fails does not keep the others from being asked.
async fn answers(
    caller: &dyn Caller,
    args: &Verify,
    (target, data): (&Database, &DataSet),
    wanted: Vec<Wanted>,
    unanswered: &mut Vec<Error>,
) -> Result<Vec<Check>, Error> {
    let when = "after the load";
    let analytics = match target.analytics() {
        Ok(analytics) => analytics,
        Err(not_applicable) => return Ok(vec![skipped(when, &not_applicable.to_string())]),
    };
    let schema = data.spec().schema;
    let say = |line: &str| caller.say(line);
    let texts = args.texts.texts(schema, analytics.dialect(), &QueryList::all(), say)?;
    let mut session = analytics.session().await?;
    let _watch = CancelOnStop::watch(caller.stop(), &session);
    let mut bar = caller.progress("answers", wanted.len() as u64);
    let mut checks = Vec::new();
    let mut gone = false;
    for (i, Wanted { query, parameters, from, on_record }) in wanted.into_iter().enumerate() {
        bar(i as u64, query.name.into());
        let name = format!("answer {} ({from})", query.name);
        let compares = "the answer with the one on record";
        if gone {
            let why = "not asked: the database is gone";
            checks.push(Check { name, compares: compares.into(), ..skipped(when, why) });
            continue;
        }
        let mut finding = Finding::default();
        let compared = match run_query(&mut session, &texts, query, &parameters).await {
            Ok(found) => match &on_record {
                OnRecord::Digest(stored) => stored.check(query, &parameters, &found),
                OnRecord::Whole(answer) => compare(schema.name(), query, answer, &found),
            },
            Err(e) if caller.stop().is_set() => return Err(e),
            Err(e) => {
                gone = !still_answers(target, &e).await;
                unanswered.push(e.clone());
                Err(e)
            }
        };
        match compared {
            Ok(()) => finding.expect(true, String::new),
            Err(e) => finding.fail(|| e.to_string()),
        }
        checks.push(finding.check(when, &name, compares));
    }
    Ok(checks)
}
