//! Address poisoning on the screen: what is marked, said and asked before copying.

use chainglass::test_api::api::{AddressQuery, ApiError, Cursor, Query, TransactionQuery};

use super::session::{ALICE, Session, size};

pub(crate) const POISON: &str = "0x14DC7a0b1c2D3E4f5061728394A5b6c7d8E99955";
pub(crate) const REAL: &str = "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955";
const TOKEN: &str = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const FAKE_TOKEN: &str = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";
const EMPTY: &str = r#"{"items":[],"next_page_params":null}"#;
const UNDECIDED: &str = "one of the two is an";

/// Returns the transaction in which the viewed address pays coin to the real address.
fn signed_payment() -> String {
    format!(
        r#"{{"hash":"0x{:064x}","status":"ok","block_number":10,"from":{{"hash":"{ALICE}"}},
        "to":{{"hash":"{REAL}"}},"value":"5","raw_input":"0x"}}"#,
        1
    )
}

/// Returns a transaction `n` of the viewed address that calls `transfer` of a token of anyone.
fn signed_transfer(n: u8, recipient: &str, [status, block]: [&str; 2]) -> String {
    let recipient = recipient.trim_start_matches("0x").to_lowercase();
    format!(
        r#"{{"hash":"0x{n:064x}","status":{status},"block_number":{block},"from":{{"hash":"{ALICE}"}},
        "to":{{"hash":"{FAKE_TOKEN}","is_contract":true}},"value":"0",
        "raw_input":"0xa9059cbb{:024}{recipient}{:064x}"}}"#,
        0, 5
    )
}

/// Returns a token transfer of the transaction `n`. An amount is `"value":"1"`, with an id or not.
fn transfer(n: u8, [from, to]: [&str; 2], amount: &str) -> String {
    format!(
        r#"{{"transaction_hash":"0x{n:064x}","log_index":{n},"block_number":{n},"from":{{"hash":"{from}"}},
        "to":{{"hash":"{to}"}},"token":{{"address_hash":"{TOKEN}","symbol":"USDC","decimals":"6"}},
        "total":{{{amount}}},"type":"token_transfer"}}"#
    )
}

