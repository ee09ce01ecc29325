//! The arguments that say where the explorer begins: which tab, with which filters, at which call.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::IntoEnumIterator;

use super::filters::{DirectionChoice as Way, TypesArg, parse_address};
use super::trace::NodePath;
use crate::api::{Filter, Query};
use crate::app::Location;
use crate::batch::CliError;
use crate::chain::Address;
use crate::chain::target::{TargetKind, TargetOrName};
use crate::pane::export::ViewParams;
use crate::pane::{PaneKind, Route};
use crate::sanitize::SafeText;

/// Where in a place to begin.
#[derive(Debug, clap::Args)]
pub(super) struct LocationArgs {
    /// Which tab: `transfers` alone is the whole chain's, `instances` is a token's
    #[arg(long, value_parser = tab_parser())]
    tab: Option<PaneKind>,

    /// Only what goes to, or comes from, the address
    #[arg(long, value_enum)]
    filter: Option<Way>,

    #[command(flatten)]
    types: TypesArg,

    /// Only of this token contract
    #[arg(long, value_parser = parse_address)]
    token: Option<Address>,

    /// Only the instances that this address holds
    #[arg(long, value_parser = parse_address)]
    holder: Option<Address>,

    /// The call of the trace to begin at, such as 0.3.1
    #[arg(long, value_name = "PATH")]
    node: Option<NodePath>,
}

/// Where the explorer begins.
pub(super) enum StartLocation {
    /// Where a name leads, which its explorer is asked for.
    Name(SafeText),
    /// At a place; whether its target has a doubtful checksum.
    Location(Location, bool),
}

impl StartLocation {
    /// What the arguments mean.
    pub(super) fn from_args(
        goal: Option<TargetOrName>,
        place: LocationArgs,
    ) -> Result<Self, CliError> {
        let target = match goal {
            Some(TargetOrName::Name(name)) if place.is_empty() => return Ok(Self::Name(name)),
            Some(TargetOrName::Name(_)) => {
                let words = "of a name it is not known yet which tabs it has: give the address";
                return Err(CliError::Usage(words.into()));
            }
            Some(TargetOrName::Target(target)) => Some(target),
            None => None,
        };
        let doubtful = target.as_ref().is_some_and(|target| target.checksum_mismatch);
        let spot =
            place.into_location(target.map(|target| target.kind)).map_err(CliError::Usage)?;
        Ok(Self::Location(spot, doubtful))
    }
}

/// The tabs that can be begun in.
const OPENABLE_TABS: [PaneKind; 9] = [
    PaneKind::Transactions,
    PaneKind::InternalTransactions,
    PaneKind::TokenTransfers,
    PaneKind::TokenBalances,
    PaneKind::NftCollections,
    PaneKind::TokenInstances,
    PaneKind::Transaction,
    PaneKind::Trace,
    PaneKind::RawTrace,
];

fn tab_parser() -> impl TypedValueParser<Value = PaneKind> {
    PossibleValuesParser::new(OPENABLE_TABS.map(PaneKind::name))
        .try_map(|name| PaneKind::iter().find(|kind| kind.name() == name).ok_or("no such tab"))
}

impl LocationArgs {
    /// Whether anything is said.
    pub(super) fn is_empty(&self) -> bool {
        let Self { tab, filter, types, token, holder, node } = self;
        let filters = filter.is_none() && types.types.is_empty() && token.is_none();
        tab.is_none() && filters && holder.is_none() && node.is_none()
    }

    /// The place that is meant; the error says why there is none.
    pub(super) fn into_location(self, subject: Option<TargetKind>) -> Result<Location, String> {
        let link = self.route(subject)?;
        let kinds = PaneKind::create_all(&link);
        let tabs = || kinds.iter().filter(|(kind, _)| *kind != PaneKind::AddressHeader);
        let names = || tabs().map(|(kind, _)| kind.name()).collect::<Vec<_>>().join(", ");
        let tab = match self.tab {
            None => tabs().next(),
            Some(tab) => tabs().find(|(kind, _)| *kind == tab),
        };
        let Some((kind, pane)) = tab else {
            return Err(format!("--tab: here there are only {}", names()));
        };
        let node = match (&self.node, kind) {
            (None, _) => Vec::new(),
            (Some(node), PaneKind::Trace) => node.0.clone(),
            (Some(_), _) => return Err("--node needs --tab trace".into()),
        };
        let query = pane.view_params().query;
        let query = self.filters().into_iter().try_fold(query, apply_filter)?;
        Ok(Location { route: link, tab: Some(*kind), params: ViewParams { query, node } })
    }

    fn route(&self, subject: Option<TargetKind>) -> Result<Route, String> {
        let holder = self.holder;
        match (self.tab, subject) {
            (Some(PaneKind::TokenInstances), Some(TargetKind::Address(token))) => {
                Ok(Route::Instances { token, holder })
            }
            _ if holder.is_some() => Err("--holder needs a token and --tab instances".into()),
            (_, Some(subject)) => Ok(Route::Target(subject)),
            (Some(PaneKind::TokenTransfers), None) => Ok(Route::Transfers),
            (Some(tab), None) => Err(format!("--tab {} of what? Give a TARGET", tab.name())),
            (None, None) => Ok(Route::Start),
        }
    }

