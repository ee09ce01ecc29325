//! The whole app without a terminal: keys in, effects carried out, the screen as text.

use chainglass::api::{ApiError, Cursor, Query, Reply};
use chainglass::app::App;
use chainglass::chain::Timestamp;
use chainglass::chain::network::Network;
use chainglass::keymap::{Chord, Keymap};
use chainglass::msg::{Effect, Msg};
use chainglass::runtime::source::Source;
use chainglass::ui::theme::Styles;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

pub(crate) const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// Who answers.
enum Answers {
    /// The embedded explorer, over HTTP.
    Demo(Source),
    /// A function from a question to a body.
    Canned(Box<Answer>),
}

type Answer = dyn FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError>;

/// An app in use.
pub(crate) struct Session {
    pub(crate) app: App,
    answers: Answers,
    size: Size,
    /// Every request so far.
    pub(crate) asked: Vec<(Query, Option<Cursor>)>,
    /// Every other effect so far.
    pub(crate) effects: Vec<Effect>,
}

/// Seven minutes after the demo chain's last block.
pub(crate) fn now() -> Timestamp {
    "2023-11-15T00:00:00Z".parse().unwrap()
}

pub(crate) const fn size(width: u16, height: u16) -> Size {
    Size { width, height }
}

impl Session {
    /// On the demo chain, everything loaded that the first screen asks for.
    pub(crate) async fn demo(size: Size, target: &str) -> Self {
        let mut session = Self::new(Answers::Demo(Source::of(&Network::demo())), size);
        let effects = session.app.start(size, target.parse().ok());
        session.settle(effects).await;
        session
    }

    /// Against canned answers.
    pub(crate) async fn canned(
        size: Size,
        target: &str,
        answer: impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> + 'static,
    ) -> Self {
        let mut session = Self::new(Answers::Canned(Box::new(answer)), size);
        let effects = session.app.start(size, target.parse().ok());
        session.settle(effects).await;
        session
    }

    fn new(answers: Answers, size: Size) -> Self {
        let app = App::new(Network::demo(), Styles::new(true), Keymap::embedded().unwrap(), now());
        Self { app, answers, size, asked: Vec::new(), effects: Vec::new() }
    }

    /// Presses keys, written as in the key map, and waits for what they ask for.
    pub(crate) async fn keys(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let effects = self.press(key);
            self.settle(effects).await;
        }
    }

    /// Types text into a box, and Enter.
    pub(crate) async fn types(&mut self, text: &str) {
        for c in text.chars() {
            self.press(&if c == ' ' { "space".to_owned() } else { c.to_string() });
        }
        self.keys("enter").await;
    }

    /// Presses one key and carries nothing out.
    pub(crate) fn press(&mut self, key: &str) -> Vec<Effect> {
        let chord: Chord = key.parse().unwrap();
        chord.0.into_iter().flat_map(|key| self.app.update(Msg::Key(key))).collect()
    }

    /// Answers requests until there are none.
    pub(crate) async fn settle(&mut self, effects: Vec<Effect>) {
        let mut queue = std::collections::VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            let Effect::Fetch { ticket, query, cursor } = effect else {
                self.effects.push(effect);
                continue;
            };
            self.asked.push((query.clone(), cursor.clone()));
            let reply = self.answer(&query, cursor.as_ref()).await;
            queue.extend(self.app.update(Msg::Fetched { ticket, query, reply }));
        }
    }

    async fn answer(&mut self, query: &Query, cursor: Option<&Cursor>) -> Result<Reply, ApiError> {
        match &mut self.answers {
            Answers::Demo(source) => source.fetch(query, cursor).await,
            Answers::Canned(answer) => query.decode(answer(query, cursor)?.as_bytes(), cursor),
        }
    }

    pub(crate) async fn resize(&mut self, size: Size) {
        self.size = size;
        let effects = self.app.update(Msg::Resized(size));
        self.settle(effects).await;
    }

    /// The screen as text, one line a row.
    pub(crate) fn screen(&self) -> String {
        let mut terminal =
            Terminal::new(TestBackend::new(self.size.width, self.size.height)).unwrap();
        terminal.draw(|frame| self.app.view(frame)).unwrap();
        let buffer = terminal.backend().buffer();
        let lines = buffer.content().chunks(usize::from(self.size.width).max(1)).map(|cells| {
            let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
            line.trim_end().to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The selected row as CSV.
    pub(crate) async fn copied_row(&mut self) -> String {
        self.keys("y r").await;
        self.copied().unwrap_or_default().to_owned()
    }

    /// The last text that was copied.
    pub(crate) fn copied(&self) -> Option<&str> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Copy { text, .. } => Some(&**text),
            _ => None,
        })
    }
}
