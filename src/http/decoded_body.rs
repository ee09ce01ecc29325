//! The body of a response, decompressed as it arrives.

use std::io::{self, Write};
use std::mem::take;

use bytes::{Buf, Bytes};
use flate2::write::MultiGzDecoder;
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;

use super::{TransportConfig, TransportError, header};
use crate::sanitize::SafeText;

/// Size of a decompressed piece, which may be a thousand times as large as its gzip.
const PIECE_BYTES: usize = 64 << 10;

#[derive(Debug)]
pub struct DecodedBody {
    pub response: Response,
    gunzip: Option<Gunzip>,
}

impl DecodedBody {
    pub fn new(response: Response) -> Self {
        let is_gzip = header(&response, CONTENT_ENCODING.as_str())
            .is_some_and(|name| ["gzip", "x-gzip"].contains(&&*name.to_ascii_lowercase()));
        Self { response, gunzip: is_gzip.then(Gunzip::default) }
    }

    /// Returns the next piece, or `None` at the end.
    pub async fn chunk(
        &mut self,
        transport: &TransportConfig,
    ) -> Result<Option<Bytes>, TransportError> {
        loop {
            if let Some(gunzip) = &mut self.gunzip
                && let Some(piece) = gunzip.next_piece().map_err(|e| invalid_gzip(&e))?
            {
                return Ok(Some(piece));
            }
            let chunk = self.response.chunk().await.map_err(|error| transport.error(&error))?;
            match (&mut self.gunzip, chunk) {
                (None, chunk) => return Ok(chunk),
                (Some(gunzip), Some(chunk)) => gunzip.unread = chunk,
                (Some(gunzip), None) => return gunzip.finish().map_err(|e| invalid_gzip(&e)),
            }
        }
    }
}

/// A gzip of one or more members.
#[derive(Debug)]
struct Gunzip {
    decoder: MultiGzDecoder<Vec<u8>>,
    unread: Bytes,
    has_begun: bool,
}

impl Default for Gunzip {
    fn default() -> Self {
        let decoder = MultiGzDecoder::new(Vec::new());
        Self { decoder, unread: Bytes::new(), has_begun: false }
    }
}

impl Gunzip {
    /// Returns the next piece, or `None` if that needs more input.
    fn next_piece(&mut self) -> io::Result<Option<Bytes>> {
        while !self.unread.is_empty() && self.decoder.get_ref().len() < PIECE_BYTES {
            self.has_begun = true;
            let len = self.decoder.write(&self.unread)?;
            self.unread.advance(len);
        }
        self.decoder.flush()?;
        Ok(self.take_output())
    }

    /// Checks the end, and returns the last piece.
    fn finish(&mut self) -> io::Result<Option<Bytes>> {
        if self.has_begun {
            self.decoder.try_finish()?;
        }
        Ok(self.take_output())
    }

    fn take_output(&mut self) -> Option<Bytes> {
        let output = take(self.decoder.get_mut());
        (!output.is_empty()).then(|| output.into())
    }
}

fn invalid_gzip(error: &io::Error) -> TransportError {
    TransportError::Interrupted(SafeText::new(&error.to_string()))
}
