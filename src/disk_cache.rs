//! Disk cache: one file per response in a private directory, bounded in total.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use alloy_primitives::{Keccak256, hex, keccak256};
use bytes::Bytes;
use parking_lot::Mutex;

use crate::messages::system;
use crate::secure_fs;

/// Maximum bytes of a cached body.
pub const MAX_ENTRY_BYTES: usize = 16 << 20;
/// Start of a file, with the version of the format.
const MAGIC: &[u8; 20] = b"chainglass answer 3\n";
/// Magic, the lengths of the URL and the body (8 bytes each), and a checksum of both.
const HEADER_BYTES: usize = MAGIC.len() + 8 + 8 + 32;
const MAX_URL_BYTES: usize = 4 << 10;
const MAX_DISK_CACHE_BYTES: u64 = 256 << 20;
/// Number of bytes written after which the directory is read again, because other processes write
/// to it.
const RESCAN_BYTES: u64 = 16 << 20;
/// Files occupy whole blocks of this size.
const DISK_BLOCK_BYTES: u64 = 4 << 10;

#[derive(Debug)]
pub struct DiskCache {
    folder: PathBuf,
    max_bytes: u64,
    /// Bytes that may be written before the directory is read again.
    spare_bytes: Mutex<u64>,
}

struct CacheFile {
    path: PathBuf,
    len: u64,
    used: Option<SystemTime>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStats {
    pub files: u64,
    pub bytes: u64,
}

impl DiskCache {
    /// Creates a cache in `folder`, which is created by the first write.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, max_bytes: MAX_DISK_CACHE_BYTES, spare_bytes: Mutex::new(0) }
    }

    /// Returns the body cached for `url`. An invalid file is ignored.
    pub fn read(&self, url: &str) -> Option<Bytes> {
        secure_fs::is_private_dir(&self.folder).then_some(())?;
        let file = secure_fs::open(&self.path(url)).ok()?;
        let max_bytes = HEADER_BYTES + MAX_URL_BYTES + MAX_ENTRY_BYTES;
        let bytes = secure_fs::read_to_end(&file, max_bytes as u64).ok()?;
        let body = parse_file(&bytes, url)?;
        // Eviction is by this time; failing to set it does no harm.
        let _ = file.set_modified(SystemTime::now());
        Some(body)
    }

    /// Stores a body, unless it is too large.
    pub fn write(&self, url: &str, body: &[u8]) -> io::Result<()> {
        if body.len() > MAX_ENTRY_BYTES || url.len() > MAX_URL_BYTES {
            return Ok(());
        }
        secure_fs::create_private_dir(&self.folder)?;
        self.reserve((HEADER_BYTES + url.len() + body.len()) as u64)?;
        secure_fs::write_atomically(&self.path(url), |file| {
            file.write_all(&file_header(url, body))?;
            file.write_all(url.as_bytes())?;
            file.write_all(body)
        })
    }

    pub fn remove(&self, url: &str) {
        if secure_fs::is_private_dir(&self.folder) {
            // There is usually no such file.
            let _ = fs::remove_file(self.path(url));
        }
    }

    pub fn stats(&self) -> io::Result<CacheStats> {
        let files = self.files()?;
        Ok(files.iter().fold(CacheStats::default(), |stats, file| stats.add(file.len)))
    }

    pub fn clear(&self) -> io::Result<CacheStats> {
        let mut removed = CacheStats::default();
        for file in self.files()? {
            fs::remove_file(file.path)?;
            removed = removed.add(file.len);
        }
        Ok(removed)
    }

    fn path(&self, url: &str) -> PathBuf {
        self.folder.join(hex::encode(keccak256(url)))
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        let wanted = round_up_to_blocks(bytes);
        let mut spare = self.spare_bytes.lock();
        if *spare < wanted {
            *spare = self.evict(wanted)?.min(RESCAN_BYTES.max(wanted));
        }
        *spare = spare.saturating_sub(wanted);
        Ok(())
    }

    /// Removes the least recently used files if there is no space for `wanted` bytes, and an eighth of
    /// the cache with them, so that the next writes need not. Returns the remaining space.
    fn evict(&self, wanted: u64) -> io::Result<u64> {
        let mut files = self.files()?;
        let mut used: u64 = files.iter().map(|file| round_up_to_blocks(file.len)).sum();
        if used + wanted > self.max_bytes {
            files.sort_unstable_by_key(|file| file.used);
            let goal = self.max_bytes - self.max_bytes / 8;
            for file in files {
                if used + wanted <= goal {
                    break;
                }
                fs::remove_file(file.path)?;
                used -= round_up_to_blocks(file.len);
            }
        }
        Ok(self.max_bytes.saturating_sub(used))
    }

    /// Returns the files with names of cache files.
    fn files(&self) -> io::Result<Vec<CacheFile>> {
        if !self.folder.is_symlink() && !self.folder.exists() {
            return Ok(Vec::new());
        }
        if !secure_fs::is_private_dir(&self.folder) {
            return Err(io::Error::other(system::NOT_PRIVATE));
        }
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Another process may have removed the file. Links are not followed.
            let Ok(metadata) = entry.metadata() else { continue };
            let path = entry.path();
            if metadata.is_file() && is_cache_file(&path) {
                let used = metadata.modified().ok();
                files.push(CacheFile { path, len: metadata.len(), used });
            }
        }
        Ok(files)
    }
}

