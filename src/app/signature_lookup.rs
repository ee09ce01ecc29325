//! Signatures that the user looks up in the database of the settings.

use super::App;
use crate::abi::SignatureHash;
use crate::msg::Effect;
use crate::pane::PaneEvent;
use crate::sanitize::SafeText;

/// Signatures that are looked up at a time.
const MAX_LOOKUPS: usize = 50;
const NO_DATABASE: &str = "signature_database in config.toml names where to look signatures up";

impl App {
    pub(super) fn look_up_signatures(&mut self, hashes: Vec<SignatureHash>) -> Vec<Effect> {
        if !self.looks_signatures_up {
            return self.notify(NO_DATABASE);
        }
        self.notify(&match &hashes[..] {
            [] => "no unknown signature here".to_owned(),
            [one] => format!("looking {one} up…"),
            all => format!("looking {} signatures up…", all.len().min(MAX_LOOKUPS)),
        });
        hashes.into_iter().take(MAX_LOOKUPS).map(Effect::LookUpSignature).collect()
    }

    pub(super) fn on_signatures_found(
        &mut self,
        hash: SignatureHash,
        outcome: Result<Vec<SafeText>, SafeText>,
    ) -> Vec<Effect> {
        let notice = match outcome {
            Err(why) => format!("cannot look {hash} up: {why}"),
            Ok(sent) => match &self.sessions.add_looked_up(hash, &sent)[..] {
                [] => format!("the signature database does not have {hash}"),
                [one] => format!("{hash} is {one}"),
                [first, rest @ ..] => format!("{hash} is {first}, or one of {} more", rest.len()),
            },
        };
        self.notify(&notice);
        self.send_to_visible(|| PaneEvent::LabelsChanged)
    }
}
