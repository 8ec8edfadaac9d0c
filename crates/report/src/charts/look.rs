//! Color, shape and fill of marks. A library has the same color and shape in every picture of every run. The fill
//! distinguishes its code paths. Hollow gray marks show cases that are not ranked.

use super::canvas::COLOURS;
use indexmap::IndexMap;
use pqlab_analysis::RunAnalysis;

/// Number of different shapes.
const SHAPES: usize = 8;

/// Libraries with a fixed color and shape. Each entry contains the name and the index of the shape. The index of the
/// entry is the index of the color. Libraries that often appear in one picture differ in both color and shape.
const LIBRARIES: [(&str, usize); COLOURS.len()] = [
    ("aws-lc", 0),
    ("liboqs", 1),
    ("libcrux", 2),
    ("openssl", 3),
    ("rustcrypto", 4),
    ("graviola", 5),
    ("fips", 6),
    ("fn-dsa", 7),
    ("cryptogams", 1),
    ("rustls", 2),
    ("libsecp256k1", 0),
];

/// Fill of a mark, which distinguishes the code paths of a library. No fill is hollow, because hollow marks show cases
/// that are not ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    Solid,
    /// Solid with a round hole.
    Ring,
    /// Solid with a bar across.
    Bar,
    /// Pale with an outline.
    Pale,
}

const FILLS: [Fill; 4] = [Fill::Solid, Fill::Ring, Fill::Bar, Fill::Pale];

/// Appearance of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) colour: usize,
    /// Index of the color for the left half of the mark, which shows the first library of a pair. `None` if the provider
    /// is a single library.
    pub(super) left: Option<usize>,
    pub(super) shape: usize,
    pub(super) fill: Fill,
    /// Whether the case is not ranked. Its mark is then hollow and gray.
    pub(super) is_doubtful: bool,
}

impl Look {
    /// Returns the look, hollow and gray if `doubt` gives a reason why the case is not ranked.
    pub(super) fn doubted(self, doubt: Option<&str>) -> Look {
        Look { is_doubtful: self.is_doubtful || doubt.is_some(), ..self }
    }

    /// Returns the look with the shape for series number `series`. Used in pictures that show several operations of a
    /// library.
    pub(super) fn shaped(self, series: usize) -> Look {
        Look { shape: series % SHAPES, left: None, ..self }
    }
}

/// Look of each provider in a run.
pub(super) struct Looks(IndexMap<String, Look>);

impl Looks {
    pub(super) fn new(analysis: &RunAnalysis<'_>) -> Looks {
        let mut unknown: IndexMap<String, Look> = IndexMap::new();
        let mut taken: Vec<(String, Fill)> = Vec::new();
        let mut looks = IndexMap::new();
        for provider in &analysis.providers {
            let mut halves = provider.split('+').map(|half| half.split(':').next().unwrap_or_default());
            let (first, second) = (halves.next().unwrap_or_default(), halves.next());
            let own = look_of_library(second.unwrap_or(first), &mut unknown);
            let left = second.map(|_| look_of_library(first, &mut unknown).colour);
            let library = library(provider);
            let free = |fill: &Fill| !taken.contains(&(library.clone(), *fill));
            let wanted = usual_fill(provider);
            let fill = [wanted].into_iter().chain(FILLS).find(free).unwrap_or(wanted);
            taken.push((library, fill));
            looks.insert(provider.clone(), Look { left, fill, ..own });
        }
        Looks(looks)
    }

    pub(super) fn of_provider(&self, provider: &str) -> Look {
        self.0.get(provider).copied().unwrap_or_else(|| numbered(self.0.len()))
    }
}

fn look_of_library(name: &str, unknown: &mut IndexMap<String, Look>) -> Look {
    if let Some(place) = LIBRARIES.iter().position(|(known, _)| *known == name) {
        return Look { colour: place, left: None, shape: LIBRARIES[place].1, fill: Fill::Solid, is_doubtful: false };
    }
    let number = unknown.len();
    *unknown.entry(name.to_owned()).or_insert_with(|| numbered(number))
}

/// Returns the look of a library that is not in [`LIBRARIES`], given its number among these libraries. The look has the
/// color of a listed library, but a different shape.
fn numbered(number: usize) -> Look {
    let colour = COLOURS.len() - 1 - number % COLOURS.len();
    let shape = (LIBRARIES[colour].1 + 4 + number / COLOURS.len()) % SHAPES;
    Look { colour, left: None, shape, fill: Fill::Solid, is_doubtful: false }
}

/// Returns the preferred fill for a provider's code path. [`Looks::new`] chooses a different fill if another code path
/// of the library already has this one.
fn usual_fill(provider: &str) -> Fill {
    match provider.rsplit('+').next().and_then(|half| half.split_once(':')).map(|(_, path)| path) {
        Some("portable" | "scalar") => Fill::Ring,
        Some(path) if path.starts_with("avx512") => Fill::Bar,
        _ => Fill::Solid,
    }
}

/// Returns the name of a provider without its code paths: `aws-lc+libcrux` for `aws-lc+libcrux:avx2`.
fn library(provider: &str) -> String {
    let halves = provider.split('+').map(|half| half.split(':').next().unwrap_or_default());
    halves.collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use std::collections::BTreeSet;

    fn looks<const N: usize>(providers: [&str; N]) -> [Look; N] {
        let run = fixtures::run();
        let mut analysis = RunAnalysis::new(&run);
        analysis.providers = providers.map(String::from).into();
        let looks = Looks::new(&analysis);
        providers.map(|provider| looks.of_provider(provider))
    }

    #[test]
    fn code_paths_share_a_colour_and_differ_in_fill() {
        let [avx2, aws, portable, pair] = looks(["libcrux:avx2", "aws-lc", "libcrux:portable", "aws-lc+libcrux:avx2"]);
        assert_eq!((avx2.colour, avx2.shape), (portable.colour, portable.shape));
        assert_ne!(avx2.fill, portable.fill);
        assert_ne!(aws.colour, avx2.colour);
        assert_eq!((pair.left, pair.colour), (Some(aws.colour), avx2.colour));
        let [first, second] = looks(["keccak:avx512", "keccak:portable"]).map(|look| look.doubted(Some("own")));
        assert!(first.is_doubtful && first != second);
    }

    #[test]
    fn looks_of_libraries_do_not_depend_on_the_run() {
        let [aws, portable] = looks(["aws-lc", "libcrux:portable"]);
        let [portable_elsewhere, _, aws_elsewhere] = looks(["libcrux:portable", "libcrux:avx2", "aws-lc"]);
        assert_eq!((aws, portable), (aws_elsewhere, portable_elsewhere));
    }

    #[test]
    fn libraries_differ_in_colour_or_shape() {
        let known = LIBRARIES.map(|(name, _)| name);
        let names = [&known[..], &["go", "script", "branch", "other", "keccak", "mldsa-batch"]].concat();
        let run = fixtures::run();
        let mut analysis = RunAnalysis::new(&run);
        analysis.providers = names.iter().map(|name| (*name).to_owned()).collect();
        let looks = Looks::new(&analysis);
        let seen: BTreeSet<(usize, usize)> =
            names.iter().map(|name| looks.of_provider(name)).map(|look| (look.colour, look.shape)).collect();
        assert_eq!(seen.len(), names.len());
    }
}
