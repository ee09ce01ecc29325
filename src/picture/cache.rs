//! The pictures of the session: decoded, being fetched, and confirmed for fetching.
//!
//! [`PictureState`] is the life of one picture: behind a URL, it is fetched once the user confirms its
//! host, and again if a redirect leads to another one. Its bytes are decoded while it is on the screen,
//! for the size of its area. Decoded pictures are dropped, least recently used first, beyond the
//! limits.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::num::NonZeroUsize;
use std::sync::Arc;

use bytes::Bytes;
use foldhash::quality::RandomState;
use lru::LruCache;
use ratatui::layout::Size;
use url::{Origin, Url};

use super::{EncodedPicture, Picture, PictureKey, PictureMode, PictureRequest, PictureSource};
use crate::sanitize::SafeText;

/// Maximum pictures of any size, including those that could not be decoded.
const MAX_PICTURES: NonZeroUsize = NonZeroUsize::new(512).unwrap();
/// Maximum memory of decoded pictures in bytes, besides those on the screen.
const MAX_DECODED_BYTES: usize = 32 << 20;
const MAX_FETCHED: NonZeroUsize = NonZeroUsize::new(128).unwrap();
const MAX_FETCHED_BYTES: usize = 48 << 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PictureOptions {
    pub mode: PictureMode,
    /// `true` if the terminal is asked for a graphics protocol.
    pub asks_terminal: bool,
    /// URL of the gateway for `ipfs:`, which ends in a slash.
    pub ipfs_gateway: Option<Url>,
}

#[derive(Debug)]
pub struct PictureCache {
    options: PictureOptions,
    hasher: RandomState,
    decoded: LruCache<PictureKey, Decoded>,
    fetched: LruCache<Url, Fetch>,
    /// Schemes, hosts and ports that the user has confirmed.
    origins: HashSet<Origin>,
    requested: Vec<PictureKey>,
    last_id: u32,
}

#[derive(Debug)]
struct Decoded {
    /// The picture's id in the terminal.
    id: u32,
    outcome: Result<Arc<Picture>, SafeText>,
}

#[derive(Debug)]
enum Fetch {
    InFlight,
    Done(Bytes),
    /// Moved to this URL, whose host, port or scheme was not confirmed.
    Moved(Url),
    Failed(SafeText),
}

/// A request for a picture that the user has confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureFetch {
    /// The picture's own URL.
    pub url: Url,
    /// The requested URL, which differs if the picture has moved.
    pub from: Url,
    /// Schemes, hosts and ports to which redirects may lead.
    pub origins: HashSet<Origin>,
}

/// The response to a request for a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureAnswer {
    Picture(Bytes),
    /// A redirect that the user has to confirm.
    Moved(Url),
}

