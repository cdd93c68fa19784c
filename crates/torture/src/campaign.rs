//! All runs of a plan, one after the other, remembered in `torture.json`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Instant;

use hoap_record::made::{Made, hold};
use hoap_record::names::is_ours;
use hoap_record::{Error, ErrorKind, Result};
use hoap_workload::Local;

use crate::clock;
use crate::inject::Surroundings;
use crate::outcome::Outcome;
use crate::plan::{Kind, Named, Plan};
use crate::process::Shell;
use crate::proxy::Proxy;
use crate::result::Verdict;
use crate::schedule;
use crate::session::Session;

/// Where the runs of a campaign are.
const RUNS: &str = "runs";

/// Who started the campaign.
pub trait Caller {
    /// Says a line.
    fn say(&self, line: &str);
    /// Whether it is to stop.
    fn is_stopped(&self) -> bool;
}

/// Which run folders stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Every one.
    All,
    /// Those of runs whose verdict is bad.
    Bad,
}

/// A campaign that is to be run or continued.
pub struct Campaign<'a> {
    /// The plan.
    pub named: Named,
    /// The folder of its file, in which its commands run.
    pub place: PathBuf,
    /// The folder of the campaign.
    pub folder: PathBuf,
    /// The program that is run: `hoap` itself.
    pub hoap: PathBuf,
    /// The command that began it, without secrets.
    pub command: Vec<String>,
    /// Which run folders stay.
    pub keep: Keep,
    /// Who is told.
    pub caller: &'a dyn Caller,
}

/// The server, taken down when this is dropped.
struct Up<'a> {
    shell: &'a Shell,
    down: Option<&'a str>,
}

impl Drop for Up<'_> {
    fn drop(&mut self) {
        if let Some(down) = self.down {
            // Whoever stops the campaign wants this to be done all the same.
            let _ = self.shell.run(down, &|| false);
        }
    }
}

impl Campaign<'_> {
    /// Runs until the plan's faults have occurred. What was done before in the folder is not
    /// repeated. It blocks its thread: the runtime must have others, on which the proxy runs.
    ///
    /// # Errors
    /// Fails where the folder is another plan's, a command of the plan fails, or it was stopped.
    pub fn run(&self) -> Local<'_, Result<Outcome>> {
        Box::pin(async move {
            let Named { plan, .. } = &self.named;
            let io = |e: std::io::Error| {
                let tried = format!("use the folder {}", self.folder.display());
                Error::new(ErrorKind::Unavailable, tried, e)
            };
            let _held = hold(&self.folder)?;
            let before = Outcome::read(&self.folder)?;
            if let Some(before) = before.as_ref().filter(|before| before.done() >= plan.faults)
                && before.plan == self.named.digest
            {
                return Ok(before.clone());
            }
            let mut made = Made::look(&self.folder, "campaign")?;
            made.mark()?;
            std::fs::create_dir_all(self.folder.join(RUNS)).map_err(io)?;
            let folder = self.folder.canonicalize().map_err(io)?;
            let mut outcome = match before {
                Some(before) if before.plan == self.named.digest => before,
                Some(before) => {
                    let answer =
                        format!("the campaign there is of another plan, {:?}", before.title);
                    let tried = format!("continue in {}", folder.display());
                    return Err(Error::new(ErrorKind::Invalid, tried, answer)
                        .advise("name another folder, or the plan as it was"));
                }
                None => Outcome::begin(&self.named, self.command.clone()),
            };
            let plan = without_the_impossible(plan, &mut outcome)?;
            let text = folder.display().to_string();
            let environment = plan.environment.iter();
            let environment =
                environment.map(|(name, value)| (name.clone(), value.replace("{folder}", &text)));
            let shell = Shell {
                folder: self.place.clone(),
                environment: environment.chain([("FOLDER".to_owned(), text.clone())]).collect(),
                log: folder.join("commands.log"),
            };
            self.with_server(&plan, &shell, (&folder, &mut made), &mut outcome).await?;
            Ok(outcome)
        })
    }

    async fn with_server(
        &self,
        plan: &Plan,
        shell: &Shell,
        (folder, made): (&Path, &mut Made),
        outcome: &mut Outcome,
    ) -> Result<()> {
        let stop = || self.caller.is_stopped();
        let server = &plan.server;
        let up = Up { shell, down: server.down.as_deref() };
        for line in [&server.up, &server.prepare].into_iter().flatten() {
            self.caller.say(&format!("$ {line}"));
            shell.run(line, &stop)?;
        }
        let direct = shell.run(&server.url, &stop)?.trim().to_owned();
        let (mut proxy, mut through) = (None, direct.clone());
        if server.proxy {
            let (text, address) = address_in(&direct)?;
            let started = Proxy::start(address).await?;
            through = direct.replacen(&text, &started.address().to_string(), 1);
            proxy = Some(started);
        }
        let session = Session {
            place: Surroundings { plan, shell, proxy: proxy.as_ref(), stop: &stop },
            hoap: &self.hoap,
            direct: &direct,
            through: &through,
            folder: folder.join(RUNS),
        };
        let mut on_this_load = 0;
        while outcome.done() < plan.faults {
            let begun = Instant::now();
            let number = outcome.runs.len() as u64 + 1;
            discard(made, number)?;
            made.list(files_beside(number))?;
            made.fresh(&run_folder(number), is_ours)?;
            if on_this_load == 0 {
                load(&session, plan, number)?;
            }
            let (mut run, database) = session.run(number, &schedule::draw(plan, number))?;
            outcome.database = outcome.database.take().or(database);
            let bad = run.verdict.is_bad(plan.durable);
            on_this_load = match run.verdict {
                Verdict::Sound | Verdict::SoundNotRecounted => {
                    (on_this_load + 1) % plan.runs_per_load
                }
                // What is lost stays lost.
                _ => 0,
            };
            if run.faults.is_empty() {
                let answer = format!("it ended before its first fault: {}", run.checked.in_words());
                return Err(Error::new(ErrorKind::Unavailable, format!("run {number}"), answer)
                    .advise(format!("look into {}/runs/{number:04}.log", folder.display())));
            }
            if self.keep == Keep::Bad && !bad {
                discard(made, number)?;
                run.folder = None;
            }
            outcome.runs.push(run);
            outcome.seconds += begun.elapsed().as_millis() as f64 / 1e3;
            outcome.write(folder)?;
            self.tell(outcome);
        }
        drop(up);
        Ok(())
    }

    fn tell(&self, outcome: &Outcome) {
        let Some(run) = outcome.runs.last() else { return };
        let kinds: Vec<&str> = run.faults.iter().map(|fault| fault.kind.name()).collect();
        if run.verdict.is_bad(outcome.durable) {
            self.caller.say(&format!("run {}: {}", run.number, run.checked.in_words()));
        }
        self.caller.say(&format!(
            "run {}: {}; {} of {} faults; {}",
            run.number,
            kinds.join(", "),
            outcome.done(),
            outcome.faults,
            run.verdict.name()
        ));
    }
}