/// Returns the screen without line breaks.
fn words(session: &Session) -> String {
    session.content().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn page(items: &[String]) -> String {
    format!(r#"{{"items":[{}],"next_page_params":null}}"#, items.join(","))
}

pub(crate) fn poisoned_transfers(
    kind: &'static str,
) -> impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> {
    move |query, _| match (query, kind) {
        (Query::Address(_, AddressQuery::TokenTransfers { .. }), "tiny") => {
            Ok(include_str!("../data/address_poisoning/tiny.json").into())
        }
        (Query::Address(_, AddressQuery::TokenTransfers { .. }), "zero_value") => {
            Ok(include_str!("../data/address_poisoning/zero_value.json").into())
        }
        (Query::Address(_, AddressQuery::TokenTransfers { .. }), _) => {
            Ok(include_str!("../data/address_poisoning/counterfeit.json").into())
        }
        (Query::Address(_, AddressQuery::Transactions { .. }), _) => Ok(page(&[signed_payment()])),
        _ => Ok(EMPTY.into()),
    }
}

#[tokio::test]
async fn address_poisoning_is_flagged_and_copy_guarded() {
    for (kind, warning) in [
        ("tiny", "differs at characters 6–36"),
        ("zero_value", "a transfer of 0"),
        ("counterfeit", "imitates USDC with look-alike letters"),
    ] {
        let mut session = Session::canned(size(140, 30), ALICE, poisoned_transfers(kind)).await;
        session.keys("3").await;
        let screen = session.screen();
        assert!(screen.contains("!0x14DC"), "{kind}: the row is marked\n{screen}");
        assert!(screen.contains(warning), "{kind}: the reason is there\n{screen}");

        assert_eq!(
            screen.matches("!0x").count(),
            1,
            "{kind}: the real one is not marked\n{screen}"
        );
        session.keys("y a").await;
        assert_eq!(session.copied(), None, "{kind}: not at once");
        assert!(
            session.screen().contains("Look-alike address: copy anyway?"),
            "{}",
            session.screen()
        );
        session.keys("esc y a enter").await;
        assert_eq!(session.copied(), Some(POISON), "{kind}: with a second key");
        session.keys("j y a").await;
        assert_eq!(session.copied(), Some(REAL), "{kind}");
    }
}

#[tokio::test]
async fn poisoned_detail_is_flagged_and_copy_guarded() {
    let mut poison = poisoned_transfers("tiny");
    let mut session = Session::canned(size(140, 30), ALICE, move |query, cursor| match query {
        Query::Transaction(hash, TransactionQuery::Details) => {
            Ok(format!(r#"{{"hash":"{hash}","status":"ok","from":{{"hash":"{POISON}"}},"to":{{"hash":"{ALICE}"}}}}"#))
        }
        _ => poison(query, cursor),
    })
    .await;
    session.keys("3 enter").await;
    let screen = session.screen();
    assert!(
        screen.contains("! look-alike") && screen.contains("differs at characters 6–36"),
        "{screen}"
    );
    assert!(screen.contains(&format!("!{POISON}")), "on its own line\n{screen}");
    assert!(!screen.contains(&format!("!{REAL}")) && !screen.contains("!!"), "{screen}");
    session.keys("y a").await;
    assert_eq!(session.copied(), None, "copying the look-alike needs confirmation");
    assert!(session.screen().contains("Look-alike address: copy anyway?"), "{}", session.screen());
    session.keys("enter").await;
    assert_eq!(session.copied(), Some(POISON));
}

#[tokio::test]
async fn flagged_row_guards_every_address() {
    let mut session =
        Session::canned(size(140, 30), ALICE, poisoned_transfers("counterfeit")).await;
    session.keys("3 y t").await;
    assert_eq!(session.copied(), None);
    let screen = session.screen();
    assert!(screen.contains("Suspicious row: copy anyway?"), "{screen}");
    let footer = screen.lines().last().unwrap();
    assert!(footer.contains("Enter copy") && footer.contains("Esc back"), "{screen}");
    session.keys("enter").await;
    assert_eq!(session.copied(), Some(FAKE_TOKEN));
}

#[tokio::test]
async fn distinct_addresses_abbreviate_differently() {
    let mut session = Session::canned(size(80, 24), ALICE, poisoned_transfers("tiny")).await;
    session.keys("3").await;
    let screen = session.screen();
    let rows: Vec<&str> = screen.lines().skip(5).take(2).collect();
    let shown = |line: &str| {
        line.split_whitespace().find(|w| w.to_lowercase().contains("0x14d")).map(str::to_lowercase)
    };
    assert!(shown(rows[0]).is_some() && shown(rows[1]).is_some(), "{screen}");
    assert_ne!(shown(rows[0]).map(|s| s.replace('!', "")), shown(rows[1]), "{screen}");
}

#[tokio::test]
async fn name_alone_tells_addresses_apart() {
    let payees = [("11", "Vault"), ("22", "Vault"), ("33", "Router")];
    let mut payees =
        payees.map(|(digits, name)| (format!("0x{}", digits.repeat(20)), name)).to_vec();
    let shown = async |payees: &[(String, &str)]| {
        let rows = (1..).zip(payees).map(|(n, (to, name))| {
            let named = format!(r#""{to}","name":"{name}""#);
            transfer(n, [ALICE, to], r#""value":"1""#).replace(&format!(r#""{to}""#), &named)
        });
        let rows = page(&rows.collect::<Vec<_>>());
        let mut session = Session::canned(size(44, 24), ALICE, move |query, _| match query {
            Query::Address(_, AddressQuery::TokenTransfers { .. }) => Ok(rows.clone()),
            _ => Ok(EMPTY.into()),
        })
        .await;
        session.keys("3").await;
        session.screen()
    };
    let screen = shown(&payees).await;
    for name in ["Vault·1111 ", "Vault·2222 ", "Router "] {
        assert!(screen.contains(name), "{screen}");
    }
    assert!(!screen.contains("0x3333…3333"), "{screen}");

    payees.push((format!("0x1111{}", "44".repeat(18)), "Vault"));
    let screen = shown(&payees).await;
    for name in ["0x1111…1111", "0x1111…4444", "Vault·2222 "] {
        assert!(screen.contains(name), "the first digits are the same\n{screen}");
    }
}

/// The page of the first real payment is not loaded, and an unsigned transfer to the imitation is
/// older than the loaded payments.
fn turned_round() -> impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> {
    let amount = r#""value":"5000000","decimals":"6""#;
    move |query, _| match query {
        Query::Address(_, AddressQuery::TokenTransfers { .. }) => {
            Ok(page(&[transfer(9, [ALICE, REAL], amount), transfer(7, [ALICE, POISON], amount)]))
        }
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&[signed_payment()])),
        _ => Ok(EMPTY.into()),
    }
}

#[tokio::test]
async fn earlier_of_two_logs_does_not_vouch_for_the_imitation() {
    let mut all = turned_round();
    let mut session = Session::canned(size(140, 30), ALICE, move |query, cursor| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(EMPTY.into()),
        _ => all(query, cursor),
    })
    .await;
    session.keys("3").await;
    let screen = words(&session);
    assert_eq!(screen.matches("!0x").count(), 2, "both are marked\n{screen}");
    for way in ["differs at characters 6–36", UNDECIDED, "label the one you know"] {
        assert!(screen.contains(way), "{screen}");
    }
    session.keys("y a").await;
    assert_eq!(session.copied(), None, "neither is copied at once");
}

#[tokio::test]
async fn signed_payment_decides_which_is_the_imitation() {
    let mut session = Session::canned(size(140, 30), ALICE, turned_round()).await;
    session.keys("3 y a").await;
    assert_eq!(session.copied(), Some(REAL), "{}", session.screen());
    session.keys("j").await;
    let screen = words(&session);
    assert_eq!(screen.matches("!0x").count(), 1, "{screen}");
    assert!(screen.contains("which you paid in 0x000") && !screen.contains(UNDECIDED));
    session.keys("y a").await;
    assert!(session.screen().contains("Look-alike address: copy anyway?"), "{}", session.screen());
}

/// Returns the screen of the transfers from the viewed address to both, after a list of transactions.
async fn transfers_after(transactions: Vec<String>) -> Session {
    let mut all = turned_round();
    let mut session = Session::canned(size(140, 30), ALICE, move |query, cursor| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&transactions)),
        _ => all(query, cursor),
    })
    .await;
    session.keys("3").await;
    session
}

