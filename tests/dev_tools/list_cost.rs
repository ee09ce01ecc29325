//! Loads a list of any length into the app, and prints the memory of a row and the longest CPU time that
//! a key or a slice of work took: other programs do not lengthen it.
//!
//! `cargo run --release --example dev_tools -- list-cost [transactions|internal] [ROWS] [--labels] [--json]`,
//! where `--labels` adds 100,000 labels of the user, and the keys that search them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use chainglass::test_api::api::{AddressQuery, ApiError, Query, Reply};
use chainglass::test_api::app::{App, Setup};
use chainglass::test_api::app_message::{ChainRequest, Effect, Msg, RequestId};
use chainglass::test_api::chain::Chains;
use chainglass::test_api::config::AppSettings;
use chainglass::test_api::keymap::Chord;
use chainglass::test_api::user_data::Labels;
use nix::time::{ClockId, clock_gettime};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

const SIZE: Size = Size { width: 120, height: 40 };
const VIEWED: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const PAGE_ROWS: usize = 50;
/// Addresses of other parties, each with a name of its own.
const PARTIES: usize = 5_000;
const FREE_BYTES: u64 = 64 << 30;
const TRANSACTIONS: &str = include_str!("../data/golden/transactions_alice.json");
const INTERNAL: &str = include_str!("../data/golden/internal_factory.json");

/// Keys by their name in the output.
const STEPS: [(&str, &str); 23] = [
    ("down", "j"),
    ("page down", "ctrl-d"),
    ("to the start", "g g"),
    ("to the end", "G"),
    ("search without a hit", "/ n o w h e r e enter"),
    ("search for digits without a hit", "/ 0 x a b c d e f 9 8 7 6 5 4 enter"),
    ("filter without a hit", "& n o w h e r e enter"),
    ("end of the filter", "& enter"),
    ("sort", "o"),
    ("sort the other way", "o"),
    ("copy", "y y"),
    ("server's order", "o"),
    ("sort by a column of amounts", "l l l l l l l o"),
    ("server's order again", "o o"),
    ("export", "x enter"),
    ("search with hits", "/ t r a n s f e r enter"),
    ("next match", "n"),
    ("search with hits in names", "/ c o n t r a c t enter"),
    ("end of the search", "esc"),
    ("filter with hits", "& t r a n s f e r enter"),
    ("filter with hits in names", "& c o n t r a c t enter"),
    ("end of the other filter", "& enter"),
    ("first page again", "r"),
];

/// Steps that parse every row, which takes half a minute each for a million.
const SLOW_STEPS: [&str; 3] = ["export", "search with hits in names", "filter with hits in names"];
/// Most rows with which they are measured.
const MAX_SLOW_ROWS: usize = 200_000;

const LABELS: usize = 100_000;
/// More keys, if there are many labels.
const LABEL_STEPS: [(&str, &str); 6] = [
    ("palette", ":"),
    ("palette, a name", "z o e"),
    ("palette, digits", "backspace backspace backspace 0 x f e 9 8"),
    ("close the palette", "esc"),
    ("prompt for a page, digits", "s 0 x f e 9 8"),
    ("close the prompt", "esc"),
];

struct Cost {
    name: &'static str,
    /// Until everything is searched, filtered or sorted, in CPU time.
    whole: Duration,
    /// The longest time until another key would have been read.
    longest: Duration,
    /// Of the frame after it.
    frame: Duration,
}

/// The CPU time of pages, each until its rows are packed.
#[derive(Default)]
struct LoadingCost {
    /// Means of the first and the last tenth.
    first: Duration,
    last: Duration,
    /// The longest time until a key would have been read.
    longest: Duration,
    /// The number of rows before that page.
    rows: usize,
}

