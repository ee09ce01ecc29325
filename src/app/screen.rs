//! The screen: its layout, the drawing of everything, and the lines above and below a page.

pub(super) mod display_settings;
mod draw;
mod footer;
pub(super) mod layout;
mod pictures;
mod preview;
mod title_line;
