//! State of a contract on its page: calls of its view functions and slots of its storage, after a block
//! that the user chooses.
//!
//! Arguments are prompted for one by one. Answers stay with their functions and slots; after the choice
//! of another block they are requested again.

use std::collections::BTreeMap;

use super::DetailPane;
use crate::abi::{AbiFunction, AbiParameter, SlotExpression};
use crate::api::state_reads::{
    EthCall, StateResponse, StorageBatch, StorageRead, StorageResponse, StorageWord, StorageWords,
};
use crate::api::{Query, ReplyResult, resolved_target};
use crate::app_message::Priority;
use crate::chain::target::{TargetKind, TargetOrName};
use crate::chain::{Address, Bytes, U256};
use crate::messages::api_error::NameSearchError;
use crate::messages::page::{self, PageMessage};
use crate::pane::block_prompt::{StateOutcome, state_outcome};
use crate::pane::{Command, PaneContext, PanePrompt, PromptRequest};
use crate::sanitize::SafeText;
use crate::ui::document::EntryLink;

/// A function that can be called.
#[derive(Debug)]
pub struct CallableFunction<'a> {
    pub at: Address,
    pub function: &'a AbiFunction,
}

/// A call of a function: its arguments, and its result.
#[derive(Debug, Clone)]
pub struct FunctionCall {
    /// The number of the function.
    pub function: usize,
    pub arguments: Vec<SafeText>,
    pub call: EthCall,
    pub outcome: StateOutcome<Bytes>,
}

/// A slot of storage, and its word.
#[derive(Debug, Clone)]
pub struct SlotRead {
    /// The slot as it was typed.
    pub text: SafeText,
    pub request: StorageRead,
    /// Inputs of the hashes that lead to it.
    pub preimages: Vec<Bytes>,
    pub outcome: StateOutcome<StorageWord>,
}

/// State of a contract that was requested.
#[derive(Debug, Default)]
pub struct StateReads {
    /// The block after which state is read. `None` is the newest.
    pub block: Option<u64>,
    /// The last call of each function that was called.
    pub calls: Vec<FunctionCall>,
    /// The slots that were read, the last one first.
    pub slots: Vec<SlotRead>,
    /// The words of all variables, once they were read.
    pub variables: Option<VariableWords>,
}

/// The words of a contract's variables.
#[derive(Debug)]
pub struct VariableWords {
    pub request: StorageBatch,
    pub outcome: Result<StorageWords, SafeText>,
}

impl VariableWords {
    /// Returns the words by their slots.
    pub fn words(&self) -> BTreeMap<U256, U256> {
        let answers = self.outcome.as_ref().map(|words| &*words.0).unwrap_or_default();
        let word = |(slot, answer): (&U256, &StorageResponse)| match answer {
            StateResponse::Returned(StorageWord(word)) => Some((*slot, *word)),
            StateResponse::Failed(..) => None,
        };
        self.request.slots.iter().zip(answers).filter_map(word).collect()
    }
}

/// A call whose arguments are typed.
#[derive(Debug)]
pub(super) struct UnfinishedCall {
    function: usize,
    arguments: Vec<SafeText>,
    /// Name whose address was requested for the next argument.
    name: Option<SafeText>,
}

impl StateReads {
    /// Adds a call in place of the one before of its function.
    fn add_call(&mut self, call: FunctionCall) {
        match self.calls.iter_mut().find(|before| before.function == call.function) {
            Some(before) => *before = call,
            None => self.calls.push(call),
        }
    }

    /// Returns the queries for everything again, after another block.
    fn at_block(&mut self, block: Option<u64>) -> Vec<Query> {
        self.block = block;
        self.variables = None;
        let call_again = |call: &mut FunctionCall| {
            (call.call.block, call.outcome) = (block, None);
            Query::Call(call.call.clone())
        };
        let slots = self.slots.iter_mut().map(|read| {
            (read.request.block, read.outcome) = (block, None);
            Query::Storage(read.request.clone())
        });
        self.calls.iter_mut().map(call_again).chain(slots).collect()
    }

