//! What the mouse does, as far as the program wants to know: no motion is ever asked for.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

/// Something was done with the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MouseInput {
    /// Where on the screen.
    pub at: Position,
    /// What.
    pub kind: MouseKind,
}

/// What can be done with a mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button was pressed.
    Click,
    /// The wheel was turned away from the user.
    WheelUp,
    /// The wheel was turned to the user.
    WheelDown,
}

impl MouseInput {
    /// What `event` means; none for releases and the other buttons.
    pub fn from_event(event: MouseEvent) -> Option<Self> {
        let gesture = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => MouseKind::Click,
            MouseEventKind::ScrollUp => MouseKind::WheelUp,
            MouseEventKind::ScrollDown => MouseKind::WheelDown,
            _ => return None,
        };
        Some(Self { at: Position::new(event.column, event.row), kind: gesture })
    }
}
