//! The documents of a benchmark as `hoap load` and `hoap gen` ask for them, without their types.

use std::fmt::Debug;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command};
use hoap_database::Documents;
use hoap_files::{FileSource, Versioned};
use hoap_workload::load::LoadSource;
use hoap_workload::{Error, ErrorKind, Local, Result};
use serde_json::{Map, Value};

use crate::flags::Settings;
use crate::load::{AskedLoad, Begins, Loading, Pace, Watch};

/// Documents by their name.
#[derive(Debug)]
pub struct DataLine<D: DataOffer> {
    /// The name, as users type it and as notes and manifests have it.
    pub name: &'static str,
    /// A line for the user.
    pub about: &'static str,
    /// The collections among which `hoap gen --collections` chooses, in the order of
    /// [`FileSource::collections`]; none if there is one collection.
    pub collections: &'static [&'static str],
    /// Which of the data sets with these flags it is.
    pub variant: D::Variant,
}

/// The flags that documents are made from.
pub trait DataOffer: Args + Debug + 'static {
    /// What the data sets that share these flags differ in; `()` if there is one.
    type Variant: Debug + Sync + 'static;
    /// More flags of a load: [`NoFlags`] if there are none.
    type OfLoad: Args + Debug + 'static;

    /// Version of the bytes of its documents.
    const DATA_VERSION: u32;

    /// Whether `hoap gen` makes files of it: [`DataOffer::files`] and [`DataOffer::of_parameters`].
    const FILES: bool = true;

    /// The documents, for a database.
    ///
    /// # Errors
    /// Fails if the flags make no data set.
    fn source(&self, variant: &Self::Variant) -> Result<Arc<dyn LoadSource>>;

    /// Those of them that a load with its own flags writes: all.
    ///
    /// # Errors
    /// Fails if the flags make no data set.
    fn loaded(
        &self,
        variant: &Self::Variant,
        _of_load: &Self::OfLoad,
    ) -> Result<Arc<dyn LoadSource>> {
        self.source(variant)
    }

    /// The documents, for files.
    ///
    /// # Errors
    /// Fails if the flags make no data set, or none that files can hold.
    fn files(&self, _: &Self::Variant) -> Result<Box<dyn FileSource>> {
        Err(Error::new(ErrorKind::Invalid, "make files", "this benchmark has none"))
    }

    /// The documents that [`FileSource::parameters`] describe, as far as these decide how many
    /// there are.
    ///
    /// # Errors
    /// Says which parameter is wrong.
    fn of_parameters(
        _: &Self::Variant,
        _: &Map<String, Value>,
    ) -> std::result::Result<Box<dyn FileSource>, String> {
        Err("this benchmark has no files".to_owned())
    }

    /// The flags of a load that makes the documents of these parameters, which a note or a run has;
    /// `None` if they do not tell its flags.
    fn flags(_: &Map<String, Value>) -> Option<Settings> {
        None
    }

    /// [`AskedLoad::told`].
    ///
    /// # Errors
    /// Fails if the flags make no data set.
    fn told(&self, _: &Self::Variant) -> Result<Option<String>> {
        Ok(None)
    }

    /// [`AskedLoad::pace`].
    ///
    /// # Errors
    /// Those of [`AskedLoad::pace`].
    fn pace(&self, loading: &Loading, _: Documents<'_>, _say: &dyn Fn(&str)) -> Result<Pace> {
        Ok(loading.pace())
    }

    /// [`AskedLoad::watch`], by the flags of a load alone.
    fn watch<'a>(
        &'a self,
        _variant: &'a Self::Variant,
        _of_load: &'a Self::OfLoad,
        _begins: Begins<'a>,
    ) -> Local<'a, Result<Option<Box<dyn Watch>>>> {
        Box::pin(async { Ok(None) })
    }
}

/// No flags.
#[derive(Debug, Args)]
#[group(skip)]
pub struct NoFlags {}

/// [`DataLine`], whatever its flags.
pub trait DataEntry: Sync {
    /// [`DataLine::name`].
    fn name(&self) -> &'static str;

