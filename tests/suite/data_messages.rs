//! Example data of the sentences about chains, nodes, projects and ABIs.

use chainglass::test_api::chain::{
    Address, BlockCoverage, Chains, CustomChain, Decimal, EndpointReason, Grouped, LinkedChain,
    MissingBlocks, NodeUrl, Target, TargetOrName, U256, UnknownChainError,
};
use chainglass::test_api::messages::abi::{
    self, AbiError, ArgumentError, JsonFolderError, SignatureError, SignaturePart, SignatureSource,
    SlotError,
};
use chainglass::test_api::messages::chain_data::{
    BlockError, CallRequestError, ChainDataError, LogFilterError, ReadError, ReplayError,
    StepsError, TracerError,
};
use chainglass::test_api::messages::index::{
    self, HeadNote, IndexedRange, NotFoundError, Rollback,
};
use chainglass::test_api::messages::node::{ResponseDefect, RpcError};
use chainglass::test_api::messages::project::{self, ArtifactError, SourceError, SourceFileError};

use chainglass::test_api::messages::labels::LabelFileError;
use chainglass::test_api::messages::target::{DEMO_CHAIN_NOTE, mistyped_subcommand};
use chainglass::test_api::messages::trace_problem::{
    self, FallbackNote, GasParts, NoCalls, TraceProblem,
};

use url::Url;

use super::demo_items::SWAP;
use super::messages::{constants, lines, text};

pub(crate) fn subjects() -> Vec<(&'static str, String)> {
    vec![
        ("chain data", chain_data()),
        ("index", indexes()),
        ("project", projects()),
        ("ABI", abis()),
        ("chain or target that is typed", targets()),
        ("label file", label_files()),
        ("problem of a trace", trace_problems()),
    ]
}

fn chain_data() -> String {
    let block = 16;
    let why = ResponseDefect::MissingField("nonce").into();
    let rpc = || RpcError::Unanswered;
    lines(&[
        &ChainDataError::CallsOnDemand,
        &ChainDataError::NoTracer(TracerError::NoSteps),
        &ChainDataError::NoTracer(TracerError::Unsupported),
        &ChainDataError::NoTracer(TracerError::Failed(rpc())),
        &ChainDataError::UnknownTracer,
        &ChainDataError::TraceRefused(rpc()),
        &ChainDataError::NoCalls { block },
        &ChainDataError::UnreadableCalls { block },
        &ChainDataError::WrongCalls,
        &ChainDataError::NoState { block },
        &ChainDataError::UnreadableBlock { block, why },
        &ChainDataError::NoBlock { block: 1_234 },
        &ChainDataError::EmptyIndex,
        &ChainDataError::NoAccountList,
        &ChainDataError::NoVerifiedContracts,
        &ChainDataError::NoBalanceTracer,
        &ChainDataError::NoBalance,
        &ChainDataError::NoBalanceChanges,
        &ChainDataError::NoWithdrawals,
        &ChainDataError::NoBlobHashes,
        &ChainDataError::TooManyHolders,
        &ChainDataError::NoCode,
        &ChainDataError::NoOldAnswers,
        &ChainDataError::NoBlockYet { block: 1_234 },
        &ChainDataError::TooManySlots { slots: 2_001 },
    ]) + &node_reading()
}

fn node_reading() -> String {
    lines(&[
        &CallRequestError::Method(text("eth_gasPrice")),
        &CallRequestError::Pending,
        &CallRequestError::ParameterCount,
        &CallRequestError::Block,
        &CallRequestError::Address,
        &CallRequestError::Integer,
        &CallRequestError::MissingTo,
        &CallRequestError::To,
        &CallRequestError::Input,
        &CallRequestError::BatchTooLarge,
        &LogFilterError::NoAddressOrTopics,
        &LogFilterError::BlockNumber,
        &LogFilterError::PagingOptions,
        &LogFilterError::Invalid(text("missing field")),
        &ReplayError::Unreadable(text("expected value")),
        &ReplayError::NotAStep,
        &ReplayError::NoSteps,
        &ReplayError::NoStack,
        &ReplayError::Skipped,
        &ReplayError::TooLarge,
        &StepsError::TooMany { steps: 1_234_567 },
        &StepsError::TooMuchGas { gas: 30_000_000 },
        &StepsError::NoSteps,
        &StepsError::NoneOnChain,
        &StepsError::NoDepth,
        &StepsError::NoPosition,
        &StepsError::NoSuchCall,
        &StepsError::Ambiguous,
        &ReadError::OtherChain { before: 1, now: 5 },
        &BlockError::Inconsistent,
        &BlockError::LogsDisagree,
        &BlockError::Absent,
        &BlockError::NoReceipts,
        &BlockError::WrongReceipts,
        &BlockError::Untraced,
        &BlockError::MissingField("number"),
        &BlockError::Unreadable,
    ])
}

