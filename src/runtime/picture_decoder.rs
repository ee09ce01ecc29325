//! Decodes pictures one after the other.

use std::sync::Arc;

use tokio::spawn;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Outbox;
use crate::msg::Msg;
use crate::picture::{DecoderThreads, PictureKey, PictureRequest};

#[derive(Debug)]
pub(super) struct PictureDecoder(UnboundedSender<Vec<PictureRequest>>);

impl PictureDecoder {
    pub(super) fn start(outbox: Outbox) -> Self {
        let (sender, requests) = unbounded_channel();
        spawn(run(requests, outbox));
        Self(sender)
    }

    /// Decodes these pictures in place of those that are waiting.
    pub(super) fn decode(&self, requests: Vec<PictureRequest>) {
        // Fails when the loop has ended.
        let _ = self.0.send(requests);
    }
}

async fn run(mut requests: UnboundedReceiver<Vec<PictureRequest>>, outbox: Outbox) {
    let threads = DecoderThreads::default();
    let mut waiting = Vec::new().into_iter();
    let mut last: Option<PictureKey> = None;
    loop {
        while let Ok(mut newer) = requests.try_recv() {
            // The app has perhaps not seen yet that it was decoded.
            newer.retain(|request: &PictureRequest| Some(request.key) != last);
            waiting = newer.into_iter();
        }
        let Some(request) = waiting.next() else {
            let Some(newer) = requests.recv().await else { return };
            waiting = newer.into_iter();
            continue;
        };
        let key = request.key;
        let outcome = threads.run(move || request.decode()).await.map(Arc::new);
        last = Some(key);
        outbox.send(Msg::PictureDecoded { key, outcome });
    }
}
