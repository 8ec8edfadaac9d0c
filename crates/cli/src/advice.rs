//! Advice to append to error messages: the verb or option that fixes the error. Error messages from other crates do not
//! mention verbs or options, because those crates also serve other programs.

use pqlab_lab::store::StoreError;
use pqlab_lab::{LabError, Thing};
use pqlab_server::ServerError;

/// Returns the advice for an error, with its leading punctuation. Returns an empty string if there is no advice.
pub(crate) fn advice(error: &anyhow::Error) -> String {
    let advise = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<LabError>() {
        Some(error) => of_lab(error),
        None => match cause.downcast_ref::<ServerError>() {
            Some(ServerError::Store(error)) => of_store(error),
            Some(ServerError::Address { .. }) => Some("; choose another address with --listen".to_owned()),
            _ => cause.downcast_ref::<StoreError>().and_then(of_store),
        },
    };
    error.chain().find_map(advise).unwrap_or_default()
}

fn of_lab(error: &LabError) -> Option<String> {
    Some(match error {
        LabError::Store(error) => return of_store(error),
        LabError::Unknown { what, .. } => match what {
            Thing::Algorithm | Thing::Provider => format!(": see `pqlab list {what}s`"),
            Thing::Library => ": see `pqlab list providers`, or name a library as [LABEL=]KIND:PATH".into(),
            Thing::LedgerProvider => ": see `pqlab list providers`".into(),
            Thing::LeakCase => ": see `pqlab leak --list`".into(),
            Thing::Added => ": see `pqlab library list`".into(),
            Thing::Suite => ", or name a .toml file".into(),
            Thing::Selection => {
                ": see `pqlab list suites`, `pqlab list algorithms`, `pqlab list providers`, or name a .toml file"
                    .into()
            }
            _ => return None,
        },
        LabError::Invalid { field: "count", .. } => ": set the number with --count".into(),
        LabError::Invalid { field: "senders", .. } => " (--senders)".into(),
        LabError::Invalid { field: "name", .. } => {
            ": choose another name, or move the name to this run with --force".into()
        }
        LabError::Invalid { field: "force", .. } => "; remove the run anyway with --force".into(),
        LabError::Invalid { field: "confidence", .. } => " (--confidence)".into(),
        LabError::NothingSelected { with, .. } if with.is_empty() => {
            "; `pqlab list cases` lists the ids that filters can match".into()
        }
        LabError::NothingSelected { with, .. } => format!(": try `pqlab run {}` with the same filters", with[0]),
        LabError::NoCaseOfRun { run, .. } => format!(": `pqlab show {run}` lists the cases of the run"),
        LabError::NothingInCommon { .. } => ": `pqlab show RUN` lists the cases of a run".into(),
        LabError::OtherCounter { .. } => ": start a new run".into(),
        LabError::Changed { .. } => "; start a new run, or resume anyway with --resume-elsewhere".into(),
        LabError::Foreign { .. } => "; allow this with --allow-foreign, or name the libraries with --library".into(),
        LabError::NothingShared { .. } => {
            ": `pqlab list library=...` and `pqlab list algorithms` list the algorithms of each library".into()
        }
        LabError::OtherForm { found, .. } => format!(": verify them with --form {found}"),
        LabError::Missing { program } => format!(": install the `{program}` package, or leave out --taint"),
        _ => return None,
    })
}

fn of_store(error: &StoreError) -> Option<String> {
    let text = match error {
        StoreError::NoHome => ": set HOME, or name a file with --db or PQLAB_DB",
        StoreError::Missing { .. } => ": create it with `pqlab run`, or name another file with --db",
        StoreError::NotAFile { .. } => ": name a file with --db",
        StoreError::NotADatabase { .. } | StoreError::Foreign { .. } | StoreError::Altered { .. } => {
            ": name another file with --db"
        }
        StoreError::Future { .. } => {
            ": correct `started_at` in the file, or the clock of the machine that measured the run"
        }
        StoreError::Older { .. } => ": read it with the pqlab version that wrote it, or name another file with --db",
        StoreError::Newer { .. } => ": update pqlab, or name another file with --db",
        StoreError::Denied { .. } => {
            ": check the permissions of the file and its folder, or name another file with --db"
        }
        StoreError::Full { .. } => ": free some space, then resume with `pqlab run --resume`",
        StoreError::Locked { .. } => ": wait until that process ends, or name another file with --db",
        StoreError::Damaged { .. } => {
            ": restore the file from a backup, or move it away and `pqlab import` exported runs into a new one"
        }
        StoreError::DamagedSamples { .. } => ": restore the file from a backup",
        StoreError::UnknownRun { .. } => ": `pqlab runs` lists all runs",
        StoreError::TooFewRuns { stored: 0, .. } => ": start with `pqlab run`, or name another file with --db",
        StoreError::TooFewRuns { .. } => ": `pqlab runs` lists them",
        StoreError::DuplicateRun { .. } => ": keep the stored run, or remove it first with `pqlab runs rm`",
        StoreError::DuplicateCase { .. } => ": is another process resuming the same run?",
        StoreError::NotResumable { .. } => "; start a new run with `pqlab run`",
        _ => return None,
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(error: impl Into<anyhow::Error>) -> String {
        let error = error.into();
        format!("{error:#}{}", advice(&error))
    }

    #[test]
    fn an_error_line_ends_with_advice() {
        let missing = || StoreError::Missing { path: "a.db".into() };
        let wanted = "a.db: no such file: create it with `pqlab run`, or name another file with --db";
        assert_eq!(line(missing()), wanted);
        assert_eq!(line(LabError::from(missing())), wanted, "if wrapped in a `LabError`");
        let changes = vec!["host was a and is now b".into()];
        assert_eq!(
            line(LabError::Changed { run: "r".into(), changes }),
            "conditions have changed since run r started: host was a and is now b; start a new run, or resume anyway with --resume-elsewhere"
        );
        assert_eq!(
            line(LabError::Missing { program: "valgrind" }),
            "valgrind is not installed: install the `valgrind` package, or leave out --taint"
        );
        let context =
            anyhow::Error::from(LabError::NothingSelected { with: Vec::new(), near: Vec::new() }).context("the plan");
        assert_eq!(
            line(context),
            "the plan: no case is selected; `pqlab list cases` lists the ids that filters can match"
        );
        assert_eq!(line(StoreError::BadName { name: "last".into() }).matches(':').count(), 1);
    }
}
