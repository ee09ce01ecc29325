//! The balance of the selected token after a block, which the token's contract is asked for.

use std::any::Any;

use alloy_primitives::hex;

use super::ListPane;
use crate::api::endpoints::address::TokenBalance;
use crate::api::state_reads::{EthCall, StateResponse};
use crate::api::{ApiError, Field, Query, Reply};
use crate::chain::amount::Grouped;
use crate::chain::{Bytes, U256};
use crate::columns::token_amount::{amount_decimals, token_amount};
use crate::messages::page::{self, PageMessage};
use crate::msg::Priority;
use crate::pane::block_prompt::state_outcome;
use crate::pane::{Command, PaneContext};
use crate::sanitize::SafeText;

/// `balanceOf(address)`
const BALANCE_OF: [u8; 4] = hex!("70a08231");
/// `balanceOf(address,uint256)`
const BALANCE_OF_ID: [u8; 4] = hex!("00fdd58e");
const WORD_BYTES: usize = 32;

/// A balance that was asked for.
#[derive(Debug)]
pub(super) struct PastBalance {
    call: EthCall,
    symbol: SafeText,
    decimals: Option<u8>,
}

impl ListPane {
    /// Returns the question for the balance of the selected token, in a list of an address's tokens.
    pub(super) fn balance_question(&self, block: Option<u64>) -> Option<PastBalance> {
        let item = self.selected_item()?;
        let row = item.row().ok()?;
        let balance: &TokenBalance = (row as &dyn Any).downcast_ref()?;
        let (to, symbol) = row.token_symbol()?;
        let standard = row.token()?.kind.value();
        let is_multi_token = standard.is_some_and(|standard| **standard == *"ERC-1155");
        let id = balance.token_id.value().filter(|_| is_multi_token);
        let selector = if id.is_some() { BALANCE_OF_ID } else { BALANCE_OF };
        let bytes = id.map(U256::to_be_bytes::<WORD_BYTES>);
        let id = bytes.as_ref().map_or(&[][..], |id| &id[..]);
        let data = [&selector[..], &self.viewed?.into_word()[..], id].concat();
        let call = EthCall { to, data: data.into(), block };
        let decimals = amount_decimals(row.token(), standard, &Field::Absent);
        Some(PastBalance { call, symbol, decimals })
    }

    pub(super) fn ask_balance(&mut self, block: Option<u64>) -> Vec<Command> {
        self.asked_balance = self.balance_question(block);
        let query = self.asked_balance.as_ref().map(|asked| Query::Call(asked.call.clone()));
        let fetch = |query| Command::fetch(query, None, Priority::Interactive);
        query.map(fetch).into_iter().collect()
    }

    /// Shows the answer, unless another question replaced its.
    pub(super) fn on_balance(
        &mut self,
        call: &EthCall,
        reply: &Result<Reply, ApiError>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let Some(asked) = self.asked_balance.take_if(|asked| asked.call == *call) else {
            return Vec::new();
        };
        vec![match state_outcome::<Bytes>(reply, call.block, cx) {
            Ok(StateResponse::Returned(data)) if data.len() == WORD_BYTES => {
                let amount = token_amount(U256::from_be_slice(&data), asked.decimals);
                let amount = SafeText::new(&format!("{amount} {}", asked.symbol));
                Command::notify(&match call.block {
                    Some(block) => {
                        PageMessage::BalanceAtBlock { amount: &amount, block: Grouped(block) }
                    }
                    None => PageMessage::BalanceNow { amount: &amount },
                })
            }
            Ok(StateResponse::Returned(_)) => Command::Notify(page::NOT_A_BALANCE.into()),
            Ok(StateResponse::Failed(why, _)) | Err(why) => Command::Notify(why),
        }]
    }
}
