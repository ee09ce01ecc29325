//! What an address of a picture, a film or a page is, where a stranger wrote it.
//!
//! Nothing here is fetched or decoded. An address is recognised so that it can be shown in a line,
//! and so that a person who asks for it, and has seen the host, can open it in a browser.

use std::net::{Ipv4Addr, Ipv6Addr};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;
use url::{Host, Url};

use crate::sanitize::SafeText;

/// Columns of an address as shown.
const MAX_SHOWN_COLUMNS: usize = 200;
/// A host longer than this could hide its end, which says whose it is, beyond what is shown.
const MAX_HOST_BYTES: usize = 180;

/// IPv4 networks that are not everybody's: where they begin, and how many bits say so.
const PRIVATE_IPV4_NETWORKS: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8), // this machine, on many systems
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10), // shared by a provider's customers
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16), // link-local; secrets of cloud machines
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24), // protocol assignments
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15), // benchmarks
    ([224, 0, 0, 0], 3),   // multicast, reserved, broadcast
];

/// Where a medium is said to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UntrustedUrl {
    /// On the web, as a browser would understand it: `http:` or `https:`.
    Web(Url),
    /// In the address itself: a `data:` URI.
    Inline {
        /// The type it is said to have.
        mime: SafeText,
        /// Its size when decoded.
        bytes: u64,
    },
    /// In IPFS.
    Ipfs(SafeText),
    /// In Arweave.
    Arweave(SafeText),
    /// Somewhere else, or nowhere.
    Other(SafeText),
}

impl UntrustedUrl {
    /// Recognises an address. There is no text that it does not take.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let (scheme, rest) = text.split_once(':').unwrap_or(("", text));
        let is = |name: &str| scheme.eq_ignore_ascii_case(name);
        let other = || Self::Other(SafeText::new(text));
        if is("data") {
            parse_data_uri(rest).unwrap_or_else(other)
        } else if is("ipfs") {
            Self::Ipfs(SafeText::new(text))
        } else if is("ar") {
            Self::Arweave(SafeText::new(text))
        } else if is("http") || is("https") {
            Url::parse(text).map_or_else(|_| other(), Self::Web)
        } else {
            other()
        }
    }

    /// The address in at most 200 columns; of a `data:` URI its type and size.
    pub fn display_text(&self) -> SafeText {
        match self {
            Self::Web(url) => truncate(url.as_str()),
            Self::Inline { mime, bytes } => {
                truncate(&format!("data:{mime}, {}", format_size(*bytes)))
            }
            Self::Ipfs(text) | Self::Arweave(text) | Self::Other(text) => truncate(text),
        }
    }

    /// The address, if a browser may be sent there; otherwise why not.
    ///
    /// Hosts that only this machine or its own network can reach are refused: a stranger could make
    /// the browser act there. A name on the web that leads to such a place is not found out here,
    /// since no name is looked up.
    pub fn openable(&self) -> Result<&Url, SafeText> {
        let why = match self {
            Self::Web(url) => match refusal_reason(url) {
                None => return Ok(url),
                Some(why) => return Err(why),
            },
            Self::Inline { .. } => "data: is not opened; copy it",
            Self::Ipfs(_) => "ipfs: is not opened; copy it",
            Self::Arweave(_) => "ar: is not opened; copy it",
            Self::Other(_) => "only http: and https: are opened; copy it",
        };
        Err(SafeText::new(why))
    }
}

/// Whether `url` is on a host that everybody reaches, as far as that can be told without asking for
/// its name.
pub fn is_public(url: &Url) -> bool {
    refusal_reason(url).is_none()
}

/// Why a browser is not sent to `url`.
fn refusal_reason(url: &Url) -> Option<SafeText> {
    if !url.username().is_empty() || url.password().is_some() {
        return Some(SafeText::new("not opened: there is a user name or password in the address"));
    }
    let (host, public) = match url.host()? {
        Host::Domain(name) if name.len() > MAX_HOST_BYTES => {
            return Some(SafeText::new("not opened: its host is too long to be shown"));
        }
        Host::Domain(name) => (name.to_owned(), is_public_name(name)),
        Host::Ipv4(ip) => (ip.to_string(), is_public_v4(ip)),
        Host::Ipv6(ip) => (ip.to_string(), is_public_v6(ip)),
    };
    (!public)
        .then(|| SafeText::new(&format!("not opened: {host} is not a host on the public internet")))
}

/// Whether a name can be one that everybody sees. `Url` has made it lower-case ASCII.
fn is_public_name(name: &str) -> bool {
    // One dot at the end, or more, still name the same host for some resolvers.
    let name = name.trim_end_matches('.');
    let Some((_, last)) = name.rsplit_once('.') else { return false };
    let private = matches!(last, "localhost" | "local" | "internal" | "localdomain" | "lan");
    !private && !name.ends_with(".home.arpa") && name != "home.arpa"
}

/// Whether an address is one that everybody reaches. `Url` has read every spelling: `0x7f.1`, `127.1`.
fn is_public_v4(ip: Ipv4Addr) -> bool {
    let inside = |(base, bits): &([u8; 4], u32)| {
        let different = ip.to_bits() ^ Ipv4Addr::from(*base).to_bits();
        different.leading_zeros() >= *bits
    };
    !PRIVATE_IPV4_NETWORKS.iter().any(inside)
}

