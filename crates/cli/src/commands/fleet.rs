use crate::args::{DatabaseArgs, FleetArgs, FleetCommand, FleetPageArgs, FleetRunArgs};
use crate::package::Words;

pub(crate) fn run(arguments: &FleetArgs) -> anyhow::Result<u8> {
    match &arguments.command {
        FleetCommand::Run(arguments) => measure(arguments),
        FleetCommand::Page(arguments) => page(arguments),
    }
}

fn measure(arguments: &FleetRunArgs) -> anyhow::Result<u8> {
    let mut words = Words::of(&["fleet"]);
    words.option("--address", &arguments.address);
    let lists = [
        ("--label", &arguments.label),
        ("--algorithm", &arguments.algorithm),
        ("--provider", &arguments.provider),
        ("--filter", &arguments.filter),
        ("--price", &arguments.price),
    ];
    for (name, values) in lists {
        values.iter().for_each(|value| words.option(name, value));
    }
    arguments.max_time.iter().for_each(|seconds| words.option("--max-time", seconds.to_string()));
    arguments.seed.iter().for_each(|seed| words.option("--seed", seed.to_string()));
    arguments.out.iter().for_each(|folder| words.option("--out", folder));
    database(&mut words, &arguments.database);
    words.flag("--quick", arguments.quick);
    words.flag("--rigorous", arguments.rigorous);
    words.flag("--json", arguments.json);
    words.flag("--no-progress", arguments.no_progress);
    words.rest(&arguments.suites);
    words.become_package("fleet run")
}

fn page(arguments: &FleetPageArgs) -> anyhow::Result<u8> {
    let mut words = Words::of(&["page"]);
    words.option("--out", &arguments.out);
    arguments.price.iter().for_each(|price| words.option("--price", price));
    database(&mut words, &arguments.database);
    words.rest(&arguments.runs);
    words.become_package("fleet page")
}

fn database(words: &mut Words, database: &DatabaseArgs) {
    database.db.iter().for_each(|path| words.option("--db", path));
}
