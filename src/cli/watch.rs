//! `watch`: prints new rows at addresses until it is interrupted.

use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Duration;

use super::address_arg::{AddressArg, BlockArg};
use super::context::{CliContext, load_own_signatures};
use super::display_args::DisplayArgs;
use super::{block_on, wait_for_end};
use crate::app_message::NotificationMethod;
use crate::output::watch::{WatchFormat, WatchOptions, watch_addresses};
use crate::output::{self, CliError};
use crate::runtime::Signals;

#[derive(Debug, clap::Args)]
pub(super) struct WatchArgs {
    /// Addresses, links to them, or names
    #[arg(required = true, value_name = "ADDRESS")]
    addresses: Vec<AddressArg>,
    /// Begin with this block instead of the next one: its number (also 0x…), "latest" or time of UTC
    #[arg(long, value_name = "BLOCK")]
    since: Option<BlockArg>,
    /// Seconds between two looks at an explorer; a node is looked at with each block
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=86_400))]
    interval: u32,
    /// Notify of new rows by the terminal on stderr [default: the setting `notify`]
    #[arg(long, value_enum, value_name = "METHOD")]
    notify: Option<NotificationMethod>,
    /// Output format
    #[arg(long, value_enum, default_value_t = WatchFormat::Text)]
    format: WatchFormat,
}

pub(super) fn watch(
    args: &WatchArgs,
    display: &DisplayArgs,
    context: &CliContext,
) -> Result<ExitCode, CliError> {
    let linked = args.addresses.iter().find_map(AddressArg::linked_chain);
    let network = &context.printed_network(linked)?;
    let provider = &context.provider(network)?;
    let mut options = WatchOptions {
        format: args.format,
        since: None,
        interval: Duration::from_secs(args.interval.into()),
        notification: args.notify.unwrap_or(context.config.settings.app.notification),
        style: display.output_style(&context.config.settings)?,
    };
    let names = output::load_labels(network);
    block_on(async {
        let watching = async {
            if let Some(block) = args.since {
                options.since = Some(block.resolve(provider).await?);
            }
            let (mut addresses, mut seen) = (Vec::new(), HashSet::new());
            for address in &args.addresses {
                let address = address.resolve(provider).await?;
                addresses.extend(seen.insert(address).then_some(address));
            }
            let known = (names, load_own_signatures());
            watch_addresses(provider, &addresses, known, &options).await
        };
        let signals = Signals::listen()?;
        tokio::select! {
            result = watching => result,
            result = wait_for_end(signals) => result,
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
