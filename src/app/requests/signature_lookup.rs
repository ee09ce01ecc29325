//! Signatures that the user looks up in the database of the settings.

use crate::abi::SignatureHash;
use crate::app::App;
use crate::msg::{Effect, FoundSignatures};
use crate::pane::PaneEvent;
use crate::sanitize::SafeText;

/// Signatures that are looked up at a time.
const MAX_LOOKUPS: usize = 50;
const NO_DATABASE: &str = "cannot look signatures up: set signature_database in config.toml";

impl App {
    /// Looks signatures up, except those that already are.
    pub(in crate::app) fn look_up_signatures(
        &mut self,
        mut hashes: Vec<SignatureHash>,
    ) -> Vec<Effect> {
        if !self.looks_signatures_up {
            return self.notify(NO_DATABASE);
        }
        hashes.truncate(MAX_LOOKUPS);
        self.notify(&match &hashes[..] {
            [] => "no unknown signature here".to_owned(),
            all => format!("looking {} up…", describe(all)),
        });
        hashes.retain(|hash| self.looked_up.insert(*hash));
        if hashes.is_empty() { Vec::new() } else { vec![Effect::LookUpSignatures(hashes)] }
    }

    pub(in crate::app) fn on_signatures_found(
        &mut self,
        hashes: &[SignatureHash],
        outcome: Result<FoundSignatures, SafeText>,
    ) -> Vec<Effect> {
        self.looked_up.retain(|hash| !hashes.contains(hash));
        let notice = match outcome {
            Err(why) => format!("cannot look {} up: {why}", describe(hashes)),
            Ok(sent) => self.add_found(hashes, &sent),
        };
        self.notify(&notice);
        self.send_to_visible(|| PaneEvent::LabelsChanged)
    }

    /// Adds the signatures of the hashes. Returns a message about them.
    fn add_found(&mut self, hashes: &[SignatureHash], sent: &FoundSignatures) -> String {
        let mut add = |hash: &SignatureHash| {
            let sent = sent.get(hash).map(Vec::as_slice).unwrap_or_default();
            self.sessions.add_database_signatures(*hash, sent)
        };
        if let [hash] = hashes {
            return match &add(hash)[..] {
                [] => format!("the signature database does not have {hash}"),
                [one] => format!("{hash} is {one}"),
                [first, rest @ ..] => format!("{hash} is {first}, or one of {} more", rest.len()),
            };
        }
        let found = hashes.iter().filter(|hash| !add(hash).is_empty()).count();
        format!("found {found} of {}", describe(hashes))
    }
}

fn describe(hashes: &[SignatureHash]) -> String {
    match hashes {
        [one] => one.to_string(),
        all => format!("{} signatures", all.len()),
    }
}
