//! Tables: a column with its cells, rows of any type, and their layout on the screen, as text and as CSV.

pub mod any_row;
pub mod column;
pub mod csv;
pub mod extent;
pub mod plain_row;
pub mod text_table;
