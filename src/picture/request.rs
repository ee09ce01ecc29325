//! Requests to decode a picture for the screen, and their results.

use bytes::Bytes;
use ratatui::layout::Size;
use tokio::task::spawn_blocking;

use super::source::inline_bytes;
use super::{DecoderProcess, Pixels, graphics};
use crate::sanitize::SafeText;

/// Width and height of a cell in pixels if the terminal does not report them.
const USUAL_CELL: (u16, u16) = (10, 20);
/// Maximum width and height of a cell in pixels. Larger cells get smaller pictures, which the terminal
/// enlarges.
const MAX_CELL: (u16, u16) = (12, 24);

/// A graphics protocol of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GraphicsProtocol {
    /// Kitty's, with Unicode placeholders.
    Kitty,
    /// Kitty's, without placeholders: pictures are placed at the cursor.
    KittyAtCursor,
    Iterm2,
    Sixel,
}

/// The way in which pictures are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum PictureMode {
    #[default]
    Off,
    /// Half blocks: two pixels in a cell.
    Blocks { truecolor: bool },
    Graphics {
        protocol: GraphicsProtocol,
        /// The width and height of a cell in pixels.
        cell: (u16, u16),
    },
}

impl PictureMode {
    /// Returns the mode for a terminal with a graphics protocol and cells of this size. `None` if the
    /// protocol needs the size.
    pub fn graphics(protocol: GraphicsProtocol, cell: Option<(u16, u16)>) -> Option<Self> {
        let cell = match (protocol, cell) {
            (GraphicsProtocol::Sixel, cell) => cell?,
            (_, Some((width, height))) => (width.min(MAX_CELL.0), height.min(MAX_CELL.1)),
            (_, None) => USUAL_CELL,
        };
        Some(Self::Graphics { protocol, cell })
    }

    /// Returns the width and height of a cell in pixels.
    pub(super) fn cell(self) -> (u16, u16) {
        match self {
            Self::Off | Self::Blocks { .. } => (1, 2),
            Self::Graphics { cell, .. } => cell,
        }
    }
}

/// Identifies a picture of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PictureKey {
    pub(super) content: u64,
    /// Maximum size in pixels.
    pub(super) width: u16,
    pub(super) height: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EncodedPicture {
    /// A `data:` URI.
    Inline(SafeText),
    Fetched(Bytes),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureRequest {
    pub key: PictureKey,
    pub(super) encoded: EncodedPicture,
    pub(super) mode: PictureMode,
}

/// A picture that is ready for the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Size in cells.
    pub size: Size,
    pub image: PictureImage,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureImage {
    Pixels(Pixels),
    /// The bytes for the terminal; for Kitty's protocol a PNG in base64.
    Payload(GraphicsProtocol, String),
}

impl Picture {
    pub(super) fn bytes(&self) -> usize {
        match &self.image {
            PictureImage::Pixels(pixels) => pixels.rgba.len(),
            PictureImage::Payload(_, payload) => payload.len(),
        }
    }
}

impl PictureRequest {
    /// Decodes the picture in a process of its own.
    ///
    /// # Errors
    ///
    /// Returns a reason for the screen.
    pub async fn decode(self, decoder: &DecoderProcess) -> Result<Picture, SafeText> {
        let (width, height) = (self.key.width.into(), self.key.height.into());
        let bytes = self.bytes()?;
        let pixels = decoder.decode(&bytes, width, height).await?;
        // Sixels of a large picture take a while.
        let picture = spawn_blocking(move || self.picture(pixels)).await;
        picture.map_err(|e| SafeText::new(&e.to_string()))?
    }

    fn bytes(&self) -> Result<Bytes, SafeText> {
        match &self.encoded {
            EncodedPicture::Fetched(bytes) => Ok(bytes.clone()),
            EncodedPicture::Inline(uri) => inline_bytes(uri).map(Bytes::from),
        }
    }

    fn picture(&self, pixels: Pixels) -> Result<Picture, SafeText> {
        let (width, height) = self.mode.cell();
        let cells = |side: u32, cell: u16| {
            u16::try_from(side.div_ceil(u32::from(cell.max(1)))).unwrap_or(u16::MAX)
        };
        let size = Size::new(cells(pixels.width, width), cells(pixels.height, height));
        let image = match self.mode {
            PictureMode::Off | PictureMode::Blocks { .. } => PictureImage::Pixels(pixels),
            PictureMode::Graphics { protocol, cell } => {
                PictureImage::Payload(protocol, graphics::payload(&pixels, size, protocol, cell)?)
            }
        };
        Ok(Picture { size, image })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_graphics_are_bounded_where_the_terminal_scales() {
        let cell = |protocol, cell| PictureMode::graphics(protocol, cell).map(PictureMode::cell);
        assert_eq!(cell(GraphicsProtocol::Kitty, Some((9, 18))), Some((9, 18)));
        assert_eq!(cell(GraphicsProtocol::Kitty, Some((30, 60))), Some(MAX_CELL));
        assert_eq!(cell(GraphicsProtocol::Iterm2, None), Some(USUAL_CELL));
        assert_eq!(cell(GraphicsProtocol::Sixel, Some((30, 60))), Some((30, 60)));
        assert_eq!(cell(GraphicsProtocol::Sixel, None), None);
    }
}