impl LoadingCost {
    fn of(pages: &[[Duration; 2]]) -> Self {
        let tenth = (pages.len() / 10).max(1);
        let mean = |pages: &[[Duration; 2]]| {
            let whole: Duration = pages.iter().map(|[whole, _]| *whole).sum();
            whole / u32::try_from(pages.len()).unwrap_or(1).max(1)
        };
        let longest = (0..).zip(pages).max_by_key(|(_, [_, longest])| *longest);
        let (page, longest) =
            longest.map_or((0, Duration::ZERO), |(page, [_, took])| (page, *took));
        Self {
            first: mean(&pages[..tenth.min(pages.len())]),
            last: mean(&pages[pages.len().saturating_sub(tenth)..]),
            longest,
            rows: page * PAGE_ROWS,
        }
    }
}

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let rows = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(100_000);
    let is_internal = args.iter().any(|arg| arg == "internal");
    let mut list = LoadedList::open(is_internal)?;
    let before = resident()?;
    let started = Instant::now();
    let pages = list.load(rows)?;
    list.press("G")?;
    let loading = started.elapsed();
    let bytes = resident()?.saturating_sub(before) / rows.max(1);
    let has_labels = args.iter().any(|arg| arg == "--labels");
    if has_labels {
        list.label(LABELS);
    }
    let label_steps = LABEL_STEPS.iter().filter(|_| has_labels);
    let steps = STEPS
        .iter()
        .filter(|(name, _)| rows <= MAX_SLOW_ROWS || !SLOW_STEPS.contains(name))
        .chain(label_steps);
    let costs = steps.map(|(name, keys)| list.cost(name, keys));
    let costs = costs.collect::<anyhow::Result<Vec<Cost>>>()?;
    let mut out = std::io::stdout();
    if args.iter().any(|arg| arg == "--json") {
        let micros = |took: Duration| took.as_micros();
        let steps: Vec<String> = costs
            .iter()
            .map(|Cost { name, whole, longest, frame }| {
                let (whole, longest, frame) = (micros(*whole), micros(*longest), micros(*frame));
                format!(
                    r#""{name}":{{"whole_us":{whole},"longest_us":{longest},"frame_us":{frame}}}"#
                )
            })
            .collect();
        let steps = steps.join(",");
        let [start, end, longest] = [pages.first, pages.last, pages.longest].map(micros);
        let pages = format!(
            r#""first_pages_us":{start},"last_pages_us":{end},"longest_page_us":{longest}"#
        );
        writeln!(out, r#"{{"rows":{rows},"bytes_per_row":{bytes},{pages},{steps}}}"#)?;
        return Ok(());
    }
    writeln!(out, "{rows} rows, {bytes} bytes each, loaded in {loading:.1?}")?;
    let LoadingCost { first, last, longest, rows } = pages;
    let page = format!("{first:.1?} at first, {last:.1?} at last");
    writeln!(out, "a page takes {page}, longest {longest:.1?} after {rows} rows")?;
    for Cost { name, whole, longest, frame } in costs {
        writeln!(out, "{name}: {whole:.1?}, longest {longest:.1?}, frame {frame:.1?}")?;
    }
    Ok(())
}

struct LoadedList {
    app: App,
    terminal: Terminal<TestBackend>,
    /// The key of the chain's labels.
    storage_key: String,
    server: PageServer,
    /// The request for the next page.
    next: Option<(RequestId, Query)>,
    rows: usize,
}

struct PageRequest {
    query: Query,
    rows: Range<usize>,
    is_last: bool,
}

type PageReply = Result<Reply, ApiError>;

/// Makes and decodes pages on a thread of its own, as the program's runtime does: the memory of a body
/// is freed there, apart from the packed rows of the app.
struct PageServer {
    requests: Sender<PageRequest>,
    replies: Receiver<PageReply>,
}

impl PageServer {
    /// Starts a server of rows like some samples of JSON.
    fn start(samples: Vec<RowTemplate>) -> Self {
        let (requests, received) = channel::<PageRequest>();
        let (sent, replies) = channel();
        thread::spawn(move || {
            for PageRequest { query, rows, is_last } in received {
                let body = page_json(&samples, rows, is_last);
                if sent.send(query.decode(body.as_bytes(), None)).is_err() {
                    return;
                }
            }
        });
        Self { requests, replies }
    }

    fn request(&self, request: PageRequest) -> anyhow::Result<()> {
        Ok(self.requests.send(request)?)
    }

    /// Returns the answer to the first request without one, and makes the next one meanwhile.
    fn answer(&self, next: Option<PageRequest>) -> anyhow::Result<PageReply> {
        let reply = self.replies.recv()?;
        next.map_or(Ok(()), |next| self.requests.send(next))?;
        Ok(reply)
    }
}

