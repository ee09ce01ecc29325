//! Pictures of NFTs: the gallery, the page of an instance, and fetching what is behind a URL.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use chainglass::test_api::api::{InstanceQuery, Query};
use chainglass::test_api::app_message::{Effect, Msg};
use chainglass::test_api::net::{AddressPolicy, fetch_picture};
use chainglass::test_api::picture::{PictureAnswer, PictureFetch};
use chainglass::test_api::sanitize::SafeText;
use chainglass::test_api::ui::{Appearance, Styles};
use ratatui::style::{Color, Modifier};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

use crate::session::{ALICE, Session, decoder, size};

/// `data:` pictures, 130 of them.
const PANES: &str = "0x948b3c65b89df0b4894abe91e6d02fe579834f8f";
/// Pictures behind URLs.
const ITEMS: &str = "0x8438ad1c834623cff278ab6829a248e37c2d7e3f";

async fn gallery(token: &str, look: Appearance) -> Session {
    let mut session = Session::with_pictures(size(80, 24), token, look).await;
    session.keys("i 4").await;
    session
}

fn colored() -> Appearance {
    Styles::new(true).into()
}

fn count_blocks(session: &Session) -> usize {
    let is_block = |symbol: &str| symbol == "▀" || symbol == "▄";
    session.buffer().content.iter().filter(|cell| is_block(cell.symbol())).count()
}

#[tokio::test]
async fn gallery_shows_pictures_as_half_blocks() {
    let session = gallery(PANES, colored()).await;
    assert_eq!(count_blocks(&session), 4 * 17 * 9, "{}", session.screen());
    assert!(session.screen().contains("┃      #130       ┃"));
    let buffer = session.buffer();
    let colors: Vec<Color> = buffer.content.iter().map(|cell| cell.fg).collect();
    let distinct = |color: &&Color| matches!(color, Color::Rgb(..));
    let mut seen: Vec<_> = colors.iter().filter(distinct).map(|c| format!("{c}")).collect();
    seen.sort();
    seen.dedup();
    assert!(seen.len() >= 5, "{seen:?}");
}

#[tokio::test]
async fn cards_without_any_picture_are_low() {
    let token = "0x13ffc9bc46c5449c595655300ded14a73fa6ce9d";
    let mut session = Session::with_pictures(size(120, 40), token, colored()).await;
    session.resize(size(120, 40)).await;
    let screen = session.screen();
    assert!(screen.contains("#8 ") && screen.contains("#1 "), "all eight: {screen}");
    assert_eq!(screen.matches("╭───────────────────╮").count(), 8, "{screen}");
}

#[tokio::test]
async fn copied_command_keeps_the_layout_of_cards() {
    let mut session = Session::with_pictures(size(120, 40), ALICE, colored()).await;
    session.keys("5 Y").await;
    assert!(!session.copied().unwrap().contains("--layout"), "{:?}", session.copied());
    session.keys("V Y").await;
    assert!(session.copied().unwrap().ends_with("--tab nfts --layout table"));
    session.keys("1 Y").await;
    assert!(!session.copied().unwrap().contains("--layout"), "{:?}", session.copied());
}

#[tokio::test]
async fn cards_with_pictures_come_first_unless_sorted() {
    let mut session = Session::with_pictures(size(120, 40), ALICE, colored()).await;
    let order = |session: &Session| {
        let screen = session.screen();
        let place = |name| screen.find(name).unwrap_or(usize::MAX);
        ["Clone Pics 08", "Clone Pics 06", "Clone Pics 19"].map(place)
    };
    session.keys("5").await;
    assert!(order(&session).is_sorted(), "{}", session.screen());
    assert!(session.screen().contains("┃    Clone Pics 08    ┃"), "{}", session.screen());
    session.keys("o").await;
    assert!(!order(&session).is_sorted(), "{}", session.screen());
    session.keys("o o").await;
    assert!(order(&session).is_sorted(), "{}", session.screen());
    session.keys("V g g").await;
    assert!(!order(&session).is_sorted(), "{}", session.screen());
    session.keys("V").await;
    assert!(order(&session).is_sorted(), "{}", session.screen());
}

