//! What a user of the command line can do about an error: the laboratory's own words speak of no flags and no verbs.

use pqlab_lab::store::StoreError;
use pqlab_lab::{LabError, Thing};
use pqlab_server::ServerError;

/// The rest of the line that says what went wrong, with its punctuation; empty where the error says it all.
pub(crate) fn advice(error: &anyhow::Error) -> String {
    let of = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<LabError>() {
        Some(error) => of_lab(error),
        None => match cause.downcast_ref::<ServerError>() {
            Some(ServerError::Store(error)) => of_store(error),
            Some(ServerError::Address { .. }) => Some("; choose another address with --listen".to_owned()),
            _ => cause.downcast_ref::<StoreError>().and_then(of_store),
        },
    };
    error.chain().find_map(of).unwrap_or_default()
}

fn of_lab(error: &LabError) -> Option<String> {
    Some(match error {
        LabError::Store(error) => return of_store(error),
        LabError::Unknown { what, .. } => match what {
            Thing::Algorithm | Thing::Provider => format!(": see `pqlab list {what}s`"),
            Thing::Library => ": see `pqlab list providers`, or name a library as [LABEL=]KIND:PATH".into(),
            Thing::LedgerProvider => ": see `pqlab list providers`".into(),
            Thing::LeakCase => ": see `pqlab leak --list`".into(),
            Thing::Suite => ", or name a .toml file".into(),
            Thing::Selection => {
                ": see `pqlab list suites`, `pqlab list algorithms`, `pqlab list providers`, or name a .toml file"
                    .into()
            }
            _ => return None,
        },
        LabError::Invalid { field: "count", .. } => ": --count tells how many".into(),
        LabError::Invalid { field: "senders", .. } => " (--senders)".into(),
        LabError::Invalid { field: "name", .. } => ": choose another, or pass it on with --force".into(),
        LabError::Invalid { field: "force", .. } => "; --force removes it all the same".into(),
        LabError::Invalid { field: "column", .. } => ": choose one with --column".into(),
        LabError::Invalid { field: "confidence", .. } => " (--confidence)".into(),
        LabError::NothingSelected { with, .. } if with.is_empty() => {
            ": see `pqlab list cases` for the ids that filters match".into()
        }
        LabError::NothingSelected { with, .. } => format!(": `pqlab run {}` with the same filters has it", with[0]),
        LabError::NoCaseOfRun { run, .. } => format!(": `pqlab show {run}` lists them"),
        LabError::NothingInCommon { .. } => ": `pqlab show` lists their cases".into(),
        LabError::OtherCounter { .. } => ": start a new run, or choose one with --counter".into(),
        LabError::Changed { .. } => "; start a new run, or go on all the same with --resume-elsewhere".into(),
        LabError::Foreign { .. } => ": allow it with --allow-foreign, or give them yourself with --library".into(),
        LabError::NothingShared { .. } => {
            ": `pqlab list library=...` and `pqlab list algorithms` say what each of them has".into()
        }
        LabError::OtherForm { found, .. } => format!(": --form {found} takes them"),
        LabError::Missing { program } => format!(": install the package `{program}`, or leave out --taint"),
        _ => return None,
    })
}

fn of_store(error: &StoreError) -> Option<String> {
    let text = match error {
        StoreError::NoHome => ": set HOME, or name a file with --db or PQLAB_DB",
        StoreError::Missing { .. } => ": `pqlab run` makes it, or name another with --db",
        StoreError::NotAFile { .. } => ": name a file with --db",
        StoreError::NotADatabase { .. } | StoreError::Foreign { .. } | StoreError::Altered { .. } => {
            ": name another file with --db"
        }
        StoreError::Future { .. } => ": correct its `started_at`, or the clock of the machine that measured it",
        StoreError::Older { .. } => ": read it with the pqlab that wrote it, or name another file with --db",
        StoreError::Newer { .. } => ": update pqlab, or name another file with --db",
        StoreError::Denied { .. } => ": fix the rights of the file and its folder, or name another file with --db",
        StoreError::Full { .. } => ": free some, then go on with `pqlab run --resume`",
        StoreError::Locked { .. } => ": let it end, or name another file with --db",
        StoreError::Damaged { .. } => ": restore the file from a copy, or `pqlab import` the run again",
        StoreError::DamagedSamples { .. } => ": restore the file from a copy",
        StoreError::UnknownRun { .. } => ": `pqlab runs` lists them all",
        StoreError::TooFewRuns { .. } => ", `pqlab runs` lists them",
        StoreError::DuplicateRun { .. } => ": delete the stored one first, or keep it",
        StoreError::DuplicateCase { .. } => ": is another process resuming the same run?",
        StoreError::NotResumable { .. } => "; `pqlab run` begins a new one",
        _ => return None,
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(error: impl Into<anyhow::Error>) -> String {
        let error = error.into();
        format!("{error:#}{}", advice(&error))
    }

    #[test]
    fn a_line_ends_with_what_can_be_done() {
        let missing = || StoreError::Missing { path: "a.db".into() };
        let line = "a.db: no such file: `pqlab run` makes it, or name another with --db";
        assert_eq!(said(missing()), line);
        assert_eq!(said(LabError::from(missing())), line, "whoever reports it");
        let changes = vec!["host was a, is b".into()];
        assert_eq!(
            said(LabError::Changed { run: "r".into(), changes }),
            "conditions have changed since run r started: host was a, is b; start a new run, or go on all the same with --resume-elsewhere"
        );
        assert_eq!(
            said(LabError::Missing { program: "valgrind" }),
            "valgrind is not installed: install the package `valgrind`, or leave out --taint"
        );
        let context =
            anyhow::Error::from(LabError::NothingSelected { with: Vec::new(), near: Vec::new() }).context("the plan");
        assert_eq!(
            said(context),
            "the plan: no case is selected: see `pqlab list cases` for the ids that filters match"
        );
        assert_eq!(said(StoreError::BadName { name: "last".into() }).matches(':').count(), 1);
    }
}
