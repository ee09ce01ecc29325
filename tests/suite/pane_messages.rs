//! The sentences of panes with example data, for the snapshot of all sentences.

use chainglass::test_api::chain::{
    Address, BlockCoverage, DataInputError, Grouped, Percent, TxHash, U256,
};
use chainglass::test_api::messages::Count;
use chainglass::test_api::messages::abi::{AbiError, ArgumentError};
use chainglass::test_api::messages::approvals::{self, ApprovalListError, ApprovalNote, RiskTotal};
use chainglass::test_api::messages::call::{self, CallNote};
use chainglass::test_api::messages::call_risk::{self, RiskMessage};
use chainglass::test_api::messages::column::{
    self, LastCallError, UnknownStorageError, ValueOrigin,
};
use chainglass::test_api::messages::contract::{self, ContractNote};
use chainglass::test_api::messages::decoded::{self, DecodedNote};
use chainglass::test_api::messages::diff::{self, DiffText};
use chainglass::test_api::messages::export::{self, ExportNote};
use chainglass::test_api::messages::failed_refresh::{
    ConnectionWait, DataAge, FailedRefresh, NextRetry,
};
use chainglass::test_api::messages::failure::{CallRejection, FailureCause};
use chainglass::test_api::messages::list::{
    self, Covered, ListNotice, ListProgress, ListTail, LoadedRows, RowScopeError, SavedRows,
};
use chainglass::test_api::messages::page::{self, PageMessage};
use chainglass::test_api::messages::start::{self, StartNote};
use chainglass::test_api::messages::token::{self, TokenNote};
use chainglass::test_api::messages::trace::{self, TraceMemory, TraceNote, TraceStatus};
use chainglass::test_api::messages::trace_format::{self, UnknownFormat};
use chainglass::test_api::messages::transaction::{
    self, ConsoleNote, FailureNote, InnerFailures, MissingTransfers, PoolMessage, Tense,
    TransferList, UnknownBalances, type_name,
};

use super::messages::{constants, lines, text};

fn lists() -> String {
    let blocks = &BlockCoverage { first_block: 1, last_block: 9, unreadable: 0, older: None };
    let (covered, plural, filter) = (Covered(None), "token transfers", "alice");
    let (rows, clears, rest) = (11_000, list::CLEARS_FILTER, list::LOADS_REST);
    let (all, loaded) = (Count(rows, "row"), Count(rows, "loaded row"));
    let tails = lines(&[
        &ListTail::NoRows { plural, covered },
        &ListTail::NoRows { plural, covered: Covered(Some(blocks)) },
        &ListTail::NoRowsInBlock { plural, covered },
        &ListTail::End { rows: Count(1, "row") },
        &ListTail::EndOfBlocks { rows: all, blocks },
        &ListTail::NoMatch { filter, covered, clears },
        &ListTail::Matches { matching: Grouped(25), rows: all, filter, covered },
        &ListTail::Sorted { loaded, rest },
        &ListTail::NoLoadedMatch {
            filter: "GLD",
            loaded: "550 of 826 rows",
            rest,
            clears: "Esc clears",
        },
        &ListTail::LoadedMatches { matching: Grouped(25), loaded, rest },
        &ListTail::Paused { filled: "250.0 MB", free: "700.0 MB", continues: list::CONTINUES },
        &SavedRows { rows, left_out: 0, has_more: false },
        &SavedRows { rows, left_out: 2, has_more: true },
        &ListProgress::Filtering { percent: 40 },
        &ListProgress::Sorting { percent: 40 },
        &ListProgress::Searching { percent: 40 },
        &RowScopeError::OtherList { scope: "gas", plural },
        &RowScopeError::Unknown { scope: "metod", known: "method" },
        &RowScopeError::Outcome { text: "failled", known: "failed" },
        &RowScopeError::NoColumn { scope: "foo", columns: "age: block:" },
    ]);
    let (rows, found, name) = (Count(rows, "loaded row"), "alice", "‹alice›");
    let (column, direction) = ("amount", "↓");
    let (number, all) = (Grouped(3), Grouped(1_200));
    let notices = lines(&[
        &ListNotice::FoldedCalls { calls: Count(19, "call") },
        &ListNotice::FoldedCallsSoFar { calls: Grouped(31) },
        &ListNotice::AllLoaded { blocks },
        &ListNotice::NewRows { rows: Count(1, "new row") },
        &ListNotice::NewRows { rows: Count(2, "new row") },
        &ListNotice::Gap { rows: Count(50, "new row"), reloads: list::RELOADS },
        &ListNotice::Unreadable { why: &text("expected an object, found 7") },
        &ListNotice::PageCut { kept: number, all },
        &ListNotice::NoValue { what: "method" },
        &ListNotice::OwnLabel { name, changes: list::LABEL_HINT },
        &ListNotice::Sorted { column, direction },
        &LoadedRows::Loaded { rows: Grouped(11_000), more: "+" },
        &LoadedRows::LoadedOf { rows: Grouped(550), all: Grouped(11_000) },
        &ListNotice::SortedInstead { unordered: "tx", column, direction },
        &ListNotice::LoadedSorted { column, direction, rows, loads: list::LOADS_ALL },
        &ListNotice::NoMatch { text: found, rows },
        &ListNotice::Match { number, all, text: found, rows },
        &ListNotice::MatchSoFar { number, all, text: found, rows },
    ]);
    constants(&[list::ALL]) + &tails + &notices
}

