//! Panes: one region of the screen each, with its state.
//!
//! The app calls a [`Pane`] with an action, or with an event such as a reply to one of its requests. The pane
//! changes its state and returns [`Command`]s, which only the app carries out: a request, a page to open, a prompt.
//! A [`PaneContext`] has the rest of the program for it: its area, settings, names, the time. `tabs`
//! decides which panes a page has. Most are a list ([`list`]) or an object in a document ([`detail`]); the call tree
//! ([`trace`]) and the start page ([`start`]) are on their own.
//!
//! A new pane is one file under `pane/`, one [`PaneKind`] variant, and a place among the panes of its
//! page in [`PaneKind::create_all`]; its tab and its key follow from those.

pub mod addresses;
pub mod availability;
mod balance_changes;
mod balance_history;
mod batch;
mod block;
mod block_prompt;
mod command;
mod contract;
pub mod decoded_data;
pub mod detail;
pub mod diff;
pub mod export;
mod failure_report;
pub mod header;
mod icicle;
mod known_trace;
pub mod list;
mod load_state;
mod log;
pub mod nft;
mod picture;
pub mod preview;
pub mod raw_json;
mod section;
pub mod start;
pub mod tabs;
pub mod trace;
pub mod transaction;
mod transaction_part;

use std::borrow::Cow;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use strum::{EnumString, IntoStaticStr, VariantNames};

use crate::abi::SignatureDb;
use crate::action::Action;
use crate::api::{ApiError, ListSubject, Query, ReplyResult};
use crate::app_message::{ExternalTool, TraceEvent};
use crate::calls::formatter::CallFormatter;
use crate::calls::transfer_matching::TransferMap;
use crate::calls::values::ValueFormatter;
use crate::chain::network::{Endpoint, Network};
use crate::chain::{Address, Timestamp, TxHash};
use crate::columns::{CopyValue, RowContext};
use crate::config::AppSettings;
use crate::keymap::KeyContext;
use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::messages::Count;
use crate::messages::failed_refresh::{DataAge, FailedRefresh, NextRetry};
use crate::messages::page::{self, PageMessage};
use crate::name_cache::NameCache;
use crate::picture::PictureCache;
use crate::route::DiffBaseline;
pub use crate::route::Route;
use crate::safety::address_poisoning::KnownAddresses;
use crate::sanitize::SafeText;
use crate::trace::CallTree;
use crate::ui::age::AgeClock;
use crate::ui::format::{cut, width};
use crate::ui::format_options::{FormatOptions, TimeFormat};
use crate::ui::frame::ScrollExtent;
use crate::ui::text::{NoticeLine, draw_notice, draw_pieces, draw_text, spinner, styled_parts};
use crate::ui::theme::{Role, Styles};
use crate::user_data::recents::Recents;
use crate::watch::watched_addresses::WatchedAddresses;
pub use addresses::lookalike_marks::copy_or_confirm;
pub use availability::Availability;
pub use command::{Command, Confirmation, PanePrompt, PromptRequest};
use export::ViewParams;
use preview::PreviewTarget;
pub use tabs::{PageList, PaneKind, PaneOfKind, RowCount, hidden_lists, rows_of_chain};

/// Lines from which a wait is described in the middle of them.
const MIN_WAIT_LINES: u16 = 6;
/// Columns of a date and a time.
const TIME_COLUMNS: usize = 19;

