//! The flags of `hoap run ycsb-…`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hoap_conduct::flags::{Clients, Settings, settings, together};
use hoap_conduct::plan::Plan;
use hoap_databases::refuse_property_of_binding;
use hoap_workload::Result;
use serde_json::json;

use crate::{Preset, Properties, ScanFields, Setup};

/// The flags of a run.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Flags {
    #[command(flatten)]
    pub clients: Clients,
    #[command(flatten)]
    pub properties: PropertyArgs,
    /// Accepted as YCSB has it: a run always shows its state
    #[arg(short = 's', hide = true)]
    pub status: bool,
    /// Fields of scans [default: all; none are keys only, as in the comparison reports]
    #[arg(long, value_enum)]
    pub scan_fields: Option<ScanFieldChoice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ScanFieldChoice {
    All,
    One,
    None,
}

/// Parameters as YCSB takes them.
#[derive(Debug, Args)]
pub struct PropertyArgs {
    /// Properties file of YCSB, such as its workloads/workloada; later ones win
    #[arg(short = 'P', long = "properties", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// One property of YCSB, such as recordcount=1000000; wins over files
    #[arg(short = 'p', long = "property", value_name = "KEY=VALUE")]
    pub pairs: Vec<String>,
}

impl PropertyArgs {
    /// The properties of these flags, on top of those of a preset, and what they ask for.
    ///
    /// # Errors
    /// Fails where a file cannot be read, or a property is none.
    pub fn setup(&self, preset: Option<&Preset>) -> Result<(Properties, Setup)> {
        let mut properties = preset.map_or_else(Properties::new, Properties::preset);
        for file in &self.files {
            properties.file(file)?;
        }
        for pair in &self.pairs {
            properties.pair(pair)?;
        }
        let setup = Setup::unless(&properties, refuse_property_of_binding)?;
        Ok((properties, setup))
    }
}

impl Flags {
    /// Every flag with the value it has; of properties what they say together.
    pub(crate) fn settings(&self, properties: &Properties, setup: &Setup, plan: &Plan) -> Settings {
        let Flags { clients, properties: _, status: _, scan_fields: _ } = self;
        let own = json!({
            "properties": properties.iter().collect::<BTreeMap<_, _>>(),
            // What decides the operations and is no property.
            "scan-fields": (setup.scan_fields == ScanFields::None).then_some("none"),
        });
        together([clients.settings(&plan.steps), settings(own)])
    }
}
