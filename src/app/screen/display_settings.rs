//! Display settings: styles, units, the format of times, and the size of the screen.

use ratatui::layout::Size;

use crate::app::App;
use crate::app::overlays::theme_chooser::ThemeChooser;
use crate::app_message::{Background, Effect};
use crate::chain::Timestamp;
use crate::chain::amount::Unit;
use crate::config::AppSettings;
use crate::config::time_format::TimeFormat;
use crate::messages::notice::AppNotice;
use crate::pane::{ListView, PaneEvent};
use crate::picture::{PictureCache, PictureOptions};
use crate::ui::format_options::FormatOptions;
use crate::ui::theme::{Appearance, BackgroundStyles, Styles};

#[derive(Debug)]
pub(in crate::app) struct DisplaySettings {
    pub(in crate::app) styles: Styles,
    /// The styles for either background, until it is known.
    pub(in crate::app) background_styles: Option<BackgroundStyles>,
    pub(in crate::app) ascii: bool,
    pub(in crate::app) themes: ThemeChooser,
    pub(in crate::app) format: FormatOptions,
    /// The unit and the times at the start.
    start_format: (Unit, TimeFormat),
    pub(in crate::app) settings: AppSettings,
    pub(in crate::app) size: Size,
    pub(in crate::app) now: Timestamp,
    /// `false` if the terminal has reported that it lost the focus.
    pub(in crate::app) has_focus: bool,
    pub(in crate::app) pictures: PictureCache,
    pub(in crate::app) list_view: ListView,
}

impl DisplaySettings {
    pub(in crate::app) fn new(
        appearance: Appearance,
        format: FormatOptions,
        settings: AppSettings,
        now: Timestamp,
        pictures: PictureOptions,
    ) -> Self {
        let Appearance { styles, background_styles, ascii, depth, user_themes } = appearance;
        let themes = ThemeChooser::new(depth, user_themes);
        let pictures = PictureCache::new(pictures);
        let list_view = usual_list_view(&pictures);
        let address_marks = format.address_marks && !ascii; // they are not ASCII
        let format = FormatOptions { address_marks, is_ascii: ascii, ..format };
        let size = Size::default();
        Self {
            styles,
            background_styles,
            ascii,
            themes,
            start_format: (format.unit, format.time_format),
            format,
            settings,
            size,
            now,
            has_focus: true,
            pictures,
            list_view,
        }
    }

    /// Returns the arguments for the unit and the times, each after a space, unless they are the
    /// defaults.
    pub(in crate::app) fn format_args(&self) -> String {
        let (start_unit, start_times) = self.start_format;
        let FormatOptions { unit, time_format, .. } = self.format;
        let is_default = unit == Unit::default() && unit == start_unit;
        let unit = if is_default { String::new() } else { format!(" --unit {unit}") };
        let is_default = time_format == TimeFormat::default() && time_format == start_times;
        let times = if is_default { String::new() } else { format!(" --times {time_format}") };
        unit + &times
    }

    /// Returns the layout of cards, unless it is the usual one.
    pub(in crate::app) fn chosen_list_view(&self) -> Option<ListView> {
        Some(self.list_view).filter(|view| *view != usual_list_view(&self.pictures))
    }

    pub(in crate::app) fn apply_background(&mut self, background: Background) {
        let Some(by_background) = self.background_styles.take() else { return };
        self.styles = match background {
            Background::Dark => by_background.dark,
            Background::Light => by_background.light().unwrap_or(by_background.dark),
        };
    }
}

/// Returns the layout of cards that the user has not changed.
fn usual_list_view(pictures: &PictureCache) -> ListView {
    if pictures.is_on() { ListView::Gallery } else { ListView::Table }
}

impl App {
    pub(in crate::app) fn next_unit(&mut self) -> Vec<Effect> {
        let decimals = self.session().network.decimals;
        self.display.format.unit = self.display.format.unit.next(decimals);
        self.send_to_visible(|| PaneEvent::Reformatted);
        let unit = self.display.format.unit.name(&self.session().network);
        let notice = AppNotice::Unit { unit }.to_string();
        self.notify(&notice)
    }

    pub(in crate::app) fn toggle_gallery(&mut self) -> Vec<Effect> {
        self.display.list_view = match self.display.list_view {
            ListView::Gallery => ListView::Table,
            ListView::Table => ListView::Gallery,
        };
        self.send_to_visible(|| PaneEvent::Resized)
    }

    pub(in crate::app) fn next_times(&mut self) -> Vec<Effect> {
        self.display.format.time_format = self.display.format.time_format.next();
        self.send_to_visible(|| PaneEvent::Reformatted);
        self.notify(&self.display.format.describe_times(self.display.now))
    }
}
