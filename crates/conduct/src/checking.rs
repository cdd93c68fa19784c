//! How much of a benchmark's data is checked around a run, and when.

use hoap_database::Database;
use hoap_record::merge::left_to_first;
use hoap_record::{Check, Remark};
use hoap_workload::Result;
use hoap_workload::checks::{At, Level, Reads, Watch, expect_counting, level};

use crate::caller::Setting;
use crate::faults::checking;
use crate::flags::Clients;

/// How much of the data [`check`](crate::benchmark::Benchmark::check) is to check.
#[derive(Debug)]
pub struct Checking {
    level: Level,
    told: String,
    reads: Reads,
}

impl Checking {
    /// What these flags say of a database with so many documents.
    pub fn new(flags: &Clients, documents: u64) -> Checking {
        let level = flags.level(documents);
        Checking { level, told: flags.announced(level), reads: Reads::new() }
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.level
    }

    /// What the checks have read.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// What a reader must know of a run at this level.
    pub(crate) fn remark(&self) -> Option<Remark> {
        (self.level == Level::Off).then(level::unchecked)
    }

    /// Refuses a level at which this database cannot be checked.
    pub(crate) fn expect(&self, target: &Database) -> Result<()> {
        match self.level {
            Level::Database => expect_counting(target),
            _ => Ok(()),
        }
    }

    /// The checks before the run, which of several drivers the first one makes.
    pub(crate) async fn before(
        &self,
        setting: &Setting<'_>,
        target: &Database,
        check: impl AsyncFn(&At<'_>) -> Result<Vec<Check>>,
    ) -> Result<Vec<Check>> {
        if self.level == Level::Off {
            return Ok(Vec::new());
        }
        if !setting.checks_before() {
            return Ok(vec![left_to_first("indexes, counts, nothing changed")]);
        }
        setting.say(&self.told);
        let asked = setting.caller.stop();
        let stop = || asked.is_set();
        let watch = &Watch::new(&stop, &self.reads);
        check(&At { target, level: self.level, when: "before the run", watch }).await
    }

    /// The checks after the run, made again while the database cannot be reached.
    pub(crate) async fn after(
        &self,
        setting: &Setting<'_>,
        target: &Database,
        check: impl AsyncFn(&At<'_>) -> Result<Vec<Check>>,
    ) -> Result<Vec<Check>> {
        if self.level == Level::Off {
            return Ok(Vec::new());
        }
        let never = || false;
        let watch = &Watch::new(&never, &self.reads);
        let at = At { target, level: self.level, when: "after the run", watch };
        checking(setting, async || check(&at).await).await
    }
}
