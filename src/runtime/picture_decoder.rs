//! Decodes pictures one after the other.

use std::pin::pin;
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Outbox, spawn};
use crate::app_message::Msg;
use crate::picture::{DecoderProcess, PictureKey, PictureRequest};

#[derive(Debug)]
pub(super) struct PictureDecoder(UnboundedSender<Vec<PictureRequest>>);

impl PictureDecoder {
    pub(super) fn start(outbox: Outbox) -> Self {
        let (sender, requests) = unbounded_channel();
        spawn(run(DecoderProcess::of_this_program(), requests, outbox));
        Self(sender)
    }

    /// Decodes these pictures in place of those that are waiting or being decoded.
    pub(super) fn decode(&self, requests: Vec<PictureRequest>) {
        // Fails when the loop has ended.
        let _ = self.0.send(requests);
    }
}

async fn run(
    decoder: DecoderProcess,
    mut requests: UnboundedReceiver<Vec<PictureRequest>>,
    outbox: Outbox,
) {
    let mut waiting: Vec<PictureRequest> = Vec::new();
    let mut last: Option<PictureKey> = None;
    loop {
        while let Ok(newer) = requests.try_recv() {
            waiting = newer;
            // The app has perhaps not seen yet that it was decoded.
            waiting.retain(|request| Some(request.key) != last);
        }
        if waiting.is_empty() {
            let Some(newer) = requests.recv().await else { return };
            waiting = newer;
            continue;
        }
        let request = waiting.remove(0);
        let key = request.key;
        let mut decoding = pin!(request.decode(&decoder));
        let outcome = loop {
            tokio::select! {
                outcome = &mut decoding => break Some(outcome),
                newer = requests.recv() => {
                    let Some(newer) = newer else { return };
                    waiting = newer;
                    if waiting.iter().all(|request| request.key != key) {
                        break None; // it is no longer on the screen
                    }
                    waiting.retain(|request| request.key != key);
                }
            }
        };
        if let Some(outcome) = outcome {
            last = Some(key);
            outbox.send(Msg::PictureDecoded { key, outcome: outcome.map(Arc::new) });
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::time::Duration;

    use ratatui::layout::Size;
    use tokio::time::sleep;

    use super::*;
    use crate::picture::{PictureCache, PictureMode, PictureOptions};
    use crate::sanitize::SafeText;

    fn request(uri: &str) -> Vec<PictureRequest> {
        let mode = PictureMode::Blocks { truecolor: true };
        let mut cache = PictureCache::new(PictureOptions { mode, ..Default::default() });
        let visible = cache.visible(&SafeText::new(uri), Size::new(4, 2));
        cache.show(visible.into_iter().collect()).unwrap_or_default()
    }

    /// Waits until this many decoders were started. Returns their process ids.
    async fn started(log: &Path, n: usize) -> Vec<i32> {
        loop {
            let text = fs::read_to_string(log).unwrap_or_default();
            let ids: Vec<i32> = text.lines().filter_map(|line| line.parse().ok()).collect();
            if ids.len() >= n {
                return ids;
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    async fn wait_for_end(process: i32) {
        let id = rustix::process::Pid::from_raw(process);
        while id.is_some_and(|id| rustix::process::test_kill_process(id).is_ok()) {
            sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn decoder_of_a_picture_that_left_the_screen_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let [program, log] = ["decoder", "log"].map(|name| folder.path().join(name));
        let script = format!("#!/bin/sh\necho $$ >> '{}'\nexec sleep 1000\n", log.display());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o700)).unwrap();
        let (sender, requests) = unbounded_channel();
        let (outcomes, _inbox) = unbounded_channel();
        let decoder = spawn(run(DecoderProcess::new(program), requests, Outbox(outcomes)));
        sender.send(request("data:,1")).unwrap();
        let first = started(&log, 1).await[0];
        sender.send([request("data:,1"), request("data:,2")].concat()).unwrap();
        sender.send(request("data:,2")).unwrap();
        let both = started(&log, 2).await;
        wait_for_end(first).await;
        drop(sender);
        decoder.await.unwrap();
        wait_for_end(both[1]).await;
    }
}
