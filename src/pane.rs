//! The pane table: which pane shows what of which destination.
//!
//! A new pane is one file under `pane/`, one [`Kind`] variant, and one arm in [`Kind::open`]; its
//! tab, its key and its snapshots follow from those.

pub mod address_header;
pub mod cell_format;
mod command;
pub mod common_columns;
pub mod detail;
pub mod detail_lines;
pub mod diff;
pub mod diff_baseline;
pub mod export;
pub mod internal_transactions;
pub mod list;
pub mod nft_collections;
pub mod paged;
pub mod preview;
pub mod raw_json;
pub mod row;
pub mod start;
pub mod token_balances;
pub mod token_instances;
pub mod token_transfers;
pub mod trace;
pub mod transaction;
pub mod transactions;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use serde_json::value::RawValue;
use strum::{EnumIter, IntoEnumIterator};

use crate::abi::Book;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::nft_collections::Collection;
use crate::api::token::Token;
use crate::api::token_balances::TokenBalance;
use crate::api::token_instances::TokenInstance;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{ApiError, Item, Query, Reply};
use crate::chain::network::Network;
use crate::chain::target::Subject;
use crate::chain::{Address, Timestamp};
use crate::keymap::Context;
use crate::keymap::key_hints::Keys;
use crate::msg::{Action, TraceNews, Viewer};
use crate::name_cache::Seen;
use crate::safety::address_poisoning::Known;
use crate::sanitize::Text;
use crate::ui::number_format::Notation;
use crate::ui::theme::Styles;
use crate::user_data::recents::{Visit, Visits};
use address_header::Overview;
pub use command::{Confirm, Prompt, Want, guarded};
use detail::{Detail, Shown};
use diff::Diff;
use diff_baseline::Marked;
use export::{Aim, Paper};
use list::List;
use preview::Beside;
use start::Start;
use token_instances::Piece;
use trace::Trace;

/// Somewhere to go.
#[derive(Debug, Clone)]
pub enum Link {
    /// The first screen.
    Start,
    /// An address, or a transaction that nothing is known of yet.
    Subject(Subject),
    /// A transaction that stands in a list already.
    Transaction(Arc<Item<Transaction>>),
    /// The token transfers of the whole chain.
    Transfers,
    /// The instances of a token contract.
    Instances {
        /// The contract.
        token: Address,
        /// Only those held by this address.
        holder: Option<Address>,
    },
    /// One instance.
    Instance {
        /// It.
        instance: Box<TokenInstance>,
        /// Its token, where the list knew it.
        token: Option<Box<Token>>,
    },
    /// Two traces side by side: the marked one, and another.
    Diff(Box<[Marked; 2]>),
    /// A row with every field that the server sent.
    Row(Arc<RawValue>),
    /// A row that could not be read.
    Unread {
        /// Why.
        why: Text,
        /// What the server sent.
        raw: Arc<RawValue>,
    },
}

impl Link {
    /// What it is about, when that is an address or a transaction.
    pub fn subject(&self) -> Option<Subject> {
        match self {
            Self::Subject(subject) => Some(subject.clone()),
            Self::Transaction(item) => {
                item.read.as_ref().ok().map(|transaction| Subject::Transaction(transaction.hash))
            }
            _ => None,
        }
    }

    /// What it is among the places that were visited lately, if it is one of those.
    pub fn visit(&self) -> Option<Visit> {
        match (self.subject(), self) {
            (Some(Subject::Address(address)), _) => Some(Visit::Address(address)),
            (Some(Subject::Transaction(hash)), _) => Some(Visit::Transaction(hash)),
            (None, Self::Instances { token, holder: None }) => Some(Visit::Token(*token)),
            _ => None,
        }
    }
}

/// Every kind of pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter)]
pub enum Kind {
    /// Where to go.
    Start,
    /// The head of an address: not a tab, always above them.
    Overview,
    /// An address's transactions.
    Transactions,
    /// An address's internal transactions.
    Internals,
    /// An address's token transfers, or the whole chain's.
    Transfers,
    /// The tokens an address holds.
    Tokens,
    /// The NFT collections an address holds pieces of.
    Collections,
    /// The instances of a token contract.
    Instances,
    /// One transaction in full.
    Transaction,
    /// Its call trace.
    Trace,
    /// The raw trace as the explorer sent it.
    Raw,
    /// Two call traces compared.
    Diff,
    /// One instance in full.
    Instance,
    /// One row as the server sent it.
    Row,
}

