//! The arguments for the first page: tab, filters and call.

use std::mem;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use strum::IntoEnumIterator;

use super::address_arg::TargetArg;
use super::display_args::name_parser;
use super::filters::{ActivityTypesArg, parse_address};
use super::trace::NodePath;
use crate::abi::SignatureDb;
use crate::api::{ChainQuery, Direction, Filter, InstanceKey, Query};
use crate::app::Location;
use crate::chain::data_input::{DataInput, GoToInput, LATEST_BLOCK};
use crate::chain::target::{Target, TargetKind, TargetOrName};
use crate::chain::{Address, U256};
use crate::messages::cli::{self, CliProblem};
use crate::net::provider::Provider;
use crate::output::CliError;
use crate::pane::export::{RowSort, TraceChart, ViewParams};
use crate::pane::{ListView, PageList, PaneKind, Route, hidden_lists};
use crate::sanitize::SafeText;

#[derive(Debug, clap::Args)]
pub(super) struct LocationArgs {
    /// Tab to open (activity, transfers, transactions, blocks, tokens, console without TARGET: chain)
    #[arg(long, value_parser = PossibleValuesParser::new(tab_names()))]
    tab: Option<String>,

    /// Only items to or from the address
    #[arg(long, value_parser = name_parser::<Direction>())]
    filter: Option<Direction>,

    #[command(flatten)]
    types: ActivityTypesArg,

    /// Only transfers of this token contract
    #[arg(long, value_parser = parse_address)]
    token: Option<Address>,

    /// Only instances held by this address
    #[arg(long, value_parser = parse_address)]
    holder: Option<Address>,

    /// All events of approvals, also revoked ones
    #[arg(long)]
    history: bool,

    /// Block after which each token balance is asked for too
    #[arg(long, value_name = "NUMBER")]
    block: Option<u64>,

    /// NFT of the token contract, by its ID
    #[arg(long, value_name = "ID")]
    instance: Option<U256>,

    /// Only rows or calls with these words, as after `&`
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    matching: Option<String>,

    /// Column to sort by, with :asc or :desc; in a trace: gas, self or value
    #[arg(long, value_name = "COLUMN")]
    sort: Option<RowSort>,

    /// View of the trace
    #[arg(long, value_parser = name_parser::<TraceChart>())]
    chart: Option<TraceChart>,

    /// Call at the top of the icicle, e.g. 0.3
    #[arg(long, value_name = "PATH")]
    zoom: Option<NodePath>,

    /// Call to select in the trace, e.g. 0.3.1
    #[arg(long, value_name = "PATH")]
    node: Option<NodePath>,

    /// Event to select in the trace, from 1
    #[arg(long, value_name = "NUMBER", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    event: Option<usize>,

    /// Row to select in a list of a transaction or block, or account of `--chart balances`, from 1
    #[arg(long, value_name = "NUMBER", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    row: Option<usize>,

    /// Layout of NFTs
    #[arg(long, value_parser = name_parser::<ListView>())]
    layout: Option<ListView>,
}

/// The first page, of which a name, the newest block or a time may stand for the target.
pub(super) enum StartArg {
    Known(StartLocation),
    /// With arguments that depend on the target.
    Unresolved {
        target: TargetArg,
        args: Box<LocationArgs>,
    },
}

pub(super) enum StartLocation {
    /// The result of resolving a name, the newest block, or the block of a time.
    Name(SafeText),
    /// A location, and `true` if its address has a wrong checksum.
    Location { location: Box<Location>, checksum_mismatch: bool },
}

impl StartArg {
    pub(super) fn new(target: Option<GoToInput>, args: LocationArgs) -> Result<Self, CliError> {
        let (target, text) = match target {
            Some(GoToInput::Data(_)) if !args.is_empty() => {
                return Err(CliError::Usage(cli::DATA_WITH_FILTERS.into()));
            }
            Some(GoToInput::Data(input)) => {
                return StartLocation::from_data(input).map(Self::Known);
            }
            Some(GoToInput::Place(TargetOrName::Target(target))) => {
                return StartLocation::new(Some(&target), args).map(Self::Known);
            }
            None => return StartLocation::new(None, args).map(Self::Known),
            Some(GoToInput::Place(TargetOrName::Name(name))) => {
                (TargetArg::Place(TargetOrName::Name(name.clone())), name)
            }
            Some(GoToInput::LatestBlock) => (TargetArg::LatestBlock, LATEST_BLOCK.into()),
            Some(GoToInput::Time(time)) => {
                (TargetArg::Time(time), SafeText::new(&time.to_string()))
            }
        };
        Ok(if args.is_empty() {
            Self::Known(StartLocation::Name(text))
        } else {
            Self::Unresolved { target, args: Box::new(args) }
        })
    }

