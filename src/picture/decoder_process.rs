//! Decoding in a process of its own, with limited memory and time.
//!
//! The process is this program with [`DECODER_ARG`]. It limits itself, then reads an encoded picture
//! from stdin, and writes its size and pixels to stdout, or the reason why there are none. A crash, or
//! a picture that takes too much, ends that process only.

use std::env;
use std::ffi::OsString;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::{MAX_PICTURE_BYTES, Pixels, decode, is_svg};
use crate::messages::picture::PictureError;
use crate::sanitize::SafeText;

/// First argument that makes this program a decoder.
const DECODER_ARG: &str = "--decode-picture";
/// Maximum address space of a decoder, including the program itself.
const MAX_MEMORY_BYTES: usize = 256 << 20;
#[cfg(unix)]
const MAX_CPU_SECONDS: u64 = 2;
/// Maximum time for a picture, even on a busy machine. A limit of CPU time usually ends it earlier.
const MAX_TIME: Duration = Duration::from_secs(15);
const MAX_REASON_LEN: usize = 100;
/// Bytes of the width and height before the pixels.
const SIZE_BYTES: usize = 8;
/// Exit code of a decoder that has written a reason to stdout.
const FAILED: u8 = 1;

/// Starts decoders.
#[derive(Debug, Clone)]
pub struct DecoderProcess {
    program: PathBuf,
}

impl DecoderProcess {
    /// Runs `program`, whose `main` calls `run_as_decoder`.
    pub fn new(program: PathBuf) -> Self {
        Self { program }
    }

    /// Runs the current program.
    pub fn of_this_program() -> Self {
        // Linux runs it even after an upgrade has replaced its file.
        let link = PathBuf::from("/proc/self/exe");
        Self::new(if link.exists() { link } else { env::current_exe().unwrap_or_default() })
    }

    /// Decodes a picture into at most `width` by `height` pixels. The process is killed at its
    /// deadline, and when the future is dropped.
    ///
    /// # Errors
    /// Returns a reason for the screen.
    pub async fn decode(&self, bytes: &[u8], width: u32, height: u32) -> Result<Pixels, SafeText> {
        let failed =
            |e: io::Error| SafeText::from(PictureError::NoDecoder { why: e.to_string().into() });
        let mut process = self.start(width, height).map_err(failed)?;
        let max = SIZE_BYTES as u64 + 4 * u64::from(width) * u64::from(height);
        let Ok(answer) = timeout(MAX_TIME, converse(&mut process, bytes, max)).await else {
            // The next decoder starts when this one is gone.
            let _ = process.kill().await;
            return Err(PictureError::TooSlow.into());
        };
        let (status, answer) = answer.map_err(failed)?;
        parse_answer(status, &answer, width, height)
    }