impl Kind {
    /// The title of its tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::Overview => "Overview",
            Self::Transactions => "Transactions",
            Self::Internals => "Internal",
            Self::Transfers => "Transfers",
            Self::Tokens => "Tokens",
            Self::Collections => "NFTs",
            Self::Instances => "Instances",
            Self::Transaction => "Transaction",
            Self::Trace => "Trace",
            Self::Raw => "Raw JSON",
            Self::Diff => "Comparison",
            Self::Instance => "Instance",
            Self::Row => "Row",
        }
    }

    /// What a command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Overview => "overview",
            Self::Transactions => "transactions",
            Self::Internals => "internal",
            Self::Transfers => "transfers",
            Self::Tokens => "tokens",
            Self::Collections => "nfts",
            Self::Instances => "instances",
            Self::Transaction => "transaction",
            Self::Trace => "trace",
            Self::Raw => "raw",
            Self::Diff => "comparison",
            Self::Instance => "instance",
            Self::Row => "row",
        }
    }

    /// The pane of this kind for a destination, if it has one: the whole map of the app.
    pub fn open(self, link: &Link) -> Option<Box<dyn Pane>> {
        Some(match link {
            Link::Start => match self {
                Self::Start => Box::new(Start::default()),
                _ => return None,
            },
            Link::Subject(Subject::Address(address)) => return self.open_address(*address),
            Link::Subject(Subject::Transaction(hash)) => match self {
                Self::Transaction => Box::new(transaction::by_hash(*hash)),
                Self::Trace => Box::new(Trace::new(*hash)),
                Self::Raw => Box::new(raw_json::trace(*hash)),
                _ => return None,
            },
            Link::Transaction(item) => match self {
                Self::Transaction => Box::new(transaction::of(item)),
                Self::Trace => Box::new(Trace::new(item.read.as_ref().ok()?.hash)),
                Self::Raw => Box::new(raw_json::trace(item.read.as_ref().ok()?.hash)),
                _ => return None,
            },
            Link::Transfers if self == Self::Transfers => {
                Box::new(List::<TokenTransfer>::new(Query::transfers(None)))
            }
            Link::Instances { token, holder } if self == Self::Instances => {
                let query = Query::Instances { token: *token, holder: *holder };
                Box::new(List::<TokenInstance>::new(query))
            }
            Link::Instance { instance, token } if self == Self::Instance => {
                let piece = Piece { instance: instance.clone(), token: token.clone() };
                Box::new(Detail::of(Shown { read: Ok(Box::new(piece)), raw: None }, None))
            }
            Link::Diff(two) if self == Self::Diff => Box::new(Diff::new(two)),
            Link::Row(raw) if self == Self::Row => Box::new(raw_json::row(raw)),
            Link::Unread { why, raw } if self == Self::Row => {
                Box::new(Detail::unread(why.clone(), raw))
            }
            _ => return None,
        })
    }

    fn open_address(self, address: Address) -> Option<Box<dyn Pane>> {
        let (direction, types) = (None, Vec::new());
        Some(match self {
            Self::Overview => Box::new(Overview::new(address)),
            Self::Transactions => {
                Box::new(List::<Transaction>::new(Query::Transactions { address, direction }))
            }
            Self::Internals => {
                let query = Query::InternalTransactions { address, direction };
                Box::new(List::<InternalTransaction>::new(query))
            }
            Self::Transfers => {
                Box::new(List::<TokenTransfer>::new(Query::transfers(Some(address))))
            }
            Self::Tokens => Box::new(List::<TokenBalance>::new(Query::Tokens { address, types })),
            Self::Collections => {
                Box::new(List::<Collection>::new(Query::Collections { address, types }))
            }
            _ => return None,
        })
    }

    /// Every pane of a destination, in the order of their tabs.
    pub fn all(link: &Link) -> Vec<(Self, Box<dyn Pane>)> {
        Self::iter().filter_map(|kind| Some((kind, kind.open(link)?))).collect()
    }
}

