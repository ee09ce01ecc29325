//! The pane table: which pane shows what of which destination.
//!
//! A new pane is one file under `pane/`, one [`PaneKind`] variant, and one arm in [`PaneKind::create`]; its
//! tab, its key and its snapshots follow from those.

pub mod address_header;
pub mod address_labels;
pub mod availability;
mod command;
pub mod detail;
pub mod diff;
pub mod export;
pub mod list;
pub mod preview;
pub mod raw_json;
pub mod start;
pub mod token_instance;
pub mod trace;
pub mod transaction;

use std::fmt::Debug;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use strum::{EnumIter, IntoEnumIterator};

use crate::abi::SignatureDb;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::nft_collections::Collection;
use crate::api::token_balances::TokenBalance;
use crate::api::token_instances::TokenInstance;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{ApiError, Query, Reply};
use crate::chain::network::Network;
use crate::chain::target::TargetKind;
use crate::chain::{Address, Timestamp};
use crate::keymap::KeyContext;
use crate::keymap::key_hints::KeyHints;
use crate::msg::{Action, ExternalTool, TraceEvent};
use crate::name_cache::NameCache;
use crate::route::DiffBaseline;
pub use crate::route::Route;
use crate::safety::address_poisoning::KnownAddresses;
use crate::sanitize::SafeText;
use crate::ui::number_format::FormatOptions;
use crate::ui::theme::Styles;
use crate::user_data::recents::Recents;
use address_header::AddressHeader;
pub use availability::Availability;
pub use command::{Command, Confirmation, PanePrompt, copy_or_confirm};
use detail::{DetailPane, LoadedDetail};
use diff::DiffPane;
use export::{Export, ViewParams};
use list::ListPane;
use preview::PreviewTarget;
use start::StartPane;
use token_instance::InstanceDetail;
use trace::TracePane;

/// Every kind of pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter)]
pub enum PaneKind {
    /// Where to go.
    Start,
    /// The head of an address: not a tab, always above them.
    AddressHeader,
    /// An address's transactions.
    Transactions,
    /// An address's internal transactions.
    InternalTransactions,
    /// An address's token transfers, or the whole chain's.
    TokenTransfers,
    /// The tokens an address holds.
    TokenBalances,
    /// The NFT collections an address holds pieces of.
    NftCollections,
    /// The instances of a token contract.
    TokenInstances,
    /// One transaction in full.
    Transaction,
    /// Its call trace.
    Trace,
    /// The raw trace as the explorer sent it.
    RawTrace,
    /// Two call traces compared.
    Diff,
    /// One instance in full.
    TokenInstance,
    /// One row as the server sent it.
    RawRow,
}

