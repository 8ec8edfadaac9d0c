//! Cards for recommendations. Each card shows one number, a small bar chart of the fastest libraries, and one line of
//! text.

use maud::{Markup, html};
use pqlab_analysis::findings::Recommendation;
use pqlab_analysis::number::{factor, time};
use pqlab_analysis::text::neutral;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use std::collections::{BTreeMap, HashMap};

/// Number of cards above the fold.
const FIRST: usize = 4;
/// Maximum number of bars in a card.
const BARS: usize = 4;
const WIDTH: f64 = 250.0;
const LINE: f64 = 17.0;
/// Width of a character of a library's name, in SVG units.
const CHARACTER: f64 = 6.7;
/// x coordinate at which the longest bar ends, in SVG units.
const RIGHT: f64 = 204.0;
/// Maximum length of a library's name in characters.
const NAME: usize = 21;

/// Units of times.
const UNITS: [&str; 4] = ["ns", "µs", "ms", "s"];

/// A library, and its total time in ns for the operations of a recommendation.
struct Rival {
    provider: String,
    time: f64,
    ranked: bool,
}

/// Cases, keyed by the part of the id before the provider, then by the provider.
type Cases<'r, 'a> = HashMap<String, BTreeMap<&'r str, &'r CaseAnalysis<'a>>>;

/// Writes the cards of all recommendations. The first [`FIRST`] cards are visible without scrolling. `id` is the id of
/// their element.
pub(super) fn cards(analysis: &RunAnalysis<'_>, recommended: &[Recommendation], id: Option<&str>) -> Markup {
    let mut cases: Cases<'_, '_> = HashMap::new();
    for row in analysis.cases() {
        let id = row.case().id();
        let job = id.rsplit_once('@').map_or(id.as_str(), |(job, _)| job).to_owned();
        cases.entry(job).or_default().insert(&row.case().provider, row);
    }
    let (first, more) = recommended.split_at(recommended.len().min(FIRST));
    html! {
        @if !first.is_empty() {
            div.scroll.cards id=[id] { @for one in first { (card(analysis, &cases, one)) } }
        }
        @if !more.is_empty() { div.cards { @for one in more { (card(analysis, &cases, one)) } } }
    }
}

fn card(analysis: &RunAnalysis<'_>, cases: &Cases<'_, '_>, recommended: &Recommendation) -> Markup {
    let rivals = rivals(analysis, cases, recommended);
    let (mean, figure) = match recommended.figure.strip_prefix("mean ") {
        Some(figure) => (true, figure),
        None => (false, recommended.figure.as_str()),
    };
    html! {
        article.card {
            h3 { (recommended.use_case) }
            p.figure { @if mean { span.soft { "mean " } } span.big { (figure) } @if recommended.interval != "exact" { " " span.range { (recommended.interval) } } }
            p.pick {
                strong { (neutral(&recommended.algorithm)) } " by " strong.whole { (neutral(&recommended.provider)) }
                @for other in &recommended.tied { ", " (neutral(other)) }
                @if !recommended.tied.is_empty() { " " span.flag { "tie" } }
            }
            @if rivals.len() > 1 { (bars(&rivals)) }
            p.what { (recommended.what) @if rivals.iter().any(|rival| !rival.ranked) { "; hollow bars: not ranked" } }
            details.why { summary { "Why" } p { (neutral(&recommended.why)) } }
        }
    }
}

/// Returns the fastest libraries for the operations of a recommendation, including libraries that are not ranked.
/// Returns an empty list if the recommendation is not a time of a single library.
fn rivals(analysis: &RunAnalysis<'_>, cases: &Cases<'_, '_>, recommended: &Recommendation) -> Vec<Rival> {
    let split: Vec<(&str, &str)> = recommended.cases.iter().filter_map(|id| id.rsplit_once('@')).collect();
    // Bars compare times. A figure that covers several libraries has no rivals.
    let is_time = UNITS.contains(&recommended.figure.rsplit(' ').next().unwrap_or_default());
    let provider = recommended.provider.split(' ').next().unwrap_or_default();
    if !is_time || split.iter().any(|(_, of_case)| *of_case != provider) {
        return Vec::new();
    }
    let jobs: Vec<&str> = split.into_iter().map(|(job, _)| job).collect();
    let Some(of_first) = jobs.first().and_then(|job| cases.get(*job)) else { return Vec::new() };
    let rival = |provider: &&str| {
        let parts: Vec<&CaseAnalysis<'_>> =
            jobs.iter().map(|job| cases.get(*job)?.get(provider).copied()).collect::<Option<_>>()?;
        let time = analysis.total(&parts)?.estimate;
        Some(Rival { provider: (*provider).to_owned(), time, ranked: parts.iter().all(|part| part.ranked()) })
    };
    let mut all: Vec<Rival> = of_first.keys().filter_map(rival).collect();
    all.sort_by(|one, other| one.time.total_cmp(&other.time));
    // Always show the fastest ranked library, even if faster ones are not ranked.
    if let Some(best) = all.iter().position(|rival| rival.ranked).filter(|place| *place >= BARS) {
        all.swap(BARS - 1, best);
    }
    all.truncate(BARS);
    all
}

fn bars(rivals: &[Rival]) -> Markup {
    let most = rivals.iter().map(|rival| rival.time).fold(f64::MIN_POSITIVE, f64::max);
    let best = rivals.iter().find(|rival| rival.ranked).or(rivals.first()).map_or(1.0, |rival| rival.time);
    let text = |rival: &Rival| {
        let not = if rival.ranked { "" } else { ", not ranked" };
        format!("{} {} ({}{not})", neutral(&rival.provider), time(rival.time), factor(rival.time / best))
    };
    let names: Vec<String> = rivals.iter().map(|rival| shorten(&neutral(&rival.provider))).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    // x coordinate at which bars begin.
    let left = 8.0 + CHARACTER * longest as f64;
    let about: Vec<String> = rivals.iter().map(text).collect();
    html! {
        svg.bars viewBox=(format!("0 0 {WIDTH} {}", LINE * rivals.len() as f64)) role="img" aria-label=(format!("Fastest libraries: {}", about.join("; "))) {
            @for (place, (rival, name)) in rivals.iter().zip(&names).enumerate() {
                @let (y, wide) = (LINE * place as f64, (RIGHT - left) * rival.time / most);
                text class="t faint" x=(format!("{:.1}", left - 6.0)) y=(y + 12.0) font-size="11" text-anchor="end" { (name) }
                rect class=(if rival.ranked { "bar" } else { "doubtful" }) x=(format!("{left:.1}")) y=(y + 3.5) width=(format!("{:.1}", wide.max(1.0))) height="10" {
                    title { (text(rival)) }
                }
                text class="t faint" x=(format!("{:.1}", left + wide + 5.0)) y=(y + 12.0) font-size="11" { (factor(rival.time / best)) }
            }
        }
    }
}

/// Shortens the name of a library in the middle, because code paths of a library differ only at the end of the name.
fn shorten(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= NAME {
        return name.to_owned();
    }
    let (head, tail) = (NAME / 2, NAME - NAME / 2 - 1);
    characters[..head].iter().chain(&['…']).chain(&characters[characters.len() - tail..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_paths_keep_different_names_when_shortened() {
        assert_eq!(shorten("cryptogams:avx512vl"), "cryptogams:avx512vl");
        let pairs = ["openssl+cryptogams:avx512", "openssl+cryptogams:avx512vl"].map(shorten);
        assert_eq!(pairs, ["openssl+cr…ams:avx512", "openssl+cr…s:avx512vl"]);
    }
}