/// Everything besides its own state that a pane acts and draws with.
#[derive(Debug, Clone, Copy)]
pub struct PaneContext<'a> {
    pub area: Rect,
    pub now: Timestamp,
    /// `true` if the terminal has the focus.
    pub has_focus: bool,
    /// `true` if the pane waits for replies, apart from the one that it is given.
    pub is_busy: bool,
    /// The time for which it has waited.
    pub waited: Duration,
    /// The time when failed requests are repeated, if they are.
    pub next_retry: Option<NextRetry>,
    pub network: &'a Network,
    pub styles: &'a Styles,
    pub signature_db: &'a SignatureDb,
    pub diff_baseline: Option<&'a DiffBaseline>,
    /// Addresses that others may imitate, besides those with labels.
    pub known_addresses: &'a KnownAddresses,
    pub name_cache: &'a NameCache,
    pub watched: &'a WatchedAddresses,
    pub recents: &'a Recents,
    /// Reason why the recents cannot be stored.
    pub recents_error: Option<&'a SafeText>,
    pub format: &'a FormatOptions,
    pub settings: &'a AppSettings,
    pub pictures: &'a PictureCache,
    pub list_view: ListView,
    pub keys: KeyPlaceholders<'a>,
    pub place: PanePlace,
    /// `true` on the page of a block, whose header has its number and its time.
    pub is_in_block: bool,
    /// The failure that the pane below reports, for a header, which does not repeat it.
    pub reported_failure: Option<&'a ApiError>,
    /// The number of rows in all pages of a list, as the page's header counts them.
    pub counted_rows: Option<RowCount>,
    /// The address of the page, if the chain is known not to have it.
    pub unused_address: Option<Address>,
}

/// Place of a pane on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanePlace {
    Alone,
    /// Next to a preview of its selected row.
    NextToPreview,
    /// The preview itself.
    Preview,
}

/// Layout of rows that can be cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum ListView {
    Gallery,
    Table,
}