fn outages() -> String {
    let age = |seconds| Some(DataAge { seconds });
    let why = "no response within 40 s";
    let refresh = |age| FailedRefresh { why, age, retry: None };
    lines(&[
        &refresh(age(40)),
        &refresh(age(90)),
        &refresh(age(7_200)),
        &refresh(age(200_000)),
        &refresh(None),
        &FailedRefresh { retry: Some(NextRetry::In { seconds: 5 }), ..refresh(age(40)) },
        &FailedRefresh { retry: Some(NextRetry::Within { minutes: 4 }), ..refresh(age(40)) },
        &ConnectionWait::RateLimited { seconds: 5 },
        &ConnectionWait::Retrying { attempt: 2, max_attempts: 5 },
    ])
}

fn pages() -> String {
    let (why, what) = (&text("no response within 40 s"), "method");
    constants(&[page::ALL])
        + &lines(&[
            &PageMessage::Unavailable { why: "no response within 40 s" },
            &PageMessage::RequestedThere { what: &"transactions of 0xf39F…2266".into() },
            &PageMessage::Requested {
                what: &text("transactions of 0xf39F…2266"),
                host: "eth.blockscout.com",
            },
            &PageMessage::Loading { what: &text("token transfers"), host: "eth.blockscout.com" },
            &PageMessage::NothingToCopy { what },
            &PageMessage::NoSource { place: "Vault.sol:12" },
            &PageMessage::NoMatch { text: "alice" },
            &PageMessage::Match { number: 3, all: 12, text: "alice" },
            &PageMessage::CannotCall { why: &ArgumentError::Empty { ty: text("address") } },
            &PageMessage::MoreValues { values: Grouped(1_200) },
            &PageMessage::TraceAsReceived { calls: Count(26, "call") },
            &PageMessage::RateOfCoin { coin: "ETH" },
            &PageMessage::SameAs { field: "address" },
            &PageMessage::VerifiedAs { name: "Token20" },
            &PageMessage::Rated { rating: "suspicious" },
            &PageMessage::ProxyOf { implementations: "Vault" },
            &PageMessage::PictureFailed { why },
            &PageMessage::ShareOfLimit { percent: Percent::of(42, 100).unwrap() },
            &PageMessage::RawTrace { transaction: TxHash::from([0x23; 32]) },
            &PageMessage::TopicOf { event: &text("Transfer(address, address, uint256)") },
            &PageMessage::NoState { block: Grouped(1_234) },
            &PageMessage::NoBlock { block: Grouped(1_234) },
            &PageMessage::NoMulticall { block: Grouped(1_234) },
            &PageMessage::AtBlock { block: Grouped(1_234) },
            &PageMessage::LoadedActivity { count: Grouped(50), time: "5m" },
            &PageMessage::InBlock { number: 12 },
            &PageMessage::MoreCalls { calls: Grouped(12) },
            &PageMessage::RepeatedCalls { calls: Grouped(1_023) },
            &PageMessage::MoreOfDetail { lines: Count(3, "line") },
            &PageMessage::BalanceHistory { changes: Count(1, "change") },
            &PageMessage::PartOfBalanceHistory {
                known: Grouped(1_032),
                changes: Count(1_050, "change"),
            },
            &PageMessage::WholeBlock { words: column::WHOLE_BLOCK },
        ])
}

