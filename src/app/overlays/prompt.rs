//! Prompts: a text input with a title and help.

use std::borrow::Cow;

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::completion::Completion;
use super::prompt_search::PromptSearch;
use super::text_input::TextInput;
use crate::api::Page;
use crate::api::search_results::SearchResult;
use crate::app_message::Key;
use crate::chain::Address;
use crate::chain::amount::Grouped;
use crate::chain::data_input::{GoToError, GoToInput, MAX_DATA_CHARS};
use crate::chain::target::Target;
use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::messages::failed_refresh::NextRetry;
use crate::messages::prompt::{self, OverlayText};
use crate::name_cache::NameCache;
use crate::pane::{PanePrompt, PromptRequest, TypedMatches};
use crate::safety::address_poisoning::KnownAddresses;
use crate::sanitize::SafeText;
use crate::ui::popup::Popup;
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum PromptKind {
    GoTo,
    Label(Address),
    Pane(PanePrompt),
}

/// The words of a kind of prompts.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct PromptWords {
    title: &'static str,
    /// The help, which may name keys.
    help: &'static str,
    /// The effect of the key that accepts the text.
    pub(in crate::app) accepts: &'static str,
}

const PROMPT_WIDTH: u16 = 76;
/// Part of the screen that the help below an input may cover: a quarter.
const HELP_SHARE: u16 = 4;

impl PromptKind {
    /// Returns `true` if the page is searched or filtered by the text.
    pub(in crate::app) fn searches_page(self) -> bool {
        matches!(self, Self::Pane(prompt) if prompt.is_search() || prompt.is_filter())
    }

    /// Returns `true` if only the rows or calls that match the text stay.
    fn filters_page(self) -> bool {
        matches!(self, Self::Pane(prompt) if prompt.is_filter())
    }

    pub(in crate::app) fn words(self) -> PromptWords {
        use PanePrompt as Pane;
        let (title, help, accepts) = match self {
            Self::GoTo => (prompt::GO_TO_BOX_TITLE, prompt::GO_TO_HELP, "open"),
            Self::Label(_) => ("Label", prompt::LABEL_HELP, "save"),
            Self::Pane(Pane::Search) => {
                (prompt::SEARCH_ROWS_TITLE, prompt::SEARCH_ROWS_HELP, "search")
            }
            Self::Pane(Pane::SearchText) => {
                (prompt::SEARCH_PAGE_TITLE, prompt::SEARCH_PAGE_HELP, "search")
            }
            Self::Pane(Pane::SearchCalls) => {
                (prompt::SEARCH_CALLS_TITLE, prompt::SEARCH_CALLS_HELP, "search")
            }
            Self::Pane(Pane::Filter) => {
                (prompt::FILTER_ROWS_TITLE, prompt::SEARCH_ROWS_HELP, "filter")
            }
            Self::Pane(Pane::FilterCalls) => {
                (prompt::FILTER_CALLS_TITLE, prompt::FILTER_CALLS_HELP, "filter")
            }
            Self::Pane(Pane::Signature) => ("Signature", prompt::SIGNATURE_HELP, "add"),
            Self::Pane(Pane::Argument) => ("Argument", prompt::ARGUMENT_HELP, "next"),
            Self::Pane(Pane::Slot) => (prompt::SLOT_TITLE, prompt::SLOT_HELP, "read"),
            Self::Pane(Pane::Block) => (prompt::BLOCK_TITLE, prompt::BLOCK_HELP, "read"),
            Self::Pane(Pane::ExportTrace) => {
                (prompt::EXPORT_TRACE_TITLE, prompt::EXPORT_TRACE_HELP, "save")
            }
            Self::Pane(Pane::Export) => {
                (prompt::EXPORT_ROWS_TITLE, prompt::EXPORT_ROWS_HELP, "save")
            }
        };
        PromptWords { title, help, accepts }
    }
}

/// Progress of requests and searches for a prompt.
#[derive(Debug, Clone)]
pub(in crate::app) struct PromptProgress {
    pub(in crate::app) is_asking: bool,
    pub(in crate::app) next_retry: Option<NextRetry>,
    pub(in crate::app) matches: Option<TypedMatches>,
    /// The lines at the bottom of the page that a search covers as a whole.
    pub(in crate::app) covered_lines: u16,
}

#[derive(Debug)]
pub(in crate::app) struct PromptState {
    pub(in crate::app) kind: PromptKind,
    /// The title, if it differs from the kind's.
    title: Option<SafeText>,
    /// The lines of help, if they differ from the kind's.
    help: Vec<SafeText>,
    input: TextInput,
    error: Option<SafeText>,
    /// The input before its completion, with the number of completions.
    completed: Option<(String, usize)>,
    /// Result of the completion.
    completion: SafeText,
    /// The earlier search that the input is, counted from the latest, or 0.
    recalled: usize,
    /// The input before the first earlier search.
    draft: String,
    pub(in crate::app) search: PromptSearch,
}