impl<'a> PaneContext<'a> {
    /// Returns the context for the cells of a row in full, seen from the viewed address.
    fn row_context(&self, viewed: Option<Address>) -> RowContext<'a> {
        RowContext {
            viewed,
            subject: ListSubject::Other,
            now: self.now,
            network: self.network,
            known_addresses: self.known_addresses,
            name_cache: self.name_cache,
            signatures: self.signature_db,
            abbreviator: None,
            transaction: None,
            is_below_part: false,
            bar_scale: None,
            balances: None,
            format: self.format,
        }
    }

    /// Returns the formatter of calls on the screen, with short amounts in the current unit.
    fn call_formatter(
        &self,
        tree: &'a CallTree,
        transaction: &TxHash,
        transfers: &'a TransferMap,
    ) -> CallFormatter<'a> {
        let known = self.name_cache.transaction(transaction);
        let Self { signature_db, name_cache, network, .. } = *self;
        CallFormatter {
            transaction: known.and_then(|item| item.parsed.as_ref().ok()),
            unit: self.format.unit,
            short_amounts: true,
            ..CallFormatter::new(tree, signature_db, name_cache, network, transfers)
        }
    }

    /// Returns the formatter of values outside of a trace.
    fn values(&self) -> ValueFormatter<'a> {
        ValueFormatter {
            name_cache: self.name_cache,
            full_addresses: false,
            short_amounts: true,
            token_symbols: false,
            transaction: None,
            balances: None,
        }
    }

    /// Returns the suggested name of a file, with the time unless the chain's clock stands still.
    fn export_name(&self, content: &str, extension: &str) -> SafeText {
        let chain_time = format!("-{}", self.now.strftime("%Y%m%d-%H%M%S"));
        let time = if self.network.endpoint == Endpoint::Embedded { "-demo" } else { &*chain_time };
        SafeText::new(&format!("chainglass-{content}{time}.{extension}"))
    }

    fn ages(&self) -> AgeClock {
        AgeClock::new(self.network, self.now)
    }

    /// Returns a time in the past, as an age or a date.
    fn past_time(&self, then: Timestamp) -> String {
        let shown = self.format.short_time(then, self.ages(), TIME_COLUMNS);
        if self.format.time_format == TimeFormat::Age { shown + " ago" } else { shown }
    }

    /// Describes a failed request with the host of the explorer or node.
    fn reason(&self, error: &ApiError) -> String {
        error.with_host(self.network.endpoint.host().as_deref())
    }

    /// Describes a failed request for a subject or a list, or that blocks are not indexed yet.
    fn failure(&self, error: &ApiError, subject: Option<&str>) -> (String, Role) {
        self.failure_within(error, subject, usize::MAX)
    }

    /// Describes a failed request in some columns. A long reason is cut, but not the time until the
    /// request is repeated.
    fn failure_within(
        &self,
        error: &ApiError,
        subject: Option<&str>,
        columns: usize,
    ) -> (String, Role) {
        let host = self.network.endpoint.host();
        let why = error.on_page(subject, &self.network.name, host.as_deref());
        if error.awaits_blocks() {
            return (why, Role::Dim);
        }
        let next = self.next_step(error);
        let space = columns.saturating_sub(width(&next) + 2);
        (format!("✗ {}{next}", cut(&why, space)), Role::Failed)
    }

    /// Describes what follows a failure: the time until the request is repeated, or a way out of it.
    fn next_step(&self, error: &ApiError) -> String {
        match self.next_retry_of(error) {
            Some(retry) => format!(" · {retry}"),
            None => self.keys.expand(error.way_out()).into_owned(),
        }
    }

    /// Draws what is requested from whom in the space of a pane that has nothing yet, and for how long it
    /// waits.
    fn draw_wait(&self, query: &Query, area: Rect, buf: &mut Buffer) {
        let dim = self.styles.of(Role::Dim);
        if area.height < MIN_WAIT_LINES {
            draw_text(buf, area, &self.loading_text(query), dim);
            return;
        }
        let frame = if self.is_busy { spinner(self.waited) } else { " " };
        let what = format!("{frame} {}", self.awaited_text(query));
        let stops = self.keys.expand(page::STOPS_LOADING);
        let since = match self.waited.as_secs() {
            0 => String::new(),
            seconds => format!("{seconds} s · {stops}"),
        };
        let lines = [(what, Role::Dim), (String::new(), Role::Dim), (since, Role::Dim)];
        self.draw_notice(area, &lines, buf);
    }

    /// Draws lines in the space of a pane that has nothing else, with their keys as in the footer.
    pub fn draw_notice<S: AsRef<str>>(&self, area: Rect, lines: &[(S, Role)], buf: &mut Buffer) {
        let lines: Vec<NoticeLine<'_>> = lines
            .iter()
            .map(|(text, role)| {
                let text = text.as_ref();
                (Cow::Owned(text.to_owned()), self.styles.of(*role), self.keys.keys_in(text))
            })
            .collect();
        draw_notice(buf, area, &lines, self.styles.of(Role::Accent));
    }

    /// Draws a message on a line, with its keys as in the footer.
    pub fn draw_message(&self, line: Rect, message: &str, role: Role, buf: &mut Buffer) {
        let styles = (self.styles.of(role), self.styles.of(Role::Accent));
        let keys = self.keys.keys_in(message);
        draw_pieces(buf, line, styled_parts(message, 0..message.len(), &keys, styles));
    }

    /// Describes a request of which a pane has nothing yet, with the time since it was sent.
    fn loading_text(&self, query: &Query) -> String {
        self.with_spinner(&self.awaited_text(query))
    }

    /// Describes what is requested from whom.
    fn awaited_text(&self, query: &Query) -> String {
        let url_host = self.network.endpoint.host();
        let host = url_host.as_deref().unwrap_or(&self.network.name);
        PageMessage::Loading { what: &query.describe(), host }.to_string()
    }

    /// Describes the wait for a reply, with a spinner and the time of the wait.
    pub fn with_spinner(&self, what: &str) -> String {
        let seconds = match self.waited.as_secs() {
            0 => String::new(),
            seconds => format!("{seconds} s"),
        };
        let words: Vec<&str> =
            [what, &seconds].into_iter().filter(|part| !part.is_empty()).collect();
        self.spinning(&words.join(" · "))
    }

    /// Writes a text after a spinner.
    pub fn spinning(&self, text: &str) -> String {
        let spinner = if self.is_busy { spinner(self.waited) } else { "" };
        [spinner, " ", text].concat().trim().to_owned()
    }

    /// Returns the time when the request with this failure is repeated, if it is.
    fn next_retry_of(&self, error: &ApiError) -> Option<NextRetry> {
        self.next_retry.filter(|_| error.is_repeated())
    }

    /// Describes a failed refresh before the position in the older data, on a line as wide as the pane.
    fn failed_refresh(
        &self,
        error: &ApiError,
        loaded_at: Option<Timestamp>,
        position: &str,
    ) -> String {
        let age = loaded_at.map(|loaded_at| DataAge::between(loaded_at, self.now));
        let position = if position.is_empty() { String::new() } else { format!(" · {position}") };
        if self.is_busy {
            return age.map_or(String::new(), |age| format!("{age}")) + &position;
        }
        let why = self.reason(error);
        let retry = self.next_retry_of(error);
        let line = |why| FailedRefresh { why, age, retry }.to_string() + &position;
        let space = usize::from(self.area.width).saturating_sub(width(&line("")));
        line(&cut(&why, space))
    }
}

