//! Scenario for the tables about circuit handshakes.

use crate::args::ScenarioArgs;
use crate::output::BadInput;
use pqlab_lab::analysis::ntor::RelayScenario;

/// Reads the scenario from the command line.
pub(crate) fn parse(arguments: &ScenarioArgs) -> Result<RelayScenario, BadInput> {
    RelayScenario::new(arguments.circuits_per_second, &arguments.link, arguments.rtt)
        .map_err(|error| BadInput(error.to_string()))
}
