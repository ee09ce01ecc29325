//! The columns of the NFT collections in which an address holds instances.

use crate::api::Field;
use crate::api::endpoints::address::Collection;
use crate::api::nft_instances::TokenInstance;
use crate::chain::amount::Grouped;
use crate::chain::{Address, U256};
use crate::columns::cells::{
    count_cell, csv_value_with, instance_label, symbol, token_line, token_title, truncate_middle,
};
use crate::columns::table::any_row::RowId;
use crate::columns::table::column::{Column, RouteFn, field, number_width, text_width};
use crate::columns::{Card, CopyValue, ListRow, Row, RowContext, common};
use crate::route::Route;
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::format::{cut, width};
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Maximum columns of an id among several.
const MAX_ID_COLUMNS: usize = 13;

/// Route to the instances of the viewed address.
const ITEMS_ROUTE: RouteFn<Collection> = |_, c, holder| {
    let token = *c.token()?.address.value()?;
    Some(holder.map_or(Route::Token(token), |holder| Route::Instances { token, holder }))
};

impl ListRow for Collection {
    const LIST_NAME: &'static str = "nft-collections";
    const PLURAL: &'static str = "NFTs";
    const SINGULAR: &'static str = "collection";
    const NEWEST_FIRST: bool = false;
    const COLUMNS: &'static [Column<Self>] = &[
        common::token_symbol("collection", text_width(10, 27, 0), ITEMS_ROUTE),
        common::token_name(text_width(12, 40, 3), ITEMS_ROUTE),
        common::csv_token_contract(),
        common::csv_token_type(),
        Column {
            title: "held",
            width: number_width(1),
            cell: |c, _, _| count_cell(&c.held()),
            ..field!(NUMBER: amount)
        },
        Column {
            title: "NFTs",
            csv_name: Some("items"),
            json_paths: &["token_instances"],
            width: text_width(12, 200, 4),
            cell: |c, cx, width| match &c.instances {
                Field::Present(_) => {
                    let most = if cx.is_in_full() { usize::MAX } else { MAX_ID_COLUMNS };
                    TableCell::new(c.item_labels(most, width), Role::Plain)
                }
                Field::Absent => TableCell::absent(),
                Field::Invalid(_) => TableCell::new("?", Role::Warning),
            },
            full_value: |c| c.labels(usize::MAX).join(" ").into(),
            ..Column::TEXT
        },
        Column {
            csv_name: Some("items_left_out"),
            json_paths: &["amount", "token_instances"],
            is_computed: true,
            full_value: |c| csv_value_with(&c.amount, |_| c.left_out(c.listed()).to_string()),
            ..Column::TEXT
        },
        common::token_type(2),
        common::token_contract(5),
    ];
    const DETAIL_LINES: u16 = 4;
    const CARD: Option<fn(&Self) -> Card<'_>> = Some(|c| {
        let first = c.instances.value().and_then(|items| items.first());
        let held = c.held();
        let amount = held.display_with(|n| Grouped(n).to_string().into());
        let symbol = c.token().map_or("—".into(), symbol);
        Card {
            picture: first.and_then(TokenInstance::picture),
            mark: c.token().and_then(|token| token.address.value()).map(AddressMark::new),
            title: c.token().map_or("—".into(), token_title),
            facts: std::iter::once(SafeText::new(&format!("{amount} × {symbol}")))
                .chain(c.token().and_then(|token| token.kind.value()).cloned())
                .collect(),
        }
    });
}

impl Row for Collection {
    fn id(&self) -> Option<RowId> {
        let token = self.token()?;
        Some(RowId::Collection(*token.address.value()?, token.kind.value().cloned()))
    }

    fn detail_lines(&self, _: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let held = self.held();
        let amount = held.to_string();
        let counts = match self.token().and_then(|t| t.kind.value()) {
            Some(kind) if kind == "ERC-1155" => "different ids",
            _ => "NFTs",
        };
        vec![
            ("held", SafeText::new(&format!("{amount} {counts}"))),
            ("token", self.token().map_or("—".into(), token_line)),
            ("NFTs", self.item_labels(usize::MAX, usize::MAX).into()),
        ]
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        common::token_copies(self.token(), "amount", self.amount.value())
    }
}

impl Collection {
    /// Returns the number of instances. If the explorer omits it, it is unknown, as some are held.
    fn held(&self) -> Field<U256> {
        match &self.amount {
            Field::Absent => Field::Invalid("not reported".into()),
            amount => amount.clone(),
        }
    }

    /// Returns the ids of the instances in the reply, in at most `id_width` columns each.
    fn labels(&self, id_width: usize) -> Vec<String> {
        let items = self.instances.value().into_iter().flatten();
        items.map(|item| truncate_middle(&instance_label(item), id_width)).collect()
    }

    /// Returns the number of instances in the reply.
    fn listed(&self) -> usize {
        self.instances.value().map_or(0, Vec::len)
    }

    /// Returns the number of instances beyond those that are shown.
    fn left_out(&self, shown: usize) -> U256 {
        let held = self.amount.value().copied().unwrap_or_default();
        held.max(U256::from(self.listed())).saturating_sub(U256::from(shown))
    }

    /// Returns the ids of the instances in the reply, usually the first nine, in at most `id_width`
    /// columns each, as many as fit, and the number of further ones: `#12 #11 +10`.
    fn item_labels(&self, id_width: usize, columns: usize) -> String {
        let mut labels = self.labels(id_width);
        let more = |shown: usize| match self.left_out(shown) {
            U256::ZERO => String::new(),
            rest => format!(" +{rest}"),
        };
        let ends = labels.iter().scan(0, |end, label| {
            *end += width(label) + 1;
            Some(*end - 1)
        });
        let fits = |(end, shown): &(usize, usize)| end + width(&more(*shown)) <= columns;
        let shown = ends.zip(1..).take_while(fits).count().max(1).min(labels.len());
        labels.truncate(shown);
        cut(&[labels.join(" "), more(shown)].concat(), columns).into_owned()
    }
}
