//! Themes by name in the palette: the selected one is previewed.

use super::overlay::{Overlay, PaletteItem, PickerItems};
use super::picker::PickerChoice;
use crate::app::App;
use crate::app_message::Effect;
use crate::messages::notice::AppNotice;
use crate::ui::theme::{ColorDepth, Styles, built_in_names, load_theme};

#[derive(Debug)]
pub(in crate::app) struct ThemeChooser {
    /// `None` if colours are disabled, so that there is nothing to choose.
    depth: Option<ColorDepth>,
    /// Names and contents.
    user_themes: Vec<(String, String)>,
    /// The styles that a preview replaces.
    replaced: Option<Styles>,
}

impl ThemeChooser {
    pub(in crate::app) fn new(
        depth: Option<ColorDepth>,
        user_themes: Vec<(String, String)>,
    ) -> Self {
        Self { depth, user_themes, replaced: None }
    }

    /// The user's themes come first. Each hides the built-in theme of its name.
    pub(in crate::app) fn names(&self) -> Vec<String> {
        let own = self.user_themes.iter().map(|(name, _)| name.clone());
        let built_in = built_in_names()
            .into_iter()
            .map(str::to_owned)
            .filter(|name| self.user_theme(name).is_none());
        own.chain(built_in).filter(|_| self.depth.is_some()).collect()
    }

    /// Returns `true` while the page is drawn in a theme that is not chosen yet.
    pub(in crate::app) fn is_previewing(&self) -> bool {
        self.replaced.is_some()
    }

    fn user_theme(&self, name: &str) -> Option<&str> {
        let theme = self.user_themes.iter().find(|(known, _)| known == name);
        theme.map(|(_, source)| &**source)
    }

    fn load(&self, name: &str) -> Option<Styles> {
        Some(load_theme(name, self.user_theme(name)).ok()?.styles(self.depth?))
    }
}

impl App {
    /// Draws everything in the theme that is selected in the palette, as long as it is.
    pub(in crate::app) fn sync_theme_preview(&mut self) {
        let selected = match &self.overlays.top {
            Some(Overlay::Picker(picker, PickerItems::Palette(items))) => match picker.choice() {
                Some(PickerChoice::Entry(at)) => items.get(at),
                _ => None,
            },
            _ => None,
        };
        let display = &mut self.display;
        let preview = match selected {
            Some(PaletteItem::Theme(name)) => display.themes.load(name),
            _ => None,
        };
        if let Some(styles) = preview {
            let before = std::mem::replace(&mut display.styles, styles);
            display.themes.replaced.get_or_insert(before);
        } else if let Some(before) = display.themes.replaced.take() {
            display.styles = before;
        }
    }

    /// Keeps the theme that is previewed.
    pub(in crate::app) fn choose_theme(&mut self, name: &str) -> Vec<Effect> {
        match self.display.themes.load(name) {
            Some(styles) => {
                self.display.styles = styles;
                self.display.themes.replaced = None;
                self.display.background_styles = None;
                self.notify(&AppNotice::Theme { name })
            }
            None => self.report_failure(&AppNotice::ThemeFailed { name }),
        }
    }
}
