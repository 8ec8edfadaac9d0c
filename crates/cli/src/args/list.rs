//! The arguments of `pqlab list`.

use super::{NamedLibraryArgs, patterns};
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, Command, Error, ValueEnum};
use pqlab_lab::LibrarySpec;
use std::ffi::OsStr;

/// What `pqlab list` can list.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    Cases,
    Algorithms,
    Providers,
    Suites,
    Exporters,
    Counters,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    /// What there is of a kind.
    Kind(Listing),
    /// What is in one library, or what a worker offers.
    Library(LibrarySpec),
}

/// What `library=` stands before.
const LIBRARY: &str = "library=";
/// Likewise before a worker.
const WORKER: &str = "worker=";

/// Reads a listing, or a library after `library=`.
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

/// List what there is.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab list                     the suites, and what each of them answers
  pqlab list algorithms          lengths, NIST categories and encodings, by provider
  pqlab list library=liboqs:/opt/liboqs.so   what is in a shared library
  pqlab list worker=go           what a worker in another language offers
  pqlab list cases --json        every id that a filter can match
  pqlab list cases hybrid xwing  those of an area and an algorithm
  pqlab list cases kem --provider liboqs --filter '*decaps*'

", patterns!(), "

Exit codes: 0 done; 2 bad usage, there is no such case, or a library cannot be opened"))]
pub(crate) struct ListArgs {
    /// What to list: cases (ids), algorithms, providers (libraries), suites (lists of cases to measure), exporters (formats
    /// of `pqlab export`), counters (clocks and counters of this machine); or library=[LABEL=]KIND:PATH, worker=NAME-or-PATH: what is in that library,
    /// what that worker offers
    #[arg(value_parser = ListedParser, value_name = "LISTING", default_value = "suites")]
    pub(crate) what: Listed,

    /// Of cases: only those of these suites, areas, algorithms by any of their names, or providers, as `pqlab run` takes them
    /// [default: all cases]
    #[arg(value_name = "WHAT")]
    pub(crate) of: Vec<String>,

    /// Of cases: only those whose id matches this pattern (see below) [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Of cases: only those of this provider [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Of cases: only those of this algorithm [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    #[command(flatten)]
    pub(crate) foreign: NamedLibraryArgs,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl ListArgs {
    /// Whether something narrows cases down.
    pub(crate) fn selects_cases(&self) -> bool {
        [&self.of, &self.filter, &self.provider, &self.algorithm].into_iter().any(|given| !given.is_empty())
    }
}
