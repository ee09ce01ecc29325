//! The screen: its layout, the drawing of everything, and the lines above and below a page.
//!
//! `layout` computes the areas from the size and the state. Drawing and the mouse both use
//! it, so that a click hits what was drawn.

pub(super) mod display_settings;
mod draw;
mod footer;
pub(super) mod layout;
mod pictures;
pub(super) mod tab_bar;
mod title_line;