/// The state of a picture.
#[derive(Debug, PartialEq, Eq)]
pub enum PictureState<'a> {
    Ready {
        id: u32,
        picture: &'a Picture,
    },
    Loading,
    /// Behind a URL, and fetched only if the user confirms it.
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
            origins: HashSet::new(),
            requested: Vec::new(),
            last_id: 0,
        }
    }

    pub fn options(&self) -> &PictureOptions {
        &self.options
    }

    /// Returns `true` if pictures are shown at all.
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

    /// Returns the state of the picture at `uri` for an area of this size.
    pub fn state(&self, uri: &SafeText, cells: Size) -> PictureState<'_> {
        match self.decoded.peek(&self.key(uri, cells)) {
            Some(Decoded { id, outcome: Ok(picture) }) => PictureState::Ready { id: *id, picture },
            Some(Decoded { outcome: Err(reason), .. }) => PictureState::Failed(reason.clone()),
            None => match PictureSource::parse(uri, self.options.ipfs_gateway.as_ref()) {
                Ok(PictureSource::Inline) => PictureState::Loading,
                Ok(PictureSource::Web(url)) => match self.fetched.peek(&url) {
                    None => PictureState::NotFetched(url),
                    Some(Fetch::Moved(to)) => PictureState::NotFetched(to.clone()),
                    Some(Fetch::Failed(reason)) => PictureState::Failed(reason.clone()),
                    Some(Fetch::InFlight | Fetch::Done(_)) => PictureState::Loading,
                },
                Err(reason) => PictureState::Failed(reason),
            },
        }
    }

    /// Returns a picture on the screen, if there is something to decode.
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
                Fetch::InFlight | Fetch::Moved(_) | Fetch::Failed(_) => return None,
            },
        };
        let request = PictureRequest { key, encoded, mode: self.options.mode };
        Some(VisiblePicture { key, request: Some(request) })
    }

    /// Sets the pictures on the screen. Returns those to decode instead of the previous ones, if they
    /// have changed.
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

    /// Returns the request for the picture at `url`, and `true` if the user has confirmed its host.
    pub fn request(&self, url: Url) -> (PictureFetch, bool) {
        let from = match self.fetched.peek(&url) {
            Some(Fetch::Moved(to)) => to.clone(),
            _ => url.clone(),
        };
        let is_confirmed = self.origins.contains(&from.origin());
        (PictureFetch { url, from, origins: self.origins.clone() }, is_confirmed)
    }

    /// Records that a picture is being fetched and its host confirmed.
    pub fn add_fetch(&mut self, fetch: &PictureFetch) {
        self.origins.insert(fetch.from.origin());
        self.fetched.put(fetch.url.clone(), Fetch::InFlight);
    }

    pub fn add_fetched(&mut self, url: Url, outcome: Result<PictureAnswer, SafeText>) {
        let fetch = match outcome {
            Ok(PictureAnswer::Picture(bytes)) => Fetch::Done(bytes),
            Ok(PictureAnswer::Moved(to)) => Fetch::Moved(to),
            Err(reason) => Fetch::Failed(reason),
        };
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
    fn failures_take_no_space_of_fetched_pictures() {
        let mut cache = cache();
        let url = |n: usize| Url::parse(&format!("https://example.com/{n}")).unwrap();
        for n in 0..100 {
            cache.add_fetched(url(n), Err("gone".into()));
        }
        assert_eq!(cache.fetched.len(), 100);
        let large = Bytes::from(vec![0; MAX_FETCHED_BYTES]);
        cache.add_fetched(url(100), Ok(PictureAnswer::Picture(large.clone())));
        assert_eq!(cache.fetched.len(), 101);
        cache.add_fetched(url(101), Ok(PictureAnswer::Picture(large)));
        assert_eq!(cache.fetched.len(), 1, "the newest");
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
    fn picture_that_stays_on_the_screen_is_kept() {
        let mut cache = cache();
        let first = show(&mut cache, &[0]).unwrap().remove(0);
        cache.add_decoded(first.key, Ok(picture(1 << 20)));
        for n in 1..40 {
            let request = show(&mut cache, &[0, n]).unwrap().remove(0);
            cache.add_decoded(request.key, Ok(picture(1 << 20)));
        }
        show(&mut cache, &[0]);
        assert!(cache.by_id(1).is_some() && cache.by_id(2).is_none());
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
        let (fetch, is_confirmed) = cache.request(url.clone());
        assert!(cache.visible(&link, CELLS).is_none() && !is_confirmed);
        cache.add_fetch(&fetch);
        assert!(cache.visible(&link, CELLS).is_none() && cache.request(url.clone()).1);
        cache.add_fetched(url.clone(), Ok(PictureAnswer::Picture(Bytes::from_static(b"GIF"))));
        assert!(cache.visible(&link, CELLS).is_some());
        for n in 0..20 {
            let other = url.join(&n.to_string()).unwrap();
            cache.add_fetched(other, Ok(PictureAnswer::Picture(vec![0; 8 << 20].into())));
        }
        assert_eq!(cache.fetched.len(), 6);
    }

    #[test]
    fn moved_picture_is_confirmed_for_each_new_host_port_or_scheme() {
        for to in ["http://a.example.com/1", "https://a.example.com:8/1", "https://b.example.com/1"]
        {
            let mut cache = cache();
            let link = SafeText::from("https://a.example.com/1.png");
            let (url, to): (Url, Url) = (link.parse().unwrap(), to.parse().unwrap());
            cache.add_fetch(&cache.request(url.clone()).0);
            cache.add_fetched(url.clone(), Ok(PictureAnswer::Moved(to.clone())));
            assert_eq!(cache.state(&link, CELLS), PictureState::NotFetched(to.clone()));
            let (fetch, is_confirmed) = cache.request(url);
            assert_eq!((&fetch.from, is_confirmed), (&to, false));
            cache.add_fetch(&fetch);
            assert!(cache.request(to).1);
        }
    }
}
