//! The pictures of the session: which were decoded, fetched and allowed to be fetched.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::num::NonZeroUsize;
use std::sync::Arc;

use bytes::Bytes;
use foldhash::quality::RandomState;
use lru::LruCache;
use ratatui::layout::Size;
use url::Url;

use super::{EncodedPicture, Picture, PictureKey, PictureMode, PictureRequest, PictureSource};
use crate::sanitize::SafeText;

/// Maximum pictures of any size, with those that could not be decoded.
const MAX_PICTURES: NonZeroUsize = NonZeroUsize::new(512).unwrap();
/// Maximum memory of decoded pictures besides those on the screen.
const MAX_DECODED_BYTES: usize = 32 << 20;
const MAX_FETCHED: NonZeroUsize = NonZeroUsize::new(128).unwrap();
const MAX_FETCHED_BYTES: usize = 48 << 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PictureOptions {
    pub mode: PictureMode,
    /// Whether to ask the terminal for a graphics protocol.
    pub asks_terminal: bool,
    /// The URL of the gateway for `ipfs:`, which ends in a slash.
    pub ipfs_gateway: Option<Url>,
}

#[derive(Debug)]
pub struct PictureCache {
    options: PictureOptions,
    hasher: RandomState,
    decoded: LruCache<PictureKey, Decoded>,
    fetched: LruCache<Url, Fetch>,
    /// Hosts that the user has confirmed.
    hosts: HashSet<String>,
    requested: Vec<PictureKey>,
    last_id: u32,
}

#[derive(Debug)]
struct Decoded {
    /// What the terminal calls it.
    id: u32,
    outcome: Result<Arc<Picture>, SafeText>,
}

#[derive(Debug)]
enum Fetch {
    InFlight,
    Done(Bytes),
    Failed(SafeText),
}

/// What is known of a picture.
#[derive(Debug, PartialEq, Eq)]
pub enum PictureState<'a> {
    Ready {
        id: u32,
        picture: &'a Picture,
    },
    Loading,
    /// It is behind a URL, and is fetched only if the user asks for it.
    NotFetched(Url),
    Failed(SafeText),
}

/// A picture on the screen.
#[derive(Debug)]
pub struct VisiblePicture {
    key: PictureKey,
    /// Set if it has to be decoded.
    request: Option<PictureRequest>,
}

impl PictureCache {
    pub fn new(options: PictureOptions) -> Self {
        Self {
            options,
            hasher: RandomState::default(),
            decoded: LruCache::new(MAX_PICTURES),
            fetched: LruCache::new(MAX_FETCHED),
            hosts: HashSet::new(),
            requested: Vec::new(),
            last_id: 0,
        }
    }

    pub fn options(&self) -> &PictureOptions {
        &self.options
    }

    /// Whether pictures are shown at all.
    pub fn is_on(&self) -> bool {
        self.options.mode != PictureMode::Off
    }

    pub fn set_mode(&mut self, mode: PictureMode) {
        self.options.mode = mode;
        self.decoded.clear();
        self.requested.clear();
    }

    fn key(&self, uri: &SafeText, cells: Size) -> PictureKey {
        let (width, height) = self.options.mode.cell();
        PictureKey {
            content: self.hasher.hash_one(&**uri),
            width: cells.width.saturating_mul(width),
            height: cells.height.saturating_mul(height),
        }
    }

