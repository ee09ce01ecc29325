//! Input and output of a call: decoded values, then the bytes.

use super::{CallDetail, TOKEN_LABEL, byte_count};
use crate::abi::{
    AbiValue, Argument, CallRisk, DecodedCall, DecodedRevert, SELECTOR_BYTES, ValueFormat,
    ValueLine, hashed_slot, plain_text,
};
use crate::api::decoded_input::DecodedInput as ServerDecoded;
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::network::Endpoint;
use crate::chain::target::TargetKind;
use crate::chain::{Address, Bytes};
use crate::columns::cells::token_amount::known_token_amount;
use crate::columns::cells::token_amount::raw_note;
use crate::messages::Count;
use crate::messages::call::{self, CallNote};
use crate::messages::column;
use crate::pane::detail::arguments::{MAX_ARGUMENT_LINES, argument_entry};
use crate::pane::detail::field_entries::field_entry;
use crate::pane::detail::value_entries::{SELECTOR_LABEL, calldata_entries, only_selector_entry};
use crate::sanitize::SafeText;
use crate::trace::{BodySpan, CallKind};
use crate::ui::document::{DocumentEntry, EntryLink, EntryValue};
use crate::ui::format::{cut, width};
use crate::ui::theme::Role;

/// Size above which data is decoded and shown only in the focused detail.
const MAX_BRIEF_BYTES: u64 = 64 << 10;
/// Columns of labels, and of the brackets around a signature's source.
const LABEL_COLUMNS: usize = 24;
/// Maximum columns of a name in a warning.
const MAX_NAME_COLUMNS: usize = 32;
/// Maximum characters of a printed line that are shown. The arguments below copy whole.
const MAX_LINE_CHARS: usize = 2_000;

