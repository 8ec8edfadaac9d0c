//! Arguments of `pqlab list`.

use super::{FormatArgs, NamedLibraryArgs, patterns};
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, Command, Error, ValueEnum};
use pqlab_lab::LibrarySpec;
use std::ffi::OsStr;

/// Kinds of entries that `pqlab list` shows.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    Cases,
    Algorithms,
    #[value(alias = "libraries")]
    Providers,
    Suites,
    #[value(alias = "formats")]
    Exporters,
    Counters,
}

/// Subject of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    /// Everything of one kind.
    Kind(Listing),
    /// The contents of one library or worker.
    Library(LibrarySpec),
}

/// Prefix of an argument that names a library.
const LIBRARY: &str = "library=";
/// Prefix of an argument that names a worker.
const WORKER: &str = "worker=";

/// Parses the name of a listing, `library=SPEC` or `worker=NAME`.
#[derive(Clone)]
struct ListedParser;

impl TypedValueParser for ListedParser {
    type Value = Listed;

    fn parse_ref(&self, command: &Command, argument: Option<&clap::Arg>, value: &OsStr) -> Result<Listed, Error> {
        let named = |text: &str| {
            let library = text.strip_prefix(LIBRARY).map(str::parse);
            library.or_else(|| text.strip_prefix(WORKER).map(LibrarySpec::worker))
        };
        match value.to_str().and_then(named) {
            Some(Ok(library)) => Ok(Listed::Library(library)),
            Some(Err(wrong)) => Err(Error::raw(ErrorKind::ValueValidation, wrong).with_cmd(command)),
            None => EnumValueParser::<Listing>::new().parse_ref(command, argument, value).map(Listed::Kind),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Listing::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// List suites, cases, algorithms, libraries, export formats or counters.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab list                     suites, and the question that each one answers
  pqlab list algorithms          standards, NIST categories, lengths and encodings, per provider
  pqlab list library=liboqs:/opt/liboqs.so   algorithms of a shared library
  pqlab list worker=go           algorithms of a worker in another language
  pqlab list cases --json        every id that a filter can match
  pqlab list cases hybrid xwing  cases of one area and one algorithm
  pqlab list cases kem --provider liboqs --filter '*decaps*'

", patterns!(), "

Exit codes: 0 done; 2 bad usage, no such case, or a library cannot be opened"))]
pub(crate) struct ListArgs {
    /// What to list: cases (ids), algorithms, providers (libraries), suites, exporters (formats for `pqlab export`) or
    /// counters (clocks and hardware counters); or the algorithms of one library=[LABEL=]KIND:PATH or
    /// worker=NAME-or-PATH
    #[arg(value_parser = ListedParser, value_name = "LISTING", default_value = "suites")]
    pub(crate) what: Listed,

    /// With `cases`: only these suites, areas, algorithms or libraries, named as for `pqlab run` [default: all]
    #[arg(value_name = "WHAT")]
    pub(crate) of: Vec<String>,

    /// With `cases`: only ids that match this pattern (see below) [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// With `cases`: only libraries whose provider id matches this name or pattern [repeatable]
    #[arg(short, long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// With `cases`: only algorithms that match this name or pattern [repeatable]
    #[arg(short, long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    #[command(flatten)]
    pub(crate) foreign: NamedLibraryArgs,

    #[command(flatten)]
    pub(crate) output: FormatArgs,
}

impl ListArgs {
    /// Returns whether the arguments select cases.
    pub(crate) fn selects_cases(&self) -> bool {
        [&self.of, &self.filter, &self.provider, &self.algorithm].into_iter().any(|given| !given.is_empty())
    }
}
