//! The entries of a document: each has a label and a value, and can be copied and opened.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::cells::{EntryCell, Rule, RuleSplit};
use super::code::CodeLine;
use crate::abi::SignatureHash;
use crate::chain::target::TargetKind;
use crate::chain::{Address, BlockId, Bytes, TxHash};
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::marked_text::MarkedText;
use crate::ui::theme::Role;

#[derive(Debug, Clone)]
pub struct DocumentEntry {
    /// Depth below the entries that can hide the entry.
    pub level: u8,
    pub label: SafeText,
    pub value: EntryValue,
    /// `true` if the value of an entry of a tree follows its label, outside of the column of values.
    pub is_heading: bool,
    pub role: Role,
    /// Number of bytes at the start of the text that name the entry.
    pub head: usize,
    /// Number of bytes at the end of the text that are a side note, drawn dim.
    pub side_note: usize,
    /// The ends of the text's parts, with their roles, if it has several. A plain part has the role of the entry.
    pub parts: Vec<(usize, Role)>,
    /// Copied text, if it differs from the shown value.
    pub copy: Option<CopyText>,
    pub link: Option<EntryLink>,
    /// Mark of the linked address.
    pub mark: Option<AddressMark>,
    /// `true` if the deeper entries after it are shown, or `None` if it has none.
    pub open: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryLink {
    Target(TargetKind),
    /// The token of a contract.
    Token(Address),
    /// A call in the trace of a transaction, by its path from the root.
    Call(TxHash, Vec<u32>),
    /// A web page. The URL is untrusted and unchecked.
    Web(SafeText),
    /// A function to call, by its number.
    Function(usize),
    /// A storage slot to read, as it is typed. An unfinished one is completed first.
    Slot(SafeText),
    /// A line of the code next to the document, by its number among the lines of all files.
    CodeLine(usize),
    /// A signature to look up.
    Signature(SignatureHash),
}

impl EntryLink {
    /// Returns the linked address.
    pub fn address(&self) -> Option<Address> {
        match self {
            Self::Target(TargetKind::Address(address)) | Self::Token(address) => Some(*address),
            _ => None,
        }
    }
}

#[derive(Debug, Clone)]
pub enum EntryValue {
    Text(SafeText),
    /// Bytes, as lines of hex digits.
    Hex(Bytes),
    Cells(Vec<EntryCell>),
    Rule(Rule),
    Code(CodeLine),
}

#[derive(Debug, Clone)]
pub enum CopyText {
    Text(SafeText),
    /// A range of a text that many entries share, converted when it is copied: a value of megabytes is
    /// stored once.
    Part {
        text: Arc<str>,
        /// Range of bytes.
        at: Range<usize>,
        read: fn(&str) -> SafeText,
    },
}

impl DocumentEntry {
    pub fn text(label: &str, text: impl Into<SafeText>) -> Self {
        Self::new(label, EntryValue::Text(text.into()))
    }

    /// Creates an entry with a text of several parts, which is broken between arguments.
    pub fn of_parts(label: &str, parts: &[MarkedText]) -> Self {
        let mut text = String::new();
        let ends = parts.iter().map(|part| {
            text.push_str(&SafeText::new(&part.text));
            (text.len(), part.role)
        });
        let parts = ends.collect();
        Self { parts, ..Self::text(label, text) }
    }

    pub fn new(label: &str, value: EntryValue) -> Self {
        Self {
            level: 0,
            label: label.into(),
            value,
            is_heading: false,
            role: Role::Plain,
            head: 0,
            side_note: 0,
            parts: Vec::new(),
            copy: None,
            link: None,
            mark: None,
            open: None,
        }
    }

    /// Returns a dim entry that copies nothing.
    pub fn note(label: &str, text: impl Into<SafeText>) -> Self {
        Self::text(label, text).copy("").role(Role::Dim)
    }

    pub fn warning(text: &SafeText) -> Self {
        Self::text("", format!("! {text}")).role(Role::Warning).copy(text.clone())
    }

    /// Returns a line across the document with the title of the panel below.
    pub fn rule(title: impl Into<Cow<'static, str>>) -> Self {
        Self::new("", EntryValue::Rule(Rule { title: title.into(), split: None }))
    }

    /// Returns a line across the document where panels side by side begin or end.
    pub fn split_rule(title: impl Into<Cow<'static, str>>, split: RuleSplit) -> Self {
        Self::new("", EntryValue::Rule(Rule { title: title.into(), split: Some(split) }))
    }

    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    #[must_use]
    pub fn link(mut self, leads: EntryLink) -> Self {
        self.link = Some(leads);
        self
    }

    #[must_use]
    pub fn link_address(self, address: Address) -> Self {
        self.link(EntryLink::Target(TargetKind::Address(address))).role(Role::Link)
    }

