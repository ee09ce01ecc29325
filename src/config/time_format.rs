//! The display format of times.

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum TimeFormat {
    /// The age, such as `6h`.
    #[default]
    Age,
    /// Date and time in the user's time zone.
    Local,
    Utc,
}

impl TimeFormat {
    /// Returns the next format in the cycle of the display key.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Age => Self::Local,
            Self::Local => Self::Utc,
            Self::Utc => Self::Age,
        }
    }

    pub fn column_title(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::Local => "local time",
            Self::Utc => "UTC time",
        }
    }
}
