//! Imitations that the look-alike guard finds, and real addresses that it marks, in numbers: every order
//! of real and poisoned rows, over loaded and unloaded pages.

use chainglass::test_api::api::{AddressQuery, Query, Reply};
use chainglass::test_api::chain::Address;
use chainglass::test_api::columns::ListRow;
use chainglass::test_api::safety::{Evidence, KnownAddresses};

use super::session::ALICE;

const REAL: &str = "14dc79964da2c08b23698b3d3cc7ca32193d9955";
const TOKEN: &str = "5fbdb2315678afecb367f032d93f642f64180aa3";
const FAKE_TOKEN: &str = "e7f1725e7734ce288f8367e1bb143e90bb3f0512";

/// The rows of one event, in the list of transactions and in that of token transfers.
type Event = [Vec<(Address, Evidence)>; 2];

/// Dealings of the viewed address with the real one.
const PAYMENTS: [&str; 4] = ["coins sent", "tokens sent", "coins received", "tokens received"];
/// Ways of the imitation into the history. The last ones need a signature of the viewed address.
const POISONS: [&str; 9] = [
    "zero value sent",
    "zero value with id sent",
    "counterfeit token sent",
    "counterfeit token with another name sent",
    "token dust received",
    "coin dust received",
    "transfer of a fake token signed",
    "failing transfer of a fake token signed",
    "call of the imitation signed",
];
/// The number of equal digits at the start and at the end.
const ENDS: [(u32, u32); 8] = [(3, 4), (4, 3), (4, 4), (3, 6), (6, 3), (5, 5), (6, 6), (20, 19)];
/// The orders of two real rows and two poisoned ones, the newest first.
const ORDERS: [[bool; 4]; 6] = [
    [true, true, false, false],
    [true, false, true, false],
    [true, false, false, true],
    [false, true, true, false],
    [false, true, false, true],
    [false, false, true, true],
];

fn alice() -> Address {
    ALICE.parse().unwrap()
}

fn address(digits: &str) -> Address {
    format!("0x{digits}").parse().unwrap()
}

/// Returns an address that shares exactly `first` and `last` digits with the real one.
fn imitation((first, last): (u32, u32)) -> String {
    let digits = (0..).zip(REAL.chars().map(|digit| digit.to_digit(16).unwrap()));
    let made = digits.map(|(at, digit)| match at {
        at if at < first || at >= 40 - last => digit,
        at => digit ^ (1 + at % 15),
    });
    made.map(|digit| char::from_digit(digit, 16).unwrap()).collect()
}

fn rows<T: ListRow>(query: &Query, item: &str) -> Vec<(Address, Evidence)> {
    let body = format!(r#"{{"items":[{item}],"next_page_params":null}}"#);
    let reply: Reply = query.decode(body.as_bytes(), None).unwrap();
    let items = reply.page::<T>().unwrap().items;
    items.iter().flat_map(|item| item.parsed.as_ref().unwrap().evidence(Some(alice()))).collect()
}

fn transaction(
    [from, to]: [&str; 2],
    [status, value, input]: [&str; 3],
) -> Vec<(Address, Evidence)> {
    let query = Query::Address(alice(), AddressQuery::Transactions { direction: None });
    let item = format!(
        r#"{{"hash":"0x{:064x}","status":"{status}","block_number":1,"from":{{"hash":"0x{from}"}},
        "to":{{"hash":"0x{to}"}},"value":"{value}","raw_input":"0x{input}"}}"#,
        1
    );
    rows::<chainglass::test_api::api::Transaction>(&query, &item)
}

fn transfer([from, to]: [&str; 2], [token, symbol, total]: [&str; 3]) -> Vec<(Address, Evidence)> {
    let query = Query::Address(
        alice(),
        AddressQuery::TokenTransfers { types: vec![], direction: None, token: None },
    );
    let item = format!(
        r#"{{"transaction_hash":"0x{:064x}","log_index":1,"from":{{"hash":"0x{from}"}},
        "to":{{"hash":"0x{to}"}},"token":{{"address_hash":"0x{token}","symbol":"{symbol}"}},
        "total":{{{total}}},"type":"token_transfer"}}"#,
        1
    );
    rows::<chainglass::test_api::api::TokenTransfer>(&query, &item)
}

/// A payment of coins: its outcome, value and input.
const COINS: [&str; 3] = ["ok", "1", ""];

/// Returns the calldata of a transfer of tokens.
fn transfer_input(recipient: &str) -> String {
    format!("a9059cbb{:024}{recipient}{:064x}", 0, 5)
}

