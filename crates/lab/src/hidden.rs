//! CPU features that the user hides.

use crate::LabError;

/// Checks the environment variable that hides CPU features. Programs call it first.
///
/// # Errors
/// [`LabError::Invalid`] if the variable has a word that names no feature.
pub fn check_hidden_cpu_features() -> Result<(), LabError> {
    match pqlab_cpu::hidden() {
        Ok(_) => Ok(()),
        Err(unknown) => Err(LabError::invalid(pqlab_cpu::VARIABLE, unknown.to_string())),
    }
}