    /// [`DataLine::collections`].
    fn collections(&self) -> &'static [&'static str];

    /// The subcommand of `hoap load`.
    fn load_command(&self) -> Command;

    /// The load with the flags that the user typed.
    ///
    /// # Errors
    /// Fails if a flag is missing or wrong.
    fn parse_load(
        &'static self,
        matches: &mut ArgMatches,
    ) -> std::result::Result<Box<dyn AskedLoad>, clap::Error>;

    /// The subcommand of `hoap gen`, without where the files go; `None` if no files are made of it.
    fn gen_command(&self) -> Option<Command>;

    /// The documents with the flags that the user typed.
    ///
    /// # Errors
    /// Fails if a flag is missing or wrong.
    fn parse_gen(
        &'static self,
        matches: &mut ArgMatches,
    ) -> std::result::Result<Box<dyn AskedData>, clap::Error>;

    /// [`DataOffer::DATA_VERSION`] and [`DataOffer::of_parameters`].
    fn of_parameters(&self, parameters: &Map<String, Value>) -> Versioned;

    /// [`DataOffer::flags`].
    fn flags(&self, parameters: &Map<String, Value>) -> Option<Settings>;
}

/// Documents that were asked for, whatever they are.
pub trait AskedData: Debug {
    /// [`DataOffer::source`].
    ///
    /// # Errors
    /// [`DataOffer::source`]'s.
    fn source(&self) -> Result<Arc<dyn LoadSource>>;

    /// [`DataOffer::files`].
    ///
    /// # Errors
    /// [`DataOffer::files`]'s.
    fn files(&self) -> Result<Box<dyn FileSource>>;
}

/// The flags of a load.
#[derive(Debug, Args)]
struct LoadFlags<D: DataOffer> {
    #[command(flatten)]
    data: D,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    of_load: D::OfLoad,
}

impl<D: DataOffer> DataEntry for DataLine<D> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn collections(&self) -> &'static [&'static str] {
        self.collections
    }

    fn load_command(&self) -> Command {
        self.command(LoadFlags::<D>::augment_args)
    }

    fn parse_load(
        &'static self,
        matches: &mut ArgMatches,
    ) -> std::result::Result<Box<dyn AskedLoad>, clap::Error> {
        use clap::FromArgMatches;
        Ok(Box::new((self, LoadFlags::<D>::from_arg_matches_mut(matches)?)))
    }

    fn gen_command(&self) -> Option<Command> {
        D::FILES.then(|| self.command(D::augment_args))
    }

    fn parse_gen(
        &'static self,
        matches: &mut ArgMatches,
    ) -> std::result::Result<Box<dyn AskedData>, clap::Error> {
        Ok(Box::new((self, D::from_arg_matches_mut(matches)?)))
    }

    fn of_parameters(&self, parameters: &Map<String, Value>) -> Versioned {
        (D::DATA_VERSION, D::of_parameters(&self.variant, parameters))
    }

    fn flags(&self, parameters: &Map<String, Value>) -> Option<Settings> {
        D::flags(parameters)
    }
}

impl<D: DataOffer> DataLine<D> {
    fn command(&self, augment: fn(Command) -> Command) -> Command {
        augment(Command::new(self.name)).about(self.about).long_about(None)
    }
}

impl<D: DataOffer> AskedData for (&'static DataLine<D>, D) {
    fn source(&self) -> Result<Arc<dyn LoadSource>> {
        self.1.source(&self.0.variant)
    }

    fn files(&self) -> Result<Box<dyn FileSource>> {
        self.1.files(&self.0.variant)
    }
}

impl<D: DataOffer> AskedLoad for (&'static DataLine<D>, LoadFlags<D>) {
    fn loading(&self) -> &Loading {
        &self.1.loading
    }

    fn source(&self) -> Result<Arc<dyn LoadSource>> {
        self.1.data.loaded(&self.0.variant, &self.1.of_load)
    }

    fn told(&self) -> Result<Option<String>> {
        self.1.data.told(&self.0.variant)
    }

    fn pace(&self, documents: Documents<'_>, say: &dyn Fn(&str)) -> Result<Pace> {
        self.1.data.pace(&self.1.loading, documents, say)
    }

    fn watch<'a>(&'a self, begins: Begins<'a>) -> Local<'a, Result<Option<Box<dyn Watch>>>> {
        self.1.data.watch(&self.0.variant, &self.1.of_load, begins)
    }
}