    /// Returns what is known of the picture at `uri` for an area of this size.
    pub fn state(&self, uri: &SafeText, cells: Size) -> PictureState<'_> {
        match self.decoded.peek(&self.key(uri, cells)) {
            Some(Decoded { id, outcome: Ok(picture) }) => PictureState::Ready { id: *id, picture },
            Some(Decoded { outcome: Err(reason), .. }) => PictureState::Failed(reason.clone()),
            None => match PictureSource::parse(uri, self.options.ipfs_gateway.as_ref()) {
                Ok(PictureSource::Inline) => PictureState::Loading,
                Ok(PictureSource::Web(url)) => match self.fetched.peek(&url) {
                    None => PictureState::NotFetched(url),
                    Some(Fetch::Failed(reason)) => PictureState::Failed(reason.clone()),
                    Some(Fetch::InFlight | Fetch::Done(_)) => PictureState::Loading,
                },
                Err(reason) => PictureState::Failed(reason),
            },
        }
    }

    /// Returns a picture that is on the screen, if there is something to decode.
    pub fn visible(&self, uri: &SafeText, cells: Size) -> Option<VisiblePicture> {
        let key = self.key(uri, cells);
        if !self.is_on() || cells.area() == 0 {
            return None;
        }
        if self.decoded.contains(&key) {
            return Some(VisiblePicture { key, request: None });
        }
        let encoded = match PictureSource::parse(uri, self.options.ipfs_gateway.as_ref()).ok()? {
            PictureSource::Inline => EncodedPicture::Inline(uri.clone()),
            PictureSource::Web(url) => match self.fetched.peek(&url)? {
                Fetch::Done(bytes) => EncodedPicture::Fetched(bytes.clone()),
                Fetch::InFlight | Fetch::Failed(_) => return None,
            },
        };
        let request = PictureRequest { key, encoded, mode: self.options.mode };
        Some(VisiblePicture { key, request: Some(request) })
    }

    /// Takes the pictures on the screen. Returns those to decode in place of the ones before, if
    /// they have changed.
    pub fn show(&mut self, visible: Vec<VisiblePicture>) -> Option<Vec<PictureRequest>> {
        for picture in &visible {
            self.decoded.promote(&picture.key);
        }
        let used = |cache: &LruCache<_, Decoded>| -> usize {
            cache.iter().filter_map(|(_, d)| d.outcome.as_ref().ok()).map(|p| p.bytes()).sum()
        };
        while self.decoded.len() > visible.len() && used(&self.decoded) > MAX_DECODED_BYTES {
            self.decoded.pop_lru();
        }
        let mut requests: Vec<PictureRequest> = Vec::new();
        for request in visible.into_iter().filter_map(|picture| picture.request) {
            if requests.iter().all(|earlier| earlier.key != request.key) {
                requests.push(request);
            }
        }
        let keys: Vec<PictureKey> = requests.iter().map(|request| request.key).collect();
        (keys != self.requested).then(|| {
            self.requested = keys;
            requests
        })
    }

    pub fn add_decoded(&mut self, key: PictureKey, outcome: Result<Arc<Picture>, SafeText>) {
        self.last_id = self.last_id % 0x00ff_fffe + 1;
        self.decoded.put(key, Decoded { id: self.last_id, outcome });
    }

    /// Returns the picture with an id, unless it was dropped.
    pub fn by_id(&self, id: u32) -> Option<&Picture> {
        let mut decoded = self.decoded.iter().map(|(_, decoded)| decoded);
        decoded.find(|decoded| decoded.id == id)?.outcome.as_deref().ok()
    }

    pub fn is_known_host(&self, url: &Url) -> bool {
        url.host_str().is_some_and(|host| self.hosts.contains(host))
    }

    /// Records that a picture is being fetched, which the user has confirmed for its host.
    pub fn add_fetch(&mut self, url: &Url) {
        self.hosts.extend(url.host_str().map(str::to_owned));
        self.fetched.put(url.clone(), Fetch::InFlight);
    }

    pub fn add_fetched(&mut self, url: Url, outcome: Result<Bytes, SafeText>) {
        let fetch = outcome.map_or_else(Fetch::Failed, Fetch::Done);
        self.fetched.put(url, fetch);
        let size = |fetch: &Fetch| if let Fetch::Done(bytes) = fetch { bytes.len() } else { 0 };
        while self.fetched.iter().map(|(_, f)| size(f)).sum::<usize>() > MAX_FETCHED_BYTES {
            self.fetched.pop_lru();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PictureImage, Pixels};
    use super::*;

    const CELLS: Size = Size::new(4, 2);

    fn cache() -> PictureCache {
        let mode = PictureMode::Blocks { truecolor: true };
        PictureCache::new(PictureOptions { mode, ..Default::default() })
    }

    fn uri(n: usize) -> SafeText {
        SafeText::new(&format!("data:,{n}"))
    }

    fn picture(bytes: usize) -> Arc<Picture> {
        let pixels = Pixels { width: 1, height: 1, rgba: vec![0; bytes] };
        Arc::new(Picture { size: CELLS, image: PictureImage::Pixels(pixels) })
    }

    fn show(cache: &mut PictureCache, uris: &[usize]) -> Option<Vec<PictureRequest>> {
        let visible = uris.iter().filter_map(|n| cache.visible(&uri(*n), CELLS)).collect();
        cache.show(visible)
    }

    #[test]
    fn only_visible_pictures_are_requested_and_once() {
        let mut cache = cache();
        let first = show(&mut cache, &[1, 2, 2]).unwrap();
        assert_eq!(first.len(), 2);
        assert_eq!(show(&mut cache, &[1, 2, 2]), None);
        cache.add_decoded(first[0].key, Ok(picture(4)));
        cache.add_decoded(first[1].key, Err("broken".into()));
        assert!(matches!(cache.state(&uri(1), CELLS), PictureState::Ready { id: 1, .. }));
        assert_eq!(cache.state(&uri(2), CELLS), PictureState::Failed("broken".into()));
        assert_eq!(cache.state(&uri(1), Size::new(9, 9)), PictureState::Loading, "another size");
        let scrolled = show(&mut cache, &[2, 3]).unwrap();
        assert_eq!(scrolled.len(), 1);
        assert_eq!(show(&mut cache, &[]), Some(Vec::new()), "what is hidden is not decoded");
        cache.set_mode(PictureMode::Off);
        assert_eq!(show(&mut cache, &[1]), None);
    }

    #[test]
    fn decoded_pictures_are_bounded_but_not_those_on_the_screen() {
        let mut cache = cache();
        for n in 0..100 {
            let request = show(&mut cache, &[n]).unwrap().remove(0);
            cache.add_decoded(request.key, Ok(picture(1 << 20)));
        }
        assert_eq!(show(&mut cache, &[99]), Some(Vec::new()));
        assert_eq!(cache.decoded.len(), 32);
        assert!(cache.by_id(100).is_some() && cache.by_id(1).is_none());
        let all: Vec<usize> = (60..100).collect();
        for request in show(&mut cache, &all).unwrap() {
            cache.add_decoded(request.key, Ok(picture(1 << 20)));
        }
        assert_eq!(show(&mut cache, &all), Some(Vec::new()));
        assert_eq!(show(&mut cache, &all), None, "nothing is decoded again and again");
    }

    #[test]
    fn pictures_behind_urls_wait_for_the_user() {
        let mut cache = cache();
        let link = SafeText::from("https://a.example.com/1.png");
        let url = Url::parse(&link).unwrap();
        assert_eq!(cache.state(&link, CELLS), PictureState::NotFetched(url.clone()));
        assert!(cache.visible(&link, CELLS).is_none() && !cache.is_known_host(&url));
        cache.add_fetch(&url);
        assert!(cache.visible(&link, CELLS).is_none() && cache.is_known_host(&url));
        cache.add_fetched(url.clone(), Ok(Bytes::from_static(b"GIF")));
        assert!(cache.visible(&link, CELLS).is_some());
        for n in 0..20 {
            let other = url.join(&n.to_string()).unwrap();
            cache.add_fetched(other, Ok(Bytes::from(vec![0; 8 << 20])));
        }
        assert_eq!(cache.fetched.len(), 6);
    }
}
