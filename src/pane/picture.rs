//! Pictures in panes: drawing, and fetching those behind a URL.

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect, Size};
use url::Url;

use crate::app_message::Effect;
use crate::chain::network::host_and_port;
use crate::messages::page::{self, PageMessage};
use crate::messages::prompt;
use crate::pane::{Availability, Command, Confirmation, PaneContext};
use crate::picture::{Picture, PictureMode, PictureSource, PictureState};
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::format::{cut, fits, width, wrapped_lines};
use crate::ui::frame::{draw_frame, draw_frame_status};
use crate::ui::picture::draw_picture;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// Content of an area for a picture.
enum Shown<'a> {
    Picture(u32, &'a Picture),
    /// The reason why there is none.
    Note(String),
}

/// Draws the picture at `uri`, or a frame with the reason why there is none and the mark of the token.
pub fn draw(
    uri: Option<&SafeText>,
    mark: Option<AddressMark>,
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let shown = find(uri, area.as_size(), cx);
    let is_note = matches!(shown, Shown::Note(_));
    if is_note {
        draw_frame(buf, area, cx.styles.of(Role::Dim));
    }
    draw_shown(shown, mark, if is_note { inside(area) } else { area }, cx, buf);
}

/// Draws it in a frame with its source, or with the key that fetches it again.
pub fn draw_framed(
    uri: Option<&SafeText>,
    mark: Option<AddressMark>,
    frame: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    draw_frame(buf, frame, cx.styles.of(Role::Border));
    let area = inside(frame);
    draw_shown(find(uri, area.as_size(), cx), mark, area, cx, buf);
    if let Some(caption) = uri.and_then(|uri| caption(uri, area.as_size(), cx)) {
        let caption = cut(&caption, frame.width.saturating_sub(6).into());
        draw_frame_status(buf, frame, &caption, cx.styles.in_frame(Role::Dim));
    }
}

/// Returns the area in a frame.
pub fn inside(frame: Rect) -> Rect {
    frame.inner(Margin::new(1, 1))
}

fn find<'a>(uri: Option<&SafeText>, size: Size, cx: &PaneContext<'a>) -> Shown<'a> {
    if !cx.pictures.is_on() {
        return Shown::Note(page::PICTURES_OFF.into());
    }
    let Some(uri) = uri else { return Shown::Note(page::NO_PICTURE.into()) };
    match cx.pictures.state(uri, size) {
        PictureState::Ready { id, picture } => Shown::Picture(id, picture),
        PictureState::Loading => Shown::Note("loading…".into()),
        PictureState::Failed(reason) => {
            Shown::Note(PageMessage::PictureFailed { why: &reason }.to_string())
        }
        PictureState::NotFetched(url) => Shown::Note(describe_fetch(&url, cx)),
    }
}

fn describe_fetch(url: &Url, cx: &PaneContext<'_>) -> String {
    format!("{} {}", cx.keys.expand(page::FETCHES_PICTURE), host_and_port(url))
}

fn caption(uri: &SafeText, size: Size, cx: &PaneContext<'_>) -> Option<String> {
    let Ok(PictureSource::Web(url)) = source(uri, cx) else { return None };
    match cx.pictures.state(uri, size) {
        PictureState::Ready { .. } => Some(UntrustedUrl::parse(uri).display_text().to_string()),
        PictureState::Failed(_) => Some(describe_fetch(&url, cx)),
        PictureState::Loading | PictureState::NotFetched(_) => None,
    }
}

fn source(uri: &SafeText, cx: &PaneContext<'_>) -> Result<PictureSource, SafeText> {
    PictureSource::parse(uri, cx.pictures.options().ipfs_gateway.as_ref())
}

fn draw_shown(
    shown: Shown<'_>,
    mark: Option<AddressMark>,
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    match shown {
        Shown::Note(note) => draw_note(&note, mark, area, cx, buf),
        Shown::Picture(id, picture) => {
            let truecolor = cx.pictures.options().mode != PictureMode::Blocks { truecolor: false };
            draw_picture(buf, area, id, picture, truecolor);
        }
    }
}

/// Draws a text in the middle of an area, below a mark so small and dim that it is not taken for art.
fn draw_note(
    note: &str,
    mark: Option<AddressMark>,
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let shown = mark.filter(|_| cx.format.address_marks);
    let mark = shown.map(|mark| mark.glyphs(cx.styles).map(|(glyph, _)| glyph).concat());
    let columns = usize::from(area.width).max(2);
    let mark_and_note =
        mark.as_deref().map(|mark| [mark, " ", note].concat()).filter(|line| fits(line, columns));
    let text = wrapped_lines(note, columns).map(str::trim);
    let lines: Vec<&str> = match (area.height, &mark_and_note) {
        (1, Some(line)) => vec![line],
        (1, None) => text.collect(),
        _ => mark.as_deref().into_iter().chain(text).collect(),
    };
    let above = usize::from(area.height).saturating_sub(lines.len()) / 2;
    for (line, text) in area.rows().skip(above).zip(lines) {
        let used = u16::try_from(width(text)).unwrap_or(u16::MAX);
        let left = area.width.saturating_sub(used) / 2;
        let line = Rect { x: line.x + left, width: line.width - left, ..line };
        draw_text(buf, line, text, cx.styles.of(Role::Dim));
    }
}

/// Returns the availability of fetching the picture at `uri`.
pub fn availability(uri: Option<&SafeText>, cx: &PaneContext<'_>) -> Availability {
    match uri.map(|uri| source(uri, cx)) {
        _ if !cx.pictures.is_on() => Availability::Disabled(page::PICTURES_OFF),
        None => Availability::Disabled(page::NO_PICTURE_HERE),
        Some(Ok(PictureSource::Inline)) => Availability::Disabled(page::PICTURE_NEEDS_NO_FETCHING),
        Some(Ok(PictureSource::Web(_)) | Err(_)) => Availability::Enabled,
    }
}

/// Fetches the picture at `uri`, after a confirmation if its host was not confirmed before.
pub fn fetch(uri: Option<&SafeText>, cx: &PaneContext<'_>) -> Option<Command> {
    match source(uri?, cx) {
        Ok(PictureSource::Inline) => None,
        Ok(PictureSource::Web(url)) => {
            let (fetch, is_confirmed) = cx.pictures.request(url);
            if is_confirmed {
                return Some(Command::Effect(Effect::FetchPicture(fetch)));
            }
            let host = format!("host: {}", host_and_port(&fetch.from));
            Some(Command::Confirm(Confirmation {
                title: prompt::FETCH_PICTURE,
                lines: vec![SafeText::new(&host), SafeText::new(fetch.from.as_str())],
                indent: 0,
                effect: Some(Effect::FetchPicture(fetch)),
            }))
        }
        Err(reason) => Some(Command::Notify(reason)),
    }
}
