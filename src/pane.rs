//! The pane table: which pane shows what of which destination.
//!
//! A new pane is one file under `pane/`, one [`Kind`] variant, and one arm in [`Kind::open`]; its
//! tab, its key and its snapshots follow from those.

pub mod list;
pub mod overview;
pub mod paged;
pub mod row;
pub mod start;
pub mod transaction;
pub mod transactions;

use std::fmt::Debug;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::value::RawValue;
use strum::{EnumIter, IntoEnumIterator};

use crate::api::transactions::Transaction;
use crate::api::{ApiError, Cursor, Item, Query, Reply};
use crate::chain::Timestamp;
use crate::chain::network::Network;
use crate::chain::subject::Subject;
use crate::keymap::Context;
use crate::msg::Action;
use crate::text::Text;
use crate::ui::theme::Styles;
use list::List;
use overview::Overview;
use start::Start;
use transaction::Detail;

/// Somewhere to go.
#[derive(Debug, Clone)]
pub enum Link {
    /// The first screen.
    Start,
    /// An address, or a transaction that nothing is known of yet.
    Subject(Subject),
    /// A transaction that stands in a list already.
    Transaction(Arc<Item<Transaction>>),
    /// A row that could not be read.
    Unread {
        /// Why.
        why: Text,
        /// What the server sent.
        raw: Arc<RawValue>,
    },
}

impl Link {
    /// What it is about, when that can be said.
    pub fn subject(&self) -> Option<Subject> {
        match self {
            Self::Start | Self::Unread { .. } => None,
            Self::Subject(subject) => Some(subject.clone()),
            Self::Transaction(item) => {
                item.read.as_ref().ok().map(|transaction| Subject::Transaction(transaction.hash))
            }
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
    /// One transaction in full.
    Transaction,
}

impl Kind {
    /// The title of its tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::Overview => "Overview",
            Self::Transactions => "Transactions",
            Self::Transaction => "Transaction",
        }
    }

    /// The pane of this kind for a destination, if it has one: the whole map of the app.
    pub fn open(self, link: &Link) -> Option<Box<dyn Pane>> {
        match (self, link) {
            (Self::Start, Link::Start) => Some(Box::new(Start::default())),
            (Self::Overview, Link::Subject(Subject::Address(address))) => {
                Some(Box::new(Overview::new(*address)))
            }
            (Self::Transactions, Link::Subject(Subject::Address(address))) => {
                let query = Query::Transactions { address: *address, direction: None };
                Some(Box::new(List::<Transaction>::new(query)))
            }
            (Self::Transaction, Link::Subject(Subject::Transaction(hash))) => {
                Some(Box::new(Detail::by_hash(*hash)))
            }
            (Self::Transaction, Link::Transaction(item)) => {
                Some(Box::new(Detail::of(item.clone())))
            }
            (Self::Transaction, Link::Unread { why, raw }) => {
                Some(Box::new(Detail::unread(why.clone(), raw)))
            }
            _ => None,
        }
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
}

/// Something a pane wants.
#[derive(Debug, Clone)]
pub enum Want {
    /// Ask the explorer.
    Ask(Query, Option<Cursor>),
    /// Drop what was asked before.
    Drop,
    /// Go somewhere.
    Follow(Link),
    /// Copy a text.
    Copy(&'static str, Text),
    /// Tell the user.
    Say(Text),
}

/// One region of the screen with its state. State changes in `look`, `leave`, `act`, `reply` and
/// `resize`; `view` only reads.
pub trait Pane: Debug {
    /// It comes into sight, for the first time or again.
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want>;

    /// It goes out of sight: nobody waits for what is under way.
    fn leave(&mut self);

    /// Does what the user wants; none when it is not for this pane.
    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>>;

    /// Takes an answer in. Only called for answers of its present epoch.
    fn reply(&mut self, query: &Query, reply: Result<Reply, ApiError>, cx: &Cx<'_>) -> Vec<Want>;

    /// It has another area now.
    fn resize(&mut self, cx: &Cx<'_>);

    /// Draws itself into `cx.area`.
    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer);

    /// Its count of fresh starts: answers to older ones are dropped.
    fn epoch(&self) -> u32;

    /// Whether something is under way.
    fn is_busy(&self) -> bool;

    /// Where its own keys are bound, before those of everywhere.
    fn context(&self) -> Context {
        Context::Everywhere
    }

    /// What the footer says of it: how far the list is loaded, which lines are in sight.
    fn status(&self, cx: &Cx<'_>) -> Text;
}
