//! Reference data that later runs are compared with: named baselines, and the measured noise of machines.

use crate::error::At;
use crate::{Store, StoreError};
use pqlab_record::{Environment, MachineNoise};
use rusqlite::{OptionalExtension, params};

impl Store {
    /// Gives a run a baseline name. If another run already has this name, that run loses it.
    ///
    /// # Errors
    /// [`StoreError::BadName`] if the name is not allowed, [`StoreError::UnknownRun`] if no run has this id.
    pub fn save_baseline(&mut self, name: &str, run: &str) -> Result<(), StoreError> {
        Store::check_baseline_name(name)?;
        let known = "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1)";
        if !self.connection.query_row(known, [run], |row| row.get(0)).at(&self.path)? {
            return Err(StoreError::UnknownRun { reference: run.into() });
        }
        let sql = "INSERT INTO baselines (name, run) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET run = ?2";
        self.connection.execute(sql, [name, run]).at(&self.path)?;
        Ok(())
    }

    /// Checks that a name is allowed for a baseline: letters, digits, dots, hyphens and underscores, not beginning with
    /// `last`.
    ///
    /// # Errors
    /// [`StoreError::BadName`] if the name is not allowed.
    pub fn check_baseline_name(name: &str) -> Result<(), StoreError> {
        let plain = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
        if name.is_empty() || name.starts_with("last") || !name.chars().all(plain) {
            return Err(StoreError::BadName { name: name.into() });
        }
        Ok(())
    }

    /// Returns the id of the run with this baseline name, or `None` if the name is unknown.
    ///
    /// # Errors
    /// SQLite errors.
    pub fn baseline(&self, name: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT run FROM baselines WHERE name = ?1";
        self.connection.query_row(sql, [name], |row| row.get(0)).optional().at(&self.path)
    }

    /// Stores the measured noise of a machine, in addition to earlier measurements.
    ///
    /// # Errors
    /// [`StoreError`] if the noise cannot be encoded as JSON or stored.
    pub fn save_noise(&mut self, noise: &MachineNoise) -> Result<(), StoreError> {
        let json = serde_json::to_string(noise).map_err(|error| self.damaged_noise(&error))?;
        let sql = "INSERT INTO machine_noise (host, cpu, measured_at, noise) VALUES (?1, ?2, ?3, ?4)";
        self.connection.execute(sql, params![noise.host, noise.cpu, noise.measured_at, json]).at(&self.path)?;
        Ok(())
    }

    /// Returns the newest stored noise for the machine with this environment's host name and processor, if there is
    /// any.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the stored noise cannot be read back, and errors from SQLite.
    pub fn noise(&self, environment: &Environment) -> Result<Option<MachineNoise>, StoreError> {
        let sql = "SELECT noise FROM machine_noise WHERE host IS ?1 AND cpu = ?2 ORDER BY number DESC LIMIT 1";
        let key = params![environment.host.name, environment.cpu.model];
        let found: Option<String> = self.connection.query_row(sql, key, |row| row.get(0)).optional().at(&self.path)?;
        found.map(|json| serde_json::from_str(&json).map_err(|error| self.damaged_noise(&error))).transpose()
    }

    fn damaged_noise(&self, error: &serde_json::Error) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            what: "this machine's noise record".into(),
            reason: error.to_string(),
        }
    }
}
