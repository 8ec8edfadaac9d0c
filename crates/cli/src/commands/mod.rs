//! One file per verb. A verb does not use another verb's file. Code that verbs share belongs in a module outside this
//! folder.

pub(crate) mod calibrate;
pub(crate) mod compare;
pub(crate) mod compare_libraries;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod fleet;
pub(crate) mod import;
pub(crate) mod inspect;
pub(crate) mod leak;
pub(crate) mod ledger;
pub(crate) mod library;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod ntor_client;
pub(crate) mod ntor_relay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod verify;
