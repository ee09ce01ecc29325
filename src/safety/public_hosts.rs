//! Distinguishes hosts on the public internet from hosts that only this machine or its network can
//! reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::messages::safety::UrlError;

/// Maximum bytes of a host: the end of a longer one, which names its owner, could be cut off.
const MAX_HOST_BYTES: usize = 180;
/// IPv4 networks that are not public: base address and prefix length.
const PRIVATE_IPV4_NETWORKS: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8), // the local host on many systems
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10), // carrier-grade NAT
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16), // link-local, with the metadata services of clouds
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),   // protocol assignments
    ([192, 0, 2, 0], 24),   // documentation
    ([192, 88, 99, 0], 24), // 6to4 relays
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 3),     // multicast, reserved, broadcast
];

/// Top-level domains that are not public: reserved ones (RFC 2606, 6761, 6762, 7686, 9476), and others
/// in common use on private networks.
const PRIVATE_DOMAINS: [&str; 14] = [
    "alt",
    "corp",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "mail",
    "onion",
    "private",
    "test",
];

/// Returns `true` if the host of `url` is public, without resolving its name.
pub fn is_public(url: &Url) -> bool {
    refusal_reason(url).is_none()
}

/// Returns the reason not to open `url`, or `None` if it may be opened.
pub(super) fn refusal_reason(url: &Url) -> Option<UrlError> {
    if !url.username().is_empty() || url.password().is_some() {
        return Some(UrlError::Credentials);
    }
    let (host, public) = match url.host()? {
        Host::Domain(name) if name.len() > MAX_HOST_BYTES => return Some(UrlError::LongHost),
        Host::Domain(name) => (name.to_owned(), is_public_name(name)),
        Host::Ipv4(ip) => (ip.to_string(), is_public_v4(ip)),
        Host::Ipv6(ip) => (ip.to_string(), is_public_v6(ip)),
    };
    (!public).then(|| UrlError::NotPublic { host: host.into() })
}

/// Returns `true` if a host name can be public. `Url` has made it lower-case ASCII.
fn is_public_name(name: &str) -> bool {
    // Some resolvers ignore trailing dots.
    let name = name.trim_end_matches('.');
    let Some((_, last)) = name.rsplit_once('.') else { return false };
    let is_home = name == "home.arpa" || name.ends_with(".home.arpa");
    !is_home && !PRIVATE_DOMAINS.contains(&last)
}

/// Returns `true` if an address is public.
pub fn is_public_ip(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

/// Returns `true` if an address is public. `Url` has normalised spellings such as `0x7f.1` and `127.1`.
fn is_public_v4(ip: Ipv4Addr) -> bool {
    !PRIVATE_IPV4_NETWORKS.iter().any(|(base, bits)| {
        let different = ip.to_bits() ^ Ipv4Addr::from(*base).to_bits();
        different.leading_zeros() >= *bits
    })
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    match ip.segments() {
        // Documentation, 6to4, and protocol assignments. Of these, Teredo and 6to4 embed an arbitrary
        // IPv4 address.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // Global unicast. Loopback, unique local, link-local, multicast, mapped and translated IPv4
        // are outside of it.
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_hosts_are_public() {
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
            "https://home.example.com/",
            "https://onion.example.com/",
            "https://192.0.3.1/",
            "https://203.0.112.1/",
            "https://[2001:200::1]/",
            "https://[2001:db9::1]/",
            "https://[3fff:1000::1]/",
            "https://local.xn--p1ai/",
            "https://@example.com/",
        ] {
            assert!(is_public(&text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn private_names_are_refused() {
        assert_refused(&[
            "localhost",
            "LOCALHOST",
            "localhost.",
            "localhost..",
            "x.localhost",
            "printer.local",
            "printer.local.",
            "metadata.google.internal",
            "router.lan",
            "nas.home",
            "wiki.corp",
            "WIKI.Corp.",
            "wiki.intranet",
            "x.private",
            "expyuzz4wqqyqhjn.onion",
            "x.localdomain",
            "x.test",
            "x.invalid",
            "x.alt",
            "home.arpa",
            "nas.home.arpa",
            "router",
            "ｌｏｃａｌｈｏｓｔ",
        ]);
    }

    #[test]
    fn private_addresses_are_refused() {
        assert_refused(&[
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
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.51.100.255",
            "203.0.113.0",
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
            "[2001:20::1]",
            "[2001:db8::1]",
            "[2001:db8:ffff::1]",
            "[3fff::1]",
        ]);
    }

    fn assert_refused(hosts: &[&str]) {
        for (host, scheme) in hosts.iter().flat_map(|host| [(host, "http"), (host, "https")]) {
            let url = format!("{scheme}://{host}:8545/x").parse().unwrap();
            assert!(!is_public(&url), "{host}");
        }
    }
}
