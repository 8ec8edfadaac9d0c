//! A library's functions, looked up once.

/// Declares a table of functions: those that the library has to have, and after `optional` those that it may have.
macro_rules! symbols {
    (
        $(#[$doc:meta])*
        $vis:vis $name:ident, $hint:literal {
            $(fn $required:ident($($argument:ty),* $(,)?) $(-> $answer:ty)?;)*
            optional
            $(fn $optional:ident($($argument_of_optional:ty),* $(,)?) $(-> $answer_of_optional:ty)?;)*
        }
    ) => {
        $(#[$doc])*
        #[allow(non_snake_case)]
        $vis struct $name {
            $($vis $required: unsafe extern "C" fn($($argument),*) $(-> $answer)?,)*
            $($vis $optional: Option<unsafe extern "C" fn($($argument_of_optional),*) $(-> $answer_of_optional)?>,)*
        }

        impl $name {
            /// Looks all of them up.
            ///
            /// # Errors
            /// [`crate::open::OpenError::NoSymbol`].
            $vis fn of(library: &$crate::open::Library) -> Result<$name, $crate::open::OpenError> {
                let lacks = |symbol| library.lacks(symbol, $hint);
                // SAFETY: the types are those of the library's headers, which have not changed since these functions came.
                unsafe {
                    Ok($name {
                        $($required: library.function(stringify!($required)).ok_or_else(|| lacks(stringify!($required)))?,)*
                        $($optional: library.function(stringify!($optional)),)*
                    })
                }
            }
        }
    };
}
pub(crate) use symbols;