/// Whether an address is one that everybody reaches.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    match ip.segments() {
        // 6to4 and Teredo: an IPv4 address inside, which may be any.
        [0x2002, ..] | [0x2001, 0, ..] => false,
        // All that is assigned. Loopback, unique local, link-local, multicast, mapped and translated
        // IPv4 are outside.
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

/// Reads what follows `data:`. None if there are no data.
fn parse_data_uri(rest: &str) -> Option<UntrustedUrl> {
    let (head, data) = rest.split_once(',')?;
    let (mime, parameters) = head.split_once(';').unwrap_or((head, ""));
    let last = parameters.rsplit(';').next().unwrap_or_default();
    let octets = percent_decode(data.as_bytes());
    let bytes = if last.trim().eq_ignore_ascii_case("base64") {
        let digits = octets.filter(|b| !b.is_ascii_whitespace() && *b != b'=').count();
        // Four digits are three bytes; by parts, so that nothing overflows.
        digits / 4 * 3 + digits % 4 * 3 / 4
    } else {
        octets.count()
    };
    let mime = match mime.trim() {
        "" => "text/plain".into(), // what the standard says
        mime => truncate(mime),
    };
    Some(UntrustedUrl::Inline { mime, bytes: u64::try_from(bytes).unwrap_or(u64::MAX) })
}

/// The bytes of a percent-encoded text, one after the other: none is kept.
fn percent_decode(mut rest: &[u8]) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || match rest {
        [b'%', high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
            rest = after;
            let digit = |b: u8| char::from(b).to_digit(16).and_then(|n| u8::try_from(n).ok());
            Some(digit(*high)? * 16 + digit(*low)?)
        }
        [byte, after @ ..] => {
            rest = after;
            Some(*byte)
        }
        [] => None,
    })
}

/// A size in the largest unit that it fills: `999 bytes`, `12.3 kB`.
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

/// At most [`MAX_SHOWN_COLUMNS`] columns of `text`, and not many bytes either.
fn truncate(text: &str) -> SafeText {
    // A grapheme may be endless, and no column at all.
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
    fn what_an_address_is() {
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
    fn sizes_of_what_is_inline() {
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
    fn sizes_in_units() {
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
    fn what_is_opened() {
        for text in [
            "https://example.com",
            "http://example.com:8080/a?b#c",
            "https://example.com./",
            "https://8.8.8.8/",
            "https://172.15.0.1/",
            "https://172.32.0.1/",
            "https://100.63.0.1/",
            "https://100.128.0.1/",
            "https://192.169.0.1/",
            "https://[2606:4700::1111]/",
            "https://localhost.example.com/",
            "https://local.xn--p1ai/",
            "https://@example.com/",
        ] {
            let media = UntrustedUrl::parse(text);
            assert!(media.openable().is_ok(), "{text}: {:?}", media.openable());
        }
    }

    #[test]
    fn hosts_that_are_not_opened() {
        for host in [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "localhost..",
            "x.localhost",
            "printer.local",
            "printer.local.",
            "metadata.google.internal",
            "router.lan",
            "nas.home.arpa",
            "router",
            "ｌｏｃａｌｈｏｓｔ",
            "127.0.0.1",
            "127.1",
            "0x7f.1",
            "0177.0.0.1",
            "2130706433",
            "127.0.0.1.",
            "１２７.0.0.1",
            "127。0。0。1",
            "%31%32%37.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[fc00::1]",
            "[fdff::1]",
            "[fe80::1]",
            "[febf::1]",
            "[ff02::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:8.8.8.8]",
            "[::7f00:1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[2001::1]",
        ] {
            for scheme in ["http", "https"] {
                let media = UntrustedUrl::parse(&format!("{scheme}://{host}:8545/x"));
                assert!(matches!(media, UntrustedUrl::Web(_)), "{host}: {media:?}");
                assert!(media.openable().is_err(), "{host}");
            }
        }
    }

    #[test]
    fn refusals_say_why() {
        let long = format!("https://{}example.com/", "bank.example.".repeat(15));
        for (text, why) in [
            ("ipfs://QmX", "ipfs: is not opened; copy it"),
            ("ar://x", "ar: is not opened; copy it"),
            ("data:,x", "data: is not opened; copy it"),
            ("file:///etc/passwd", "only http: and https: are opened; copy it"),
            ("javascript:alert(1)", "only http: and https: are opened; copy it"),
            ("", "only http: and https: are opened; copy it"),
            ("http://127.1/", "not opened: 127.0.0.1 is not a host on the public internet"),
            (
                "https://bank.example:x@evil.example/",
                "not opened: there is a user name or password in the address",
            ),
            ("https://a@b.example/", "not opened: there is a user name or password in the address"),
            (
                "https://:p@b.example/",
                "not opened: there is a user name or password in the address",
            ),
            (&long, "not opened: its host is too long to be shown"),
        ] {
            assert_eq!(UntrustedUrl::parse(text).openable(), Err(why.into()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_shown_shortly(
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
        fn what_is_opened_shows_its_whole_host(labels in prop::collection::vec("[a-z]{1,40}", 1..9)) {
            let media = UntrustedUrl::parse(&format!("https://{}/{}", labels.join("."), "p".repeat(300)));
            if let Ok(url) = media.openable() {
                prop_assert!(media.display_text().contains(url.host_str().unwrap()));
            }
        }

        #[test]
        fn sizes_are_as_decoded(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
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
