//! The columns of what a transaction carried: blobs, and transactions of other chains.

use super::ListRow;
use super::table::any_row::RowId;
use super::table::column::{Column, field, text_width};
use super::table::plain_row::PlainRow;
use crate::api::endpoints::transaction::{Blob, ExternalTransaction};

impl ListRow for Blob {
    const LIST_NAME: &'static str = "blobs";
    const PLURAL: &'static str = "blobs";
    const SINGULAR: &'static str = "blob";
    const NEWEST_FIRST: bool = false;
    const DETAIL_LINES: u16 = 4;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "versioned hash", width: text_width(11, 66, 0), ..field!(hash: hash) },
        Column {
            title: "commitment",
            width: text_width(12, 98, 1),
            ..field!(text: kzg_commitment)
        },
        Column { title: "proof", width: text_width(12, 98, 2), ..field!(text: kzg_proof) },
    ];
}

impl PlainRow for Blob {
    fn row_id(&self) -> Option<RowId> {
        Some(RowId::Hash(*self.hash.value()?))
    }
}

impl ListRow for ExternalTransaction {
    const LIST_NAME: &'static str = "external-transactions";
    const PLURAL: &'static str = "external transactions";
    const SINGULAR: &'static str = "external transaction";
    const NEWEST_FIRST: bool = false;
    const DETAIL_LINES: u16 = 2;
    const COLUMNS: &'static [Column<Self>] = &[Column {
        title: "external transaction",
        json_paths: &[],
        width: text_width(11, 100, 0),
        is_computed: true,
        ..field!(text: hash)
    }];
}

impl PlainRow for ExternalTransaction {
    /// Returns a hash of the text, which has no fixed length.
    fn row_id(&self) -> Option<RowId> {
        let text: &str = self.hash.value()?;
        Some(RowId::Hash(alloy_primitives::keccak256(text.as_bytes())))
    }
}