fn payment(kind: &str) -> Event {
    let alice = &ALICE[2..];
    let genuine = [TOKEN, "USDC", r#""value":"5""#];
    match kind {
        "coins sent" => [transaction([alice, REAL], COINS), vec![]],
        "tokens sent" => {
            let call = transaction([alice, TOKEN], ["ok", "0", &transfer_input(REAL)]);
            [call, transfer([alice, REAL], genuine)]
        }
        "coins received" => [transaction([REAL, alice], COINS), vec![]],
        _ => [vec![], transfer([REAL, alice], genuine)],
    }
}

fn poison(kind: &str, made: &str) -> Event {
    let alice = &ALICE[2..];
    let logged = || transfer([alice, made], [FAKE_TOKEN, "WETH", r#""value":"5""#]);
    let signed = |to, outcome: &str, input: &str| {
        [transaction([alice, to], [outcome, "0", input]), logged()]
    };
    let rows = match kind {
        "zero value sent" => transfer([alice, made], [TOKEN, "USDC", r#""value":"0""#]),
        "zero value with id sent" => {
            transfer([alice, made], [TOKEN, "ITEM", r#""value":"0","token_id":"7""#])
        }
        "counterfeit token sent" => {
            transfer([alice, made], [FAKE_TOKEN, "USD\u{421}", r#""value":"5""#])
        }
        "token dust received" => transfer([made, alice], [TOKEN, "USDC", r#""value":"1""#]),
        "coin dust received" => return [transaction([made, alice], COINS), vec![]],
        "transfer of a fake token signed" => {
            return signed(FAKE_TOKEN, "ok", &transfer_input(made));
        }
        "failing transfer of a fake token signed" => {
            return signed(FAKE_TOKEN, "error", &transfer_input(made));
        }
        "call of the imitation signed" => return signed(made, "ok", "4e71d92d"),
        _ => logged(),
    };
    [vec![], rows]
}

/// Marks in the histories in which both addresses are loaded.
#[derive(Debug, Default, PartialEq, Eq)]
struct Marks {
    only_imitation: u32,
    both: u32,
    only_real: u32,
    none: u32,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Figures {
    /// In a loaded transaction the viewed address pays coins to the real one.
    paid: Marks,
    undecided: Marks,
    only_one_loaded: u32,
}

impl Marks {
    fn count(&mut self, known: &KnownAddresses, made: &Address) {
        let find = |address| known.find_lookalike(address, &KnownAddresses::default());
        match (find(&address(REAL)), find(made)) {
            (None, Some(_)) => self.only_imitation += 1,
            (Some(_), Some(_)) => self.both += 1,
            (Some(_), None) => self.only_real += 1,
            (None, None) => self.none += 1,
        }
    }
}

/// A payment and a poisoning, and the address that imitates the real one.
struct Attack {
    real: Event,
    is_paid: bool,
    poison: Event,
    made: Address,
}

impl Attack {
    fn all(ends: (u32, u32)) -> impl Iterator<Item = Self> {
        let of_payment = move |kind: &'static str| {
            POISONS.into_iter().map(move |poisoning| {
                let made = imitation(ends);
                Self {
                    real: payment(kind),
                    is_paid: kind == "coins sent",
                    poison: poison(poisoning, &made),
                    made: address(&made),
                }
            })
        };
        PAYMENTS.into_iter().flat_map(of_payment)
    }

    /// Looks both addresses up where the pages in `loaded` are there, one event a page, in the list
    /// of transactions (0) and in that of token transfers (1).
    fn count(&self, order: [bool; 4], loaded: u32, tabs: &[usize], figures: &mut Figures) {
        let mut known = KnownAddresses::new(Some(alice()));
        let mut is_loaded = [false; 2];
        for (page, is_real) in order.into_iter().enumerate() {
            let event = if is_real { &self.real } else { &self.poison };
            for rows in tabs.iter().map(|tab| &event[*tab]).filter(|_| loaded & 1 << page != 0) {
                let listed = if is_real { address(REAL) } else { self.made };
                is_loaded[usize::from(!is_real)] |= rows.iter().any(|(party, _)| *party == listed);
                for (address, evidence) in rows {
                    known.add(*address, *evidence);
                }
            }
        }
        match is_loaded {
            [true, true] if self.is_paid && tabs.contains(&0) => {
                figures.paid.count(&known, &self.made);
            }
            [true, true] => figures.undecided.count(&known, &self.made),
            _ => figures.only_one_loaded += 1,
        }
    }
}

fn figures(ends: &[(u32, u32)]) -> Figures {
    let mut figures = Figures::default();
    for attack in ends.iter().flat_map(|ends| Attack::all(*ends)) {
        for (order, loaded) in ORDERS.into_iter().flat_map(|order| (0..16).map(move |l| (order, l)))
        {
            for tabs in [&[0, 1][..], &[1], &[0]] {
                attack.count(order, loaded, tabs, &mut figures);
            }
        }
    }
    figures
}

#[test]
fn every_imitation_is_marked_and_no_real_address_alone() {
    let expected = Figures {
        paid: Marks { only_imitation: 5_184, ..Marks::default() },
        undecided: Marks { both: 21_168, ..Marks::default() },
        only_one_loaded: 56_592,
    };
    assert_eq!(figures(&ENDS), expected);
}

#[test]
fn six_equal_digits_are_too_few() {
    let found = figures(&[(3, 3)]);
    let none = |none| Marks { none, ..Marks::default() };
    assert_eq!((found.paid, found.undecided), (none(648), none(2_646)));
}

/// Marsaglia's xorshift, for the same addresses in each run.
fn random_address(state: &mut u64) -> Address {
    let mut bytes = [0; 20];
    for byte in &mut bytes {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *byte = state.to_be_bytes()[0];
    }
    Address::from(bytes)
}

/// Returns how many of `count` unrelated addresses are marked in one history.
fn false_alarms(count: usize, state: &mut u64) -> usize {
    let all: Vec<Address> = (0..count).map(|_| random_address(state)).collect();
    let mut known = KnownAddresses::new(Some(alice()));
    for address in &all {
        known.add(*address, Evidence::Seen);
    }
    let is_marked =
        |address: &&Address| known.find_lookalike(address, &KnownAddresses::default()).is_some();
    all.iter().filter(is_marked).count()
}

#[test]
fn unrelated_addresses_are_hardly_ever_marked() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let short: usize = (0..200).map(|_| false_alarms(1_000, &mut state)).sum();
    let long: usize = (0..10).map(|_| false_alarms(10_000, &mut state)).sum();
    assert_eq!((short, long), (4, 10), "of 200,000 and 100,000");
}