/// One region of the screen, with its state. `activate`, `on_cancelled`, `act`, `on_event` and `restore`
/// change the state; everything else only reads it.
pub trait Pane {
    /// Called when the pane becomes visible, for the first time or again.
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command>;

    /// Called when its requests have been cancelled: it was hidden, or the user interrupts it.
    fn on_cancelled(&mut self, _cx: &PaneContext<'_>) {}

    /// Returns the availability of an action. The footer, the palette and [`act`](Self::act) all go by
    /// this.
    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability;

    /// Carries out an action that is [`Availability::Enabled`].
    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command>;

    /// Handles anything else that happens to the pane.
    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command>;

    /// Draws the pane into `cx.area`.
    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer);

    fn state(&self) -> PaneState;

    /// Returns `true` if something that it shows failed for a reason that may pass by itself (see
    /// [`PaneEvent::RetryFailed`]).
    fn can_recover(&self) -> bool {
        false
    }

    /// Returns `true` for the header of a block that has loaded.
    fn has_block(&self) -> bool {
        false
    }

    /// Returns `true` if it has nothing to show before a reply, and shows what it waits for.
    fn describes_wait(&self) -> bool {
        false
    }

    /// The lower edge of the frame: the position in the list, or the visible lines.
    fn status(&self, _cx: &PaneContext<'_>) -> SafeText {
        SafeText::default()
    }

    /// Returns the matches of the search that is being typed.
    fn typed_matches(&self) -> Option<TypedMatches> {
        None
    }

    /// Returns the failure that it shows in place of its content.
    fn reported_failure(&self, _cx: &PaneContext<'_>) -> Option<&ApiError> {
        None
    }

    /// Returns the name of an action for the footer, if it differs in this pane.
    fn hint(&self, _action: Action) -> Option<&'static str> {
        None
    }

    /// Returns the lines of the selected row's details below a list, which prompts cover.
    fn details_height(&self, _cx: &PaneContext<'_>) -> u16 {
        0
    }

    /// Returns `true` for text that keeps a column free on both sides, as the tables of lists do themselves.
    fn has_margins(&self) -> bool {
        false
    }

    /// Returns the visible range of lines, for the scrollbar.
    fn scroll_extent(&self, _cx: &PaneContext<'_>) -> Option<ScrollExtent> {
        None
    }

    /// Returns the total number of rows in the tab of a kind, once it is known.
    fn row_count(&self, _kind: PaneKind) -> Option<RowCount> {
        None
    }

    /// Returns the address of the page, if the chain is known not to have it.
    fn unused_address(&self) -> Option<Address> {
        None
    }

    /// The address under the cursor, to be labelled or watched.
    fn address(&self, _cx: &PaneContext<'_>) -> Option<Address> {
        None
    }

    /// Returns the value that an action would copy.
    fn copied_value(&self, _action: Action, _cx: &PaneContext<'_>) -> Option<CopyValue> {
        None
    }

    /// Returns the beginning of the JSON that would be copied, as one line.
    fn json_start(&self) -> Option<SafeText> {
        None
    }

    /// The pictures on the screen, with the cells that they have.
    fn pictures(&self, _cx: &PaneContext<'_>) -> Vec<(&SafeText, Size)> {
        Vec::new()
    }

    /// Returns the page of a list's selected row.
    fn preview_target(&self, _cx: &PaneContext<'_>) -> Option<PreviewTarget> {
        None
    }

    /// Returns the lines of a list that is above its preview, where there is space for both.
    fn lines_above_preview(&self, _cx: &PaneContext<'_>) -> Option<u16> {
        None
    }

    /// Opens the content in an external program, or reports that there is nothing to show.
    fn export(&mut self, _tool: ExternalTool, _cx: &PaneContext<'_>) -> Vec<Command> {
        vec![Command::Notify(page::NOTHING_TO_SHOW.into())]
    }

    /// Returns the tokens of the calls on the screen that are unknown, whose amounts cannot be shown.
    fn unknown_tokens(&self, _cx: &PaneContext<'_>) -> Vec<Address> {
        Vec::new()
    }

    /// Returns the state of the pane that a command line can restore.
    fn view_params(&self) -> ViewParams {
        ViewParams::default()
    }

    /// Returns the names of the columns that a command line can sort by.
    fn sort_names(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Restores the state in a command line. Only called before the first `activate`.
    fn restore(&mut self, _params: ViewParams) {}
}

