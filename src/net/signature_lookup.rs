//! Looks signatures up in a database that the user names. Nothing but their hashes is sent.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use url::Url;

use super::cache::TraceCache;
use super::scheduler::RequestScheduler;
use crate::abi::SignatureHash;
use crate::api::ApiError;
use crate::api::client::Client;
use crate::http::TransportConfig;
use crate::msg::{NetworkEvent, Priority};
use crate::sanitize::SafeText;

const MAX_BODY_BYTES: u64 = 1 << 20;
const TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum signatures of a hash that are read.
const MAX_SIGNATURES: usize = 100;
/// Maximum length of one.
const MAX_SIGNATURE_CHARS: usize = 2_000;

/// A signature database with the API of openchain.xyz and Sourcify. Clones share its limits.
#[derive(Debug, Clone)]
pub struct SignatureDatabase {
    /// Where signatures are looked up: `…/v1/lookup`.
    url: Url,
    client: Client,
    scheduler: Arc<RequestScheduler>,
    cache: Option<TraceCache>,
}

impl SignatureDatabase {
    pub fn new(
        url: Url,
        transport: TransportConfig,
        cache: Option<TraceCache>,
    ) -> Result<Self, ApiError> {
        let transport = TransportConfig {
            response_timeout: transport.response_timeout.min(TIMEOUT),
            max_body_bytes: MAX_BODY_BYTES,
            ..transport
        };
        let client = Client::with_transport(&url, transport)?;
        Ok(Self { url, client, scheduler: Arc::default(), cache })
    }

    /// Returns the events of its requests from here on.
    pub fn subscribe(&self) -> UnboundedReceiver<NetworkEvent> {
        self.scheduler.subscribe()
    }

    /// Returns the signatures that have a hash, as they were sent. Those that were found once are kept.
    ///
    /// # Errors
    /// Returns a reason for the screen.
    pub async fn look_up(&self, hash: SignatureHash) -> Result<Vec<SafeText>, SafeText> {
        let (kind, text) = (kind(hash), hash.to_string());
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair(kind, &text);
        if let Some(cache) = &self.cache
            && let Some(body) = cache.read(url.to_string()).await
        {
            return signatures(&body, kind, &text);
        }
        let get = || self.client.get(url.clone());
        let exchange = self.scheduler.run(Priority::Interactive, &url, get).await;
        let body: Bytes = exchange.body.map_err(|error| SafeText::new(&error.to_string()))?;
        let found = signatures(&body, kind, &text)?;
        if let Some(cache) = self.cache.as_ref().filter(|_| !found.is_empty()) {
            cache.write(url.to_string(), body).await;
        }
        Ok(found)
    }
}

/// Returns what the API calls the kind of a hash.
fn kind(hash: SignatureHash) -> &'static str {
    match hash {
        SignatureHash::Selector(_) => "function",
        SignatureHash::Topic(_) => "event",
    }
}

/// Reads `{"result":{"function":{"0x…":[{"name":"f()","filtered":false}]}}}`. What the database says
/// is to be left out is.
fn signatures(body: &[u8], kind: &str, hash: &str) -> Result<Vec<SafeText>, SafeText> {
    let answer: Value = serde_json::from_slice(body).map_err(|_| "not a signature database")?;
    let found = answer.pointer("/result").and_then(|result| result.get(kind)?.get(hash));
    let found = found.and_then(Value::as_array).into_iter().flatten();
    let kept = found.filter(|one| one.get("filtered").and_then(Value::as_bool) != Some(true));
    let names = kept.filter_map(|one| one.get("name")?.as_str());
    let names = names.take(MAX_SIGNATURES);
    Ok(names.map(|name| SafeText::bounded(name, MAX_SIGNATURE_CHARS)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_any_shape_are_read() {
        let hash = "0xa9059cbb";
        let read = |body: &str| signatures(body.as_bytes(), "function", hash);
        let sent = r#"{"ok":true,"result":{"event":{},"function":{"0xa9059cbb":[
            {"name":"transfer(address,uint256)","filtered":false,"hasVerifiedContract":true},
            {"name":"_____$(address)","filtered":true}, {"name":7}, null, "x",
            {"name":"\u001b[31mf()"}]}}}"#;
        assert_eq!(read(sent), Ok(vec!["transfer(address,uint256)".into(), "␛[31mf()".into()]));
        for none in [
            "{}",
            "[]",
            "null",
            r#"{"result":null}"#,
            r#"{"result":{"function":{"0xa9059cbb":null}}}"#,
            r#"{"result":{"function":{"0x00000000":[{"name":"f()"}]}}}"#,
        ] {
            assert_eq!(read(none), Ok(Vec::new()), "{none}");
        }
        assert!(read("<html>").is_err());
    }
}
