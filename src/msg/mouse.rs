//! What the mouse does, as far as the program wants to know: no motion is ever asked for.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

/// Something was done with the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// Where on the screen.
    pub at: Position,
    /// What.
    pub gesture: Gesture,
}

/// What can be done with a mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    /// The left button was pressed.
    Click,
    /// The wheel was turned away from the user.
    WheelUp,
    /// The wheel was turned to the user.
    WheelDown,
}

impl Mouse {
    /// What `event` means; none for releases and the other buttons.
    pub fn of(event: MouseEvent) -> Option<Self> {
        let gesture = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => Gesture::Click,
            MouseEventKind::ScrollUp => Gesture::WheelUp,
            MouseEventKind::ScrollDown => Gesture::WheelDown,
            _ => return None,
        };
        Some(Self { at: Position::new(event.column, event.row), gesture })
    }
}
