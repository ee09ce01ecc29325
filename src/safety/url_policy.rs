//! Decides which URLs of token media and web pages may be opened in a browser, or fetched.
//!
//! Such URLs come from token metadata and cannot be trusted. Nothing is fetched or decoded here: a URL
//! is recognised to be shown in one line, and to be opened once the user has seen its host.

use percent_encoding::percent_decode;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;
use url::Url;

use super::public_hosts::refusal_reason;
use crate::messages::safety::UrlError;
use crate::sanitize::SafeText;

const MAX_SHOWN_COLUMNS: usize = 200;
/// A URL from outside, by its scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UntrustedUrl {
    /// `http:` or `https:`, parsed as a browser would.
    Web(Url),
    /// A `data:` URI.
    Inline { mime: SafeText, bytes: u64 },
    /// `ipfs:`
    Ipfs(SafeText),
    /// `ar:` (Arweave)
    Arweave(SafeText),
    /// Anything else, including text that is not a URL.
    Other(SafeText),
}

impl UntrustedUrl {
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let (scheme, rest) = text.split_once(':').unwrap_or(("", text));
        let known = match &*scheme.to_ascii_lowercase() {
            "data" => parse_data_uri(rest),
            "ipfs" => Some(Self::Ipfs(SafeText::new(text))),
            "ar" => Some(Self::Arweave(SafeText::new(text))),
            "http" | "https" => Url::parse(text).ok().map(Self::Web),
            _ => None,
        };
        known.unwrap_or_else(|| Self::Other(SafeText::new(text)))
    }

    /// Returns the URL in at most 200 columns; for a `data:` URI its type and size.
    pub fn display_text(&self) -> SafeText {
        match self {
            Self::Web(url) => truncate(url.as_str()),
            Self::Inline { mime, bytes } => {
                truncate(&format!("data:{mime}, {}", format_size(*bytes)))
            }
            Self::Ipfs(text) | Self::Arweave(text) | Self::Other(text) => truncate(text),
        }
    }

    /// Returns the URL if it may be opened in a browser, else the reason for the screen.
    ///
    /// Hosts that only the local machine or network can reach are refused: the author of the URL could
    /// make the browser act there. No name is resolved, so a public name that points to such a host is
    /// not detected.
    pub fn openable(&self) -> Result<&Url, UrlError> {
        let scheme = match self {
            Self::Web(url) => return refusal_reason(url).map_or(Ok(url), Err),
            Self::Inline { .. } => "data",
            Self::Ipfs(_) => "ipfs",
            Self::Arweave(_) => "ar",
            Self::Other(_) => return Err(UrlError::UnknownScheme),
        };
        Err(UrlError::Scheme { scheme })
    }
}

/// Parses the part after `data:`. Returns `None` without the comma that precedes the data.
fn parse_data_uri(rest: &str) -> Option<UntrustedUrl> {
    let (head, data) = rest.split_once(',')?;
    let (mime, parameters) = head.split_once(';').unwrap_or((head, ""));
    let last = parameters.rsplit(';').next().unwrap_or_default();
    let octets = percent_decode(data.as_bytes());
    let bytes = if last.trim().eq_ignore_ascii_case("base64") {
        let digits = octets.filter(|b| !b.is_ascii_whitespace() && *b != b'=').count();
        // Four digits are three bytes. Divided first, so that nothing overflows.
        digits / 4 * 3 + digits % 4 * 3 / 4
    } else {
        octets.count()
    };
    let mime = match mime.trim() {
        "" => "text/plain".into(), // the default of RFC 2397
        mime => truncate(mime),
    };
    Some(UntrustedUrl::Inline { mime, bytes: u64::try_from(bytes).unwrap_or(u64::MAX) })
}

/// Formats a size in the largest unit that it reaches: `999 bytes`, `12.3 kB`.
fn format_size(bytes: u64) -> String {
    if bytes == 1 {
        return "1 byte".into();
    }
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} bytes"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    format!("{}.{} {name}", bytes / unit, bytes % unit / (unit / 10))
}

