//! What the user changes about how everything is written, and styles that fit the terminal.

use super::App;
use crate::msg::{Background, Effect};
use crate::pane::PaneEvent;

impl App {
    /// The terminal's background is known.
    pub(super) fn apply_background(&mut self, background: Background) -> Vec<Effect> {
        if let (Background::Light, Some(light)) = (background, self.light_styles.take()) {
            self.styles = light;
        }
        Vec::new()
    }

    /// The next unit of amounts.
    pub(super) fn next_unit(&mut self) -> Vec<Effect> {
        self.format.unit = self.format.unit.next(self.session().network.decimals);
        self.reformat();
        let words = format!("amounts are in {}", self.format.unit.name(&self.session().network));
        self.notify(&words)
    }

    /// The next form of times.
    pub(super) fn next_times(&mut self) -> Vec<Effect> {
        self.format.time_format = self.format.time_format.next();
        self.reformat();
        self.notify(&self.format.describe_times(self.now))
    }

    /// What is in sight is written anew; the rest is when it comes into sight.
    fn reformat(&mut self) {
        self.send_to_visible(|| PaneEvent::Reformatted);
    }
}
