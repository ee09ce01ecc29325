//! The configuration of an explorer's web pages, which names the coin of the chain.

use super::json_fields::{Field, json_object};
use super::reply::ReplyData;
use crate::sanitize::SafeText;

json_object! {
    pub struct WebConfig {
        pub envs: Field<WebSettings>,
    }
}

impl ReplyData for WebConfig {}

json_object! {
    pub struct WebSettings {
        pub symbol: Field<SafeText> = "NEXT_PUBLIC_NETWORK_CURRENCY_SYMBOL",
        pub decimals: Field<u8> = "NEXT_PUBLIC_NETWORK_CURRENCY_DECIMALS",
    }
}

#[cfg(test)]
mod tests {
    use super::super::page::parse_single;
    use super::*;

    #[test]
    fn settings_have_the_coin() {
        let json = r#"{"envs":{"NEXT_PUBLIC_NETWORK_CURRENCY_SYMBOL":"MINE",
            "NEXT_PUBLIC_NETWORK_CURRENCY_DECIMALS":"8","NEXT_PUBLIC_NETWORK_ID":"4242"}}"#;
        let config = parse_single::<WebConfig>(serde_json::from_str(json).unwrap()).unwrap();
        let coin = config.envs.value().unwrap();
        assert_eq!(coin.symbol.value().map(|symbol| &**symbol), Some("MINE"));
        assert_eq!(coin.decimals.value(), Some(&8));
    }
}