fn indexes() -> String {
    let blocks = |first_block, last_block, unreadable, older| {
        NotFoundError(BlockCoverage { first_block, last_block, unreadable, older })
    };
    let forked = |chain_id| Some(MissingBlocks::Forked { chain_id });
    let rollback =
        |last_block, blocks| Rollback { ordinal: 1, last_block, blocks, transactions: 2_458 };
    lines(&[
        &HeadNote::Newest { number: Grouped(19_123_456), age: "<1m ago" },
        &HeadNote::Offline { number: Grouped(334) },
        &HeadNote::Unreachable,
        &IndexedRange::Indexing { read: 500, all: 12_000 },
        &IndexedRange::None,
        &IndexedRange::All { last: 12_000 },
        &IndexedRange::Last { first: 500, last: 12_000 },
        &blocks(4, 3, 0, Some(MissingBlocks::Unindexed)),
        &blocks(4, 4, 0, Some(MissingBlocks::Pruned)),
        &blocks(4, 9, 2, Some(MissingBlocks::OverLimit)),
        &blocks(4, 9, 0, Some(MissingBlocks::NodeHistory)),
        &blocks(4, 9, 0, forked(Some(1))),
        &blocks(4, 9, 0, forked(None)),
        &rollback(Some(16), 1),
        &rollback(Some(16), 3),
        &rollback(None, 0),
    ]) + &constants(&[index::ALL])
}

fn projects() -> String {
    let file = |why| SourceError::File { path: text("src/Vault.sol"), why };
    lines(&[
        &project::OTHER_OWNER,
        &ArtifactError::Invalid(text("expected value")),
        &ArtifactError::LargeCode,
        &ArtifactError::UnreadableCode,
        &ArtifactError::MemoryLimit,
        &ArtifactError::TooManyEntries,
        &SourceError::NotCompiled,
        &SourceError::Artifact(text("permission denied")),
        &SourceError::Recompiled,
        &SourceError::NoMetadata,
        &SourceError::NoMap,
        &SourceError::UnreadableMap,
        &SourceError::OtherSteps,
        &SourceError::NoStep,
        &SourceError::OtherSource,
        &SourceError::MoreFiles(3),
        &file(SourceFileError::OverLimit),
        &file(SourceFileError::NoMetadata),
        &file(SourceFileError::NoHash),
        &file(SourceFileError::NoInput),
        &file(SourceFileError::Changed),
        &file(SourceFileError::Outside),
        &file(SourceFileError::OtherOwner),
        &file(SourceFileError::Unreadable),
    ])
}

fn abis() -> String {
    let name = || text("transfer");
    let found = text("uint7)");
    let address = Address::repeat_byte(0xaa);
    lines(&[
        &AbiError::LargeFile,
        &AbiError::LargeAbi,
        &AbiError::MemoryLimit,
        &AbiError::LargeEntry,
        &AbiError::Invalid(text("expected value")),
        &AbiError::NoAbi,
        &AbiError::Entry { name: name(), why: SignatureError::LongNames },
        &JsonFolderError::TooLarge,
        &JsonFolderError::TooManyFiles,
        &SignatureError::TooLong,
        &SignatureError::TooDeep,
        &SignatureError::TooLarge,
        &SignatureError::EmptyTuple,
        &SignatureError::ArrayLength(text("0")),
        &SignatureError::UnknownType(text("uint7")),
        &SignatureError::EndsEarly(SignaturePart::Name),
        &SignatureError::EndsEarly(SignaturePart::Token("(")),
        &SignatureError::Unexpected { expected: SignaturePart::Type, found: found.clone() },
        &SignatureError::Unexpected { expected: SignaturePart::End, found },
        &SlotError::Invalid(text("balances")),
        &SlotError::NoMapping,
        &SlotError::NoElement { length: U256::from(3) },
        &SlotError::OpenBracket,
        &SlotError::Key(text("0x2a")),
        &SlotError::KeyType { ty: text("bytes4"), text: text("no") },
        &ArgumentError::Empty { ty: text("address") },
        &ArgumentError::Empty { ty: text("bool") },
        &ArgumentError::Invalid { ty: text("uint256"), text: text("ten") },
        &SignatureSource::Address(address).describe(),
        &SignatureSource::Contract(name()).describe(),
        &SignatureSource::Compiled(name()).describe(),
        &SignatureSource::User.describe(),
        &SignatureSource::Explorer(name()).describe(),
        &SignatureSource::OtherAbi(name()).describe(),
        &SignatureSource::OtherCompiled(name()).describe(),
        &SignatureSource::Database.describe(),
        &SignatureSource::BuiltIn("ERC-20").describe(),
    ]) + &constants(&[&abi::PANICS.map(|(_, meaning)| meaning), abi::ALL])
}