impl PromptState {
    pub(in crate::app) fn new(kind: PromptKind, text: &str) -> Self {
        let input = match kind {
            PromptKind::GoTo => TextInput::with_limit(MAX_DATA_CHARS),
            _ => TextInput::default(),
        };
        let mut prompt = Self {
            kind,
            title: None,
            help: Vec::new(),
            input,
            error: None,
            completed: None,
            completion: SafeText::default(),
            recalled: 0,
            draft: String::new(),
            search: PromptSearch::default(),
        };
        prompt.paste(text);
        prompt
    }

    pub(in crate::app) fn from_request(request: PromptRequest) -> Self {
        let PromptRequest { prompt, text, title, help } = request;
        Self { title, help, ..Self::new(PromptKind::Pane(prompt), &text) }
    }

    /// Gives the prompt a title of its own.
    pub(in crate::app) fn with_title(self, title: SafeText) -> Self {
        Self { title: Some(title), ..self }
    }

    pub(in crate::app) fn has_error(&self) -> bool {
        self.error.is_some()
    }

    pub(in crate::app) fn text(&self) -> &str {
        self.input.text()
    }

    /// Returns the text if the page shows its matches while it is typed, which it does not for a filter of
    /// calls.
    pub(in crate::app) fn typed_search(&self) -> Option<&str> {
        let shows_matches =
            self.kind.searches_page() && self.kind != PromptKind::Pane(PanePrompt::FilterCalls);
        shows_matches.then(|| self.text())
    }

    /// Inserts a text. A target replaces one that could not be opened.
    pub(in crate::app) fn paste(&mut self, text: &str) {
        if self.error.take().is_some() && text.parse::<Target>().is_ok() {
            self.input.clear();
        }
        self.input.paste(text);
    }

    pub(in crate::app) fn type_key(&mut self, key: Key) {
        (self.error, self.completed) = (None, None);
        self.input.type_key(key);
    }

    /// Replaces the input by an earlier or a later search of its kind. Returns `false` if the key does not.
    pub(in crate::app) fn recall(&mut self, key: Key, earlier: &[(PromptKind, String)]) -> bool {
        let own = || earlier.iter().rev().filter(|(kind, _)| *kind == self.kind);
        let at = match key.code {
            KeyCode::Up => (self.recalled + 1).min(own().count()),
            KeyCode::Down => self.recalled.saturating_sub(1),
            _ => return false,
        };
        if self.kind.searches_page() && at != self.recalled {
            if self.recalled == 0 {
                self.draft = self.text().to_owned();
            }
            let search = at.checked_sub(1).and_then(|at| own().nth(at));
            let text = search.map_or(&self.draft, |(_, text)| text);
            self.input.clear();
            self.input.paste(text);
            self.recalled = at;
            self.error = None;
        }
        self.kind.searches_page()
    }

    /// Replaces the input by the next of its completions.
    pub(in crate::app) fn complete(&mut self, completions: impl FnOnce(&str) -> Vec<Completion>) {
        let (typed, count) = self.completed.take().unwrap_or_else(|| (self.text().to_owned(), 0));
        let found = completions(&typed);
        let Some(next) = found.get(count % found.len().max(1)) else {
            return self.show_error(prompt::NO_COMPLETION.into());
        };
        self.input.clear();
        self.paste(&next.hash);
        let place = format!("{} · {} of {}", next.name, count % found.len() + 1, found.len());
        self.completion = place.into();
        self.completed = Some((typed, count + 1));
    }

    pub(in crate::app) fn parse_goal(&self) -> Result<GoToInput, GoToError> {
        self.text().parse()
    }

    pub(in crate::app) fn show_error(&mut self, why: SafeText) {
        self.error = Some(why);
    }

    pub(in crate::app) fn list_results(
        &mut self,
        page: &Page<SearchResult>,
        known: (KnownAddresses, &NameCache),
        has_marks: bool,
    ) {
        self.search.append(page, self.input.text().trim(), known, has_marks);
        if self.search.has_results() {
            self.error = None;
        }
    }

    pub(in crate::app) fn clear_error(&mut self) {
        self.error = None;
    }

    /// Describes the matches. A new filter is not only for the rows that another one shows.
    fn found_text(&self, matches: &TypedMatches) -> Option<String> {
        let is_filter = self.kind == PromptKind::Pane(PanePrompt::Filter);
        let TypedMatches::Found { count, loaded, is_all, is_filtered } = matches else {
            return None;
        };
        let matches = Grouped(*count);
        let found = match loaded {
            _ if !is_all => OverlayText::FoundSoFar { matches },
            Some(rows) => OverlayText::FoundInLoaded { matches, rows: Grouped(*rows) },
            None => OverlayText::Found { matches },
        };
        (!(is_filter && *is_filtered)).then(|| format!(" {found} "))
    }

