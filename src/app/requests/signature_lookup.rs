//! Signatures that the user looks up in the database of the settings.

use crate::abi::SignatureHash;
use crate::app::App;
use crate::app_message::{Effect, FoundSignatures};
use crate::messages::notice::SignatureLookupNotice;
use crate::pane::PaneEvent;
use crate::sanitize::SafeText;

/// Signatures that are looked up at a time.
const MAX_LOOKUPS: usize = 50;

impl App {
    /// Looks signatures up, except those that already are.
    pub(in crate::app) fn look_up_signatures(
        &mut self,
        mut hashes: Vec<SignatureHash>,
    ) -> Vec<Effect> {
        if self.display.settings.signature_database.is_none() {
            return self.notify(&SignatureLookupNotice::NoDatabase);
        }
        hashes.truncate(MAX_LOOKUPS);
        match &hashes[..] {
            [] => self.notify(&SignatureLookupNotice::NothingUnknown),
            all => self.notify(&SignatureLookupNotice::Started { what: &describe(all) }),
        };
        hashes.retain(|hash| self.looked_up.insert(*hash));
        if hashes.is_empty() { Vec::new() } else { vec![Effect::LookUpSignatures(hashes)] }
    }

    pub(in crate::app) fn on_signatures_found(
        &mut self,
        hashes: &[SignatureHash],
        outcome: Result<FoundSignatures, SafeText>,
    ) -> Vec<Effect> {
        self.looked_up.retain(|hash| !hashes.contains(hash));
        match outcome {
            Err(why) => {
                let what = &*describe(hashes);
                self.report_failure(&SignatureLookupNotice::Failed { what, why: &why });
            }
            Ok(sent) => {
                let found = self.add_found(hashes, &sent);
                self.notify(&found);
            }
        }
        self.send_to_visible(|| PaneEvent::NamesChanged)
    }

    /// Adds the signatures of the hashes. Returns a message about them.
    fn add_found(&mut self, hashes: &[SignatureHash], sent: &FoundSignatures) -> String {
        let mut add = |hash: &SignatureHash| {
            let sent = sent.get(hash).map(Vec::as_slice).unwrap_or_default();
            self.sessions.add_database_signatures(*hash, sent)
        };
        if let [hash] = hashes {
            let what = &*hash.to_string();
            let found = add(hash);
            let notice = match &found[..] {
                [] => SignatureLookupNotice::Missing { what },
                [signature] => SignatureLookupNotice::Found { what, signature },
                [first, rest @ ..] => {
                    SignatureLookupNotice::Ambiguous { what, first, more: rest.len() }
                }
            };
            return notice.to_string();
        }
        let found = hashes.iter().filter(|hash| !add(hash).is_empty()).count();
        SignatureLookupNotice::FoundSome { found, what: &describe(hashes) }.to_string()
    }
}

fn describe(hashes: &[SignatureHash]) -> String {
    match hashes {
        [one] => one.to_string(),
        all => format!("{} signatures", all.len()),
    }
}
