//! Chains from the user's configuration.

use super::registry::{ChainInfo, ChainSource, builtin_table, normalize_name};
use crate::chain::network::{
    DEMO_NAME, Endpoint, Network, multichain_id, normalize_base_url, parse_web_url,
};
use crate::chain::node_url::NodeUrl;
use crate::sanitize::SafeText;

/// A chain from the user's configuration. Missing fields are taken from the built-in chain with the
/// same id or URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomChain {
    /// The NAME in `[chains.NAME]`.
    pub key: String,
    pub id: Option<u64>,
    /// Name on the screen. The default is `key`.
    pub name: Option<String>,
    /// Base URL of an explorer.
    pub url: String,
    /// URL of a JSON-RPC node, instead of an explorer's.
    pub rpc: Option<String>,
    pub symbol: Option<String>,
    pub decimals: Option<u8>,
    pub testnet: Option<bool>,
}

/// A chain that the configuration describes wrongly.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainConfigError {
    /// The URL is not a base URL. It is not repeated, as it may contain a key.
    Url(SafeText),
    /// The name is empty, reserved or a URL.
    Name(SafeText),
}

impl CustomChain {
    pub(super) fn into_chain_info(self) -> Result<ChainInfo, ChainConfigError> {
        let key = SafeText::new(self.key.trim());
        if key.is_empty() || normalize_name(&key) == DEMO_NAME || parse_web_url(&key).is_some() {
            return Err(ChainConfigError::Name(key));
        }
        if let Some(rpc) = &self.rpc {
            let url = parse_web_url(rpc.trim())
                .and_then(|url| NodeUrl::try_from(url).ok())
                .ok_or_else(|| ChainConfigError::Url(key.clone()))?;
            return Ok(self.into_node_info(key, url));
        }
        let base =
            parse_web_url(self.url.trim()).ok_or_else(|| ChainConfigError::Url(key.clone()))?;
        let base = normalize_base_url(&base);
        let same = builtin_table().iter().find(|known| known.is_same(self.id, &base));
        let like = same
            .map_or_else(|| Network::from_base_url(base.clone()), |known| known.network.clone());
        let network = Network {
            id: self.id.or(like.id),
            name: self.name.map_or(key.clone(), SafeText::from).to_string(),
            symbol: self.symbol.map(SafeText::from).or(like.symbol),
            decimals: self.decimals.unwrap_or(like.decimals),
            testnet: self.testnet.unwrap_or(like.testnet),
            web: like.web.filter(|_| multichain_id(&base).is_some()).or_else(|| Some(base.clone())),
            endpoint: Endpoint::Remote(base),
            is_recorded: false,
            is_local_development: false,
            newest_block: None,
        };
        let others = same.into_iter().flat_map(|known| known.all_names().map(SafeText::new));
        let names = [key].into_iter().chain(others).collect();
        Ok(ChainInfo { network, names, source: ChainSource::Config })
    }

    fn into_node_info(self, key: SafeText, url: NodeUrl) -> ChainInfo {
        let network = Network::of_node(&key, url);
        let network = Network {
            id: self.id,
            name: self.name.map_or(key.clone(), SafeText::from).to_string(),
            symbol: self.symbol.map(SafeText::from),
            decimals: self.decimals.unwrap_or(network.decimals),
            testnet: self.testnet.unwrap_or(network.testnet),
            ..network
        };
        ChainInfo { network, names: vec![key], source: ChainSource::Config }
    }
}
