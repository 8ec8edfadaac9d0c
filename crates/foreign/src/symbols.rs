//! Tables of library functions. Each function is looked up once, by name.

/// Declares a table of functions. Functions that a library may lack follow the keyword `optional`; all others are
/// required.
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
            /// Looks up all functions in `library`.
            ///
            /// # Errors
            /// [`crate::open::OpenError::NoSymbol`] if a required function is missing.
            $vis fn load(library: &$crate::open::Library) -> Result<$name, $crate::open::OpenError> {
                let lacks = |symbol| library.lacks(symbol, $hint);
                // SAFETY: the types match the library's headers, in every version that has these
                // functions.
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
