//! Kinds of calls.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::IntoStaticStr)]
#[repr(u8)]
#[strum(serialize_all = "lowercase")]
pub enum CallKind {
    #[default]
    Call,
    StaticCall,
    DelegateCall,
    CallCode,
    Create,
    Create2,
    /// Also written `suicide`.
    SelfDestruct,
    /// A block reward, which only some nodes list.
    Reward,
    /// An unknown type, whose name is in the entry itself.
    #[strum(serialize = "unknown")]
    Other,
}

impl CallKind {
    /// Returns the kind with a node's or an explorer's name `word`, in any case.
    pub fn from_name(word: &[u8]) -> Self {
        const NAMES: [(&[u8], CallKind); 9] = [
            (b"call", CallKind::Call),
            (b"staticcall", CallKind::StaticCall),
            (b"delegatecall", CallKind::DelegateCall),
            (b"create", CallKind::Create),
            (b"create2", CallKind::Create2),
            (b"callcode", CallKind::CallCode),
            (b"selfdestruct", CallKind::SelfDestruct),
            (b"suicide", CallKind::SelfDestruct),
            (b"reward", CallKind::Reward),
        ];
        NAMES
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(word))
            .map_or(Self::Other, |(_, kind)| *kind)
    }

    /// Returns the usual name in traces and tools.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the name for reading: a static call is two words.
    pub fn words(self) -> &'static str {
        match self {
            Self::StaticCall => "static call",
            kind => kind.name(),
        }
    }

    /// Returns the name in one word: a static call is `static`, as on the screen.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::StaticCall => "static",
            Self::DelegateCall => "delegate",
            Self::Other => "?",
            kind => kind.name(),
        }
    }

    /// Returns the name before a call's label, with a space, of kinds that are neither plain calls nor clear
    /// from their labels.
    pub fn badge(self) -> &'static str {
        match self {
            Self::StaticCall => "static ",
            Self::DelegateCall => "delegate ",
            Self::CallCode => "callcode ",
            Self::Create => "create ",
            Self::Create2 => "create2 ",
            Self::Other => "unknown kind ",
            Self::Call | Self::SelfDestruct | Self::Reward => "",
        }
    }

    /// Like [`badge`](Self::badge), with a letter for the kinds of most calls.
    pub fn short_badge(self) -> &'static str {
        match self {
            Self::StaticCall => "s ",
            Self::DelegateCall => "d ",
            kind => kind.badge(),
        }
    }

    /// Returns `true` if the frame transfers its value. Other kinds repeat the value of the call that
    /// they run in, or have none.
    pub fn moves_value(self) -> bool {
        matches!(self, Self::Call | Self::Create | Self::Create2 | Self::SelfDestruct)
    }

    /// Returns `true` if the frame runs other code in its caller's context.
    pub fn is_delegated(self) -> bool {
        matches!(self, Self::DelegateCall | Self::CallCode)
    }

    pub fn creates(self) -> bool {
        matches!(self, Self::Create | Self::Create2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_names_ignore_case() {
        assert_eq!(CallKind::from_name(b"CALL"), CallKind::Call);
        assert_eq!(CallKind::from_name(b"delegatecall"), CallKind::DelegateCall);
        assert_eq!(CallKind::from_name(b"suicide"), CallKind::SelfDestruct);
        assert_eq!(CallKind::from_name(b"SELFDESTRUCT"), CallKind::SelfDestruct);
        assert_eq!(CallKind::from_name(b"STOP"), CallKind::Other);
        assert_eq!(CallKind::from_name(b"authcall"), CallKind::Other);
    }
}
