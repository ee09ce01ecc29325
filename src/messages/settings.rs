//! Problems of the settings: API keys, key bindings, themes.

super::sentences! {
    HOST_KEY = "expected an API key: \"host\" = \"key\"";
}

/// An invalid key. The message does not contain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ApiKeyError {
    /// The key cannot be sent in a header, or not be redacted.
    #[error("not an API key: expected 8 to 512 letters, digits and signs other than \\ and %")]
    InvalidSecret,
    #[error("not a host: expected a name with an optional port, such as explorer.example:8443")]
    InvalidHost,
}

/// An API key that is not sent, or that others can read. `origin` is a setting or a variable.
#[derive(Debug, thiserror::Error)]
pub enum KeyUseError {
    #[error("{origin}: remove the key from the URL of the chain: URLs are shown and logged")]
    InUrl { origin: String },
    #[error("{origin}: the key for {host} is only sent over https, not to {base}")]
    Unencrypted { origin: String, host: String, base: String },
    #[error("{origin}: the key is empty")]
    Empty { origin: String },
    #[error("{origin}: file not found")]
    NoFile { origin: String },
    #[error("others can read the API key in {path}: chmod 600 {path}")]
    ReadableByOthers { path: String },
}

/// A problem of a key map. Chords are in the notation of the screen.
#[derive(Debug, thiserror::Error)]
pub enum KeymapError {
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    #[error(
        "unknown key `{name}`: expected a character, `ctrl-` and a character, or one of {named}"
    )]
    UnknownKey { name: String, named: String },
    #[error("expected an action in quotes, or false")]
    NotAnAction,
    #[error("`{former}` is now called `{name}`")]
    Renamed { former: String, name: &'static str },
    #[error("{chord} is not bound here")]
    NotBound { chord: String },
    /// A chord that starts with another whole chord.
    #[error("{chord} is unreachable, {first} is bound: \"{first_in_file}\" = false removes it")]
    Unreachable { chord: String, first: String, first_in_file: String },
    #[error("{chord} hides {hidden}")]
    Hides { chord: String, hidden: String },
    #[error("in `{context}` {chord} is {action}")]
    ShadowedBy { context: &'static str, chord: String, action: &'static str },
    #[error("in `{context}` {chord} begins other keys")]
    BeginsOthers { context: &'static str, chord: String },
}

/// A colour or style of a theme that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StyleError {
    #[error("`{text}` is not a colour: expected six hex digits")]
    Color { text: String },
    #[error("no style for {role}, and no `{base}`")]
    Missing { role: &'static str, base: &'static str },
}
