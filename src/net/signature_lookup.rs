//! Looks signatures up in a database of the user's choice. Only their hashes are sent.
//!
//! One request has all hashes of a kind that the cache lacks; what it finds is cached for each hash by itself. A
//! signature that does not have the hash is left out, so the database cannot name calls as it likes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use url::Url;

use super::cache::ResponseCache;
use super::scheduler::RequestScheduler;
use crate::abi::SignatureHash;
use crate::api::ApiError;
use crate::api::client::Client;
use crate::app_message::{FoundSignatures, NetworkEvent, Priority};
use crate::http::TransportConfig;
use crate::messages::abi;
use crate::sanitize::SafeText;

const MAX_BODY_BYTES: u64 = 1 << 20;
const TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum signatures read per hash.
const MAX_SIGNATURES: usize = 100;
/// Maximum characters of a signature.
const MAX_SIGNATURE_CHARS: usize = 2_000;

/// A signature database with the API of openchain.xyz and Sourcify. Clones share its limits.
#[derive(Debug, Clone)]
pub struct SignatureDatabase {
    /// URL of the look-up: `…/v1/lookup`.
    url: Url,
    client: Client,
    scheduler: Arc<RequestScheduler>,
    cache: Option<ResponseCache>,
}

impl SignatureDatabase {
    pub fn new(
        url: Url,
        transport: TransportConfig,
        cache: Option<ResponseCache>,
    ) -> Result<Self, ApiError> {
        let transport = TransportConfig {
            response_timeout: transport.response_timeout.min(TIMEOUT),
            max_body_bytes: MAX_BODY_BYTES,
            ..transport
        };
        let client = Client::with_transport(&url, transport)?;
        Ok(Self { url, client, scheduler: Arc::default(), cache })
    }

    /// Returns the events of its requests from now on.
    pub fn subscribe(&self) -> UnboundedReceiver<NetworkEvent> {
        self.scheduler.subscribe()
    }

    /// Returns the signatures of each hash. Signatures found once are cached.
    ///
    /// # Errors
    ///
    /// Returns a reason for the screen.
    pub async fn look_up(&self, hashes: &[SignatureHash]) -> Result<FoundSignatures, SafeText> {
        let mut found = FoundSignatures::new();
        let mut asked: BTreeMap<&str, Vec<SignatureHash>> = BTreeMap::new();
        for hash in hashes {
            match self.read_cached(*hash).await {
                Some(signatures) => drop(found.insert(*hash, signatures)),
                None => asked.entry(kind(*hash)).or_default().push(*hash),
            }
        }
        for (kind, hashes) in asked {
            let url = self.url_of(kind, &hashes);
            let exchange = self
                .scheduler
                .run(Priority::Interactive, &url, || self.client.get(url.clone()))
                .await;
            let body: Bytes = exchange.body.map_err(|error| SafeText::new(&error.to_string()))?;
            for (hash, signatures) in signatures(&body, &hashes)? {
                self.cache(hash, &signatures).await;
                found.insert(hash, signatures);
            }
        }
        Ok(found)
    }

    fn url_of(&self, kind: &str, hashes: &[SignatureHash]) -> Url {
        let hashes: Vec<String> = hashes.iter().map(SignatureHash::to_string).collect();
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair(kind, &hashes.join(","));
        url
    }

    async fn read_cached(&self, hash: SignatureHash) -> Option<Vec<SafeText>> {
        let key = self.url_of(kind(hash), &[hash]).into();
        let body = self.cache.as_ref()?.read(key).await?;
        signatures(&body, &[hash]).ok()?.pop().map(|(_, signatures)| signatures)
    }

    /// Caches the signatures of a hash as a response for this hash alone.
    async fn cache(&self, hash: SignatureHash, signatures: &[SafeText]) {
        let Some(cache) = self.cache.as_ref().filter(|_| !signatures.is_empty()) else { return };
        let names: Vec<Value> = signatures.iter().map(|name| json!({ "name": **name })).collect();
        let body = json!({ "result": { kind(hash): { hash.to_string(): names } } });
        cache.write(self.url_of(kind(hash), &[hash]).into(), body.to_string().into()).await;
    }
}

/// Returns the API's name for the kind of a hash.
fn kind(hash: SignatureHash) -> &'static str {
    match hash {
        SignatureHash::Selector(_) => "function",
        SignatureHash::Topic(_) => "event",
    }
}

/// Reads `{"result":{"function":{"0x…":[{"name":"f()","filtered":false}]}}}` for each hash, without
/// signatures that the database filters or that have another hash.
fn signatures(
    body: &[u8],
    hashes: &[SignatureHash],
) -> Result<Vec<(SignatureHash, Vec<SafeText>)>, SafeText> {
    let answer: Value = serde_json::from_slice(body).map_err(|_| abi::LOOKUP_NOT_JSON)?;
    let result = answer.get("result").ok_or(abi::LOOKUP_NO_RESULT)?;
    let of_hash = |hash: &SignatureHash| {
        let answer = result.get(kind(*hash)).and_then(|found| found.get(hash.to_string()));
        let found = answer.and_then(Value::as_array).into_iter().flatten();
        let kept = found.filter(|one| one.get("filtered").and_then(Value::as_bool) != Some(true));
        let names = kept
            .filter_map(|one| one.get("name")?.as_str())
            .take(MAX_SIGNATURES)
            .map(|name| SafeText::bounded(name, MAX_SIGNATURE_CHARS));
        (*hash, names.filter(|name| hash.is_of_text(name)).collect())
    };
    Ok(hashes.iter().map(of_hash).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_any_shape_are_read() {
        let hash = SignatureHash::Selector([0xa9, 0x05, 0x9c, 0xbb]);
        let read = |body: &str| Ok(signatures(body.as_bytes(), &[hash])?.remove(0).1);
        let sent = r#"{"ok":true,"result":{"event":{},"function":{"0xa9059cbb":[
            {"name":"transfer(address,uint256)","filtered":false,"hasVerifiedContract":true},
            {"name":"many_msg_babbage(bytes1)","filtered":true}, {"name":7}, null, "x",
            {"name":"\u001b[31mf()"}, {"name":"f()"}]}}}"#;
        assert_eq!(read(sent), Ok::<_, SafeText>(vec!["transfer(address,uint256)".into()]));
        for none in [
            r#"{"result":null}"#,
            r#"{"result":{"function":{"0xa9059cbb":null}}}"#,
            r#"{"result":{"function":{"0x00000000":[{"name":"f()"}]}}}"#,
        ] {
            assert_eq!(read(none), Ok(Vec::new()), "{none}");
        }
        for other in ["<html>", "{}", "[]", "null"] {
            assert!(read(other).is_err(), "{other}");
        }
    }
}