impl PaneKind {
    /// The title of its tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::AddressHeader => "Overview",
            Self::Transactions => "Transactions",
            Self::InternalTransactions => "Internal",
            Self::TokenTransfers => "Transfers",
            Self::TokenBalances => "Tokens",
            Self::NftCollections => "NFTs",
            Self::TokenInstances => "Instances",
            Self::Transaction => "Transaction",
            Self::Trace => "Trace",
            Self::RawTrace => "Raw JSON",
            Self::Diff => "Comparison",
            Self::TokenInstance => "Instance",
            Self::RawRow => "Row",
        }
    }

    /// What a command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::AddressHeader => "overview",
            Self::Transactions => "transactions",
            Self::InternalTransactions => "internal",
            Self::TokenTransfers => "transfers",
            Self::TokenBalances => "tokens",
            Self::NftCollections => "nfts",
            Self::TokenInstances => "instances",
            Self::Transaction => "transaction",
            Self::Trace => "trace",
            Self::RawTrace => "raw",
            Self::Diff => "comparison",
            Self::TokenInstance => "instance",
            Self::RawRow => "row",
        }
    }

    /// The pane of this kind for a destination, if it has one: the whole map of the app.
    pub fn create(self, link: &Route) -> Option<Box<dyn Pane>> {
        Some(match link {
            Route::Start => match self {
                Self::Start => Box::new(StartPane::default()),
                _ => return None,
            },
            Route::Target(TargetKind::Address(address)) => {
                return self.create_for_address(*address);
            }
            Route::Target(TargetKind::Transaction(hash)) => match self {
                Self::Transaction => Box::new(transaction::from_hash(*hash)),
                Self::Trace => Box::new(TracePane::new(*hash)),
                Self::RawTrace => Box::new(raw_json::trace(*hash)),
                _ => return None,
            },
            Route::Transaction(item) => match self {
                Self::Transaction => Box::new(transaction::from_item(item)),
                Self::Trace => Box::new(TracePane::new(item.parsed.as_ref().ok()?.hash)),
                Self::RawTrace => Box::new(raw_json::trace(item.parsed.as_ref().ok()?.hash)),
                _ => return None,
            },
            Route::Transfers if self == Self::TokenTransfers => {
                Box::new(ListPane::<TokenTransfer>::new(Query::token_transfers(None)))
            }
            Route::Instances { token, holder } if self == Self::TokenInstances => {
                let query = Query::Instances { token: *token, holder: *holder };
                Box::new(ListPane::<TokenInstance>::new(query))
            }
            Route::Instance { instance, token } if self == Self::TokenInstance => {
                let piece = InstanceDetail::new(instance.clone(), token.as_deref());
                Box::new(DetailPane::from_loaded(
                    LoadedDetail { source: Ok(Box::new(piece)), raw: None },
                    None,
                ))
            }
            Route::Diff(two) if self == Self::Diff => Box::new(DiffPane::new(two)),
            Route::Row(raw) if self == Self::RawRow => Box::new(raw_json::row(raw)),
            Route::Unreadable { why, raw } if self == Self::RawRow => {
                Box::new(DetailPane::from_unreadable(why.clone(), raw))
            }
            _ => return None,
        })
    }

    fn create_for_address(self, address: Address) -> Option<Box<dyn Pane>> {
        let (direction, types) = (None, Vec::new());
        Some(match self {
            Self::AddressHeader => Box::new(AddressHeader::new(address)),
            Self::Transactions => {
                Box::new(ListPane::<Transaction>::new(Query::Transactions { address, direction }))
            }
            Self::InternalTransactions => {
                let query = Query::InternalTransactions { address, direction };
                Box::new(ListPane::<InternalTransaction>::new(query))
            }
            Self::TokenTransfers => {
                Box::new(ListPane::<TokenTransfer>::new(Query::token_transfers(Some(address))))
            }
            Self::TokenBalances => {
                Box::new(ListPane::<TokenBalance>::new(Query::Tokens { address, types }))
            }
            Self::NftCollections => {
                Box::new(ListPane::<Collection>::new(Query::Collections { address, types }))
            }
            _ => return None,
        })
    }

    /// Every pane of a destination, in the order of their tabs.
    pub fn create_all(link: &Route) -> Vec<(Self, Box<dyn Pane>)> {
        Self::iter().filter_map(|kind| Some((kind, kind.create(link)?))).collect()
    }
}

/// What a pane is given to act and to draw with.
#[derive(Debug, Clone, Copy)]
pub struct PaneContext<'a> {
    /// Where on the screen it is.
    pub area: Rect,
    /// The clock.
    pub now: Timestamp,
    /// Which chain.
    pub network: &'a Network,
    /// How roles look.
    pub styles: &'a Styles,
    /// Known signatures.
    pub signature_db: &'a SignatureDb,
    /// The trace that others are compared with.
    pub diff_baseline: Option<&'a DiffBaseline>,
    /// Addresses that must not be mistaken for others: the viewed one and those it has sent to.
    pub known_addresses: &'a KnownAddresses,
    /// What earlier answers said, and what the user says of addresses.
    pub name_cache: &'a NameCache,
    /// Recently opened routes.
    pub recents: &'a Recents,
    /// Why the recents cannot be stored.
    pub recents_error: Option<&'a SafeText>,
    /// How amounts of the coin and times are written.
    pub format: &'a FormatOptions,
    /// Which keys do what in it.
    pub keys: KeyHints<'a>,
}

