//! Widgets, text formats and themes. Independent of panes, of the API and of the demo chain.

pub mod address_mark;
pub mod age;
pub mod ascii;
pub mod bars;
pub mod document;
pub mod format;
pub mod format_options;
pub mod frame;
pub mod json_view;
pub mod picture;
pub mod popup;
pub mod selection;
pub mod table;
pub mod text;
pub mod theme;
pub mod viewport;
