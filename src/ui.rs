//! The drawing kit: styles, formats, a table, a document. Knows no pane and no endpoint.

pub mod ascii;
pub mod document;
pub mod format;
pub mod json;
pub mod notation;
pub mod short;
pub mod table;
pub mod theme;