impl CacheStats {
    fn add(self, bytes: u64) -> Self {
        Self { files: self.files + 1, bytes: self.bytes + bytes }
    }
}

fn is_cache_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_name = name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit());
    is_name || name.starts_with(secure_fs::TEMP_PREFIX)
}

fn round_up_to_blocks(bytes: u64) -> u64 {
    bytes.div_ceil(DISK_BLOCK_BYTES) * DISK_BLOCK_BYTES
}

fn file_header(url: &str, body: &[u8]) -> Vec<u8> {
    let lengths = [&(url.len() as u64).to_le_bytes()[..], &(body.len() as u64).to_le_bytes()[..]];
    [&MAGIC[..], &lengths.concat(), &checksum(url, body)].concat()
}

fn checksum(url: &str, body: &[u8]) -> [u8; 32] {
    let mut sum = Keccak256::new();
    sum.update(url);
    sum.update(body);
    sum.finalize().0
}

fn parse_file(file: &[u8], url: &str) -> Option<Bytes> {
    let body = file.get(HEADER_BYTES + url.len()..)?;
    let is_ours = file.starts_with(&file_header(url, body));
    let is_for_url = file.get(HEADER_BYTES..)?.starts_with(url.as_bytes());
    (is_ours && is_for_url).then(|| Bytes::copy_from_slice(body))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const URL: &str = "https://explorer.example/api/v2/transactions/0x1/raw-trace";

    fn disk() -> (tempfile::TempDir, DiskCache) {
        let folder = tempfile::tempdir().unwrap();
        let disk = DiskCache::new(folder.path().join("chainglass").join("v1"));
        (folder, disk)
    }

    #[test]
    fn body_is_read_as_written() {
        let (_folder, disk) = disk();
        assert_eq!((disk.read(URL), disk.stats().unwrap()), (None, CacheStats::default()));
        for body in [&b"[1]"[..], b"", &vec![0; 100_000]] {
            disk.write(URL, body).unwrap();
            assert_eq!(disk.read(URL).as_deref(), Some(body));
        }
        assert_eq!(disk.read("https://explorer.example/other"), None);
        let bytes = (HEADER_BYTES + URL.len() + 100_000) as u64;
        assert_eq!(disk.stats().unwrap(), CacheStats { files: 1, bytes });
        fs::write(disk.folder.join("notes.txt"), "notes").unwrap();
        assert_eq!(disk.clear().unwrap(), CacheStats { files: 1, bytes });
        assert_eq!((disk.read(URL), disk.stats().unwrap()), (None, CacheStats::default()));
        assert!(disk.folder.join("notes.txt").exists());
    }

    #[test]
    fn corrupted_files_are_ignored_and_replaced() {
        let (_folder, disk) = disk();
        disk.write(URL, b"[1,2,3]").unwrap();
        let good = fs::read(disk.path(URL)).unwrap();
        let mut bad: Vec<Vec<u8>> = (0..good.len()).map(|n| good[..n].to_vec()).collect();
        bad.extend((0..good.len()).map(|n| {
            let mut changed = good.clone();
            changed[n] ^= 1;
            changed
        }));
        bad.push([&good[..], b"x"].concat());
        disk.write("https://explorer.example/other", b"[1,2,3]").unwrap();
        bad.push(fs::read(disk.path("https://explorer.example/other")).unwrap());
        for bad in bad {
            fs::write(disk.path(URL), bad).unwrap();
            assert_eq!(disk.read(URL), None);
        }
        disk.write(URL, b"[4]").unwrap();
        assert_eq!(disk.read(URL).as_deref(), Some(&b"[4]"[..]));
    }

    #[test]
    fn least_recently_used_files_are_evicted_first() {
        let (_folder, mut disk) = disk();
        disk.max_bytes = 8 * DISK_BLOCK_BYTES;
        let url = |n: u64| format!("{URL}/{n}");
        let long_ago = SystemTime::now() - Duration::from_hours(1);
        for n in 0..8 {
            disk.write(&url(n), b"[]").unwrap();
            let file = fs::File::options().write(true).open(disk.path(&url(n))).unwrap();
            file.set_modified(long_ago + Duration::from_secs(n)).unwrap();
        }
        assert_eq!(disk.stats().unwrap().files, 8);
        assert!(disk.read(&url(0)).is_some());
        disk.write(&url(8), b"[]").unwrap();
        let there: Vec<u64> = (0..9).filter(|n| disk.read(&url(*n)).is_some()).collect();
        assert_eq!(there, [0, 3, 4, 5, 6, 7, 8]);
    }

    #[cfg(unix)]
    #[test]
    fn files_are_private_and_links_are_not_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (outside, disk) = disk();
        disk.write(URL, b"[1]").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&disk.folder), mode(&disk.path(URL))), (0o700, 0o600));
        let elsewhere = outside.path().join("elsewhere");
        fs::rename(disk.path(URL), &elsewhere).unwrap();
        symlink(&elsewhere, disk.path(URL)).unwrap();
        assert_eq!(disk.read(URL), None);
        disk.write(URL, b"[2]").unwrap();
        assert!(!disk.path(URL).is_symlink() && elsewhere.exists());
        let link = DiskCache::new(outside.path().join("link"));
        symlink(&disk.folder, &link.folder).unwrap();
        assert_eq!(link.read(URL), None);
        link.write(URL, b"[3]").unwrap_err();
        link.clear().unwrap_err();
        assert_eq!(disk.read(URL).as_deref(), Some(&b"[2]"[..]));
    }
}