#[tokio::test]
async fn gallery_moves_in_both_directions_and_opens_the_instance() {
    let mut session = gallery(PANES, colored()).await;
    let selected = |session: &Session| {
        let buffer = session.buffer();
        buffer.content.iter().position(|cell| cell.symbol() == "┏").unwrap()
    };
    let first = selected(&session);
    session.keys("l j h k").await;
    assert_eq!(selected(&session), first);
    session.keys("down right").await;
    assert_ne!(selected(&session), first);
    session.keys("G").await;
    let last = session.screen();
    session.keys("k j").await;
    assert_eq!(session.screen(), last);
    session.keys("g g enter").await;
    let page = session.screen();
    assert!(page.contains("Hue") && page.contains("Level"), "{page}");
    assert!(count_blocks(&session) >= 18 * 9, "{page}");
    assert!(page.contains("╮  Glass Panes #130 ") && page.contains("─────╯"), "{page}");
    let transfers = |session: &Session| {
        let asked = session.requests.iter().map(|(query, _)| query);
        asked.filter(|q| matches!(q, Query::Instance(_, InstanceQuery::Transfers))).count()
    };
    assert_eq!(transfers(&session), 1);
    session.keys("r").await;
    assert_eq!(transfers(&session), 2, "a refresh includes the transfers");
    session.keys("esc V").await;
    assert!(count_blocks(&session) < 14 * 7, "only the marks of addresses");
    assert!(session.screen().contains("owner"));
}

#[tokio::test]
async fn nfts_open_as_cards_until_changed_to_tables() {
    let mut session = Session::with_pictures(size(120, 40), ALICE, colored()).await;
    let is_gallery = |session: &Session| {
        let screen = session.screen();
        assert!(screen.contains(if screen.contains('┏') { "V table" } else { "V gallery" }));
        screen.contains('┏')
    };
    session.keys("5").await;
    assert!(is_gallery(&session), "{}", session.screen());
    session.keys("V enter").await;
    assert!(!is_gallery(&session), "{}", session.screen());
    session.keys("V esc").await;
    assert!(is_gallery(&session), "{}", session.screen());
}

#[tokio::test]
async fn what_has_no_picture_says_so_and_has_no_art() {
    for look in [colored(), Styles::new(false).into()] {
        let mut session = Session::with_pictures(size(120, 40), ALICE, look).await;
        session.keys("5 G").await;
        let gallery = session.screen();
        assert!(gallery.matches("no picture").count() >= 10, "{gallery}");
        session.keys("enter V enter").await;
        let page = session.screen();
        assert!(page.contains("│  no picture  │ "), "{page}");
        assert!(![gallery, page].iter().any(|screen| screen.contains("███")));
    }
}

#[tokio::test]
async fn gallery_is_searched_filtered_and_sorted() {
    let mut session = Session::with_pictures(size(80, 24), ALICE, colored()).await;
    session.keys("5 o").await;
    assert!(session.screen().contains("sorted by collection ↑"), "{}", session.screen());
    session.press("j");
    assert!(session.screen().contains(" by collection ↑ · 5 of 50+ "), "{}", session.screen());
    session.keys("o /").await;
    session.type_text("GNS").await;
    assert!(session.screen().contains("┃Glass Name Servi…┃"), "{}", session.screen());
    session.keys("&").await;
    session.type_text("held:>1000000").await;
    assert!(session.screen().contains("no row matches \"held"), "{}", session.screen());
}

