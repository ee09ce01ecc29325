//! Pictures on the screen: which have to be decoded.

use url::Url;

use crate::app::App;
use crate::app_message::Effect;
use crate::chain::network::host_and_port;
use crate::messages::notice::{AppNotice, with_keys};
use crate::picture::{Picture, PictureAnswer};
use crate::sanitize::SafeText;

impl App {
    /// Returns the picture with an id that the frame names, unless it was dropped.
    pub fn picture(&self, id: u32) -> Option<&Picture> {
        self.display.pictures.by_id(id)
    }

    pub(in crate::app) fn on_picture_fetched(
        &mut self,
        url: Url,
        outcome: Result<PictureAnswer, SafeText>,
    ) -> Vec<Effect> {
        if let Ok(PictureAnswer::Moved(to)) = &outcome {
            let (host, key) =
                (host_and_port(to), self.pane_keys().expand(with_keys::FETCHES_PICTURE));
            self.notify(&AppNotice::PictureMoved { host: &host, fetches: &key });
        }
        self.display.pictures.add_fetched(url, outcome);
        Vec::new()
    }

    /// Makes the runtime decode the visible pictures and nothing else. Called after every message.
    pub(in crate::app) fn sync_pictures(&mut self, effects: &[Effect]) -> Option<Effect> {
        for effect in effects {
            if let Effect::FetchPicture(fetch) = effect {
                self.display.pictures.add_fetch(fetch);
            }
        }
        if !self.display.pictures.is_on() {
            return None;
        }
        let panes = self.nav.visible_slots().into_iter().filter_map(|slot| self.pane(slot));
        let visible = panes
            .flat_map(|(tab, cx)| {
                let pictures = tab.pane.pictures(&cx).into_iter();
                pictures
                    .filter_map(|(uri, size)| cx.pictures.visible(uri, size))
                    .collect::<Vec<_>>()
            })
            .collect();
        self.display.pictures.show(visible).map(Effect::DecodePictures)
    }
}
