//! One declaration per family of records: the structs, the enum over them, and the table for the documentation.

use serde::{Deserialize, Deserializer};

/// A kind of record, as the documentation lists it.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The `kind` member of the entry.
    pub name: &'static str,
    /// What the record states.
    pub meaning: &'static str,
    /// The members of `data`.
    pub fields: &'static [Field],
}

/// A member of a record's `data`.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its Rust type.
    pub rust_type: &'static str,
    /// Whether it may be absent.
    pub is_optional: bool,
    /// What it holds.
    pub meaning: &'static str,
}

/// Reads a member. A member without a default that is absent is an error, also where null is allowed: absent and null
/// are different bytes.
pub(crate) fn exact<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(from)
}

/// Declares the records of a family. Two structs may share a kind when it has two forms; they are tried in order.
macro_rules! family {
    (
        $(#[doc = $about:expr])+
        $family:ident {
            $(
                $(#[doc = $meaning:expr])+
                $kind:literal $name:ident {
                    $(
                        $(#[doc = $note:expr])+
                        $(#[serde($($how:tt)+)])?
                        $field:ident: $type:ty,
                    )*
                }
            )+
        }
    ) => {
        $(
            $(#[doc = $meaning])+
            #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                $(
                    $(#[doc = $note])+
                    $(#[serde($($how)+)])?
                    #[serde(deserialize_with = "crate::record::family::exact")]
                    pub $field: $type,
                )*
            }

            impl $crate::RecordType for $name {
                fn of(record: &$crate::Record) -> Option<&Self> {
                    match record {
                        $crate::Record::$family($family::$name(record)) => Some(record),
                        _ => None,
                    }
                }
            }

            impl From<$name> for $crate::Record {
                fn from(record: $name) -> Self {
                    Self::$family($family::$name(record))
                }
            }
        )+

        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "records are few and short-lived")]
        pub enum $family {
            $(
                $(#[doc = $meaning])+
                $name($name),
            )+
        }

        impl $family {
            /// Every kind of this family.
            pub const KINDS: &'static [$crate::record::family::Kind] = &[
                $(
                    $crate::record::family::Kind {
                        name: $kind,
                        meaning: concat!($($meaning),+),
                        fields: &[
                            $(
                                $crate::record::family::Field {
                                    name: stringify!($field),
                                    rust_type: stringify!($type),
                                    is_optional: false $(|| !stringify!($($how)+).is_empty())?,
                                    meaning: concat!($($note),+),
                                },
                            )*
                        ],
                    },
                )+
            ];

            pub(crate) const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => $kind,)+
                }
            }

            pub(crate) fn parse(kind: &str, data: &str) -> Option<Self> {
                $(
                    if kind == $kind
                        && let Ok(record) = serde_json::from_str::<$name>(data)
                    {
                        return Some(Self::$name(record));
                    }
                )+
                None
            }

            pub(crate) fn data(&self) -> serde_json::Value {
                match self {
                    // A record holds nothing that JSON cannot; the property test covers every kind.
                    $(Self::$name(record) => serde_json::to_value(record).unwrap_or_default(),)+
                }
            }
        }
    };
}

pub(crate) use family;