    /// Returns the lines below the input, each with its role: a message about it or, also below a mistake
    /// in a search, the help.
    fn lines_below<'a>(
        &'a self,
        keys: KeyPlaceholders<'_>,
        progress: &PromptProgress,
    ) -> Vec<(Cow<'a, str>, Role)> {
        let help = || -> Vec<(Cow<'a, str>, Role)> {
            let of_kind = self.kind.words().help;
            let own = self.help.iter().map(|line| (Cow::Borrowed(&**line), Role::Dim));
            let lines: Vec<_> = own.collect();
            if lines.is_empty() { vec![(keys.expand(of_kind), Role::Dim)] } else { lines }
        };
        let mistake = |why: &str, role| {
            let stay = OverlayText::InvalidFilter { why, rows: prompt::ROWS_STAY };
            let shown = if self.kind.filters_page() { stay.to_string() } else { why.to_owned() };
            let help = if self.kind.searches_page() { help() } else { Vec::new() };
            [vec![(Cow::Owned(shown), role)], help].concat()
        };
        let searched = self.search.message(self.text(), progress.next_retry);
        match (&self.error, &progress.matches, searched) {
            _ if progress.is_asking => vec![(prompt::ASKING_EXPLORER.into(), Role::Dim)],
            (None, Some(TypedMatches::Invalid(why)), _) => mistake(why, Role::Warning),
            (Some(why), ..) => mistake(why, Role::Failed),
            _ if self.completed.is_some() => vec![((&*self.completion).into(), Role::Accent)],
            (None, _, Some((message, role))) => vec![(message.clone().into(), role)],
            (None, _, None) if self.search.has_results() => Vec::new(),
            (None, _, None) => help(),
        }
    }

    /// Draws the prompt, which may be asking the explorer. Returns the position of the cursor.
    pub(in crate::app) fn view(
        &self,
        screen: Rect,
        buf: &mut Buffer,
        (styles, keys): (&Styles, KeyPlaceholders<'_>),
        progress: &PromptProgress,
    ) -> (u16, u16) {
        let title = self.title.as_deref().unwrap_or(self.kind.words().title);
        let most = match self.kind {
            kind if kind.searches_page() => screen.width,
            PromptKind::GoTo => screen.width,
            _ => PROMPT_WIDTH,
        };
        let inner_width = screen.width.min(most).saturating_sub(4);
        let words = self.lines_below(keys, progress);
        let wrapped = words.iter().flat_map(|(words, role)| {
            let parts = wrap_two_lines(words, usize::from(inner_width));
            parts.into_iter().filter(|part| !part.is_empty()).map(|part| (part, *role))
        });
        // More would cover the rows on a low screen.
        let space = progress.covered_lines.max(screen.height / HELP_SHARE).saturating_sub(3).max(2);
        let parts: Vec<(&str, Role)> = wrapped.take(space.into()).collect();
        let above = 1 + u16::try_from(parts.len()).unwrap_or(space);
        let height = 2 + above + self.search.height(inner_width);
        let popup = match self.kind {
            // Over the box of the start page.
            PromptKind::GoTo => Popup::below(screen, 1, screen.width, height),
            // It would cover the rows that are searched.
            kind if kind.searches_page() => {
                let above_footer = Rect { height: screen.height.saturating_sub(1), ..screen };
                Popup::at_bottom(above_footer, height.max(progress.covered_lines))
            }
            _ => Popup::centered(screen, PROMPT_WIDTH, height),
        };
        let found = progress.matches.as_ref().and_then(|matches| self.found_text(matches));
        let position = found.or_else(|| self.search.position()).unwrap_or_default();
        let position = Line::from(position).right_aligned();
        if self.kind == PromptKind::GoTo {
            popup.move_page_below(buf);
        }
        let inner = popup.title(title).footer(position).draw(buf, styles);
        buf.set_stringn(inner.x, inner.y, "> ", inner.width.into(), styles.of(Role::Accent));
        let line = Rect { x: inner.x + 2, width: inner.width.saturating_sub(2), ..inner };
        let cursor = self.input.view(line, buf, styles);
        for ((part, role), line) in parts.into_iter().zip(inner.rows().skip(1)) {
            draw_text(buf, line, part, styles.of(role));
        }
        let [_, results] =
            inner.layout(&Layout::vertical([Constraint::Length(above), Constraint::Fill(1)]));
        self.search.draw(results, buf, styles);
        cursor
    }
}

/// Breaks a text into two lines at a space.
fn wrap_two_lines(words: &str, width: usize) -> [&str; 2] {
    if words.len() <= width {
        return [words, ""];
    }
    let fits = words.char_indices().take_while(|(at, _)| *at <= width);
    match fits.filter(|(_, c)| *c == ' ').last() {
        Some((space, _)) => [&words[..space], &words[space + 1..]],
        None => [words, ""],
    }
}
