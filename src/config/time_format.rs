//! In which form the chain's times are shown.

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

/// How times are shown.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum TimeFormat {
    /// How long ago.
    #[default]
    Age,
    /// In the user's time zone.
    Local,
    /// In universal time.
    Utc,
}

impl TimeFormat {
    /// The next one.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Age => Self::Local,
            Self::Local => Self::Utc,
            Self::Utc => Self::Age,
        }
    }

    /// What a column of them is called.
    pub fn column_title(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::Local => "local time",
            Self::Utc => "UTC time",
        }
    }
}
