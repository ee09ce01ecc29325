//! Runs decoders where they can neither stop the program nor take all of its time.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::sanitize::SafeText;

/// The name of decoders' threads. A panic there is only the end of a picture.
pub const DECODER_THREAD: &str = "picture";
/// Decoders that run at the same time. A second one goes on while the first takes too long.
const MAX_THREADS: usize = 2;
const STACK_BYTES: usize = 8 << 20;
const MAX_TIME: Duration = Duration::from_secs(3);

#[derive(Debug, Clone)]
pub struct DecoderThreads {
    free: Arc<Semaphore>,
    max_time: Duration,
}

impl Default for DecoderThreads {
    fn default() -> Self {
        Self { free: Arc::new(Semaphore::new(MAX_THREADS)), max_time: MAX_TIME }
    }
}

impl DecoderThreads {
    /// Runs `work` in a thread. One that takes too long cannot be stopped, so its thread is not
    /// free until it ends.
    ///
    /// # Errors
    /// Returns the reason of the work, or that it panicked, took too long or could not start.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, SafeText> + Send + 'static,
    ) -> Result<T, SafeText> {
        let late = |_| SafeText::from("takes too long to decode");
        let free = timeout(self.max_time, Arc::clone(&self.free).acquire_owned()).await;
        let (sender, done) = oneshot::channel();
        let permit = free.map_err(late)?;
        let run = move || {
            // Fails if the result came too late.
            let _ = sender.send(work());
            drop(permit);
        };
        let thread = thread::Builder::new().name(DECODER_THREAD.into()).stack_size(STACK_BYTES);
        thread.spawn(run).map_err(|e| SafeText::new(&e.to_string()))?;
        let result = timeout(self.max_time, done).await.map_err(late)?;
        result.unwrap_or_else(|_| Err("damaged: its decoder failed".into()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn panic_or_endless_decoder_is_only_an_error() {
        let threads = DecoderThreads::default();
        let panicked = threads.run::<()>(|| std::panic::resume_unwind(Box::new(()))).await;
        assert!(panicked.is_err_and(|reason| reason.contains("failed")));
        let threads = DecoderThreads { max_time: Duration::from_millis(50), ..threads };
        let mut endless = Vec::new();
        for _ in 0..MAX_THREADS {
            let (end, ended) = mpsc::channel::<()>();
            let late = threads.run(move || ended.recv().map_err(|e| e.to_string().into())).await;
            assert!(late.is_err_and(|reason| reason.contains("too long")));
            endless.push(end);
        }
        assert!(threads.run(|| Ok(1)).await.is_err(), "all threads are taken");
        drop(endless);
        let free = threads.free.acquire_many(2).await;
        drop(free);
        let threads = DecoderThreads { max_time: MAX_TIME, ..threads };
        assert_eq!(threads.run(|| Ok(1)).await, Ok(1));
    }
}
