//! Enumerations whose values have names.

/// Defines an enumeration: `ALL` values in their order, the `name` of each, `Display` and `FromStr`
/// by it. The text after the type says what a value is, for the error of a name that is none.
#[macro_export]
macro_rules! named {
    (
        $(#[$about:meta])*
        $Type:ident, $what:literal:
        $($(#[$doc:meta])* $Value:ident = $name:literal,)+
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Type {
            $($(#[$doc])* $Value,)+
        }

        impl $Type {
            /// All of them, in the order in which they are declared.
            pub const ALL: [$Type; [$($name),+].len()] = [$($Type::$Value),+];

            /// The name on the command line and in results.
            pub const fn name(self) -> &'static str {
                match self {
                    $($Type::$Value => $name,)+
                }
            }
        }

        impl ::std::fmt::Display for $Type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $Type {
            type Err = $crate::SpecError;

            fn from_str(name: &str) -> ::std::result::Result<$Type, $crate::SpecError> {
                let found = $Type::ALL.into_iter().find(|value| value.name() == name);
                found.ok_or_else(|| $crate::SpecError::unknown($what, name, &[$($name),+]))
            }
        }
    };
}