#[tokio::test]
async fn selected_card_is_visible_without_colors() {
    let session = gallery(PANES, Styles::new(false).into()).await;
    let screen = session.screen();
    let corners = ['┏', '┓', '┗', '┛'].map(|corner| screen.matches(corner).count());
    assert_eq!(corners, [1; 4], "{screen}");
    let reversed = |cell: &&ratatui::buffer::Cell| cell.modifier.contains(Modifier::REVERSED);
    let y = screen.lines().position(|line| line.contains("#130 ")).unwrap();
    let buffer = session.buffer();
    let caption = &buffer.content[80 * y..80 * (y + 2)];
    assert_eq!(caption.iter().filter(reversed).count(), 2 * 17, "{screen}");
}

#[tokio::test]
async fn what_is_scrolled_away_is_not_decoded() {
    let mut session = gallery(PANES, colored()).await;
    let requests = |effects: &[Effect]| {
        let decode = |effect: &Effect| match effect {
            Effect::DecodePictures(pictures) => Some(pictures.clone()),
            _ => None,
        };
        effects.iter().find_map(decode)
    };
    let below = requests(&session.press("ctrl-f")).unwrap();
    assert_eq!(below.len(), 4);
    let further = requests(&session.press("ctrl-f")).unwrap();
    assert!(further.iter().all(|picture| !below.contains(picture)));
    let outcome = below[0].clone().decode(&decoder()).await.map(Arc::new);
    let late = session.app.update(Msg::PictureDecoded { key: below[0].key, outcome });
    assert_eq!(requests(&late), None, "a late picture changes nothing");
    let back = requests(&session.press("ctrl-b")).unwrap();
    assert_eq!(back[..3], below[1..]);
    assert_eq!(requests(&session.press("V")), Some(Vec::new()));
}

#[tokio::test]
async fn picture_behind_a_url_is_fetched_after_its_host_was_shown() {
    let mut session = gallery(ITEMS, colored()).await;
    let screen = session.screen();
    assert!(screen.contains("P picture") && screen.contains("│   P fetches   │"), "{screen}");
    assert!(
        screen.contains("│      ◇▲       │") && screen.contains("│  img.example  │"),
        "{screen}"
    );
    session.keys("enter").await;
    let page = session.screen();
    assert!(page.contains(" P fetches img.example "), "{page}");
    assert!(page.contains("power       40") && !page.contains("properties"), "{page}");
    session.keys("esc P").await;
    assert!(session.screen().contains("host: img.example"), "{}", session.screen());
    assert!(!session.effects.iter().any(|effect| matches!(effect, Effect::FetchPicture(_))));
    session.keys("enter").await;
    let Some(Effect::FetchPicture(fetch)) = session.effects.pop() else { panic!("not fetched") };
    let (url, moved) = (fetch.url, "https://img.example:8443/1.svg".parse().unwrap());
    let outcome = Ok(PictureAnswer::Moved(moved));
    session.app.update(Msg::PictureFetched { url, outcome });
    let moved = "the picture is at img.example:8443";
    assert!(session.screen().contains(moved), "{}", session.screen());
    session.keys("P").await;
    assert!(session.screen().contains("host: img.example:8443"), "{}", session.screen());
    session.keys("enter").await;
    let Some(Effect::FetchPicture(fetch)) = session.effects.pop() else { panic!("not fetched") };
    assert_eq!(fetch.from.port(), Some(8443));
    let url = fetch.url;
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>";
    let outcome = Ok(PictureAnswer::Picture(Bytes::from_static(svg.as_bytes())));
    let effects = session.app.update(Msg::PictureFetched { url, outcome });
    session.settle(effects).await;
    assert_eq!(count_blocks(&session), 17 * 9);
    session.keys("l P").await;
    let Some(Effect::FetchPicture(fetch)) = session.effects.pop() else { panic!("asked again") };
    let url = fetch.url;
    let outcome = Err(SafeText::from("HTTP 404"));
    session.app.update(Msg::PictureFetched { url, outcome });
    assert!(session.screen().contains("HTTP 404"));
}