#[tokio::test]
async fn signature_on_calldata_does_not_vouch_for_its_recipient() {
    const MINED: [&str; 2] = [r#""ok""#, "10"];
    let unpaid = signed_payment().replace(r#""value":"5""#, r#""value":"0""#);
    let poison_called = unpaid.replace(REAL, POISON);
    for transactions in [
        vec![signed_transfer(1, POISON, MINED)],
        vec![signed_transfer(1, REAL, MINED)],
        vec![signed_transfer(1, POISON, MINED), signed_transfer(2, REAL, MINED)],
        vec![poison_called],
        vec![unpaid],
    ] {
        let mut session = transfers_after(transactions.clone()).await;
        let screen = words(&session);
        assert_eq!(screen.matches("!0x").count(), 2, "both: {transactions:?}\n{screen}");
        session.keys("y a").await;
        assert_eq!(session.copied(), None, "{transactions:?}");
        session.keys("esc j y a").await;
        assert_eq!(session.copied(), None, "{transactions:?}");
        assert!(words(&session).contains(UNDECIDED), "{}", session.screen());
        assert!(!words(&session).contains("you paid"), "{}", session.screen());
    }
    let mut session = transfers_after(vec![signed_transfer(1, POISON, MINED)]).await;
    let named = "which your calldata in 0x0000000000000000";
    assert!(words(&session).contains(named), "{}", session.screen());
    session.keys("q").await;

    let session = transfers_after(vec![signed_transfer(2, POISON, MINED), signed_payment()]).await;
    assert_eq!(words(&session).matches("!0x").count(), 1, "a payment decides");
    assert!(words(&session).contains("0x14dC79964da2C08b23698B3D3cc7Ca32193d9955"));
}

#[tokio::test]
async fn transaction_that_did_nothing_does_not_vouch() {
    for outcome in [[r#""error""#, "10"], [r#""error""#, "null"], ["null", "null"], ["7", "10"]] {
        let [status, block] = outcome;
        let paid = signed_payment().replace(REAL, POISON).replace(
            r#""status":"ok","block_number":10"#,
            &format!(r#""status":{status},"block_number":{block}"#),
        );
        for transaction in [signed_transfer(1, POISON, outcome), paid] {
            let session = transfers_after(vec![transaction.clone()]).await;
            let screen = words(&session);
            assert_eq!(screen.matches("!0x").count(), 2, "{transaction}\n{screen}");
            assert!(!screen.contains("you paid") && !screen.contains("you signed"), "{screen}");
            let session = transfers_after(vec![signed_payment(), transaction.clone()]).await;
            let screen = words(&session);
            assert_eq!(screen.matches("!0x").count(), 1, "{transaction}\n{screen}");
        }
    }
}

#[tokio::test]
async fn label_decides_which_is_the_imitation() {
    let mut all = turned_round();
    let mut session = Session::canned(size(140, 30), ALICE, move |query, cursor| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(EMPTY.into()),
        _ => all(query, cursor),
    })
    .await;
    session.keys("3 l a").await;
    session.type_text("Bob").await;
    session.keys("y a").await;
    assert_eq!(session.copied(), Some(REAL), "{}", session.screen());
    session.keys("j").await;
    let screen = words(&session);
    assert!(screen.contains("which you labelled or watch"), "{screen}");
    session.keys("s").await;
    session.type_text(POISON).await;
    let header = format!("! differs at characters 6–36 from {REAL}");
    assert!(words(&session).contains(&header), "its own page says so\n{}", session.screen());

    // A label on the wrong one is moved.
    session.keys("a enter").await;
    let screen = words(&session);
    assert!(screen.contains("«Bob»") && !screen.contains("! differs"), "{screen}");
    session.keys("s").await;
    session.type_text(REAL).await;
    let header = format!("! differs at characters 6–36 from {POISON}");
    assert!(words(&session).contains(&header), "{}", session.screen());
}

#[tokio::test]
async fn transfer_of_nothing_with_an_id_is_named() {
    let amount = r#""value":"0","token_id":"7""#;
    let mut session = Session::canned(size(140, 30), ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::TokenTransfers { .. }) => {
            Ok(page(&[transfer(7, [ALICE, POISON], amount)]))
        }
        _ => Ok(EMPTY.into()),
    })
    .await;
    session.keys("3").await;
    let screen = words(&session);
    assert!(screen.contains("a transfer of 0: any contract can log one"), "{screen}");
    assert!(screen.contains("!0 ◆▲ USDC #7"), "{screen}");
}

#[tokio::test]
async fn page_of_a_transaction_marks_the_parties_of_its_transfers() {
    let hash = format!("0x{:064x}", 1);
    let amount = r#""value":"5000000","decimals":"6""#;
    let transfers =
        [transfer(1, [ALICE, REAL], amount), transfer(1, [ALICE, POISON], amount)].join(",");
    let own = signed_payment().replacen('{', &format!(r#"{{"token_transfers":[{transfers}],"#), 1);
    let answers = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(own.clone()),
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&[signed_payment()])),
        _ => Ok(EMPTY.into()),
    };
    let mut direct = Session::canned(size(140, 60), &hash, answers.clone()).await;
    let screen = words(&direct);
    assert_eq!(screen.matches("! look-alike").count(), 2, "nothing decides\n{screen}");
    assert!(screen.contains(UNDECIDED), "{screen}");
    direct.keys("q").await;

    let mut session = Session::canned(size(140, 60), ALICE, answers).await;
    session.keys("enter").await;
    let screen = words(&session);
    assert_eq!(screen.matches("! look-alike").count(), 1, "{screen}");
    assert!(screen.contains(&format!("{POISON} differs")), "the address signed it\n{screen}");
}