fn start_page() -> String {
    let why = &text("permission denied");
    constants(&[start::ALL, start::highlight::ALL])
        + &lines(&[
            &StartNote::Unavailable { why: "no response within 40 s" },
            &StartNote::NotSaved { why },
            &StartNote::BlockTime { seconds: "12.1" },
            &StartNote::ShortBlockTime { seconds: "12.1" },
            &StartNote::Load { percent: Percent::of(1, 150).unwrap() },
            &StartNote::UnknownLoad,
            &StartNote::AllTransactions { count: Grouped(2_458) },
            &StartNote::Daily { chart: "▂▅▇" },
        ])
}

fn contracts() -> String {
    let selector = "0xa9059cbb";
    constants(&[contract::ALL])
        + &lines(&[
            &ContractNote::CodeSize { bytes: Grouped(24_576) },
            &ContractNote::Upgrades { count: Grouped(3), more: "" },
            &ContractNote::NoUpgrade,
            &ContractNote::NoNewUpgrade,
            &ContractNote::ChangedFacets { facets: U256::from(2) },
            &ContractNote::MoreLines { lines: Grouped(1_200) },
            &ContractNote::UnreadableEntries { why: &AbiError::NoAbi },
            &ContractNote::BySelector { selector },
            &ContractNote::PerhapsBySelector { selector },
        ])
}

fn decoded_data() -> String {
    constants(&[decoded::ALL])
        + &lines(&[
            &DataInputError::OddDigits(137),
            &DataInputError::OddDigits(39),
            &DataInputError::OddDigits(63),
            &DataInputError::TooLong,
            &DataInputError::TooLarge,
            &DecodedNote::MaxFee { fee: "0.000042 ETH" },
            &DecodedNote::Asks { host: "eth.blockscout.com" },
            &DecodedNote::OtherArguments { signature: "transfer(address to, uint256 amount)" },
            &DecodedNote::AtWorst { risk: "no owner: Vault loses it for good" },
            &DecodedNote::Title { data: "0xa9059cbb" },
        ])
}

fn approvals() -> String {
    let dollars = || "$3.15B".to_owned();
    constants(&[approvals::ALL])
        + &lines(&[
            &ApprovalListError::NoLogs("Action not found.".into()),
            &ApprovalListError::TooMany(Grouped(50_000)),
            &RiskTotal::Exactly { dollars: dollars() },
            &RiskTotal::AtLeast { dollars: dollars() },
            &RiskTotal::WithoutPrices { dollars: dollars(), tokens: "GLD, NIL".into() },
            &ApprovalNote::More { hidden: Grouped(9) },
        ])
}

fn risks() -> String {
    let (contract, account, code) = ("Vault", "Safe", "MultiSend");
    let (token, spender, owner) = ("USDC", "bob.eth", "alice.eth");
    constants(&[call_risk::ALL])
        + &lines(&[
            &RiskMessage::UnlimitedApproval { token, spender },
            &RiskMessage::ApprovalForAll { collection: "Apes", operator: spender },
            &RiskMessage::UnlimitedPermit { token, spender, owner },
            &RiskMessage::Permit { token, spender, owner, amount: "5,000" },
            &RiskMessage::NewOwner { contract, owner },
            &RiskMessage::NoOwner { contract },
            &RiskMessage::Role { contract, account: spender, role: "DEFAULT_ADMIN_ROLE" },
            &RiskMessage::Upgrade { proxy: contract, implementation: "VaultV2", time: "now" },
            &RiskMessage::DelegateCall { account, code },
            &RiskMessage::Module { account, module: "Recovery" },
            &RiskMessage::Delegation { authority: owner, delegate: "Wallet" },
            &RiskMessage::PossibleDelegation { authority: owner, delegate: "Wallet" },
            &RiskMessage::UnverifiedCode { account: contract, code: "0x1234…5678" },
            &RiskMessage::IfExecuted { risk: "ownership of Vault goes to alice.eth" },
        ])
}