opaque_debug!(Pane);

/// Describes the lines of a detail that do not fit, before the position in its list.
fn below_text(lines: usize) -> String {
    if lines == 0 {
        return String::new();
    }
    format!("{} · ", PageMessage::MoreOfDetail { lines: Count(lines, "line") })
}

/// The matches of a search that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedMatches {
    Found {
        count: usize,
        /// Number of loaded rows that were searched, in a list without a filter.
        loaded: Option<usize>,
        /// `true` if everything was searched.
        is_all: bool,
        /// `true` if a filter hides other rows.
        is_filtered: bool,
    },
    /// The reason why the text cannot be searched.
    Invalid(SafeText),
}

/// Something that happens to a pane, other than a key.
#[derive(Debug)]
pub enum PaneEvent<'a> {
    /// A response to one of its requests, unless that was cancelled.
    Reply {
        query: &'a Query,
        reply: ReplyResult,
    },
    Trace(TraceEvent),
    Resized,
    /// It is visible, but its activation is delayed.
    Delayed,
    /// The unit of amounts or the format of times changed.
    Reformatted,
    /// Labels, known addresses, recents or signatures changed.
    NamesChanged,
    Tick,
    /// The chain of a node has new blocks, or more of its blocks are indexed.
    ChainAdvanced,
    /// Blocks of a node's chain were rolled back, or all of them: shown data may be gone too.
    ChainRolledBack,
    /// The user stops everything that takes time.
    Interrupted,
    /// Requests that failed for a reason that may have passed are to be sent again.
    RetryFailed,
    /// The memory was measured: these bytes are free.
    FreeMemory(u64),
    /// The time of its [`Command::Wake`] has come.
    Woken,
    /// The list of transactions of this query has rows.
    Listed {
        query: &'a Query,
        /// The transactions and when they were.
        transactions: &'a [(TxHash, Timestamp)],
    },
    Click(Position),
    Wheel {
        /// The number of rows, negative for up.
        rows: isize,
        at: Position,
    },
    /// The user wants an action of a trace, from another tab: it is carried out once all calls are loaded.
    ActWhenLoaded(Action),
    Prompt {
        prompt: PanePrompt,
        text: &'a str,
    },
    /// The text of a search as it is typed, or `None` when its prompt is closed.
    SearchTyped(Option<&'a str>),
    QueryChosen(Query),
    /// A call of a trace is to be selected, by its path from the root.
    CallChosen(Vec<u32>),
}

/// State of a pane that the app needs.
#[derive(Debug, Clone, Copy, Default)]
pub struct PaneState {
    /// Context of the pane's own keys, which take precedence over the global ones.
    pub key_context: KeyContext,
    /// Interval between [`PaneEvent::Tick`]s, apart from the ages on the screen.
    pub tick_interval: Option<Duration>,
    /// `true` if a part inside it has the focus, such as the detail of a call.
    pub has_inner_focus: bool,
    /// `true` if it shows new rows as they come.
    pub is_live: bool,
}
