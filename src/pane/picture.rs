//! Pictures in panes: drawing, and fetching those behind a URL.

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};

use super::{Availability, Command, Confirmation, PaneContext};
use crate::msg::Effect;
use crate::picture::{PictureMode, PictureSource, PictureState};
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::format::wrapped_lines;
use crate::ui::frame::draw_frame;
use crate::ui::picture::draw_picture;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// Draws the picture at `uri`, or the mark of what has none, or a frame with the reason why there is
/// none.
pub fn draw(
    uri: Option<&SafeText>,
    mark: Option<AddressMark>,
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    if let (None, Some(mark)) = (uri.filter(|_| cx.pictures.is_on()), mark) {
        return mark.draw_large(buf, area, cx.styles);
    }
    let note = match uri.map(|uri| cx.pictures.state(uri, area.as_size())) {
        Some(PictureState::Ready { id, picture }) => {
            let truecolor = cx.pictures.options().mode != PictureMode::Blocks { truecolor: false };
            return draw_picture(buf, area, id, picture, truecolor);
        }
        _ if !cx.pictures.is_on() => "pictures are off".into(),
        Some(PictureState::Loading) => "loading…".into(),
        Some(PictureState::NotFetched(url)) => {
            let host = SafeText::new(url.host_str().unwrap_or_default());
            format!("{}\n{host}", cx.keys.expand("{picture} fetches from"))
        }
        Some(PictureState::Failed(reason)) => reason.to_string(),
        None => "no picture".into(),
    };
    let style = cx.styles.of(Role::Dim);
    draw_frame(buf, area, style);
    let inside = area.inner(Margin::new(1, 1));
    let wrap = |text| wrapped_lines(text, usize::from(inside.width).max(2));
    let lines: Vec<&str> = note.lines().flat_map(wrap).collect();
    let above = usize::from(inside.height).saturating_sub(lines.len()) / 2;
    for (line, text) in inside.rows().skip(above).zip(lines) {
        let left =
            inside.width.saturating_sub(u16::try_from(text.chars().count()).unwrap_or(0)) / 2;
        draw_text(buf, Rect { x: line.x + left, width: line.width - left, ..line }, text, style);
    }
}

/// Whether the picture at `uri` can be fetched.
pub fn availability(uri: Option<&SafeText>, cx: &PaneContext<'_>) -> Availability {
    let gateway = cx.pictures.options().ipfs_gateway.as_ref();
    match uri.map(|uri| PictureSource::parse(uri, gateway)) {
        _ if !cx.pictures.is_on() => Availability::Disabled("pictures are off"),
        None => Availability::Disabled("no picture here"),
        Some(Ok(PictureSource::Inline)) => Availability::Disabled("this picture needs no fetching"),
        Some(Ok(PictureSource::Web(_)) | Err(_)) => Availability::Enabled,
    }
}

/// Fetches the picture at `uri`. Asks for confirmation if its host was not confirmed before.
pub fn fetch(uri: Option<&SafeText>, cx: &PaneContext<'_>) -> Option<Command> {
    match PictureSource::parse(uri?, cx.pictures.options().ipfs_gateway.as_ref()) {
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
