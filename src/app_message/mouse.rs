//! Mouse events. Motion is never reported.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MouseInput {
    pub at: Position,
    pub kind: MouseKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button was pressed.
    Click,
    WheelUp,
    WheelDown,
}

impl MouseInput {
    /// Converts a terminal event. Returns `None` for releases and for other buttons.
    pub fn from_event(event: MouseEvent) -> Option<Self> {
        let kind = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => MouseKind::Click,
            MouseEventKind::ScrollUp => MouseKind::WheelUp,
            MouseEventKind::ScrollDown => MouseKind::WheelDown,
            _ => return None,
        };
        Some(Self { at: Position::new(event.column, event.row), kind })
    }
}
