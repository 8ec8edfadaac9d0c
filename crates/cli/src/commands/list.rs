use crate::args::{self, ListArgs, Listing};
use crate::output::{BadInput, Terminal};
use crate::table::table;
use crate::{DONE, output};
use pqlab_lab::analysis::standardization::{Stage, Standardization, not_standards};
use pqlab_lab::analysis::words::THE_REFERENCE;
use pqlab_lab::report::terminal::hanging;
use pqlab_lab::report::{Format, exporters};
use pqlab_lab::{
    AlgorithmEntry, Filters, LibrarySpec, ProviderEntry, algorithms, counters, library_entry, provider_entries,
    suite_entries,
};
use serde_json::{Value, json};

pub(crate) fn run(arguments: &ListArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let listing = list(arguments, terminal.width)?;
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&listing.json)?)?;
    } else {
        output::data(&listing.text)?;
    }
    Ok(DONE)
}

fn filters(arguments: &ListArgs) -> Filters {
    Filters {
        ids: arguments.filter.clone(),
        providers: arguments.provider.clone(),
        algorithms: arguments.algorithm.clone(),
        ..Filters::default()
    }
}

struct Listed {
    text: String,
    json: Value,
}

fn list(arguments: &ListArgs, width: usize) -> anyhow::Result<Listed> {
    let what = match &arguments.what {
        args::Listed::Kind(kind) => *kind,
        args::Listed::Library(library) if !arguments.selects_cases() => return in_library(library, width),
        args::Listed::Library(_) => Listing::Algorithms,
    };
    if what != Listing::Cases && arguments.selects_cases() {
        let message = "suites, areas, algorithms, providers and filters apply only to `pqlab list cases`";
        return Err(BadInput(message.to_owned()).into());
    }
    let laboratory = || arguments.foreign.laboratory(&arguments.of);
    Ok(match what {
        Listing::Cases => {
            let (cases, notes) = laboratory()?.select_cases(&arguments.of, filters(arguments))?;
            notes.iter().for_each(|note| output::talk(note));
            let ids: Vec<String> = cases.iter().map(|case| case.id()).collect();
            Listed { text: ids.join("\n"), json: json!(ids) }
        }
        Listing::Algorithms => {
            let entries = algorithms(&laboratory()?);
            let text = lengths(&entries, width);
            Listed { text, json: json!(entries) }
        }
        Listing::Providers => {
            let entries = provider_entries(&laboratory()?);
            let rows = entries.iter().map(|entry| {
                vec![entry.id.clone(), entry.algorithms.to_string(), entry.version.clone(), entry.build.clone()]
            });
            let mut text = table(&["provider", "algorithms", "version", "build"], rows.collect(), width);
            entries.iter().for_each(|entry| text.push_str(&gaps(entry, width)));
            text.push_str("\nnull does nothing, so its time is the measurement overhead");
            Listed { text, json: json!(entries) }
        }
        Listing::Suites => {
            let suites = suite_entries()?;
            let rows = suites.iter().map(|suite| vec![suite.name.clone(), first_sentence(&suite.about).to_owned()]);
            let text = table(&["suite", "contents"], rows.collect(), width);
            Listed { text: format!("{text}\nFull descriptions: `pqlab list suites --json`"), json: json!(suites) }
        }
        Listing::Exporters => {
            let all: Vec<Format> = exporters().iter().map(|exporter| exporter.format()).collect();
            let rows = all.iter().map(|format| vec![format.name.to_owned(), format.describe.to_owned()]);
            let text = table(&["format", "purpose"], rows.collect(), width);
            Listed { text: format!("{text}\n{THE_REFERENCE}"), json: json!(all) }
        }
        Listing::Counters => {
            let all = counters();
            let rows = all.iter().map(|counter| {
                let available = if counter.available { "yes" } else { "no" };
                vec![counter.name.to_owned(), available.to_owned(), counter.detail.clone()]
            });
            Listed { text: table(&["counter", "available", "detail"], rows.collect(), width), json: json!(all) }
        }
    })
}

/// Returns the first sentence of a text, without its period.
fn first_sentence(text: &str) -> &str {
    let end = text.match_indices(". ").find(|(at, _)| !text[..*at].ends_with('.')).map(|(at, _)| at);
    end.map_or(text.trim_end_matches('.'), |end| &text[..end])
}

/// Returns a table of standards, lengths and encodings, with one row per algorithm and provider. Below it, names the
/// algorithms that are not standards.
fn lengths(entries: &[AlgorithmEntry], width: usize) -> String {
    let standard = |found: Standardization| match found.stage {
        Stage::Standard => found.detail,
        stage => stage.name(),
    };
    let number = |value: Option<usize>| value.map_or_else(String::new, |value| value.to_string());
    let rows = entries.iter().map(|entry| {
        let encodings = entry
            .encodings
            .iter()
            .filter_map(|encoding| entry.secret_keys.get(encoding).map(|length| format!("{encoding} {length}")));
        vec![
            entry.algorithm.clone(),
            entry.provider.clone(),
            entry.standardization.map_or("-", standard).to_owned(),
            entry.category.map_or_else(|| "-".to_owned(), |category| category.to_string()),
            number(entry.public_key),
            encodings.collect::<Vec<_>>().join(", "),
            number(entry.ciphertext),
            number(entry.signature),
            number(entry.output.or(entry.shared_secret)),
        ]
    });
    let heads = [
        "algorithm",
        "provider",
        "standard",
        "category",
        "public key",
        "secret key",
        "ciphertext",
        "signature",
        "output",
    ];
    let others = not_standards(entries.iter().map(|entry| entry.algorithm.as_str()));
    let others = others.map_or_else(String::new, |text| format!("\n{text}"));
    format!("{}\nLengths in bytes; the maximum if a length varies.{others}", table(&heads, rows.collect(), width))
}

/// Returns a line break and the algorithms that a provider does not offer, with one line per reason. Returns an empty
/// string if the provider offers all algorithms.
fn gaps(entry: &ProviderEntry, width: usize) -> String {
    if entry.unsupported.is_empty() {
        return String::new();
    }
    let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    for (algorithm, reason) in &entry.unsupported {
        match by_reason.iter_mut().find(|(known, _)| known == reason) {
            Some((_, algorithms)) => algorithms.push(algorithm),
            None => by_reason.push((reason.as_str(), vec![algorithm.as_str()])),
        }
    }
    let lines = by_reason.iter().map(|(reason, algorithms)| {
        "\n".to_owned() + &hanging(&format!("  {}: {reason}", algorithms.join(", ")), 4, width)
    });
    format!("\n{} does not offer:{}", entry.id, lines.collect::<String>())
}

/// Lists the algorithms of one library.
fn in_library(library: &LibrarySpec, width: usize) -> anyhow::Result<Listed> {
    let laboratory = crate::laboratory::open()?.with_libraries(vec![library.clone()])?;
    let entries: Vec<AlgorithmEntry> =
        algorithms(&laboratory).into_iter().filter(|entry| entry.provider == library.label).collect();
    let provider = provider_entries(&laboratory).into_iter().find(|entry| entry.id == library.label);
    let version =
        provider.as_ref().map_or_else(String::new, |entry| format!("{} ({})\n\n", entry.version, entry.build));
    let missing = provider.as_ref().map_or_else(String::new, |entry| gaps(entry, width));
    let loaded = laboratory.libraries().next().unwrap_or(library);
    Ok(Listed {
        text: format!(
            "{} from {}: {version}{}{missing}",
            loaded.label,
            loaded.file().display(),
            lengths(&entries, width)
        ),
        json: library_entry(&laboratory, &library.label)?,
    })
}
