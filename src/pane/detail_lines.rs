//! What the user calls addresses, written beside them in lines that have them in full.

use std::borrow::Cow;

use crate::chain::Address;
use crate::ui::document::{Body, Entry};
use crate::user_data::labels::Labels;

/// Longer texts are no lines, and are left as they are.
const LONGEST: usize = 4 << 10;
/// `0x` and 40 digits.
const ADDRESS: usize = 42;

/// A line with the user's names after the addresses in it.
pub fn line<'a>(text: &'a str, labels: &Labels) -> Cow<'a, str> {
    if text.len() > LONGEST || text.len() < ADDRESS {
        return Cow::Borrowed(text);
    }
    let (mut out, mut done) = (String::new(), 0);
    for (at, _) in text.match_indices("0x") {
        let end = at + ADDRESS;
        let Some(name) = address(text, at).and_then(|address| labels.shown(&address)) else {
            continue;
        };
        out.push_str(text.get(done..end).unwrap_or_default());
        out.push(' ');
        out.push_str(&name);
        done = end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// The address that begins there, if it is no part of something longer.
fn address(text: &str, at: usize) -> Option<Address> {
    let whole = text.get(at..at + ADDRESS)?;
    let is_part = |c: char| c.is_ascii_hexdigit();
    let goes_on = text.get(at + ADDRESS..)?.starts_with(is_part);
    (!goes_on).then(|| whole.parse().ok()).flatten()
}

/// The same in every entry; what is copied of them stays as it was.
pub fn entries(entries: &mut [Entry], labels: &Labels) {
    for entry in entries {
        let Body::Text(text) = &entry.body else { continue };
        if let Cow::Owned(named) = line(text, labels) {
            let copied = text.clone();
            entry.body = Body::Text(named.into());
            if entry.copy.is_none() {
                *entry = entry.clone().copy(copied);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::Text;
    use crate::user_data::labels::Change;

    const A: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

    fn labels() -> Labels {
        let mut labels = Labels::default();
        labels.change(&Change::name(A.parse().unwrap(), "Alice").unwrap());
        labels
    }

    #[test]
    fn the_name_stands_after_each_address_and_nowhere_else() {
        let lower = A.to_lowercase();
        let named = line(&format!("{A} alice.eth, {lower}"), &labels()).into_owned();
        assert_eq!(named, format!("{A} «Alice» alice.eth, {lower} «Alice»"));
        for text in [format!("{A}00"), A.replace("2266", "2267"), "美".repeat(30)] {
            assert_eq!(line(&text, &labels()), text);
        }
        assert_eq!(line(&format!("0x{A}"), &labels()), format!("0x{A} «Alice»"));
    }

    #[test]
    fn copies_stay_as_they_were() {
        let text = format!("address {A}");
        let own = Entry::text("from", A).copy("something");
        let aside = Entry::text("to", A).aside("Vault");
        let mut all = [Entry::text("x", text.as_str()), own, aside];
        entries(&mut all, &labels());
        let copied: Vec<Text> = all.iter().map(Entry::copied).collect();
        assert_eq!(copied, [Text::from(text), "something".into(), A.into()]);
        let Body::Text(shown) = &all[2].body else { panic!() };
        assert_eq!(&**shown, format!("{A} «Alice» Vault"));
    }
}