fn transactions() -> String {
    let why = text("no response within 40 s");
    let rejected = |why| FailureCause::Rejected { contract: text("vault"), why };
    let mut sentences = lines(&[
        &MissingTransfers::Unreadable(1),
        &MissingTransfers::Unreadable(3),
        &MissingTransfers::UnreadableCalls(1),
        &MissingTransfers::UnreadableCalls(3),
        &MissingTransfers::SeeTrace,
        &InnerFailures { failed: 9, calls: 10, contract: Some("Vault"), error: None },
        &InnerFailures { failed: 1, calls: 10, contract: Some("Vault"), error: Some("Out of gas") },
        &InnerFailures { failed: 9, calls: 10, contract: None, error: None },
        &PoolMessage::InBlock { number: 1_234 },
        &PoolMessage::ReplacedBy { hash: "0x1234…5678", block: None },
        &PoolMessage::ReplacedBy { hash: "0x1234…5678", block: Some(1_234) },
        &PoolMessage::Awaits { nonces: &[5] },
        &PoolMessage::Awaits { nonces: &[5, 6, 7, 8, 9] },
        &PoolMessage::RolledBack { block: 1_234 },
        &MissingTransfers::UnknownOutcome,
        &MissingTransfers::UnknownMove,
        &MissingTransfers::NotLoaded(TransferList::Internal),
        &MissingTransfers::NotIndexed(TransferList::Internal),
        &MissingTransfers::Failed(TransferList::Internal, why),
        &MissingTransfers::FirstPages(TransferList::Token, 10),
        &UnknownBalances { calls: Grouped(500) },
        &ConsoleNote::Failed(text("HTTP 503")),
        &ConsoleNote::FirstLines(1_234),
        &FailureNote::NoStack(text("HTTP 503")),
        &FailureNote::NoLine(text("not compiled in this project")),
        &FailureNote::LeftOut(1),
        &FailureNote::LeftOut(1_004),
        &FailureNote::NoUndoneEvents(text("HTTP 503")),
        &rejected(CallRejection::NotPayable {
            function: text("deposit"),
            value: U256::from(1_234),
        }),
        &rejected(CallRejection::NoFunction { selector: text("0x12345678") }),
        &rejected(CallRejection::NoReceive),
        &FailureCause::NoCode { account: text("alice") },
        &FailureCause::RequireWithoutReason,
        &FailureCause::RevertWithoutReason,
        &FailureCause::NewerEvm { instruction: "MCOPY", code: 0x5e, version: "Cancun" },
        &FailureCause::InvalidInstruction,
        &FailureCause::AddressInUse,
        &FailureCause::UnknownInstruction { code: 0x0c },
    ]);
    for tense in [Tense::Mined, Tense::Pending, Tense::Dropped] {
        for words in [
            ["alice ", tense.creates(), " Vault\n"],
            ["alice ", tense.sends(), " 2 ETH to bob\n"],
            ["", tense.fee(), " 0.01 ETH\n"],
        ] {
            sentences.extend(words);
        }
    }
    for kind in (0..=255_u64).filter(|kind| !type_name(*kind).is_empty()) {
        sentences.extend([kind.to_string().as_str(), type_name(kind), "\n"]);
    }
    sentences
}

fn tokens() -> String {
    constants(&[token::ALL])
        + &lines(&[
            &TokenNote::Units { amount: "1,200", token: "0x5FbD…0aa3" },
            &TokenNote::ShareOfSupply { share: "12.3" },
            &TokenNote::ShareOfValue { percent: Percent::of(21, 100).unwrap() },
            &TokenNote::MoreThanValue,
            &TokenNote::Circulating { amount: "45.1234B" },
            &TokenNote::DayVolume { dollars: "$5.12346B" },
            &TokenNote::Worth { dollars: "$1,200.00" },
            &TokenNote::Imitation { name: &text("UЅDС"), real: "USDC" },
        ])
}

fn columns() -> String {
    let amount = &ValueOrigin::Token { decimals: 18 };
    constants(&[column::ALL])
        + &lines(&[
            &UnknownStorageError("no steps recorded"),
            &LastCallError("out of gas"),
            &ValueOrigin::Coin { decimals: 18 },
            &ValueOrigin::CoinUnit { decimals: 9, unit: "gwei" },
            &ValueOrigin::AsSent { unit: "wei" },
            amount,
            &ValueOrigin::Dollars { amount: &amount.to_string() },
            &ValueOrigin::ShareOfSupply { supply: "1000000" },
        ])
}