/// One region of the screen, with its state. `activate`, `deactivate`, `act`, `on_event` and `restore`
/// change the state; everything else only reads it.
pub trait Pane: Debug {
    /// Called when the pane becomes visible, for the first time or again.
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command>;

    /// Called when the pane is hidden. Gives up the requests that are in flight.
    fn deactivate(&mut self);

    /// Whether an action works now. The footer, the palette and [`act`](Self::act) all go by this.
    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability;

    /// Carries out an action that is [`Availability::Enabled`].
    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command>;

    /// Handles anything else that happens to the pane.
    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command>;

    /// Draws the pane into `cx.area`.
    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer);

    /// What the app needs to know to drive the pane.
    fn state(&self) -> PaneState;

    /// The right end of the footer: the position in the list, or the visible lines.
    fn status(&self, cx: &PaneContext<'_>) -> SafeText;

    /// The address under the cursor, to be labelled or watched.
    fn address(&self, _cx: &PaneContext<'_>) -> Option<Address> {
        None
    }

    /// Where the selected row of a list leads.
    fn preview_target(&self, _cx: &PaneContext<'_>) -> Option<PreviewTarget> {
        None
    }

    /// The content as a file for an external program.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if there is nothing to show.
    fn export(&self, _tool: ExternalTool, _cx: &PaneContext<'_>) -> Result<Export, SafeText> {
        Err("there is nothing here for another program to show".into())
    }

    /// What a command line can say of the pane.
    fn view_params(&self) -> ViewParams {
        ViewParams::default()
    }

    /// Starts from what a command line said. Only called before the first `activate`.
    fn restore(&mut self, _params: ViewParams) {}
}

/// Something that happens to a pane, other than a key.
#[derive(Debug)]
pub enum PaneEvent<'a> {
    /// A response to one of its requests of the current epoch.
    Reply {
        /// The query.
        query: &'a Query,
        /// The response.
        reply: Result<Reply, ApiError>,
    },
    /// Progress of the trace that it streams.
    Trace(TraceEvent),
    /// Its area changed.
    Resized,
    /// The unit of amounts or the format of times changed.
    Reformatted,
    /// Labels or recents changed.
    LabelsChanged,
    /// The clock advanced.
    Tick,
    /// The left mouse button was pressed.
    Click(Position),
    /// The mouse wheel was turned.
    Wheel {
        /// The number of rows, negative for up.
        rows: isize,
        /// The position of the mouse.
        at: Position,
    },
    /// The user answered one of its prompts.
    Prompt {
        /// The prompt.
        prompt: PanePrompt,
        /// The answer.
        text: &'a str,
    },
    /// The user chose filters.
    QueryChosen(Query),
}

/// What the app needs to know to drive a pane.
#[derive(Debug, Clone, Copy)]
pub struct PaneState {
    /// Counts fresh starts; responses to requests of an earlier epoch are dropped.
    pub epoch: u32,
    /// Whether requests are in flight.
    pub is_busy: bool,
    /// Where its own keys are bound; they take precedence over those of everywhere.
    pub key_context: KeyContext,
    /// How often it wants a [`PaneEvent::Tick`], apart from the ages on the screen.
    pub tick_interval: Option<Duration>,
    /// Whether a part inside it has the focus, such as the detail of a call.
    pub has_inner_focus: bool,
}

impl Default for PaneState {
    fn default() -> Self {
        Self {
            epoch: 0,
            is_busy: false,
            key_context: KeyContext::Everywhere,
            tick_interval: None,
            has_inner_focus: false,
        }
    }
}
