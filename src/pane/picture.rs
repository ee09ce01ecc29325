//! Pictures in panes: drawing, and fetching those behind a URL.

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect, Size};
use url::Url;

use super::{Availability, Command, Confirmation, PaneContext};
use crate::msg::Effect;
use crate::picture::{Picture, PictureMode, PictureSource, PictureState};
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::format::{cut, width, wrapped_lines};
use crate::ui::frame::{draw_frame, draw_frame_status};
use crate::ui::picture::draw_picture;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// What an area for a picture has.
enum Shown<'a> {
    Picture(u32, &'a Picture),
    Mark(AddressMark),
    /// Why there is neither.
    Note(String),
}

/// Draws the picture at `uri`, or the mark of what has none, or a frame with the reason why there is
/// none.
pub fn draw(
    uri: Option<&SafeText>,
    mark: Option<AddressMark>,
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let shown = find(uri, mark, area.as_size(), cx);
    let is_note = matches!(shown, Shown::Note(_));
    if is_note {
        draw_frame(buf, area, cx.styles.of(Role::Dim));
    }
    draw_shown(shown, if is_note { inside(area) } else { area }, cx, buf);
}

/// Draws it in a frame that says what it is, or how it is fetched.
pub fn draw_framed(
    uri: Option<&SafeText>,
    mark: Option<AddressMark>,
    frame: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    draw_frame(buf, frame, cx.styles.of(Role::Border));
    let area = inside(frame);
    draw_shown(find(uri, mark, area.as_size(), cx), area, cx, buf);
    let caption = caption(uri, area.as_size(), cx);
    let caption = cut(&caption, frame.width.saturating_sub(6).into());
    draw_frame_status(buf, frame, &caption, cx.styles.in_frame(Role::Dim));
}

/// Returns the area in a frame.
pub fn inside(frame: Rect) -> Rect {
    frame.inner(Margin::new(1, 1))
}

fn find<'a>(
    uri: Option<&SafeText>,
    mark: Option<AddressMark>,
    size: Size,
    cx: &PaneContext<'a>,
) -> Shown<'a> {
    let state = uri.filter(|_| cx.pictures.is_on()).map(|uri| cx.pictures.state(uri, size));
    match (state, mark) {
        (Some(PictureState::Ready { id, picture }), _) => Shown::Picture(id, picture),
        (Some(PictureState::Loading), _) => Shown::Note("loading…".into()),
        (Some(PictureState::Failed(reason)), _) => Shown::Note(format!("no picture: {reason}")),
        (Some(PictureState::NotFetched(_)) | None, Some(mark)) => Shown::Mark(mark),
        (Some(PictureState::NotFetched(url)), None) => Shown::Note(describe_fetch(&url, cx)),
        (None, None) if !cx.pictures.is_on() => Shown::Note("pictures are off".into()),
        (None, None) => Shown::Note("no picture".into()),
    }
}

fn describe_fetch(url: &Url, cx: &PaneContext<'_>) -> String {
    let host = SafeText::new(url.host_str().unwrap_or_default());
    format!("{} {host}", cx.keys.expand("{picture} fetches it from"))
}

fn caption(uri: Option<&SafeText>, size: Size, cx: &PaneContext<'_>) -> String {
    let Some(uri) = uri else { return "no picture".into() };
    match cx.pictures.state(uri, size) {
        PictureState::Loading => "loading…".into(),
        PictureState::NotFetched(url) => describe_fetch(&url, cx),
        PictureState::Failed(_) => match source(uri, cx) {
            Ok(PictureSource::Web(url)) => describe_fetch(&url, cx),
            Ok(PictureSource::Inline) | Err(_) => "no picture".into(),
        },
        PictureState::Ready { .. } => {
            let text = UntrustedUrl::parse(uri).display_text();
            text.strip_prefix("data:image/").unwrap_or(&text).to_owned()
        }
    }
}

fn source(uri: &SafeText, cx: &PaneContext<'_>) -> Result<PictureSource, SafeText> {
    PictureSource::parse(uri, cx.pictures.options().ipfs_gateway.as_ref())
}

fn draw_shown(shown: Shown<'_>, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
    match shown {
        Shown::Mark(mark) => mark.draw_large(buf, area, cx.styles),
        Shown::Note(note) => draw_note(&note, area, cx, buf),
        Shown::Picture(id, picture) => {
            let truecolor = cx.pictures.options().mode != PictureMode::Blocks { truecolor: false };
            draw_picture(buf, area, id, picture, truecolor);
        }
    }
}

/// Draws a text in the middle of an area.
fn draw_note(note: &str, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
    let lines: Vec<&str> = wrapped_lines(note, usize::from(area.width).max(2)).collect();
    let above = usize::from(area.height).saturating_sub(lines.len()) / 2;
    for (line, text) in area.rows().skip(above).zip(lines) {
        let used = u16::try_from(width(text)).unwrap_or(u16::MAX);
        let left = area.width.saturating_sub(used) / 2;
        let line = Rect { x: line.x + left, width: line.width - left, ..line };
        draw_text(buf, line, text, cx.styles.of(Role::Dim));
    }
}

/// Whether the picture at `uri` can be fetched.
pub fn availability(uri: Option<&SafeText>, cx: &PaneContext<'_>) -> Availability {
    match uri.map(|uri| source(uri, cx)) {
        _ if !cx.pictures.is_on() => Availability::Disabled("pictures are off"),
        None => Availability::Disabled("no picture here"),
        Some(Ok(PictureSource::Inline)) => Availability::Disabled("this picture needs no fetching"),
        Some(Ok(PictureSource::Web(_)) | Err(_)) => Availability::Enabled,
    }
}

/// Fetches the picture at `uri`. Asks for confirmation if its host was not confirmed before.
pub fn fetch(uri: Option<&SafeText>, cx: &PaneContext<'_>) -> Option<Command> {
    match source(uri?, cx) {
        Ok(PictureSource::Inline) => None,
        Ok(PictureSource::Web(url)) if cx.pictures.is_known_host(&url) => {
            Some(Command::Effect(Effect::FetchPicture(url)))
        }
        Ok(PictureSource::Web(url)) => {
            let host = format!("host: {}", url.host_str().unwrap_or_default());
            Some(Command::Confirm(Confirmation {
                title: "Fetch the picture? The host learns your address ({open} fetches, {back} cancels)",
                lines: vec![SafeText::new(&host), SafeText::new(url.as_str())],
                effect: Some(Effect::FetchPicture(url)),
            }))
        }
        Err(reason) => Some(Command::Notify(reason)),
    }
}
