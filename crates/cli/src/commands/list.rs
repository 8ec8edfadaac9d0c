use super::laboratory;
use crate::args::{ListArgs, Listing};
use crate::output::Terminal;
use crate::table::table;
use crate::{DONE, output};
use pqlab_lab::report::{Format, exporters};
use pqlab_lab::{algorithms, builtin_suites, counters, provider_entries};
use serde_json::{Value, json};

pub(crate) fn run(arguments: &ListArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let listing = list(arguments.what, terminal.width)?;
    if arguments.json {
        output::json(&serde_json::to_string_pretty(&listing.json)?)?;
    } else {
        output::data(&listing.text)?;
    }
    Ok(DONE)
}

struct Listed {
    text: String,
    json: Value,
}

fn list(what: Listing, width: usize) -> anyhow::Result<Listed> {
    Ok(match what {
        Listing::Cases => {
            let cases = laboratory()?.registry().cases(&Default::default());
            let ids: Vec<String> = cases.iter().map(|case| case.id()).collect();
            Listed { text: ids.join("\n"), json: json!(ids) }
        }
        Listing::Algorithms => {
            let entries = algorithms(&laboratory()?);
            let number = |value: Option<usize>| value.map_or_else(String::new, |value| value.to_string());
            let rows = entries.iter().map(|entry| {
                let encodings = entry.encodings.iter().filter_map(|encoding| {
                    entry.secret_keys.get(encoding).map(|length| format!("{encoding} {length}"))
                });
                vec![
                    entry.algorithm.clone(),
                    entry.provider.clone(),
                    entry.category.map_or_else(|| "-".to_owned(), |category| category.to_string()),
                    number(entry.public_key),
                    encodings.collect::<Vec<_>>().join(", "),
                    number(entry.ciphertext),
                    number(entry.signature),
                    number(entry.output.or(entry.shared_secret)),
                ]
            });
            let heads =
                ["algorithm", "provider", "category", "public key", "secret key", "ciphertext", "signature", "output"];
            let text = table(&heads, rows.collect(), width);
            Listed {
                text: format!("{text}\nLengths in bytes; the longest where a length varies."),
                json: json!(entries),
            }
        }
        Listing::Providers => {
            let entries = provider_entries(&laboratory()?);
            let rows = entries.iter().map(|entry| {
                vec![entry.id.clone(), entry.algorithms.to_string(), entry.version.clone(), entry.build.clone()]
            });
            let mut text = table(&["provider", "algorithms", "version", "build"], rows.collect(), width);
            for entry in entries.iter().filter(|entry| !entry.unsupported.is_empty()) {
                text.push_str(&format!("\n{} does not offer:", entry.id));
                for (algorithm, reason) in &entry.unsupported {
                    text.push_str(&format!("\n  {algorithm}: {reason}"));
                }
            }
            Listed { text, json: json!(entries) }
        }
        Listing::Suites => {
            let suites = builtin_suites()?;
            let about = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let rows = suites.iter().map(|suite| vec![suite.name.clone(), about(&suite.about)]);
            let json: Vec<Value> =
                suites.iter().map(|suite| json!({"name": suite.name, "about": about(&suite.about)})).collect();
            Listed { text: table(&["suite", "what it answers"], rows.collect(), width), json: json!(json) }
        }
        Listing::Exporters => {
            let all: Vec<Format> = exporters().iter().map(|exporter| exporter.format()).collect();
            let rows = all.iter().map(|format| vec![format.name.to_owned(), format.describe.to_owned()]);
            let json: Vec<Value> = all
                .iter()
                .map(|of| json!({"name": of.name, "about": of.describe, "extension": of.extension}))
                .collect();
            Listed { text: table(&["format", "what it is for"], rows.collect(), width), json: json!(json) }
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