    /// Asks the chain for the target if the arguments depend on it.
    pub(super) async fn resolve(self, provider: &Provider) -> Result<StartLocation, CliError> {
        match self {
            Self::Known(location) => Ok(location),
            Self::Unresolved { target, args } => {
                let kind = target.resolve(provider).await?;
                StartLocation::new(Some(&Target::from(kind)), *args)
            }
        }
    }
}

impl StartLocation {
    fn new(target: Option<&Target>, args: LocationArgs) -> Result<Self, CliError> {
        let checksum_mismatch = target.is_some_and(|target| target.checksum_mismatch);
        let location = args.into_location(target).map_err(CliError::Usage)?;
        Ok(Self::Location { location: Box::new(location), checksum_mismatch })
    }

    fn from_data(input: DataInput) -> Result<Self, CliError> {
        let meanings = SignatureDb::default().meanings(&input, None, &|_| Vec::new());
        meanings.map_err(|why| CliError::Usage(why.to_string()))?;
        let route = Route::Decoded { input: Arc::new(input), contract: None };
        let (tab, params) = (Some(PaneKind::Decoded), ViewParams::default());
        let location = Box::new(Location { route, tab, params });
        Ok(Self::Location { location, checksum_mismatch: false })
    }
}

/// Returns the names of tabs, and of the lists of the whole chain that no tab has.
fn tab_names() -> Vec<&'static str> {
    let tabs = PaneKind::iter().filter(|kind| kind.is_openable()).map(PaneKind::name);
    let mut names: Vec<&str> = tabs.collect();
    for list in ChainQuery::iter() {
        if !names.contains(&list.name()) {
            names.push(list.name());
        }
    }
    names
}

impl LocationArgs {
    pub(super) fn is_empty(&self) -> bool {
        let Self { tab, filter, types, token, holder, history, block, instance, .. } = self;
        let Self { matching, sort, chart, zoom, node, event, row, layout, .. } = self;
        let has_filters = filter.is_some()
            || !types.types.is_empty()
            || token.is_some()
            || *history
            || block.is_some();
        let is_instance = holder.is_some() || instance.is_some();
        let has_rows = matching.is_some() || sort.is_some() || row.is_some() || layout.is_some();
        let is_trace = chart.is_some() || zoom.is_some() || node.is_some() || event.is_some();
        tab.is_none() && !has_filters && !is_instance && !has_rows && !is_trace
    }

    /// Returns the location for the arguments, or the reason why there is none.
    fn into_location(self, target: Option<&Target>) -> Result<Location, String> {
        let route = self.route(target)?;
        let mut panes = PaneKind::create_all(&route);
        panes.extend(hidden_lists(&route).into_iter().map(PageList::into_pane));
        let tabs = || panes.iter().filter(|(kind, _)| !kind.is_header());
        let names = || tabs().map(|(kind, _)| kind.name_on(&route)).collect::<Vec<_>>().join(", ");
        let tab = match self.tab.as_deref() {
            None => tabs().next(),
            Some(tab) => tabs().find(|(kind, _)| kind.name_on(&route) == tab),
        };
        let Some((kind, pane)) = tab else {
            return Err(CliProblem::NoTabHere { tabs: &names() }.to_string());
        };
        let kind = *kind;
        // The page of an address may open on another tab than its first one.
        let is_of_address = matches!(route, Route::Target(TargetKind::Address(_)));
        let tab = (!is_of_address || self.tab.is_some()).then_some(kind);
        let query = pane.view_params().query;
        let mut query = self.filters().into_iter().try_fold(query, apply_filter)?;
        if self.history {
            let events = query.as_ref().and_then(Query::other_events);
            query = Some(events.ok_or_else(|| other_tab("--history"))?);
        }
        if self.block.is_some() {
            let then = query.as_ref().and_then(|query| query.at_block(self.block));
            query = Some(then.ok_or_else(|| other_tab("--block"))?);
        }
        let params = self.view_params(kind, query)?;
        // A pane drops what it does not have, and the first row, where it is anyway.
        let row = params.row.map(|number| number.max(2));
        let restored = panes.into_iter().find(|(other, _)| *other == kind).map(|(_, mut pane)| {
            pane.restore(ViewParams { row, ..params.clone() });
            (pane.view_params(), pane.sort_names())
        });
        let (restored, sort_names) = restored.unwrap_or_default();
        if restored.filter != params.filter {
            return Err(other_tab("--matching"));
        }
        if restored.row != row {
            return Err(row_problem(&params));
        }
        if let (Some(sort), None) = (&params.sort, &restored.sort) {
            if sort_names.is_empty() {
                return Err(other_tab("--sort"));
            }
            if sort_names.contains(&&*sort.column) {
                return Err(CliProblem::OneDirection { column: &sort.column }.to_string());
            }
            let names = &sort_names.join(", ");
            return Err(CliProblem::NoSortColumn { column: &sort.column, names }.to_string());
        }
        Ok(Location { route, tab, params })
    }