    /// Adds a slot, in place of the same one before.
    fn add_slot(&mut self, read: SlotRead) {
        match self.slots.iter_mut().find(|before| before.text == read.text) {
            Some(before) => *before = read,
            None => self.slots.insert(0, read),
        }
    }

    /// Gives up the requests without an answer.
    fn stop(&mut self) {
        for read in self.slots.iter_mut().filter(|read| read.outcome.is_none()) {
            read.outcome = Some(Err(page::STOPPED.into()));
        }
        for call in self.calls.iter_mut().filter(|call| call.outcome.is_none()) {
            call.outcome = Some(Err(page::STOPPED.into()));
        }
    }
}

impl DetailPane {
    fn callable(&self, function: usize) -> Option<CallableFunction<'_>> {
        self.contract()?.callable(function)
    }

    pub(super) fn state_reads(&self) -> Option<&StateReads> {
        Some(self.contract()?.state_reads())
    }

    pub(super) fn state_reads_mut(&mut self) -> Option<&mut StateReads> {
        Some(self.source_mut()?.contract_mut()?.state_reads_mut())
    }

    /// Requests the values of variables again after a new block, unless they are those after another one.
    pub(super) fn read_variables_again(&self) -> Vec<Command> {
        let read = self.state_reads().and_then(|reads| reads.variables.as_ref());
        let latest = read.filter(|read| read.request.block.is_none());
        let query = latest.map(|read| Query::StorageWords(read.request.clone()));
        query.map(|query| Command::fetch(query, None, Priority::Refresh)).into_iter().collect()
    }

    /// Handles a typed block: what was read is requested again after it.
    pub(super) fn on_block(&mut self, text: &str, cx: &PaneContext<'_>) -> Vec<Command> {
        match self.block_prompt.on_text(text, cx) {
            Ok(block) => self.read_at(block, cx),
            Err(commands) => commands,
        }
    }

    /// Reads at the block of the typed time.
    pub(super) fn on_block_found(
        &mut self,
        reply: &ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        match self.block_prompt.on_block(reply, cx) {
            Ok(block) => self.read_at(block, cx),
            Err(commands) => commands,
        }
    }

    /// Requests again what was read, after another block, and reads what is selected for the first time.
    fn read_at(&mut self, block: Option<u64>, cx: &PaneContext<'_>) -> Vec<Command> {
        let queries = self.state_reads_mut().map(|reads| reads.at_block(block));
        self.rebuild(cx);
        let fetch = |query| Command::fetch(query, None, Priority::Interactive);
        let variables = self.contract().and_then(|contract| contract.unread_variables(cx));
        let queries = queries.into_iter().flatten().chain(variables);
        let mut commands: Vec<Command> = queries.map(fetch).collect();
        commands.extend(self.read_selected(cx));
        commands
    }

    /// Calls the selected function, or reads the selected slot, unless that was done before.
    fn read_selected(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let link = self.document.selected_link().filter(|_| self.has_cursor).cloned();
        let Some(reads) = self.state_reads() else { return Vec::new() };
        match link {
            Some(EntryLink::Function(number))
                if reads.calls.iter().all(|call| call.function != number) =>
            {
                self.start_reading(number, cx)
            }
            Some(EntryLink::Slot(text)) if reads.slots.iter().all(|read| read.text != text) => {
                self.open_slot(&text, cx)
            }
            _ => Vec::new(),
        }
    }

    /// Reads a slot, or prompts for the rest of it.
    pub(super) fn open_slot(&mut self, text: &SafeText, cx: &PaneContext<'_>) -> Vec<Command> {
        if text.ends_with('[') {
            return vec![Command::Prompt(PanePrompt::Slot.with_text(text.clone()))];
        }
        self.read_slot(text, cx)
    }

    /// Handles a typed slot. The prompt is shown again for an invalid one.
    pub(super) fn read_slot(&mut self, text: &str, cx: &PaneContext<'_>) -> Vec<Command> {
        let Some(contract) = self.contract() else { return Vec::new() };
        let (address, slot) = match contract.storage_slot(&with_addresses(text, cx)) {
            Ok(slot) => slot,
            Err(why) => return vec![Command::RefusePrompt(PanePrompt::Slot, why)],
        };
        let Some(reads) = self.state_reads_mut() else { return Vec::new() };
        let request = StorageRead { address, slot: slot.slot, block: reads.block };
        let query = Query::Storage(request.clone());
        let (text, preimages) = (SafeText::new(text.trim()), slot.preimages);
        reads.add_slot(SlotRead { text: text.clone(), request, preimages, outcome: None });
        self.focus_code(false);
        self.rebuild(cx);
        self.document.show_link(&EntryLink::Slot(text), cx.area.height);
        vec![Command::fetch(query, None, Priority::Interactive)]
    }

    /// Returns the prompt for the block.
    pub(super) fn block_request(&self) -> PromptRequest {
        let block = self.state_reads().and_then(|reads| reads.block);
        let text = block.map(|block| block.to_string()).unwrap_or_default();
        PanePrompt::Block.with_text(text.into())
    }

    pub(super) fn start_reading(&mut self, function: usize, cx: &PaneContext<'_>) -> Vec<Command> {
        self.open_call = Some(UnfinishedCall { function, arguments: Vec::new(), name: None });
        self.ask_or_call(cx)
    }

    /// Handles a typed argument, for an address also its name. The prompt is shown again for an invalid
    /// value.
    pub(super) fn on_argument(&mut self, text: &str, cx: &PaneContext<'_>) -> Vec<Command> {
        let Some(input) = self.next_input() else { return Vec::new() };
        let is_address = input.ty.to_string() == "address";
        match (input.check_value(text), text.parse()) {
            (Ok(()), _) => self.add_argument(text.into(), cx),
            (Err(_), Ok(TargetOrName::Name(name))) if is_address => self.resolve_name(name, cx),
            (Err(why), _) => refuse_argument(&why),
        }
    }

    /// Uses the address with that label, or on a node with that name, or requests it from the explorer.
    fn resolve_name(&mut self, typed: SafeText, cx: &PaneContext<'_>) -> Vec<Command> {
        let own = cx.name_cache.labels().addresses_named(&typed);
        match &own[..] {
            [one] => return self.add_argument(one.to_string().into(), cx),
            [] => {}
            _ => return refuse_argument(&page::AMBIGUOUS_LABEL),
        }
        if let Some(known) = named_on_node(&typed, cx) {
            return self.add_argument(known.to_string().into(), cx);
        }
        if let Some(call) = &mut self.open_call {
            call.name = Some(typed.clone());
        }
        vec![Command::fetch(Query::Redirect(typed), None, Priority::Interactive)]
    }

    pub(super) fn on_name_resolved(
        &mut self,
        typed: &SafeText,
        reply: &ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        match &mut self.open_call {
            Some(call) if call.name.as_ref() == Some(typed) => call.name = None,
            _ => return Vec::new(),
        }
        match resolved_target(typed, reply, cx.network.endpoint.host().as_deref()) {
            Ok(TargetKind::Address(address)) => self.add_argument(address.to_string().into(), cx),
            Ok(_) => refuse_argument(&page::NOT_AN_ADDRESS),
            // A node has short names.
            Err(NameSearchError::TooShort) if cx.network.endpoint.is_node() => {
                refuse_argument(&NameSearchError::NotFound { blocks: None })
            }
            Err(why) => refuse_argument(&why),
        }
    }

    /// Returns the next parameter without an argument.
    fn next_input(&self) -> Option<&AbiParameter> {
        let UnfinishedCall { function, arguments, .. } = self.open_call.as_ref()?;
        self.callable(*function)?.function.inputs().get(arguments.len())
    }

    fn add_argument(&mut self, argument: SafeText, cx: &PaneContext<'_>) -> Vec<Command> {
        if let Some(call) = &mut self.open_call {
            call.arguments.push(argument);
        }
        self.ask_or_call(cx)
    }

    /// Prompts for the next argument, or sends the call if it has all.
    fn ask_or_call(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let Some(open) = &self.open_call else { return Vec::new() };
        let Some(callable) = self.callable(open.function) else { return Vec::new() };
        if open.arguments.len() < callable.function.inputs().len() {
            return vec![Command::Prompt(self.question())];
        }
        let (function, arguments) = (open.function, open.arguments.clone());
        let data = match callable.function.encode_call(&arguments) {
            Ok(data) => data,
            Err(why) => return vec![Command::notify(&PageMessage::CannotCall { why: &why })],
        };
        let to = callable.at;
        self.open_call = None;
        let Some(reads) = self.state_reads_mut() else { return Vec::new() };
        let call = EthCall { to, data, block: reads.block };
        let query = Query::Call(call.clone());
        reads.add_call(FunctionCall { function, arguments, call, outcome: None });
        self.rebuild(cx);
        vec![Command::fetch(query, None, Priority::Interactive)]
    }

    fn question(&self) -> PromptRequest {
        let mut request = PromptRequest::from(PanePrompt::Argument);
        if let Some(UnfinishedCall { function, arguments, .. }) = &self.open_call
            && let Some(CallableFunction { function, .. }) = self.callable(*function)
            && let Some(input) = function.inputs().get(arguments.len())
        {
            let all = function.inputs().len();
            let (name, at) = (function.declaration(), arguments.len() + 1);
            let what = format!("{} {}", input.ty, input.name);
            // The end of a long title is cut.
            let title = format!("{} · {at} of {all} · {name}", what.trim_end());
            request.title = Some(title.into());
        }
        request
    }

    /// Adds an answer, unless another request replaced its.
    pub(super) fn on_state(&mut self, query: &Query, reply: &ReplyResult, cx: &PaneContext<'_>) {
        let Some(reads) = self.state_reads_mut() else { return };
        if let Query::Call(call) = query {
            for one in reads.calls.iter_mut().filter(|one| one.call == *call) {
                one.outcome = Some(state_outcome(reply, call.block, cx));
            }
        }
        if let Query::Storage(request) = query {
            for one in reads.slots.iter_mut().filter(|one| one.request == *request) {
                one.outcome = Some(state_outcome(reply, request.block, cx));
            }
        }
        if let Query::StorageWords(request) = query
            && request.block == reads.block
        {
            let words = reply.as_ref().map(|reply| reply.get::<StorageWords>().cloned());
            let outcome = match words {
                Ok(words) => words.ok_or(page::NOT_AN_ANSWER.into()),
                Err(error) => Err(cx.reason(error).into()),
            };
            reads.variables = Some(VariableWords { request: request.clone(), outcome });
        }
        self.rebuild(cx);
    }

    /// Gives up the calls that wait for their answers. A prompt for an argument stays.
    pub(super) fn stop_reading(&mut self) {
        self.open_call.take_if(|call| call.name.is_some());
        if let Some(reads) = self.state_reads_mut() {
            reads.stop();
        }
    }
}

fn refuse_argument(why: &impl ToString) -> Vec<Command> {
    vec![Command::RefusePrompt(PanePrompt::Argument, why.to_string().into())]
}

/// Returns the only address with a name on a node. On a public chain anyone can take any name.
fn named_on_node(typed: &str, cx: &PaneContext<'_>) -> Option<Address> {
    cx.name_cache.address_named(typed).filter(|_| cx.network.endpoint.is_node())
}

/// Replaces labels and names among the keys of a slot by their addresses.
fn with_addresses(slot: &str, cx: &PaneContext<'_>) -> String {
    SlotExpression::with_addresses(slot, |name| {
        match cx.name_cache.labels().addresses_named(name)[..] {
            [one] => Some(one),
            [] => named_on_node(name, cx),
            _ => None,
        }
    })
}