    #[must_use]
    pub fn link_token(self, token: Address) -> Self {
        self.link(EntryLink::Token(token)).role(Role::Link)
    }

    #[must_use]
    pub fn link_block(self, block: BlockId) -> Self {
        self.link(EntryLink::Target(TargetKind::Block(block))).role(Role::Link)
    }

    #[must_use]
    pub fn copy(mut self, text: impl Into<SafeText>) -> Self {
        self.copy = Some(CopyText::Text(text.into()));
        self
    }

    #[must_use]
    pub fn copy_part(
        mut self,
        text: &Arc<str>,
        at: Range<usize>,
        read: fn(&str) -> SafeText,
    ) -> Self {
        self.copy = Some(CopyText::Part { text: Arc::clone(text), at, read });
        self
    }

    /// Creates an entry for a declaration, which begins with its name.
    pub fn declaration(text: &SafeText) -> Self {
        let head = text.find('(').unwrap_or(text.len());
        Self { head, ..Self::text("", text.clone()) }
    }

    #[must_use]
    pub fn labelled(mut self, label: &str) -> Self {
        self.label = label.into();
        self
    }

    /// Creates an entry for something with a name.
    pub fn named(name: &SafeText) -> Self {
        Self { head: name.len(), ..Self::text("", name.clone()) }
    }

    /// Creates an entry for something with a name and a value.
    pub fn valued(name: &SafeText, value: &SafeText) -> Self {
        Self { head: name.len(), ..Self::text("", SafeText::new(&format!("{name}  {value}"))) }
    }

    /// Returns the name that it declares.
    pub fn declared_name(&self) -> Option<&str> {
        let EntryValue::Text(text) = &self.value else { return None };
        text.get(..self.head).filter(|name| !name.is_empty())
    }

    /// Returns the name that distinguishes it from its neighbours.
    pub(super) fn name(&self) -> SafeText {
        match (&self.value, self.head) {
            (EntryValue::Text(text), 1..) => text.clone(),
            _ => self.label.clone(),
        }
    }

    /// Appends a side note, which is drawn dim and not copied.
    #[must_use]
    pub fn side_note(mut self, note: &str) -> Self {
        let EntryValue::Text(value) = &self.value else { return self };
        if note.is_empty() {
            return self;
        }
        let note = SafeText::new(note);
        let shown = SafeText::new(&format!("{value} {note}"));
        self.side_note = note.len();
        self.copy.get_or_insert_with(|| CopyText::Text(value.clone()));
        self.value = EntryValue::Text(shown);
        self
    }

    /// Removes the side note.
    #[must_use]
    pub fn without_side_note(mut self) -> Self {
        if let EntryValue::Text(text) = &self.value {
            let end = text.len().saturating_sub(self.side_note);
            let bare = text.get(..end).unwrap_or_default().trim_end();
            (self.value, self.side_note) = (EntryValue::Text(bare.into()), 0);
        }
        self
    }

    /// Makes the entry hide the deeper entries after it while it is not `open`.
    #[must_use]
    pub fn fold(mut self, open: bool) -> Self {
        self.open = Some(open);
        self
    }

    #[must_use]
    pub fn at_level(mut self, level: u8) -> Self {
        self.level = level;
        self
    }

    pub fn copy_text(&self) -> SafeText {
        match (&self.copy, &self.value) {
            (Some(CopyText::Part { text, at, read }), _) => {
                read(text.get(at.clone()).unwrap_or_default())
            }
            (Some(CopyText::Text(text)), _)
            | (None, EntryValue::Text(text) | EntryValue::Code(CodeLine { text, .. })) => {
                text.clone()
            }
            (None, EntryValue::Hex(bytes)) => bytes.to_string().into(),
            (None, EntryValue::Cells(_) | EntryValue::Rule(_)) => SafeText::default(),
        }
    }

    /// Returns the source of a value in JSON.
    pub fn json_source(&self) -> Option<&str> {
        match &self.copy {
            Some(CopyText::Part { text, at, .. }) => text.get(at.clone()),
            _ => None,
        }
    }

    /// Returns the linked address.
    pub fn address(&self) -> Option<Address> {
        self.link.as_ref()?.address()
    }

    /// Returns the links of its cells.
    pub fn cell_links(&self) -> impl Iterator<Item = &EntryLink> {
        let cells = match &self.value {
            EntryValue::Cells(cells) => cells.as_slice(),
            _ => &[],
        };
        cells.iter().filter_map(|cell| cell.link.as_ref())
    }

    /// Returns the role of the label: a heading of a section, or quieter than its value.
    pub(super) fn label_role(&self) -> Role {
        match (self.open, self.role) {
            (Some(_), _) => Role::Title,
            (None, Role::Warning) => Role::Warning,
            (None, _) => Role::Dim,
        }
    }
}