/// Cuts `text` to [`MAX_SHOWN_COLUMNS`] columns and a bounded number of bytes.
fn truncate(text: &str) -> SafeText {
    // A grapheme may have any number of bytes and no width.
    let head = text.char_indices().nth(MAX_SHOWN_COLUMNS * 2).map_or(text.len(), |(end, _)| end);
    let head_is_all = head == text.len();
    let head = SafeText::new(text.get(..head).unwrap_or_default());
    let (mut used, mut end) = (0, 0);
    for (at, grapheme) in head.grapheme_indices(true) {
        used += grapheme.width();
        if used < MAX_SHOWN_COLUMNS {
            end = at + grapheme.len();
        }
    }
    if head_is_all && used <= MAX_SHOWN_COLUMNS {
        return head;
    }
    SafeText::new(&format!("{}…", head.get(..end).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn urls_are_recognised_by_scheme() {
        for (text, shown) in [
            (" https://Example.com/a b?c#d\n", "https://example.com/a%20b?c#d"),
            ("HTTP:\\\\good.example\\@evil.example", "http://good.example/@evil.example"),
            ("https://аpple.com/", "https://xn--pple-43d.com/"),
            ("ipfs://QmX/1.png", "ipfs://QmX/1.png"),
            ("IPFS:QmX", "IPFS:QmX"),
            ("ar://abc", "ar://abc"),
            ("javascript:alert(1)", "javascript:alert(1)"),
            ("https://", "https://"),
            ("", ""),
            ("//host/path", "//host/path"),
            ("\u{202e}gpj.exe", "␦gpj.exe"),
            ("data:image/svg+xml;base64,QUJD", "data:image/svg+xml, 3 bytes"),
            ("data:no comma", "data:no comma"),
        ] {
            assert_eq!(&*UntrustedUrl::parse(text).display_text(), shown, "{text:?}");
        }
        assert!(matches!(UntrustedUrl::parse("IPFS://x"), UntrustedUrl::Ipfs(_)));
        assert!(matches!(UntrustedUrl::parse("ar://x"), UntrustedUrl::Arweave(_)));
        assert!(matches!(UntrustedUrl::parse("file:///etc/passwd"), UntrustedUrl::Other(_)));
    }

    #[test]
    fn data_uris_have_type_and_size() {
        for (text, mime, bytes) in [
            ("data:,", "text/plain", 0),
            ("DATA:,a%20b", "text/plain", 3),
            ("data:,100%", "text/plain", 4),
            ("data:,%zz", "text/plain", 3),
            ("data:text/html;charset=utf-8,<b>é</b>", "text/html", 9),
            ("data:;base64,QQ==", "text/plain", 1),
            ("data:image/png;base64,QUI=", "image/png", 2),
            ("data:image/png;base64,QUI%3D", "image/png", 2),
            ("data:image/png; BASE64 ,QUJD\n QUJD", "image/png", 6),
            ("data:image/png;base64;x=y,QUJD", "image/png", 4),
            ("data: ;base64,Q", "text/plain", 0),
        ] {
            let expected = UntrustedUrl::Inline { mime: mime.into(), bytes };
            assert_eq!(UntrustedUrl::parse(text), expected, "{text}");
        }
        let picture = format!("data:image/svg+xml;base64,{}", "QUJD".repeat(4_115));
        assert_eq!(&*UntrustedUrl::parse(&picture).display_text(), "data:image/svg+xml, 12.3 kB");
    }

    #[test]
    fn urls_are_cut_beyond_the_shown_columns() {
        for (columns, is_cut) in [(MAX_SHOWN_COLUMNS, false), (MAX_SHOWN_COLUMNS + 1, true)] {
            let url = format!("ipfs://{}", "a".repeat(columns - "ipfs://".len()));
            let shown = UntrustedUrl::parse(&url).display_text();
            assert_eq!((shown.ends_with('…'), shown.width()), (is_cut, MAX_SHOWN_COLUMNS));
        }
    }

    #[test]
    fn sizes_have_units() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1.0 kB"),
            (999_999, "999.9 kB"),
            (1_048_576, "1.0 MB"),
            (u64::MAX, "18446744073.7 GB"),
        ] {
            assert_eq!(format_size(bytes), text);
        }
    }

    #[test]
    fn refusals_have_a_reason() {
        let long = format!("https://{}example.com/", "bank.example.".repeat(15));
        for (text, why) in [
            ("ipfs://QmX", "cannot open ipfs: URLs; copy it instead"),
            ("ar://x", "cannot open ar: URLs; copy it instead"),
            ("data:,x", "cannot open data: URLs; copy it instead"),
            ("file:///etc/passwd", "can open http: and https: only; copy it instead"),
            ("javascript:alert(1)", "can open http: and https: only; copy it instead"),
            ("", "can open http: and https: only; copy it instead"),
            ("http://127.1/", "cannot open: 127.0.0.1 is not on the public internet"),
            (
                "https://bank.example:x@evil.example/",
                "cannot open: the URL contains a user name or password",
            ),
            ("https://a@b.example/", "cannot open: the URL contains a user name or password"),
            ("https://:p@b.example/", "cannot open: the URL contains a user name or password"),
            (&long, "cannot open: the host name is too long to show"),
        ] {
            let refused = UntrustedUrl::parse(text).openable().unwrap_err();
            assert_eq!(refused.to_string(), why, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_shown_within_the_limit(
            text in any::<String>(),
            scheme in "(|https://|http:|data:|data:a/b;base64,|ipfs://|ar:)",
            times in 0_usize..100,
        ) {
            let media = UntrustedUrl::parse(&format!("{scheme}{}", text.repeat(times)));
            let shown = media.display_text();
            prop_assert!(shown.width() <= MAX_SHOWN_COLUMNS, "{}", shown.width());
            prop_assert!(shown.len() <= MAX_SHOWN_COLUMNS * 2 * 4 + 100);
            if let Ok(url) = media.openable() {
                prop_assert!(shown.contains(url.host_str().unwrap()));
            }
        }

        #[test]
        fn opened_urls_show_their_whole_host(labels in prop::collection::vec("[a-z]{1,40}", 1..9)) {
            let media = UntrustedUrl::parse(&format!("https://{}/{}", labels.join("."), "p".repeat(300)));
            if let Ok(url) = media.openable() {
                prop_assert!(media.display_text().contains(url.host_str().unwrap()));
            }
        }

        #[test]
        fn data_sizes_are_those_decoded(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let percent = bytes.iter().fold(String::new(), |text, b| format!("{text}%{b:02X}"));
            let expected = u64::try_from(bytes.len()).unwrap();
            let media = UntrustedUrl::parse(&format!("data:x/y,{percent}"));
            prop_assert_eq!(media, UntrustedUrl::Inline { mime: "x/y".into(), bytes: expected });
            // Base64 has four digits for three bytes, and as many as needed for the rest.
            let digits = "A".repeat((bytes.len() * 4).div_ceil(3));
            let media = UntrustedUrl::parse(&format!("data:x/y;base64,{digits}"));
            prop_assert_eq!(media, UntrustedUrl::Inline { mime: "x/y".into(), bytes: expected });
        }
    }
}
