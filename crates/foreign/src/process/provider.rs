//! Creates providers from the lists that programs send.

use super::call::{RemoteAgreement, RemoteHash, RemoteKem};
use super::offer::{Kind, Offer};
use super::program::{Program, Timed, line};
use super::signature::RemoteScheme;
use super::{Greeting, ProcessError};
use crate::open::short_hex;
use pqlab_primitives::{
    BuildInfo, Error, Function, HashParameters, KemParameters, Language, Provider, SignatureParameters,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A program's greeting and offers, from which pqlab creates a provider without starting the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    greeting: Greeting,
    /// Offers as the program sent them, such as `kem ML-KEM-768 coins=keygen`.
    offers: Vec<String>,
}

/// Starts the program, asks for its offers, and returns a provider with the program's name. Algorithms without known
/// parameters are listed as unsupported.
///
/// # Errors
/// [`ProcessError`] if the program cannot be started or does not list valid offers.
pub fn open(program: Program) -> Result<(Provider, Listing), ProcessError> {
    let greeting = program.greet()?;
    let mut offers = Vec::new();
    for text in program.ask("list", &[])? {
        offers.push(line(&text).ok_or_else(|| program.broken("the list has an entry that is not a line of text"))?);
    }
    let listing = Listing { greeting, offers };
    Ok((provider(program, &listing)?, listing))
}

/// Returns a provider for a program whose listing is known. The first call starts the program, which then inherits the
/// state and the processor binding of the calling process.
///
/// # Errors
/// [`ProcessError`] for an invalid listing.
pub fn open_listed(program: Program, listing: &Listing) -> Result<Provider, ProcessError> {
    provider(program.known(listing.greeting.clone()), listing)
}

/// Returns a digest that identifies a program's build, without relying on the program's greeting. The digest covers the
/// program, the files among its arguments, and the files in `PROGRAM.d`. `make workers` puts the code that a starter
/// script runs into that folder. Returns `None` for a socket.
fn digest(program: &Program) -> Option<String> {
    let named: Vec<&Path> = program.files().filter(|path| path.is_file()).collect();
    let path = named.first()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    let entries = fs::read_dir(path.with_file_name(format!("{name}.d"))).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    let files: Vec<&Path> = named.iter().copied().chain(files.iter().map(PathBuf::as_path)).collect();
    let mut all = Sha256::new();
    for file in &files {
        // Hash each file separately, so that moving bytes from one file to another changes the digest.
        all.update(Sha256::digest(fs::read(file).ok()?));
    }
    let short = short_hex(&all.finalize());
    let more = match files.len() {
        1 => String::new(),
        2 => " and 1 file that it runs".to_owned(),
        count => format!(" and {} files that it runs", count - 1),
    };
    Some(format!("{name}{more}, SHA-256 {short}..."))
}

fn provider(program: Program, listing: &Listing) -> Result<Provider, ProcessError> {
    let program = Arc::new(program);
    let Greeting { language, runtime, libraries, generator } = listing.greeting.clone();
    let build = match digest(&program) {
        Some(digest) => format!("{runtime}; {digest}"),
        None => runtime.clone(),
    };
    let mut provider = Provider::new(program.name(), BuildInfo { version: libraries, build });
    provider.language = Some(Language { name: language, runtime: Some(runtime) });
    provider.generator = Some(generator);
    let mut seen = Vec::new();
    for text in &listing.offers {
        let offer = Offer::parse(text).map_err(|reason| program.broken(&reason))?;
        let name = (offer.kind as u8, offer.algorithm.clone());
        if seen.contains(&name) {
            return Err(program.broken(&format!("the list names {} twice", offer.algorithm)));
        }
        seen.push(name);
        add(&mut provider, &program, offer);
    }
    provider.remote = Some(Arc::new(Timed(program)));
    Ok(provider)
}

fn add(provider: &mut Provider, program: &Arc<Program>, offer: Offer) {
    let program = Arc::clone(program);
    let algorithm = offer.algorithm.clone();
    let added = match offer.kind {
        Kind::Kem => KemParameters::find(&algorithm).map(|parameters| {
            let kem = RemoteKem::new(program, parameters, offer);
            provider.key_agreements.extend(RemoteAgreement::new(&kem).map(|agreement| Arc::new(agreement) as _));
            provider.kems.push(Arc::new(kem));
        }),
        Kind::Signature => SignatureParameters::find(&algorithm)
            .map(|parameters| provider.signatures.push(Arc::new(RemoteScheme::new(program, parameters, offer)))),
        Kind::Hash => HashParameters::find(&algorithm)
            .map(|parameters| provider.hashes.push(Arc::new(RemoteHash { program, parameters }))),
        Kind::Function => {
            let Offer { inputs, verified, .. } = offer;
            provider.functions.push(Function { name: algorithm.clone(), inputs, verified });
            Some(())
        }
    };
    if added.is_none() {
        let reason = "pqlab does not know the parameters of this algorithm".to_owned();
        provider.unsupported.push(pqlab_primitives::Unsupported { algorithm, reason });
    }
}

impl ProcessError {
    /// Converts the error to the error type of the library traits: a failure of the program becomes a failed library
    /// call.
    pub(super) fn of_library(self, call: &'static str) -> Error {
        match self {
            ProcessError::Unsupported { .. } => Error::Unsupported("the worker does not offer this operation"),
            other => Error::Library { call, detail: other.to_string() },
        }
    }
}