/// A run's folder in that of the campaign.
fn run_folder(number: u64) -> String {
    format!("{RUNS}/{number:04}")
}

/// The files beside it.
fn files_beside(number: u64) -> [String; 2] {
    ["log", "clock"].map(|ending| format!("{}.{ending}", run_folder(number)))
}

/// Removes what an earlier attempt at a run left in the folder of the campaign.
fn discard(made: &Made, number: u64) -> Result<()> {
    made.remove(&run_folder(number), is_ours)?;
    files_beside(number).iter().try_for_each(|name| made.remove_file(name))
}

fn load(session: &Session<'_>, plan: &Plan, number: u64) -> Result<()> {
    let command = session.command(&format!("load {}", plan.load), session.direct, &[]);
    match session.to_end(command, number)? {
        (0, _) => Ok(()),
        (code, last) => Err(Error::new(
            ErrorKind::Unavailable,
            format!("hoap load {}", plan.load),
            format!("exit code {code}: {last}"),
        )),
    }
}

/// The plan without the kinds of faults that this machine cannot make, which the outcome names.
fn without_the_impossible(plan: &Plan, outcome: &mut Outcome) -> Result<Plan> {
    let mut plan = plan.clone();
    if clock::library().is_none() && plan.fault.iter().any(|f| f.kind == Kind::ClockStep) {
        plan.fault.retain(|fault| fault.kind != Kind::ClockStep);
        let why = "libfaketime is not installed (Debian: faketime)";
        outcome.left_out.insert(Kind::ClockStep.name().into(), why.into());
    }
    match plan.fault.iter().any(|fault| fault.weight > 0) {
        true => Ok(plan),
        false => Err(Error::new(
            ErrorKind::Unavailable,
            "torture",
            format!("this machine can make no fault of the plan: {:?}", outcome.left_out),
        )),
    }
}

/// The address of a server on this machine in a URL, as it is written and as it is.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is none: nobody is tortured who is not of this
/// machine.
fn address_in(url: &str) -> Result<(String, SocketAddr)> {
    for host in ["127.0.0.1:", "localhost:"] {
        let Some(at) = url.find(host) else { continue };
        let digits: String =
            url[at + host.len()..].chars().take_while(char::is_ascii_digit).collect();
        if let Ok(port) = digits.parse() {
            let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
            return Ok((format!("{host}{digits}"), address));
        }
    }
    let answer = "the URL has no 127.0.0.1:PORT or localhost:PORT to put a proxy in front of";
    Err(Error::new(ErrorKind::Invalid, "find the server's address", answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_server_on_this_machine_is_found_and_no_other() {
        for (url, text, port) in [
            ("postgres://hoap@127.0.0.1:5432/hoap", "127.0.0.1:5432", 5432),
            ("dynamodb://local?endpoint=http://localhost:8000&x=1", "localhost:8000", 8000),
            ("redis://127.0.0.1:6379", "127.0.0.1:6379", 6379),
        ] {
            let (found, address) = address_in(url).unwrap();
            assert_eq!((found.as_str(), address.port()), (text, port));
            assert!(address.ip().is_loopback());
        }
        for url in ["redis://10.0.0.1:6379", "sqlite:t.db", "redis://127.0.0.1:99999"] {
            assert_eq!(address_in(url).unwrap_err().kind, ErrorKind::Invalid, "{url}");
        }
    }
}