    fn filters(&self) -> Vec<Filter> {
        let way = self.filter.map(|way| Filter::Direction(way.into()));
        let types = self.types.types.iter().map(|kind| Filter::Type(*kind));
        let token = self.token.map(Filter::Token);
        way.into_iter().chain(types).chain(token).collect()
    }
}

/// A query with one more filter, if its list knows such filters.
fn apply_filter(query: Option<Query>, filter: Filter) -> Result<Option<Query>, String> {
    let of_address = query.as_ref().and_then(Query::viewed_address);
    let known = query.as_ref().map_or(Vec::new(), |query| query.filters(of_address));
    let alike = |known: &Filter| std::mem::discriminant(known) == std::mem::discriminant(&filter);
    if !known.iter().any(|(known, _)| alike(known)) {
        return Err(match filter {
            Filter::Direction(_) => "--filter: what is shown has no direction".into(),
            Filter::Type(_) => "--type: what is shown is not told apart by standards".into(),
            Filter::Token(_) => "--token needs an address and --tab transfers".into(),
        });
    }
    Ok(query.map(|query| {
        // Named twice it is still wanted.
        let set = query.filters(None).contains(&(filter, true));
        if set { query } else { query.toggled(filter) }
    }))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::chain::chains::Chains;
    use crate::chain::network::Network;
    use crate::chain::target::Target;
    use crate::cli::Cli;

    const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const TX: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

    /// Where a command line leads, and on which chain.
    fn parsed(command: &str) -> Result<(Location, Network), String> {
        let words = shell_words::split(command).unwrap();
        let cli = Cli::try_parse_from(words).map_err(|e| e.to_string())?;
        let subject = cli.explore.target.map(|target| target.parse::<Target>().unwrap().kind);
        let network = Chains::default().resolve(cli.chain.as_deref().unwrap_or("demo")).unwrap();
        Ok((cli.explore.location.into_location(subject)?, network))
    }

    /// Every command is what is copied in the place that it leads to.
    #[test]
    fn there_and_back() {
        let of = |args: &str| format!("chainglass --chain {args}");
        let mut tabs = Vec::new();
        for line in [
            of("demo"),
            of("demo --tab transfers"),
            of("demo --tab transfers --type ERC-20,ERC-721"),
            of(&format!("demo {ALICE}")),
            of(&format!("eth {ALICE} --filter to")),
            of(&format!("demo {ALICE} --tab internal --filter from")),
            of(&format!("demo {ALICE} --tab transfers --type ERC-404 --filter to --token {ALICE}")),
            of(&format!("demo {ALICE} --tab tokens --type ERC-20")),
            of(&format!("demo {ALICE} --tab nfts --type ERC-1155")),
            of(&format!("demo {ALICE} --tab instances")),
            of(&format!("demo {ALICE} --tab instances --holder {ALICE}")),
            of(&format!("'https://x.example/a'\\''b;c' {TX}")),
            of(&format!("'http://127.0.0.1:4000/sub' {TX} --tab raw")),
            of(&format!("demo {TX} --tab trace")),
            of(&format!("demo {TX} --tab trace --node 0.3.1")),
        ] {
            let (spot, network) = parsed(&line).unwrap();
            assert_eq!(spot.command(&network, &Chains::default()), line);
            let (again, same) = parsed(&spot.command(&network, &Chains::default())).unwrap();
            assert_eq!(format!("{again:?}{same:?}"), format!("{spot:?}{network:?}"));
            tabs.extend(spot.tab);
        }
        for kind in PaneKind::iter() {
            // These are shown from the rows that they were opened from, or above tabs.
            let unnamed = [
                PaneKind::AddressHeader,
                PaneKind::Diff,
                PaneKind::TokenInstance,
                PaneKind::RawRow,
            ];
            assert!(tabs.contains(&kind) != unnamed.contains(&kind), "{kind:?}");
            assert_eq!(
                OPENABLE_TABS.contains(&kind),
                tabs.contains(&kind) && kind != PaneKind::Start,
                "{kind:?}"
            );
        }
    }

    #[test]
    fn what_makes_no_place_is_refused_with_the_reason() {
        for (args, reason) in [
            ("--tab trace".to_owned(), "of what?"),
            (format!("{ALICE} --tab trace"), "transactions, internal, transfers, tokens, nfts"),
            (format!("{TX} --tab tokens"), "transaction, trace, raw"),
            (format!("{TX} --node 0"), "--tab trace"),
            (format!("{ALICE} --tab tokens --filter to"), "no direction"),
            (format!("{ALICE} --type ERC-20"), "standards"),
            (format!("{ALICE} --holder {ALICE}"), "--tab instances"),
            (format!("--tab transfers --token {ALICE}"), "needs an address"),
            (format!("{TX} --filter to"), "no direction"),
            ("--tab nowhere".to_owned(), "possible values: transactions, internal"),
        ] {
            let why = parsed(&format!("chainglass {args}")).unwrap_err();
            assert!(why.contains(reason), "{args}: {why}");
        }
    }
}
