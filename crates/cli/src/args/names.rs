use clap::ValueEnum;
use pqlab_lab::report::Names;

/// Row names of an export.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NamesName {
    #[default]
    Ids,
    Reference,
}

impl From<NamesName> for Names {
    fn from(name: NamesName) -> Names {
        match name {
            NamesName::Ids => Names::Ids,
            NamesName::Reference => Names::Reference,
        }
    }
}
