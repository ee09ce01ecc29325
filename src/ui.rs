//! Widgets, text formats and themes. Independent of panes, of the API and of the demo chain.
//!
//! A widget draws into a buffer with the [`Styles`](theme::Styles) of a theme, which has a style for each
//! [`Role`](theme::Role) of text; no widget names a colour. Texts of a table's cells or a document's
//! entries are laid out when they change, and drawing only copies what is visible.

pub mod address_mark;
pub mod age;
pub mod ascii;
pub mod charts;
pub mod document;
pub mod format;
pub mod format_options;
pub mod frame;
pub mod json_view;
pub mod marked_text;
pub mod picture;
pub mod popup;
pub mod selection;
pub mod table;
pub mod text;
pub mod theme;
pub mod viewport;
