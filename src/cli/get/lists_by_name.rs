//! Subcommands of lists without arguments of their own: each list of a chain, two of a transaction.

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};
use strum::{EnumIter, EnumMessage, IntoEnumIterator, IntoStaticStr};

use super::super::address_arg::TargetArg;
use super::activity::no_list;
use super::{ListArgs, OutputArgs};
use crate::api::{ChainQuery, Query};
use crate::chain::target::LinkedChain;
use crate::net::provider::Provider;
use crate::output::CliError;
use crate::pane::{PageList, Route, hidden_lists, rows_of_chain};

/// A list of a transaction that the whole chain lacks. The comment is its description.
#[derive(EnumIter, EnumMessage, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
enum TransactionList {
    /// Blobs of a transaction
    Blobs,
    /// Transactions of another chain that a transaction caused
    ExternalTransactions,
}

/// A list by its name. There is a subcommand for each list of the whole chain that has no arguments of its own.
#[derive(Debug)]
pub(in crate::cli) struct ListByNameCommand {
    name: String,
    args: ListByNameArgs,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ListByNameArgs {
    /// Address, transaction or block, link to one, or name, if the list is not of the whole chain
    target: Option<TargetArg>,
    #[command(flatten)]
    output: OutputArgs,
}

impl ListByNameCommand {
    /// Returns the names of the lists, with their descriptions.
    fn lists() -> impl Iterator<Item = (&'static str, &'static str)> {
        let of_chain = ChainQuery::iter().map(|list| (list.name(), list.get_documentation()));
        let others = TransactionList::iter().map(|list| ((&list).into(), list.get_documentation()));
        of_chain.chain(others).map(|(name, words)| (name, words.unwrap_or_default()))
    }

    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        self.args.target.as_ref()?.linked_chain()
    }

    pub(super) async fn list(self, provider: &Provider) -> Result<ListArgs, CliError> {
        let Self { name, args: ListByNameArgs { target, output } } = self;
        let list = match target {
            Some(target) => {
                let target = target.resolve(provider).await?;
                let mut lists = hidden_lists(&Route::Target(target)).into_iter();
                let list = lists.find(|list| list.kind.name() == name);
                list.map(|PageList { rows, query, .. }| (rows, query, output))
            }
            None => ChainQuery::iter()
                .find(|list| list.name() == name)
                .map(|list| (rows_of_chain(&list), Query::Chain(list), output)),
        };
        list.ok_or_else(|| no_list(&name))
    }
}

impl FromArgMatches for ListByNameCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (name, args) =
            matches.subcommand().ok_or_else(|| Error::new(ErrorKind::MissingSubcommand))?;
        Ok(Self { name: name.to_owned(), args: ListByNameArgs::from_arg_matches(args)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for ListByNameCommand {
    /// Adds the lists that no subcommand before has.
    fn augment_subcommands(command: Command) -> Command {
        Self::lists().fold(command, |command, (name, description)| {
            if command.find_subcommand(name).is_some() {
                return command;
            }
            let list = ListByNameArgs::augment_args(Command::new(name)).about(description);
            command.subcommand(list)
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Self::lists().any(|(list, _)| list == name)
    }
}