fn traces() -> String {
    let (stops, retries, continues) = (trace::STOPS, trace::RETRIES, trace::CONTINUES);
    let (loaded, why, free) = ("12,000 calls · 3.2 MB", "no response within 40 s", "2.0 GB");
    let (memory, unknown) =
        (TraceMemory::Needed { needed: "1.2 GB", free }, TraceMemory::Unknown { free });
    let (contract, text, events) = ("Vault", "alice", Count(1_200, "event"));
    constants(&[trace::ALL])
        + &lines(&[
            &TraceStatus::Waiting { seconds: 40, stops },
            &TraceStatus::Reading { loaded, stops },
            &TraceStatus::Paused { loaded, continues, memory, stops },
            &TraceStatus::Paused { loaded, continues, memory: unknown, stops },
            &TraceStatus::Stopped { loaded, retries },
            &TraceStatus::Incomplete { loaded, why, next: " · r retries" },
            &TraceNote::DeepestIndent { depth: 21 },
            &TraceNote::AtDepth { depth: Grouped(1_025) },
            &TraceNote::LongestBar { percent: "21.7%" },
            &TraceNote::FullBar { percent: "21.7%" },
            &TraceNote::Account { number: Grouped(1), accounts: Grouped(5) },
            &TraceNote::More { count: Grouped(2) },
            &TraceNote::TransfersOf { account: "bob.eth" },
            &TraceNote::NoTrace { format: "callTracer" },
            &TraceNote::Caught { failed: Grouped(9), calls: Count(11, "call") },
            &TraceNote::NetWorth { dollars: "−$2,587" },
            &TraceNote::RaisedBelow { contract },
            &TraceNote::RaisedFarBelow { calls: 3, contract },
            &TraceNote::GainAndLoss { gained: "7 ETH", lost: "6.5 ETH" },
            &TraceNote::ZoomedTo { share: "7%" },
            &TraceNote::Match { text },
            &TraceNote::Matches { matches: Grouped(1_200), text },
            &TraceNote::UnmatchedTransfers { matched: 2, transfers: Count(3, "token transfer") },
            &TraceNote::UnplacedEvents { events, unplaced: Grouped(3) },
            &TraceNote::UnclearCalls { events },
            &TraceNote::EventsFailed { why },
            &TraceNote::MoreEventsFailed { why },
            &TraceNote::FirstEvents { events, loads: trace::LOADS_MORE_EVENTS },
            &TraceNote::NoCall { path: "0.3.1" },
            &TraceNote::NoEvent { number: 99, events: Count(14, "event") },
            &TraceNote::ArgumentFormat { format: "hex" },
            &TraceNote::FetchingNames { contracts: Count(32, "contract") },
            &TraceNote::OwnLabel { meaning: column::DECODED_BY_EXPLORER, name: "‹alice›" },
            &TraceNote::RolledBack { transfers: 3 },
            &TraceNote::Unreadable { transfers: 3 },
            &TraceNote::SelfDestructed { coin: "2 ETH" },
            &TraceNote::UncheckedBalances { why },
        ])
}

fn calls() -> String {
    constants(&[call::ALL])
        + &lines(&[
            &CallNote::NameSeenIn { transaction: "0x2372…ef66" },
            &CallNote::ShareOfRoot { share: "12%" },
            &CallNote::GasShares { of_root: "12%", of_parent: "34%" },
            &CallNote::ShareOfForwardableGas { percent: Percent::of(7, 7).unwrap() },
            &CallNote::Creation { contract: "Vault" },
            &CallNote::CreatedCode { size: "32 bytes" },
            &CallNote::TrailingBytes { size: "32 bytes" },
            &CallNote::Raw { number: "1,000,000" },
            &CallNote::FirstLines { lines: Grouped(2_000) },
            &CallNote::Number { number: Grouped(4) },
            &CallNote::Position { number: Grouped(4), calls: Grouped(26) },
            &CallNote::Numbered { number: Grouped(4), call: "Vault.deposit()" },
            &CallNote::CallsWithGas { shown: Grouped(30), all: Grouped(1_026) },
            &CallNote::AllCallsWithGas { all: Grouped(26) },
        ])
}

