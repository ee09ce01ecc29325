//! The first screen: where to go.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::{Cx, Link, Pane, Want};
use crate::api::{ApiError, Query, Reply};
use crate::chain::network::Endpoint;
use crate::explorer::{PLACES, Place};
use crate::msg::Action;
use crate::text::Text;
use crate::ui::format::cut;
use crate::ui::theme::Role;

/// The pane.
#[derive(Debug, Default)]
pub struct Start {
    selected: usize,
}

/// Lines above the places.
const HEAD: u16 = 8;

fn places(cx: &Cx<'_>) -> &'static [Place] {
    match cx.network.endpoint {
        Endpoint::Embedded => &PLACES,
        Endpoint::Remote(_) => &[],
    }
}

impl Pane for Start {
    fn look(&mut self, _: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn leave(&mut self) {}

    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let places = places(cx);
        let last = places.len().saturating_sub(1);
        match action {
            Action::NextRow => self.selected = (self.selected + 1).min(last),
            Action::PreviousRow => self.selected = self.selected.saturating_sub(1),
            Action::First | Action::PageUp | Action::HalfPageUp => self.selected = 0,
            Action::Last | Action::PageDown | Action::HalfPageDown => self.selected = last,
            Action::Open => {
                let place = places.get(self.selected);
                let subject = place.and_then(|place| place.hash.parse().ok());
                return Some(subject.map(|s| Want::Follow(Link::Subject(s))).into_iter().collect());
            }
            Action::CopyCell | Action::CopyAddress | Action::CopyHash => {
                let place = places.get(self.selected)?;
                return Some(vec![Want::Copy("target", place.hash.into())]);
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    fn reply(&mut self, _: &Query, _: Result<Reply, ApiError>, _: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn resize(&mut self, _: &Cx<'_>) {}

    fn click(&mut self, at: Position, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let (head, top) = self.in_sight(cx);
        let below = at.y.checked_sub(cx.area.y + head).filter(|_| cx.area.contains(at))?;
        let place = top + usize::from(below);
        if place >= places(cx).len() {
            return None;
        }
        if place == self.selected {
            return self.act(Action::Open, cx);
        }
        self.selected = place;
        Some(Vec::new())
    }

    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        let places = places(cx);
        let left = cx.area.x + if cx.area.width > 60 { 2 } else { 0 };
        let room = usize::from(cx.area.right().saturating_sub(left));
        let mut put = |y: u16, text: &str, role: Role| {
            if y < cx.area.height {
                buf.set_string(left, cx.area.y + y, cut(text, room), cx.styles.of(role));
            }
        };
        let (head, top) = self.in_sight(cx);
        let low = head < HEAD;
        if !low {
            put(1, "chainglass", Role::Accent);
            put(
                2,
                "an explorer for EVM chains: addresses, transfers, NFTs and raw traces",
                Role::Dim,
            );
        }
        put(
            head - 4,
            "s  go to an address, a transaction, or an explorer's web address",
            Role::Title,
        );
        put(
            head - 3,
            "T  all token transfers of the chain (paste an address or a hash anywhere)",
            Role::Dim,
        );
        if !places.is_empty() {
            put(head - 1, "Worth visiting on the demo chain:", Role::Title);
        }
        let height = usize::from(cx.area.height.saturating_sub(head)).max(1);
        for (y, place) in (head..).zip(places.iter().skip(top).take(height)) {
            let hash = if room < 100 { String::new() } else { short(place.hash) + "  " };
            put(y, &format!("{:<18}{hash}{}", place.name, place.why), Role::Plain);
        }
        let at = u16::try_from(self.selected - top).unwrap_or(0) + head;
        if !places.is_empty() && at < cx.area.height {
            let line = ratatui::layout::Rect { y: cx.area.y + at, height: 1, ..cx.area };
            buf.set_style(line, cx.styles.selection());
        }
    }

    fn epoch(&self) -> u32 {
        0
    }

    fn is_busy(&self) -> bool {
        false
    }

    fn status(&self, _: &Cx<'_>) -> Text {
        Text::default()
    }
}

impl Start {
    /// The line of the first place in sight, and which place that is.
    fn in_sight(&self, cx: &Cx<'_>) -> (u16, usize) {
        let head = if cx.area.height < HEAD + 6 { 4 } else { HEAD };
        let height = usize::from(cx.area.height.saturating_sub(head)).max(1);
        (head, (self.selected + 1).saturating_sub(height))
    }
}

/// Both ends of a target of ours.
fn short(target: &str) -> String {
    let end = target.get(target.len().saturating_sub(4)..).unwrap_or_default();
    [target.get(..6).unwrap_or(target), "…", end].concat()
}