#[tokio::test]
async fn trace_marks_the_parties_of_a_call() {
    let trace = format!(
        r#"[{{"type":"call","action":{{"callType":"call","from":"{ALICE}","gas":"0x10","input":"0x",
        "to":"{POISON}","value":"0x1"}},"result":{{"gasUsed":"0x0","output":"0x"}},"subtraces":0,
        "traceAddress":[]}}]"#
    );
    let mut session = Session::canned(size(140, 60), ALICE, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(signed_payment()),
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&[signed_payment()])),
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(trace.clone()),
        _ => Ok(EMPTY.into()),
    })
    .await;
    session.keys("enter 2").await;
    let screen = words(&session);
    assert!(
        screen.contains(&format!("! look-alike {POISON} differs at characters 6–36")),
        "{screen}"
    );
}

#[tokio::test]
async fn visited_imitation_is_not_copied_from_the_start_page_at_once() {
    let mut session = Session::canned(size(140, 30), "", |_, _| Ok(EMPTY.into())).await;
    for target in [REAL, POISON] {
        session.keys("s").await;
        session.type_text(target).await;
        session.keys("esc").await;
    }
    session.keys("y y").await;
    assert_eq!(session.copied(), None);
    assert!(session.screen().contains("Look-alike address: copy anyway?"), "{}", session.screen());
    session.keys("enter").await;
    assert_eq!(session.copied(), Some(POISON));
}

