//! The drawing kit: styles, formats, a table, a document. Knows no pane and no endpoint.

pub mod ascii;
pub mod document;
pub mod format;
pub mod json_view;
pub mod number_format;
pub mod popup;
pub mod table;
pub mod theme;
pub mod viewport;