    /// Returns the state of a tab that the arguments ask for.
    fn view_params(self, kind: PaneKind, query: Option<Query>) -> Result<ViewParams, String> {
        let needs_trace = [
            ("--node", self.node.is_some()),
            ("--chart", self.chart.is_some()),
            ("--zoom", self.zoom.is_some()),
            ("--event", self.event.is_some()),
        ];
        let of_trace = needs_trace.iter().find(|(_, is_given)| *is_given);
        if let Some((name, _)) = of_trace.filter(|_| kind != PaneKind::Trace) {
            return Err(CliProblem::NeedsTrace { option: name }.to_string());
        }
        if self.layout.is_some() && !kind.has_cards() {
            return Err(other_tab("--layout"));
        }
        Ok(ViewParams {
            query,
            filter: self.matching.as_deref().map(SafeText::new),
            sort: self.sort,
            node: self.node.map(|node| node.0).unwrap_or_default(),
            event: self.event,
            row: self.row,
            chart: self.chart,
            zoom: self.zoom.map(|call| call.0).unwrap_or_default(),
            layout: self.layout,
            source: None,
        })
    }

    fn route(&self, target: Option<&Target>) -> Result<Route, String> {
        use PaneKind::{ContractOfToken, Holders, TokenInstances, TransfersOfToken};
        let tab = self.tab.as_deref().and_then(|tab| tab.parse().ok());
        let kind = target.map(|target| target.kind.clone());
        match (tab, kind) {
            (_, Some(TargetKind::Address(token))) if self.instance.is_some() => {
                let key = self.instance.map(|id| InstanceKey { token, id });
                Ok(key.map_or(Route::Token(token), Route::LinkedInstance))
            }
            _ if self.instance.is_some() => Err(cli::INSTANCE_WITHOUT_TOKEN.into()),
            (Some(TokenInstances), Some(TargetKind::Address(token))) => Ok(match self.holder {
                Some(holder) => Route::Instances { token, holder },
                None => Route::Token(token),
            }),
            _ if self.holder.is_some() => Err(cli::HOLDER_WITHOUT_TOKEN.into()),
            (
                Some(TransfersOfToken | Holders | ContractOfToken),
                Some(TargetKind::Address(token)),
            ) => Ok(Route::Token(token)),
            (_, kind) => match (self.tab.as_deref(), kind) {
                (Some(_), Some(kind)) => Ok(Route::Target(kind)),
                (Some(tab), None) => ChainQuery::iter()
                    .find(|list| list.name() == tab)
                    .map(Route::List)
                    .ok_or_else(|| CliProblem::NeedsTarget { tab }.to_string()),
                (None, _) => Ok(target.map_or(Route::Start, Route::from)),
            },
        }
    }

    fn filters(&self) -> Vec<Filter> {
        let direction = self.filter.map(Filter::Direction);
        let types = self.types.types.iter().copied();
        let token = self.token.map(Filter::Token);
        direction.into_iter().chain(types).chain(token).collect()
    }
}

fn other_tab(option: &str) -> String {
    CliProblem::OtherTab { option }.to_string()
}

/// Returns the reason why a row cannot be selected by its number.
fn row_problem(params: &ViewParams) -> String {
    let option = match params {
        ViewParams { sort: Some(_), .. } => "--sort",
        ViewParams { filter: Some(_), .. } => "--matching",
        _ => return other_tab("--row"),
    };
    CliProblem::RowOfNarrowed { option }.to_string()
}