#[tokio::test]
async fn text_of_an_explorer_cannot_write_the_marks_of_labels() {
    const FORGED: &str = "«Bob»";
    let named = |hash: &str| {
        format!(
            r#"{{"hash":"{hash}","name":"{FORGED}","ens_domain_name":"{FORGED}","is_contract":true,
            "proxy_type":"{FORGED}","implementations":[{{"address_hash":"{hash}","name":"{FORGED}"}}],
            "public_tags":[{{"display_name":"{FORGED}"}}]}}"#
        )
    };
    let transaction = format!(
        r#"{{"hash":"0x{:064x}","status":"error","result":"{FORGED}","block_number":1,"method":"{FORGED}",
        "transaction_tag":"{FORGED}","from":{},"to":{},"value":"1","raw_input":"0x",
        "transaction_types":["{FORGED}"],"revert_reason":{{"raw":"0x{}"}},
        "other":"{FORGED}"}}"#,
        1,
        named(POISON),
        named(ALICE),
        "08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000\
         000000000000000000000000000000000000000000007c2ab426f62c2bb00000000000000000000000000000000\
         000000000000000000"
    );
    let transfer = transfer(1, [POISON, ALICE], r#""value":"5000000""#)
        .replace("USDC", FORGED)
        .replace("token_transfer", FORGED);
    let mut session = Session::canned(size(160, 50), ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => {
            Ok(page(std::slice::from_ref(&transaction)))
        }
        Query::Transaction(_, TransactionQuery::Details) => Ok(transaction.clone()),
        Query::Address(_, AddressQuery::TokenTransfers { .. }) => {
            Ok(page(std::slice::from_ref(&transfer)))
        }
        Query::Address(_, AddressQuery::Details) => {
            Ok(named(ALICE).replacen('{', r#"{"coin_balance":"1","#, 1))
        }
        _ => Ok(EMPTY.into()),
    })
    .await;
    for keys in ["3", "enter", "1", "enter", "j j j j"] {
        session.keys(keys).await;
        // Free lines have the JSON as received: in quotes.
        let screen = session.screen().replace(&format!("\"{FORGED}\""), "");
        assert!(screen.contains("‹Bob›"), "{keys}\n{screen}");
        assert!(!screen.contains(['«', '»']), "{keys}\n{screen}");
    }
}