fn targets() -> String {
    let custom = |key: &str, url: &str| {
        let (key, url) = (key.to_owned(), url.to_owned());
        Chains::new(vec![CustomChain { key, url, ..CustomChain::default() }], false).unwrap_err()
    };
    let unknown = |near: &[&str]| UnknownChainError::Unknown {
        text: "op".to_owned(),
        near: near.iter().copied().map(Into::into).collect(),
    };
    let fitting = vec!["eth".to_owned(); 10];
    let node_url: Result<NodeUrl, _> = Url::parse("file:///tmp").unwrap().try_into();
    lines(&[
        &custom("mine", "mine"),
        &custom("demo", "https://explorer.example"),
        &unknown(&[]),
        &unknown(&["eth"]),
        &unknown(&["eth", "etc"]),
        &UnknownChainError::NoExplorer { text: "bsc".to_owned(), id: 56 },
        &UnknownChainError::WebSocket { http: "http://localhost:8545".to_owned() },
        &UnknownChainError::Ambiguous { text: "e".to_owned(), fitting },
        &"0x".parse::<Target>().unwrap_err(),
        &format!("KEY={SWAP}").parse::<Target>().unwrap_err(),
        &"tomorrow".parse::<TargetOrName>().unwrap_err(),
        &node_url.unwrap_err(),
        &LinkedChain::At(Url::parse("https://explorer.example/").unwrap()),
        &LinkedChain::Id(5),
        &DEMO_CHAIN_NOTE,
        &mistyped_subcommand("gett", "get"),
        &"ten".parse::<Decimal>().unwrap_err(),
        &EndpointReason::Demo.describe(),
        &EndpointReason::LocalNode.describe(),
        &EndpointReason::Config.describe(),
        &EndpointReason::Pro.describe(),
        &EndpointReason::NoKey.describe(),
        &EndpointReason::NotServed.describe(),
    ])
}

fn label_files() -> String {
    lines(&[
        &LabelFileError::Duplicate(Address::repeat_byte(0xaa)),
        &LabelFileError::NoColumn("watch"),
        &LabelFileError::InvalidCsv,
        &LabelFileError::LineBreak,
        &LabelFileError::LongName { max: 40 },
        &LabelFileError::Checksum,
        &LabelFileError::NoAddress,
        &LabelFileError::InvalidFlag,
    ])
}

fn trace_problems() -> String {
    let (retry, retry_longer, raw_view) = ("r retries", "r retries with a longer timeout", "4 Raw");
    let why = "no response within 40 s";
    lines(&[
        &NoCalls::Empty { retry },
        &NoCalls::Pruned { retry },
        &NoCalls::Null { retry },
        &NoCalls::StructLogs { raw_view },
        &NoCalls::Refused { message: "execution timeout", retry_longer },
        &NoCalls::UnknownFormat { kind: "a number", raw_view },
        &NoCalls::NoReadableCall { raw_view },
        &TraceProblem::ImpossibleGas { used: "30,000", limit: "21,000" },
        &TraceProblem::Incomplete { why },
        &TraceProblem::UnknownScope { scope: "metod" },
        &FallbackNote::Loading,
        &FallbackNote::NoRows,
        &FallbackNote::Complete,
        &FallbackNote::FirstRows { rows: 150 },
        &FallbackNote::Failed { why },
        &GasParts::Unknown,
        &GasParts::Intrinsic { calls: "30,000", rest: "21,000" },
        &GasParts::IntrinsicAlone { rest: "21,000" },
        &GasParts::Refunded { calls: "30,000" },
    ]) + &constants(&[trace_problem::ALL])
}