/// What a pane is given to act and to draw with.
#[derive(Debug, Clone, Copy)]
pub struct Cx<'a> {
    /// Where on the screen it is.
    pub area: Rect,
    /// The clock.
    pub now: Timestamp,
    /// Which chain.
    pub network: &'a Network,
    /// How roles look.
    pub styles: &'a Styles,
    /// Known signatures.
    pub book: &'a Book,
    /// The trace that others are compared with.
    pub marked: Option<&'a Marked>,
    /// Addresses that must not be mistaken for others: the viewed one and those it has sent to.
    pub known: &'a Known,
    /// What earlier answers said, and what the user says of addresses.
    pub seen: &'a Seen,
    /// What was visited lately, and why that is not kept, if it is not.
    pub visits: (&'a Visits, Option<&'a Text>),
    /// How amounts of the coin and times are written.
    pub notation: &'a Notation,
    /// Which keys do what in it.
    pub keys: Keys<'a>,
}

/// One region of the screen with its state. State changes in `look`, `leave`, `act`, `reply`,
/// `traced`, `entered`, `requery`, `tick`, `resize` and `rewrite`; `view` only reads.
pub trait Pane: Debug {
    /// It comes into sight, for the first time or again.
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want>;

    /// It goes out of sight: nobody waits for what is under way.
    fn leave(&mut self);

    /// Does what the user wants; none when it is not for this pane.
    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>>;

    /// Takes an answer in. Only called for answers of its present epoch.
    fn reply(&mut self, query: &Query, reply: Result<Reply, ApiError>, cx: &Cx<'_>) -> Vec<Want>;

    /// Hears of the trace that it fetches. Only called for news of its present epoch.
    fn traced(&mut self, _news: TraceNews, _cx: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    /// It has another area now.
    fn resize(&mut self, cx: &Cx<'_>);

    /// Amounts or times are written in another way now.
    fn rewrite(&mut self, _cx: &Cx<'_>) {}

    /// Draws itself into `cx.area`.
    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer);

    /// Its count of fresh starts: answers to older ones are dropped.
    fn epoch(&self) -> u32;

    /// Whether something is under way.
    fn is_busy(&self) -> bool;

    /// What the footer says of it: how far the list is loaded, which lines are in sight.
    fn status(&self, cx: &Cx<'_>) -> Text;

    /// The address under the cursor, to be named or watched.
    fn address(&self, _cx: &Cx<'_>) -> Option<Address> {
        None
    }

    /// The user calls some addresses otherwise than before.
    fn relabelled(&mut self, _cx: &Cx<'_>) {}

    /// Where its own keys are bound, before those of everywhere.
    fn context(&self) -> Context {
        Context::Everywhere
    }

    /// What its selected row leads to, when it is a list and has one.
    fn beside(&self, _cx: &Cx<'_>) -> Option<Beside> {
        None
    }

    /// Gives the keys to its next part; false when they were at the last one, and are at the first.
    fn focus_next(&mut self, _cx: &Cx<'_>) -> bool {
        false
    }

    /// Whether the footer may say that an action works here.
    fn offers(&self, _action: Action) -> bool {
        true
    }

    /// Why an action that is not for every view would do nothing here as things are; none when it does
    /// something. It may name keys, as in [`Keys::sentence`].
    fn why_not(&self, action: Action, _cx: &Cx<'_>) -> Option<&'static str> {
        action.elsewhere()
    }

    /// The user typed what it asked for.
    fn entered(&mut self, _prompt: Prompt, _text: &str, _cx: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    /// The user chose other filters.
    fn requery(&mut self, _query: Query, _cx: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    /// The mouse was pressed there; none when that means nothing.
    fn click(&mut self, _at: Position, _cx: &Cx<'_>) -> Option<Vec<Want>> {
        None
    }

    /// The wheel was turned there, by so many rows.
    fn wheel(&mut self, by: isize, _at: Position, cx: &Cx<'_>) -> Vec<Want> {
        let step = if by < 0 { Action::PreviousRow } else { Action::NextRow };
        let steps = (0..by.unsigned_abs()).filter_map(|_| self.act(step, cx));
        steps.flatten().collect()
    }

    /// What it shows, as a file; the error says why there is none.
    fn paper(&self, _viewer: Viewer, _cx: &Cx<'_>) -> Result<Paper, Text> {
        Err("there is nothing here for another program to show".into())
    }

    /// What of it a command line can say.
    fn aim(&self) -> Aim {
        Aim::default()
    }

    /// Begins where a command line said. Only called before it is first looked at.
    fn take_aim(&mut self, _aim: Aim) {}

    /// Time has passed.
    fn tick(&mut self, _cx: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    /// How often it wants to know the time, beyond the ages on the screen.
    fn beat(&self) -> Option<Duration> {
        None
    }
}