impl CallDetail<'_> {
    /// Returns the decoded input, the transfer that the call made, and the decoded output.
    pub(super) fn arguments_and_results(&self) -> Vec<DocumentEntry> {
        let input = self.formatter.tree.hex_len(self.frame.input).filter(|_| self.has_calldata());
        let mut entries = input.map_or_else(Vec::new, |length| self.calldata(length));
        let creation = self.formatter.creation(self.frame);
        entries.extend(creation.iter().flat_map(|creation| self.decoded(creation)));
        entries.extend(self.transfer());
        entries.extend(self.results());
        entries
    }

    /// Returns the selector and the bytes of input and output.
    pub(super) fn data(&self) -> Vec<DocumentEntry> {
        let selector = self.formatter.tree.selector(self.number).filter(|_| self.has_calldata());
        let named = selector.map(|selector| {
            DocumentEntry::text(SELECTOR_LABEL, alloy_primitives::hex::encode_prefixed(selector))
        });
        let bytes = self.input_bytes().into_iter().chain(self.output_bytes());
        named.into_iter().chain(bytes).collect()
    }

    /// Returns `true` if the input is a call.
    fn has_calldata(&self) -> bool {
        let kind = self.frame.kind;
        !kind.creates() && !matches!(kind, CallKind::SelfDestruct | CallKind::Reward)
    }

    fn input_bytes(&self) -> Vec<DocumentEntry> {
        let label = match self.frame.kind {
            CallKind::SelfDestruct | CallKind::Reward => return Vec::new(),
            kind if kind.creates() => "init code",
            _ => "input",
        };
        match self.formatter.tree.hex_len(self.frame.input) {
            Some(length) if length == SELECTOR_BYTES as u64 && self.has_calldata() => {
                let data = self.formatter.tree.hex(self.frame.input, SELECTOR_BYTES);
                data.map(|data| only_selector_entry(label, &Bytes::from(data)))
                    .into_iter()
                    .collect()
            }
            Some(length) => {
                let mut entries = self.bytes(label, self.frame.input, length);
                // It stands above.
                entries.retain(|entry| &*entry.label != SELECTOR_LABEL);
                entries
            }
            None => vec![DocumentEntry::note(label, "—")],
        }
    }

    fn calldata(&self, length: u64) -> Vec<DocumentEntry> {
        let mut entries: Vec<DocumentEntry> = self.unverified_code().into_iter().collect();
        if self.is_too_long(length) {
            entries.push(DocumentEntry::note("call", &*self.options.keys.expand(call::DECODES)));
        } else {
            entries.extend(self.decoded_calldata());
        }
        entries
    }

    fn decoded_calldata(&self) -> Vec<DocumentEntry> {
        let formatter = self.formatter;
        let to = formatter.tree.address(self.frame.to);
        let data = formatter.tree.hex(self.frame.input, usize::MAX).unwrap_or_default();
        if let Some(sent) = formatter.identifier().explorer_decoding(self.number, self.frame) {
            match formatter.identifier().redecode(sent, to, &data) {
                Some(decoded) => {
                    let signature = self.signature(&decoded, self.explorer_source());
                    [self.call_warnings(&decoded), signature].concat()
                }
                None => explorer_entries(sent, self.explorer_source()),
            }
        } else if let Some(precompile) = to.and_then(|to| crate::abi::decode_precompile(&to, &data))
        {
            let lines = ValueLine::of_arguments(&precompile.arguments, MAX_ARGUMENT_LINES);
            let entries = lines.iter().map(|line| argument_entry(line, self.options.value_format));
            std::iter::once(DocumentEntry::text("precompile", precompile.name))
                .chain(entries)
                .collect()
        } else if let Some(log) = to.and_then(|to| crate::abi::decode_console_log(&to, &data)) {
            let line = SafeText::bounded(&log.line(), MAX_LINE_CHARS);
            let signature = DocumentEntry::text("signature", log.signature.clone());
            let mut entries = vec![DocumentEntry::text("prints", line), signature];
            entries.extend(self.arguments(&log.arguments, &[]));
            entries
        } else if let Some(decoded) = formatter.identifier().decode(to, &data) {
            [self.call_warnings(&decoded), self.decoded(&decoded)].concat()
        } else if data.len() >= 4 {
            // A comparison has no keys for signatures.
            let is_compared = self.options.is_compared;
            let text = if is_compared { call::NO_SIGNATURE } else { call::UNKNOWN_SELECTOR };
            vec![DocumentEntry::note("signature", &*self.options.keys.expand(text))]
        } else {
            Vec::new()
        }
    }

    fn explorer_source(&self) -> &'static str {
        column::decoded_by_explorer(&self.formatter.network.endpoint)
    }

    /// Returns the warnings about a call that took effect. A delegatecall acts as its caller.
    fn call_warnings(&self, call: &DecodedCall) -> Vec<DocumentEntry> {
        let risks = CallRisk::of_call(call, self.formatter.tree.address(self.acting_contract()));
        let is_committed = self.frame.is_committed();
        risks.iter().filter(|_| is_committed).map(|risk| self.warning(risk)).collect()
    }

    fn acting_contract(&self) -> BodySpan {
        match self.frame.kind {
            CallKind::DelegateCall | CallKind::CallCode => self.frame.from,
            _ => self.frame.to,
        }
    }

    /// Returns the warning about a delegatecall to code that the explorer has no source of.
    fn unverified_code(&self) -> Option<DocumentEntry> {
        let code = self.formatter.tree.address(self.frame.to)?;
        let lacks_source = self.formatter.name_cache.name(&code)?.lacks_source;
        let is_delegated = matches!(self.frame.kind, CallKind::DelegateCall | CallKind::CallCode);
        let account = self.formatter.tree.address(self.frame.from);
        let is_explorer = matches!(self.formatter.network.endpoint, Endpoint::Remote(_));
        let risk = CallRisk::UnverifiedCode { account, code };
        (lacks_source && is_delegated && is_explorer).then(|| self.warning(&risk))
    }

    fn warning(&self, risk: &CallRisk) -> DocumentEntry {
        let name = |address: &Address| {
            let name = self.formatter.label(address);
            name.map_or_else(
                || abbreviate(address),
                |name| cut(&name, MAX_NAME_COLUMNS).into_owned(),
            )
        };
        DocumentEntry::warning(&risk.describe(&name).into())
    }

    fn decoded(&self, decoded: &DecodedCall) -> Vec<DocumentEntry> {
        let guess = if decoded.is_guess() { "? " } else { "" };
        self.signature(decoded, &format!("{guess}{}", decoded.source.describe()))
    }

    fn signature(&self, decoded: &DecodedCall, source: &str) -> Vec<DocumentEntry> {
        let signature = DocumentEntry::text("signature", decoded.signature.clone());
        // A source that takes a line of its own is left out, unless the signature is a guess.
        let columns = LABEL_COLUMNS + width(&decoded.signature) + width(source);
        let has_source = columns <= self.options.columns.into() || decoded.is_guess();
        let source_note = if has_source { format!("({source})") } else { String::new() };
        let mut entries = vec![signature.side_note(&source_note)];
        if !decoded.alternatives.is_empty() {
            let others: Vec<&str> = decoded.alternatives.iter().map(|other| &**other).collect();
            entries.push(DocumentEntry::text("or", others.join(" or ")).role(Role::Warning));
        }
        let to = self.formatter.tree.address(self.frame.to);
        let amount = self.in_words().values().token_amount_argument(to, decoded);
        let token = amount.zip(to).map(|((at, _), token)| (at, token));
        entries.extend(self.arguments(&decoded.arguments, &token.into_iter().collect::<Vec<_>>()));
        if decoded.trailing_bytes > 0 {
            let size = byte_count(decoded.trailing_bytes as u64);
            entries.push(DocumentEntry::note(
                "more",
                CallNote::TrailingBytes { size: &size }.to_string(),
            ));
        }
        entries
    }

    /// Returns the lines of arguments, with links and names for the addresses among them. `tokens` are
    /// the tokens of arguments, by their places.
    fn arguments(&self, arguments: &[Argument], tokens: &[(usize, Address)]) -> Vec<DocumentEntry> {
        let lines = ValueLine::of_arguments(arguments, MAX_ARGUMENT_LINES);
        let mut outer = 0;
        let entry = |line: &ValueLine<'_>| {
            outer += usize::from(line.depth == 0);
            let of_argument = tokens.iter().find(|(at, _)| line.depth == 0 && at + 1 == outer);
            self.argument(line, of_argument.map(|(_, token)| token))
        };
        let mut entries: Vec<_> = lines.iter().map(entry).collect();
        if entries.len() == MAX_ARGUMENT_LINES {
            let cut = CallNote::FirstLines { lines: Grouped(MAX_ARGUMENT_LINES) };
            entries.push(DocumentEntry::note("…", cut.to_string()));
        }
        entries
    }

    fn argument(&self, line: &ValueLine<'_>, token: Option<&Address>) -> DocumentEntry {
        let entry = argument_entry(line, self.options.value_format);
        if self.options.value_format != ValueFormat::Natural {
            return entry;
        }
        let shows = |text: String| {
            let full = entry.copy_text();
            DocumentEntry { value: EntryValue::Text(text.into()), ..entry.clone() }.copy(full)
        };
        match line.value {
            AbiValue::Address(address) => {
                let name =
                    self.formatter.name_cache.name_without_label(address).unwrap_or_default();
                let target = EntryLink::Target(TargetKind::Address(*address));
                entry.link(target).role(Role::Link).side_note(&name)
            }
            // Their parts have lines of their own.
            AbiValue::Array(_, items) if items.len() > 1 => {
                shows(format!("[{} items]", Grouped(items.len())))
            }
            AbiValue::Call(_, call) if call.is_guess() => {
                shows(call.abbreviated()).side_note(call::GUESSED_CALL)
            }
            AbiValue::Call(_, call) => shows(call.abbreviated()),
            value if let Some(slot) = hashed_slot(&line.label, value) => shows(slot.to_string()),
            AbiValue::Uint(number) => {
                let names = self.formatter.name_cache;
                let amount = token
                    .and_then(|token| known_token_amount(names, token, *number))
                    .or_else(|| self.in_words().values().known_amount(*number));
                let exact = Grouped(number).to_string();
                match amount {
                    Some(amount) => {
                        let note = raw_note(&amount, &exact);
                        shows(amount).role(Role::Value).side_note(&note)
                    }
                    None => shows(exact),
                }
            }
            AbiValue::Bytes(bytes) => match plain_text(bytes) {
                Some(text) => entry.side_note(&format!("\"{text}\"")),
                None => entry,
            },
            _ => entry,
        }
    }

    /// Returns the size of data and the bytes, which start folded.
    fn bytes(&self, label: &str, span: BodySpan, length: u64) -> Vec<DocumentEntry> {
        let size = byte_count(length);
        if length == 0 {
            return vec![DocumentEntry::text(label, "0x (empty)").copy("0x").role(Role::Dim)];
        }
        if self.is_too_long(length) {
            let hint = self.options.keys.expand(call::SHOWS_BYTES);
            return vec![DocumentEntry::note(label, format!("{size} · {hint}"))];
        }
        let Some(data) = self.formatter.tree.hex(span, usize::MAX) else {
            return vec![self.unreadable(label, span)];
        };
        let data = Bytes::from(data);
        let text = data.to_string();
        let header = DocumentEntry::text(label, size).fold(false).copy(text);
        std::iter::once(header).chain(calldata_entries(&data)).collect()
    }

    /// Returns the token transfer that the call made, if it is known.
    fn transfer(&self) -> Vec<DocumentEntry> {
        let Some(transfer) = self.formatter.transfers.get(self.number) else { return Vec::new() };
        let text = self.formatter.transfer_text(transfer);
        let mut entries =
            vec![DocumentEntry::text("transfer", text).side_note(call::FROM_TRANSFER_LIST)];
        entries.extend(transfer.warnings.iter().map(DocumentEntry::warning));
        let token = DocumentEntry::text(TOKEN_LABEL, transfer.token_line.clone());
        entries.push(token.copy(transfer.token.to_string()).link_address(transfer.token));
        entries
    }

    /// Returns the size of the output, unless the node sent none but a reason.
    fn output_length(&self) -> Option<u64> {
        let has_data = self.formatter.tree.reason_text(self.number).is_none();
        self.formatter.tree.hex_len(self.frame.output).filter(|_| has_data)
    }

    /// Returns the return values, below their number, or the decoded error.
    fn results(&self) -> Vec<DocumentEntry> {
        let length = self.output_length().filter(|length| !self.is_too_long(*length));
        let mut entries = length.map_or_else(Vec::new, |_| self.decoded_output());
        let values = entries.iter().filter(|entry| entry.level == 1).count();
        if values > 0 && !self.frame.failed() {
            let data = self.formatter.tree.hex(self.frame.output, usize::MAX).unwrap_or_default();
            let header = DocumentEntry::text("returned", Count(values, "value").to_string());
            entries.insert(0, header.copy(Bytes::from(data).to_string()));
        }
        entries
    }

    fn output_bytes(&self) -> Vec<DocumentEntry> {
        let frame = self.frame;
        let label = match (frame.kind.creates(), frame.failed()) {
            (_, true) => "revert data",
            (true, false) => "code",
            (false, false) => "output",
        };
        match self.output_length() {
            Some(length) => self.bytes(label, frame.output, length),
            None if matches!(frame.kind, CallKind::SelfDestruct | CallKind::Reward) => Vec::new(),
            None => vec![DocumentEntry::note(label, "—")],
        }
    }

    /// Decodes the output: return values, or the reason of a failure.
    fn decoded_output(&self) -> Vec<DocumentEntry> {
        let frame = self.frame;
        let formatter = self.formatter;
        let output = formatter.tree.hex(frame.output, usize::MAX).unwrap_or_default();
        if frame.failed() {
            return match formatter.signatures.revert_reason(&output) {
                DecodedRevert::Custom(decoded) => self.decoded(&decoded),
                reason @ DecodedRevert::Panic(_) => {
                    vec![DocumentEntry::text("panic", reason.describe()).role(Role::Failed)]
                }
                _ => Vec::new(),
            };
        }
        if frame.kind.creates() {
            return Vec::new();
        }
        let input = formatter.tree.hex(frame.input, usize::MAX).unwrap_or_default();
        let to = formatter.tree.address(frame.to);
        let Some(decoded) = formatter.identifier().decode(to, &input) else { return Vec::new() };
        let values = formatter.signatures.decode_output(&decoded, &output).unwrap_or_default();
        let tokens: Vec<(usize, Address)> = match (&*decoded.name, to) {
            ("balanceOf" | "totalSupply" | "allowance", Some(token)) => vec![(0, token)],
            ("getReserves", Some(pool)) => {
                let pair = formatter.reserve_tokens(&pool, &values);
                pair.into_iter().flatten().enumerate().collect()
            }
            _ => Vec::new(),
        };
        self.arguments(&values, &tokens)
    }

    fn is_too_long(&self, length: u64) -> bool {
        length > MAX_BRIEF_BYTES && !self.options.full
    }
}

fn explorer_entries(decoded: &ServerDecoded, source: &str) -> Vec<DocumentEntry> {
    let signature = decoded.method_call.value().map_or("?", |signature| &**signature);
    let signature = DocumentEntry::text("signature", signature).side_note(&format!("({source})"));
    let parameters = decoded.parameters.value().into_iter().flatten().map(|parameter| {
        let kind = parameter.kind.display_with(|kind| (&**kind).into());
        let name = parameter.name.display_with(|name| (&**name).into());
        let label = format!("{kind} {name}");
        let label = label.trim();
        field_entry(label, &parameter.value, |v| DocumentEntry::text(label, v.0.clone()))
            .at_level(1)
    });
    std::iter::once(signature).chain(parameters).collect()
}