fn diffs() -> String {
    let calls = Count(1_200, "call");
    constants(&[diff::ALL])
        + &lines(&[
            &DiffText::Itself { transaction: "0x2372…ef66" },
            &DiffText::NoDifference { calls },
            &DiffText::UnknownGas { calls },
            &DiffText::AddedAndRemoved { added: Count(25, "call"), removed: Grouped(23) },
            &DiffText::ShortCounts { added: Grouped(14), removed: Grouped(25), differ: Grouped(1) },
            &DiffText::OtherGas { calls },
            &DiffText::Differs { calls: Count(1, "call") },
            &DiffText::Differ { calls },
            &DiffText::GasOfCalls { left: "13,680", right: "0" },
            &DiffText::GasInCalls { left: "66,540", right: "204,681", change: "+138,141" },
            &DiffText::TotalGas { gas: "89,280" },
            &DiffText::GasOfTransactions { left: "36,016", right: "21,000", change: "−15,016" },
            &DiffText::GasInParts {
                gas: "gas 36,016 → 21,000 (−15,016)",
                calls: "13,680 → 0 (−13,680)",
                others: diff::OUTSIDE_CALLS,
                rest: "22,336 → 21,000 (−1,336)",
            },
            &DiffText::ChangesInParts {
                gas: "gas 36,016 → 21,000 (−15,016)",
                calls: "−13,680",
                others: diff::OUTSIDE_CALLS,
                rest: "−1,336",
            },
            &DiffText::SourcesInCalls {
                change: "+137",
                sources: "added calls +200, removed calls −63",
            },
            &DiffText::Send { amount: "1 ETH", recipient: "alice.eth" },
            &DiffText::OtherOutcome { calls },
            &DiffText::Incomplete { side: "A", why: &text("the response was cut off") },
            &DiffText::NotIn { side: "B" },
            &DiffText::Elsewhere { side: "B", call: Grouped(1_200) },
            &DiffText::EqualGas { calls: Count(1_200, "call") },
            &DiffText::MoreOfOne { calls: Grouped(1_200), side: "A" },
            &DiffText::MoreLines { lines: 3 },
        ])
}

fn trace_formats() -> String {
    let (kind, keys) = (trace_format::OBJECT, "jsonrpc, id");
    constants(&[trace_format::ALL])
        + &lines(&[
            &UnknownFormat::NoKeys { kind },
            &UnknownFormat::Keys { kind, keys },
            &UnknownFormat::ManyKeys { kind, keys },
        ])
}

fn exports() -> String {
    let blocks = &BlockCoverage { first_block: 1, last_block: 9, unreadable: 0, older: None };
    let (path, parent) = ("0.3.1", "0.3");
    let transaction = TxHash::from([0x23; 32]);
    constants(&[export::ALL])
        + &lines(&[
            &ExportNote::Failed { why: export::TOO_LARGE },
            &ExportNote::Progress { percent: 40 },
            &ExportNote::UnknownExtension { extensions: ".txt, .folded" },
            &ExportNote::CallsLeftOut { calls: Count(3, "call") },
            &ExportNote::RawTraceCommand { transaction },
            &ExportNote::MoreRows { rows: 50 },
            &ExportNote::MoreSlots { variable: "prices".into(), slots: 64 },
            &ExportNote::IsToken { address: Address::ZERO },
            &ExportNote::UnreadReasons { failures: Count(14, "failure") },
            &ExportNote::NoMore { blocks },
            &ExportNote::NoReadableBlock { blocks },
            &ExportNote::NoToken { address: Address::ZERO },
            &ExportNote::NoContract { address: Address::ZERO },
            &ExportNote::PastTokens { block: Grouped(19_000_000) },
            &ExportNote::UnplacedEvents { events: Count(3, "event") },
            &ExportNote::TooManyEvents { limit: Grouped(10_000) },
            &ExportNote::RowsLeftOut { rows: Count(2, "row") },
            &ExportNote::UnreadableRow { number: 3, why: "expected an object, found 7" },
            &ExportNote::LargeTrace { bytes: Grouped(2_000_000) },
            &ExportNote::TraceOverLimit { limit: Grouped(1_000_000) },
            &ExportNote::NoCall { path, parent, calls: Count(1, "call") },
            &ExportNote::NoInnerCalls { path, parent },
        ])
}

pub fn subjects() -> Vec<(&'static str, String)> {
    vec![
        ("list", lists()),
        ("outage", outages()),
        ("page", pages()),
        ("start page", start_page()),
        ("transaction", constants(&[transaction::ALL]) + &transactions()),
        ("contract", contracts()),
        ("token", tokens()),
        ("column", columns()),
        ("trace", traces()),
        ("call", calls()),
        ("diff", diffs()),
        ("trace format", trace_formats()),
        ("export", exports()),
        ("decoded data", decoded_data()),
        ("risk of a call", risks()),
        ("approval", approvals()),
    ]
}