    fn start(&self, width: u32, height: u32) -> io::Result<Child> {
        // Windows looks its own libraries up there.
        let system_root = env::var_os("SystemRoot").map(|path| ("SystemRoot", path));
        Command::new(&self.program)
            .arg(DECODER_ARG)
            .args([width, height].map(|side| side.to_string()))
            .env_clear()
            .envs(system_root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }
}

/// Sends a picture to a decoder. Returns at most `max` bytes of its output.
async fn converse(
    process: &mut Child,
    bytes: &[u8],
    max: u64,
) -> io::Result<(ExitStatus, Vec<u8>)> {
    if let Some(mut stdin) = process.stdin.take() {
        // Fails if the process has ended; its status is the reason.
        let _ = stdin.write_all(bytes).await;
    }
    let mut answer = Vec::new();
    if let Some(stdout) = process.stdout.take() {
        stdout.take(max).read_to_end(&mut answer).await?;
    }
    Ok((process.wait().await?, answer))
}

/// Checks the output: a hostile picture may have taken its decoder over.
fn parse_answer(
    status: ExitStatus,
    answer: &[u8],
    max_width: u32,
    max_height: u32,
) -> Result<Pixels, SafeText> {
    match status.code() {
        Some(0) => {}
        Some(code) if code == i32::from(FAILED) => {
            let reason = String::from_utf8_lossy(answer);
            return Err(SafeText::bounded(&reason, MAX_REASON_LEN));
        }
        Some(_) => return Err(PictureError::DecoderFailed.into()),
        None => return Err(PictureError::OverLimit.into()),
    }
    let parse = || {
        let (width, rest) = answer.split_first_chunk()?;
        let (height, rgba) = rest.split_first_chunk()?;
        let [width, height] = [width, height].map(|side| u32::from_le_bytes(*side));
        let is_sound = (1..=max_width).contains(&width)
            && (1..=max_height).contains(&height)
            && rgba.len() as u64 == 4 * u64::from(width) * u64::from(height);
        is_sound.then(|| Pixels { width, height, rgba: rgba.to_vec() })
    };
    parse().ok_or_else(|| PictureError::DecoderFailed.into())
}

/// Decodes the picture on stdin if the arguments say so. Returns `None` for other arguments.
pub fn run_as_decoder(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter().skip(1);
    if args.next()? != DECODER_ARG {
        return None;
    }
    limit_resources();
    let mut next = || args.next()?.to_str()?.parse().ok();
    let [width, height] = [next(), next()].map(Option::unwrap_or_default);
    let (code, answer) = match decode_stdin(width, height) {
        Ok(Pixels { width, height, rgba }) => {
            let size = [width, height].map(u32::to_le_bytes).concat();
            (ExitCode::SUCCESS, [size, rgba].concat())
        }
        Err(reason) => (ExitCode::from(FAILED), reason.as_bytes().to_vec()),
    };
    let mut out = io::stdout();
    let sent = out.write_all(&answer).and_then(|()| out.flush());
    Some(if sent.is_ok() { code } else { ExitCode::FAILURE })
}

fn decode_stdin(width: u32, height: u32) -> Result<Pixels, SafeText> {
    let mut bytes = Vec::new();
    let read = io::stdin().take(MAX_PICTURE_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| SafeText::new(&e.to_string()))?;
    decode_within(&bytes, width, height, is_memory_limited())
}

/// Decodes a picture, except formats of unlimited memory where nothing limits that.
fn decode_within(
    bytes: &[u8],
    width: u32,
    height: u32,
    is_memory_limited: bool,
) -> Result<Pixels, SafeText> {
    if is_svg(bytes) && !is_memory_limited {
        return Err(PictureError::UnlimitedMemory.into());
    }
    decode(bytes, width, height)
}

/// Limits memory and time, and forbids files, processes and core dumps.
#[cfg(unix)]
fn limit_resources() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limits = [
        (Resource::As, MAX_MEMORY_BYTES as u64),
        (Resource::Cpu, MAX_CPU_SECONDS),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
        (Resource::Nofile, 0),
        (Resource::Nproc, 0),
    ];
    for (resource, max) in limits {
        let max = getrlimit(resource).maximum.map_or(max, |inherited| inherited.min(max));
        // Not all systems have all of these. `is_memory_limited` tries the one that matters.
        let _ = setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) });
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
}

#[cfg(not(unix))]
fn limit_resources() {}

/// Returns `true` if the system refuses more memory than a decoder may have.
fn is_memory_limited() -> bool {
    let mut block = Vec::<u8>::new();
    let outcome = block.try_reserve_exact(MAX_MEMORY_BYTES);
    black_box(&block);
    outcome.is_err()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{SVG, png};
    use super::*;

    #[test]
    fn svg_is_refused_where_memory_is_not_limited() {
        let [limited, unlimited] =
            [true, false].map(|is_limited| decode_within(SVG.as_bytes(), 8, 8, is_limited));
        assert!(limited.is_ok());
        assert_eq!(unlimited, Err(PictureError::UnlimitedMemory.into()));
        assert!(
            decode_within(&png(), 8, 8, false).is_ok(),
            "other formats have bounds of their own"
        );
        assert!(!is_memory_limited(), "nothing limits this process");
    }

    #[test]
    fn other_arguments_are_left_to_the_command_line() {
        for args in [&["chainglass"][..], &["chainglass", "--help"], &["--decode-picture"]] {
            assert!(run_as_decoder(args.iter().map(OsString::from)).is_none());
        }
    }

    #[cfg(unix)]
    #[test]
    fn answers_of_a_decoder_are_checked() {
        use std::os::unix::process::ExitStatusExt;
        let parse = |code: i32, answer: &[u8]| {
            parse_answer(ExitStatus::from_raw(code << 8), answer, 2, 1).map_err(|e| e.to_string())
        };
        let size = [2_u32, 1].map(u32::to_le_bytes).concat();
        let whole = [&size[..], &[7; 8]].concat();
        assert_eq!(parse(0, &whole), Ok(Pixels { width: 2, height: 1, rgba: vec![7; 8] }));
        let taller = [&[2_u32, 2].map(u32::to_le_bytes).concat()[..], &[7; 16]].concat();
        for broken in [&[][..], &size, &whole[..15], &[whole.clone(), vec![1]].concat(), &taller] {
            assert_eq!(parse(0, broken), Err("damaged: its decoder failed".into()), "{broken:?}");
        }
        assert_eq!(parse(101, &whole), Err("damaged: its decoder failed".into()));
        assert_eq!(parse(1, b"no \x1b[31m"), Err("no ␛[31m".into()));
        let killed = parse_answer(ExitStatus::from_raw(9), &whole, 2, 1).map_err(|e| e.to_string());
        assert_eq!(killed, Err("takes too much time or memory to decode".into()));
    }
}
