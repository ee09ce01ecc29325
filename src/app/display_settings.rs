//! What the user changes about how everything is written, and styles that fit the terminal.

use super::{App, Part};
use crate::msg::{Background, Effect};

impl App {
    /// The terminal's background is known.
    pub(super) fn fit_background(&mut self, background: Background) -> Vec<Effect> {
        if let (Background::Light, Some(light)) = (background, self.light.take()) {
            self.styles = light;
        }
        Vec::new()
    }

    /// The next unit of amounts.
    pub(super) fn next_unit(&mut self) -> Vec<Effect> {
        self.notation.unit = self.notation.unit.next(self.chain().network.decimals);
        self.rewrite();
        let words = format!("amounts are in {}", self.notation.unit.name(&self.chain().network));
        self.say(&words)
    }

    /// The next form of times.
    pub(super) fn next_times(&mut self) -> Vec<Effect> {
        self.notation.times = self.notation.times.next();
        self.rewrite();
        self.say(&self.notation.times_words(self.now))
    }

    /// What is in sight is written anew; the rest is when it comes into sight.
    fn rewrite(&mut self) {
        let active = self.place().map_or(0, |place| place.active);
        for part in [Part::Header, Part::Tab(active), Part::Side] {
            self.with(part, |slot, cx| slot.pane.rewrite(cx));
        }
    }
}