#[tokio::test]
async fn nothing_is_drawn_if_pictures_are_off() {
    let mut session = Session::demo(size(80, 24), PANES).await;
    session.keys("i 4 V").await;
    let screen = session.screen();
    assert!(screen.contains(" pictures are off") && !screen.contains("V table"), "{screen}");
    assert!(screen.contains("owner ") && screen.contains("traits "), "still a table\n{screen}");
    assert_eq!(count_blocks(&session), 0);
    assert!(session.screen().contains("Glass Panes"));
    session.keys("P").await;
    assert!(session.screen().contains("pictures are off"), "{}", session.screen());
    assert!(!session.effects.iter().any(|effect| matches!(effect, Effect::DecodePictures(_))));
}

const ANYTHING: AddressPolicy = AddressPolicy { url: |_| true, address: |_| true };

/// Starts a server that gives one response to everything. Returns its URL, and counts connections.
async fn server(response: Vec<u8>) -> (Url, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::SeqCst);
            let mut request = [0; 1_024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(&response).await;
        }
    });
    (url, connections)
}

fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

async fn fetch(url: &Url, policy: AddressPolicy) -> Result<PictureAnswer, SafeText> {
    let fetch = PictureFetch { url: url.clone(), from: url.clone(), origins: HashSet::new() };
    fetch_picture(&fetch, policy).await
}

#[tokio::test]
async fn fetched_pictures_are_bounded() {
    let (url, connections) = server(response("200 OK", "", b"GIF89a")).await;
    let picture = Ok(PictureAnswer::Picture(Bytes::from_static(b"GIF89a")));
    assert_eq!(fetch(&url, ANYTHING).await, picture);
    let (large, _) = server(response("200 OK", "", &vec![0; (8 << 20) + 1])).await;
    assert_eq!(fetch(&large, ANYTHING).await, Err("too many bytes".into()));
    let (missing, _) = server(response("404 Not Found", "", b"")).await;
    assert_eq!(fetch(&missing, ANYTHING).await, Err("HTTP 404".into()));
    let moved = format!("location: {url}a.gif\r\n");
    let (redirect, _) = server(response("302 Found", &moved, b"")).await;
    let to = url.join("a.gif").unwrap();
    let asked = connections.load(Ordering::SeqCst);
    assert_eq!(fetch(&redirect, ANYTHING).await, Ok(PictureAnswer::Moved(to)), "another port");
    assert_eq!(connections.load(Ordering::SeqCst), asked);
    let origins = [url.origin()].into();
    let confirmed = PictureFetch { url: redirect.clone(), from: redirect, origins };
    assert_eq!(fetch_picture(&confirmed, ANYTHING).await, picture);
    let (endless, count) = server(response("302 Found", "location: /\r\n", b"")).await;
    assert_eq!(fetch(&endless, ANYTHING).await, Err("too many redirects".into()));
    assert_eq!(count.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn only_public_addresses_are_asked() {
    let (url, count) = server(response("200 OK", "", b"secret")).await;
    let refused = Err("not on the public internet".into());
    assert_eq!(fetch(&url, AddressPolicy::PUBLIC).await, refused);
    let by_name = format!("http://localhost:{}/", url.port().unwrap()).parse().unwrap();
    let any_url = AddressPolicy { url: |_| true, ..AddressPolicy::PUBLIC };
    assert_eq!(fetch(&by_name, any_url).await, refused, "the name is looked up");
    assert_eq!(count.load(Ordering::SeqCst), 0);
    let moved = format!("location: {url}\r\n");
    let (redirect, _) = server(response("302 Found", &moved, b"")).await;
    let first = redirect.clone();
    // Only the first server counts as public.
    let policy = AddressPolicy { url: |url| url.path() == "/first", address: |_: IpAddr| true };
    let first = first.join("first").unwrap();
    assert_eq!(fetch(&first, policy).await, refused, "redirects are checked");
    assert_eq!(count.load(Ordering::SeqCst), 0);
}