fn page_json(samples: &[RowTemplate], rows: Range<usize>, is_last: bool) -> String {
    let (start, end) = (rows.start, rows.end);
    let mut body = String::from("{\"items\":[");
    for n in rows {
        body.push_str(if n == start { "" } else { "," });
        samples[n % samples.len()].append(n, &mut body);
    }
    let next = if is_last { "null".into() } else { format!(r#"{{"block_number":{end}}}"#) };
    body + &format!(r#"],"next_page_params":{next}}}"#)
}

/// A row of JSON with places for what each row has of its own.
struct RowTemplate {
    /// The text before each place.
    parts: Vec<(String, RowPlace)>,
    rest: String,
}

#[derive(Clone, Copy)]
enum RowPlace {
    Hash,
    Block,
    Value,
    Index,
    Party,
    PartyName,
}

/// Places in the JSON of a template.
const PLACES: [(&str, RowPlace); 6] = [
    ("\"<hash>\"", RowPlace::Hash),
    ("\"<block>\"", RowPlace::Block),
    ("\"<value>\"", RowPlace::Value),
    ("\"<index>\"", RowPlace::Index),
    ("\"<party>\"", RowPlace::Party),
    ("\"<name>\"", RowPlace::PartyName),
];

impl RowTemplate {
    fn new(sample: &serde_json::Value) -> Self {
        let mut json = sample.clone();
        let key = if json.get("transaction_hash").is_some() { "transaction_hash" } else { "hash" };
        for (key, place) in [
            (key, "<hash>"),
            ("block_number", "<block>"),
            ("value", "<value>"),
            ("index", "<index>"),
        ] {
            json[key] = place.into();
        }
        if json["to"].is_object() {
            (json["to"]["hash"], json["to"]["name"]) = ("<party>".into(), "<name>".into());
        }
        let (mut rest, mut parts) = (json.to_string(), Vec::new());
        let next = |rest: &str| {
            let found =
                PLACES.iter().filter_map(|(text, place)| Some((rest.find(text)?, text, place)));
            found.min_by_key(|(at, ..)| *at).map(|(at, text, place)| (at, at + text.len(), *place))
        };
        while let Some((at, end, place)) = next(&rest) {
            parts.push((rest[..at].to_owned(), place));
            rest.drain(..end);
        }
        Self { parts, rest }
    }

    /// Appends a row with its own hash, block, amount and other party.
    fn append(&self, n: usize, out: &mut String) {
        let party = n.wrapping_mul(7_919) % PARTIES;
        for (text, place) in &self.parts {
            out.push_str(text);
            // Writing to a string cannot fail.
            let _ = match place {
                RowPlace::Hash => write!(out, "\"0x{}\"", digits(n)),
                RowPlace::Block => write!(out, "{}", 20_000_000 - n),
                RowPlace::Value => write!(out, "\"{}\"", n as u64 * 1_000_003_777_123),
                RowPlace::Index => write!(out, "{}", n % 97),
                RowPlace::Party => {
                    write!(out, "\"0x{:040x}\"", party as u128 * 0x1_0000_0001_0000_0001)
                }
                RowPlace::PartyName => write!(out, "\"Contract {party}\""),
            };
        }
        out.push_str(&self.rest);
    }
}

/// Returns the digits of the hash of a row.
fn digits(n: usize) -> String {
    const SALT: u64 = 0x1234_5677;
    let seed = (n as u64 + 1).wrapping_mul(SALT).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..4).fold(String::new(), |hex, part| {
        hex + &format!("{:016x}", seed.rotate_left(part * 13).wrapping_mul(SALT))
    })
}

impl LoadedList {
    fn open(is_internal: bool) -> anyhow::Result<Self> {
        let network = Chains::default().network_at(&"http://127.0.0.1:1".parse()?);
        let storage_key = network.storage_key();
        let mut app = App::new(Setup {
            network,
            now: "2023-11-15T00:00:00Z".parse()?,
            settings: AppSettings {
                remembers_recents: false,
                fetches_contract_names: false,
                ..AppSettings::default()
            },
            ..Setup::default()
        });
        let started = app.start(SIZE, VIEWED.parse().ok());
        let terminal = Terminal::new(TestBackend::new(SIZE.width, SIZE.height))?;
        let body = if is_internal { INTERNAL } else { TRANSACTIONS };
        let body: serde_json::Value = serde_json::from_str(body)?;
        let samples = body["items"].as_array().context("items")?;
        let samples = samples.iter().map(RowTemplate::new).collect();
        let mut list = Self {
            app,
            terminal,
            storage_key,
            server: PageServer::start(samples),
            next: None,
            rows: 0,
        };
        list.take(started)?;
        if is_internal {
            list.next = None;
            list.press("2")?;
        }
        list.next.as_ref().context("no list requested")?;
        Ok(list)
    }

    /// Takes note of the request for a page, and answers questions about the memory.
    fn take(&mut self, effects: Vec<Effect>) -> anyhow::Result<()> {
        for effect in effects {
            match effect {
                Effect::Request { id, request: ChainRequest::Fetch { query, .. }, .. } => {
                    use AddressQuery::{InternalTransactions, Transactions};
                    if let Query::Address(_, Transactions { .. } | InternalTransactions { .. }) =
                        query
                    {
                        self.next = Some((id, query));
                    }
                }
                Effect::StartTimer(id, _) if self.next.is_none() => {
                    let effects = self.app.update(Msg::TimerFired(id));
                    self.take(effects)?;
                }
                Effect::MeasureMemory => {
                    let effects = self.app.update(Msg::FreeMemory(FREE_BYTES));
                    self.take(effects)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn load(&mut self, rows: usize) -> anyhow::Result<LoadingCost> {
        let mut pages = Vec::new();
        let query = self.next.as_ref().map(|(_, query)| query.clone()).context("no list")?;
        let page_from = |start: usize| {
            let end = rows.min(start + PAGE_ROWS);
            let page = PageRequest { query: query.clone(), rows: start..end, is_last: end == rows };
            Some(page).filter(|_| start < end)
        };
        self.server.request(page_from(0).context("no rows")?)?;
        while self.rows < rows {
            if self.next.is_none() {
                self.press("G G")?;
            }
            let (id, query) = self.next.take().context("no page requested")?;
            self.rows = rows.min(self.rows + PAGE_ROWS);
            let reply = self.server.answer(page_from(self.rows))?;
            let started = cpu_time()?;
            let effects = self.app.update(Msg::Fetched { id, query, reply });
            let mut longest = cpu_time()?.saturating_sub(started);
            self.take(effects)?;
            self.finish_slices(&mut longest)?;
            pages.push([cpu_time()?.saturating_sub(started), longest]);
        }
        Ok(LoadingCost::of(&pages))
    }

    fn label(&mut self, labels: usize) {
        let rows = (1..=labels as u128).map(|n| {
            let low = n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            format!("0x{:08x}{low:032x},Friend {n}\n", low >> 96)
        });
        let file = format!("address,name\n{}", rows.collect::<String>());
        let (key, labels) = (self.storage_key.clone(), Ok(Labels::from_csv(&file).into()));
        self.app.update(Msg::LabelsLoaded { key, labels });
    }

    fn press(&mut self, keys: &str) -> anyhow::Result<Duration> {
        let mut longest = Duration::ZERO;
        for key in keys.split(' ') {
            for key in key.parse::<Chord>()?.0 {
                let started = cpu_time()?;
                let effects = self.app.update(Msg::Key(key));
                longest = longest.max(cpu_time()?.saturating_sub(started));
                self.take(effects)?;
            }
        }
        self.finish_slices(&mut longest)?;
        Ok(longest)
    }

    /// Ticks until no pane has unfinished work, as the event loop does.
    fn finish_slices(&mut self, longest: &mut Duration) -> anyhow::Result<()> {
        let now = "2023-11-15T00:00:00Z".parse()?;
        while self.app.tick_interval() == Some(Duration::ZERO) {
            let started = cpu_time()?;
            let effects = self.app.update(Msg::Tick(now));
            *longest = (*longest).max(cpu_time()?.saturating_sub(started));
            self.take(effects)?;
        }
        Ok(())
    }

    fn cost(&mut self, name: &'static str, keys: &str) -> anyhow::Result<Cost> {
        let started = cpu_time()?;
        let mut longest = self.press(keys)?;
        if let Some((id, query)) = self.next.take() {
            let page = PageRequest { query: query.clone(), rows: 0..PAGE_ROWS, is_last: false };
            self.server.request(page)?;
            let reply = self.server.answer(None)?;
            let started = cpu_time()?;
            let effects = self.app.update(Msg::Fetched { id, query, reply });
            longest = longest.max(cpu_time()?.saturating_sub(started));
            self.take(effects)?;
            self.finish_slices(&mut longest)?;
        }
        let whole = cpu_time()?.saturating_sub(started);
        let started = cpu_time()?;
        self.terminal.draw(|frame| {
            self.app.view(frame.buffer_mut());
        })?;
        Ok(Cost { name, whole, longest, frame: cpu_time()?.saturating_sub(started) })
    }
}

/// CPU time of this thread.
pub(super) fn cpu_time() -> anyhow::Result<Duration> {
    Ok(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?.into())
}

/// This process's resident memory in bytes.
fn resident() -> anyhow::Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    let kilobytes: usize = line.split_whitespace().nth(1).context("no number")?.parse()?;
    Ok(kilobytes * 1024)
}
