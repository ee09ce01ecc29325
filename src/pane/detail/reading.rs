//! Calls the view functions listed on a page: prompts for the arguments one by one, then requests the
//! result.

use super::DetailPane;
use crate::abi::{AbiFunction, AbiParameter};
use crate::api::eth_call::{CallResponse, EthCall};
use crate::api::{ApiError, Query, Reply, resolved_target};
use crate::chain::Address;
use crate::chain::target::{TargetKind, TargetOrName};
use crate::messages::page::{self, PageMessage};
use crate::msg::Priority;
use crate::pane::{Command, PaneContext, PanePrompt, PromptRequest};
use crate::sanitize::SafeText;

/// A function that can be called at an address.
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
    /// `None` until there is an answer.
    pub outcome: Option<Result<CallResponse, SafeText>>,
}

/// A call whose arguments are typed, or that waits for its answer.
#[derive(Debug, Default)]
pub(super) enum Reading {
    #[default]
    None,
    Asking {
        function: usize,
        arguments: Vec<SafeText>,
        /// Name whose address was requested for the next argument.
        name: Option<SafeText>,
    },
    Waiting {
        call: FunctionCall,
        query: Query,
    },
}

impl DetailPane {
    fn callable(&self, function: usize) -> Option<CallableFunction<'_>> {
        self.loaded.as_ref()?.source.as_ref().ok()?.callable(function)
    }

    pub(super) fn start_reading(&mut self, function: usize, cx: &PaneContext<'_>) -> Vec<Command> {
        self.reading = Reading::Asking { function, arguments: Vec::new(), name: None };
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
            (Err(why), _) => self.ask_again(text, why.to_string().into()),
        }
    }

    /// Uses the address with that label, or requests it from the explorer.
    fn resolve_name(&mut self, typed: SafeText, cx: &PaneContext<'_>) -> Vec<Command> {
        let labels = cx.name_cache.labels();
        let is_typed = |name: &SafeText| name.eq_ignore_ascii_case(&typed);
        let own = labels.all().map(|(address, _)| address);
        let own: Vec<_> =
            own.filter(|address| labels.name(address).is_some_and(is_typed)).collect();
        match &own[..] {
            [one] => return self.add_argument(one.to_string().into(), cx),
            [] => {}
            _ => return self.ask_again(&typed, page::AMBIGUOUS_LABEL.into()),
        }
        if let Reading::Asking { name, .. } = &mut self.reading {
            *name = Some(typed.clone());
        }
        vec![Command::fetch(Query::Redirect(typed), None, Priority::Interactive)]
    }

    pub(super) fn on_name_resolved(
        &mut self,
        typed: &SafeText,
        reply: &Result<Reply, ApiError>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        match &mut self.reading {
            Reading::Asking { name, .. } if name.as_ref() == Some(typed) => *name = None,
            _ => return Vec::new(),
        }
        match resolved_target(typed, reply, cx.network.endpoint.host().as_deref()) {
            Ok(TargetKind::Address(address)) => self.add_argument(address.to_string().into(), cx),
            Ok(_) => self.ask_again(typed, page::NOT_AN_ADDRESS.into()),
            Err(why) => self.ask_again(typed, why.into()),
        }
    }

    /// Returns the next parameter without an argument.
    fn next_input(&self) -> Option<&AbiParameter> {
        let Reading::Asking { function, arguments, .. } = &self.reading else { return None };
        self.callable(*function)?.function.inputs().get(arguments.len())
    }

    fn add_argument(&mut self, argument: SafeText, cx: &PaneContext<'_>) -> Vec<Command> {
        if let Reading::Asking { arguments, .. } = &mut self.reading {
            arguments.push(argument);
        }
        self.ask_or_call(cx)
    }

    fn ask_again(&self, typed: &str, why: SafeText) -> Vec<Command> {
        let request = PromptRequest { text: typed.into(), error: Some(why), ..self.question() };
        vec![Command::Prompt(request)]
    }

    /// Prompts for the next argument, or sends the call if it has all.
    fn ask_or_call(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let Reading::Asking { function, arguments, .. } = &self.reading else { return Vec::new() };
        let Some(callable) = self.callable(*function) else { return Vec::new() };
        if arguments.len() < callable.function.inputs().len() {
            return vec![Command::Prompt(self.question())];
        }
        let (function, arguments) = (*function, arguments.clone());
        let data = match callable.function.encode_call(&arguments) {
            Ok(data) => data,
            Err(why) => return vec![Command::notify(&PageMessage::CannotCall { why: &why })],
        };
        let query = Query::Call(EthCall { to: callable.at, data });
        let call = FunctionCall { function, arguments, outcome: None };
        self.show_call(call.clone(), cx);
        self.reading = Reading::Waiting { call, query: query.clone() };
        vec![Command::fetch(query, None, Priority::Interactive)]
    }

    fn question(&self) -> PromptRequest {
        let mut request = PromptRequest::from(PanePrompt::Argument);
        if let Reading::Asking { function, arguments, .. } = &self.reading
            && let Some(CallableFunction { function, .. }) = self.callable(*function)
            && let Some(input) = function.inputs().get(arguments.len())
        {
            let all = function.inputs().len();
            let title = format!(
                "{} · {} {} ({}/{all})",
                function.name(),
                input.ty,
                input.name,
                arguments.len() + 1
            );
            request.title = Some(title.into());
        }
        request
    }

    pub(super) fn on_answer(
        &mut self,
        query: &Query,
        reply: Result<Reply, ApiError>,
        cx: &PaneContext<'_>,
    ) {
        let call = match std::mem::take(&mut self.reading) {
            Reading::Waiting { call, query: asked } if asked == *query => call,
            // The answer of a call that another one replaced.
            other => return self.reading = other,
        };
        let outcome = match reply.map(|reply| reply.get().cloned()) {
            Ok(Some(outcome)) => Ok(outcome),
            Ok(None) => Err(page::NOT_AN_ANSWER.into()),
            Err(error) => Err(error.with_hint(cx.network.endpoint.host().as_deref()).into()),
        };
        self.show_call(FunctionCall { outcome: Some(outcome), ..call }, cx);
    }

    fn show_call(&mut self, call: FunctionCall, cx: &PaneContext<'_>) {
        if let Some(Ok(source)) = self.loaded.as_mut().map(|loaded| loaded.source.as_mut()) {
            source.show_call(call);
        }
        self.rebuild(cx);
    }

    /// Gives up the call that waits for its answer.
    pub(super) fn stop_reading(&mut self) {
        if let Reading::Asking { name: None, .. } = self.reading {
            return; // the user is asked, not the chain
        }
        if let Reading::Waiting { call, .. } = std::mem::take(&mut self.reading)
            && let Some(Ok(source)) = self.loaded.as_mut().map(|loaded| loaded.source.as_mut())
        {
            source.show_call(FunctionCall { outcome: Some(Err("stopped".into())), ..call });
        }
    }
}