/// Adds a filter to a query, if its list has such filters.
fn apply_filter(query: Option<Query>, filter: Filter) -> Result<Option<Query>, String> {
    let address = query.as_ref().and_then(Query::viewed_address);
    let known = query.as_ref().map_or(Vec::new(), |query| query.filters(address));
    if !known.iter().any(|known| mem::discriminant(&known.filter) == mem::discriminant(&filter)) {
        return Err(match filter {
            Filter::Direction(_) => other_tab("--filter"),
            Filter::Kind(_) | Filter::Type(_) => other_tab("--type"),
            Filter::Token(_) => cli::NO_TOKEN.into(),
        });
    }
    // A repeated argument must not turn the filter off again.
    Ok(query.map(|query| query.filtered(filter)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::chains::Chains;
    use crate::chain::network::Network;

    const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const TX: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

    /// Parses a command line into a location and a chain.
    fn parse(command: &str) -> Result<(Location, Network), String> {
        let words = shell_words::split(command).unwrap();
        let cli =
            crate::cli::parse(words.into_iter().map(Into::into)).map_err(|e| e.to_string())?;
        let target = cli.explore.target.map(|target| target.parse::<Target>().unwrap());
        let network = Chains::default().resolve(cli.chain.as_deref().unwrap_or("demo")).unwrap();
        Ok((cli.explore.location.into_location(target.as_ref())?, network))
    }

    /// Command lines as the program writes them.
    fn commands() -> impl Iterator<Item = String> {
        let of = |args: &str| format!("chainglass --chain {args}");
        let commands = [
            of("demo"),
            of("demo 333"),
            of("demo 333 --tab block"),
            of("demo 333 --tab withdrawals"),
            of(&format!("demo {TX} --tab blobs")),
            of(&format!("demo {TX} --tab external-transactions")),
            of(&format!("demo {ALICE} --tab withdrawals")),
            of(&format!("demo {ALICE} --tab activity --type ERC-20 --filter to --token {ALICE}")),
            of("demo --tab tokens --type ERC-721"),
            of("demo --tab transfers --type ERC-20,ERC-721"),
            of(&format!("demo {ALICE}")),
            of(&format!("eth {ALICE} --filter to")),
            of(&format!("demo {ALICE} --tab internal --filter from")),
            of(&format!("demo {ALICE} --tab transfers --type ERC-404 --filter to --token {ALICE}")),
            of(&format!("demo {ALICE} --tab tokens --type ERC-20")),
            of(&format!("demo {ALICE} --tab tokens --type ERC-20 --block 100")),
            of(&format!("demo {ALICE} --tab nfts --type ERC-1155")),
            of(&format!("demo {ALICE} --tab logs")),
            of(&format!("demo {ALICE} --tab approvals")),
            of(&format!("demo {ALICE} --tab approvals --history --sort block_number:asc")),
            of(&format!("demo {ALICE} --tab token-transfers")),
            of(&format!("demo {ALICE} --tab balance")),
            of(&format!("demo {ALICE} --tab holders")),
            of(&format!("demo {ALICE} --tab contract")),
            of(&format!("demo {ALICE} --tab token-contract")),
            of(&format!("demo {ALICE} --tab instances")),
            of(&format!("demo {ALICE} --tab instances --holder {ALICE}")),
            of(&format!("'https://x.example/a'\\''b;c' {TX}")),
            of(&format!("'http://127.0.0.1:4000/sub' {TX} --tab raw")),
            of(&format!("demo {TX} --tab trace")),
            of(&format!("demo {TX} --tab state")),
            of(&format!("demo {TX} --tab trace --node 0.3.1")),
            of(&format!("demo {TX} --tab trace --chart functions --node 0 --event 3")),
            of(&format!("demo {TX} --tab trace --chart icicle --zoom 0.3 --node 0.3.1")),
            of(&format!("demo {TX} --tab trace --chart balances --row 3")),
            of(&format!("demo {TX} --tab logs --row 120")),
            of("demo 333 --row 2"),
            of(&format!("demo {ALICE} --tab nfts --layout table")),
            of(&format!("demo {ALICE} --tab instances --layout gallery")),
            of(&format!("demo {TX} --tab trace --matching 'to:alice 7' --sort self:desc")),
            of(&format!("demo {ALICE} --matching 'value:>1' --sort fee:asc")),
            of(&format!("demo {ALICE} --matching '-x --evil' --sort fee:asc")),
            of(&format!("demo {ALICE} --instance 129")),
            of(&format!("demo {ALICE} --instance 129 --tab token-transfers")),
            of(&format!("demo {ALICE} --instance 129 --tab fields")),
        ];
        let lists = ChainQuery::iter().map(move |list| of(&format!("demo --tab {}", list.name())));
        let hidden = ["blocks", "pending", "beacon-deposits", "user-operations"];
        let hidden = hidden.map(|tab| of(&format!("demo {ALICE} --tab {tab}")));
        commands.into_iter().chain(hidden).chain(lists)
    }

    #[test]
    fn copied_commands_open_the_same_location() {
        let mut tabs = Vec::new();
        for line in commands() {
            // Until the kind of the server is known, the path may be a node's key.
            let parse = |line: &str| {
                parse(line).map(|(location, network)| (location, network.into_explorer()))
            };
            let (location, network) = parse(&line).unwrap();
            assert_eq!(location.command(&network, &Chains::default()), line);
            let (again, same) = parse(&location.command(&network, &Chains::default())).unwrap();
            assert_eq!(format!("{again:?}{same:?}"), format!("{location:?}{network:?}"));
            tabs.extend(location.tab);
        }
        for kind in PaneKind::iter() {
            let is_opened = tabs.contains(&kind);
            let is_named = kind.is_openable() || matches!(kind, PaneKind::Start | PaneKind::List);
            assert_eq!(is_opened, is_named, "{kind:?}");
        }
    }

    #[test]
    fn invalid_locations_are_rejected_with_the_reason() {
        for (args, reason) in [
            ("--tab trace".to_owned(), "needs a TARGET"),
            (
                format!("{ALICE} --tab trace"),
                "transactions, internal, transfers, tokens, nfts, logs",
            ),
            (
                format!("{TX} --tab tokens"),
                "transaction, trace, transfers, logs, internal, state, raw",
            ),
            (format!("{TX} --node 0"), "--tab trace"),
            (format!("{TX} --chart icicle"), "--tab trace"),
            (format!("{TX} --zoom 0"), "--tab trace"),
            (format!("{ALICE} --layout table"), "--layout does not apply"),
            (format!("{TX} --event 0"), "0 is not in"),
            (format!("{TX} --matching x"), "--matching does not apply"),
            (format!("{TX} --tab trace --row 2"), "--row does not apply"),
            (format!("{TX} --tab trace --row 1"), "--row does not apply"),
            (format!("{ALICE} --row 2"), "--row does not apply"),
            (format!("{ALICE} --row 1"), "--row does not apply"),
            (format!("{TX} --tab internal --row 2 --sort gas"), "leave out --sort"),
            (format!("{TX} --tab logs --row 2 --matching x"), "leave out --matching"),
            (
                format!("{ALICE} --sort amout:desc"),
                "no column \"amout\" to sort by; available: age, block, tx, ",
            ),
            (
                format!("{ALICE} --tab internal --sort fee:desc"),
                "no column \"fee\" to sort by; available: age, block, ",
            ),
            (format!("{ALICE} --tab tokens --sort worht:desc"), "worth"),
            (format!("{TX} --sort amout"), "--sort does not apply"),
            (format!("{ALICE} --sort fee:up"), ":asc or :desc"),
            (format!("{TX} --instance 1"), "--instance needs a token"),
            (format!("{ALICE} --tab tokens --filter to"), "--filter does not apply"),
            (format!("{ALICE} --type ERC-20"), "--type does not apply"),
            (format!("{ALICE} --holder {ALICE}"), "--tab instances"),
            (format!("--tab transfers --token {ALICE}"), "needs an address"),
            (format!("{TX} --filter to"), "--filter does not apply"),
            (format!("{ALICE} --history"), "--history does not apply"),
            (format!("{ALICE} --block 100"), "--block does not apply"),
            ("--tab nowhere".to_owned(), "possible values: block, blocks, transactions"),
        ] {
            let error = parse(&format!("chainglass {args}")).unwrap_err();
            assert!(error.contains(reason), "{args}: {error}");
        }
    }
}
