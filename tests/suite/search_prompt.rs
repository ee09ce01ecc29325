//! The search below the prompt that asks where to go.

use chainglass::test_api::api::{ApiError, Cursor, Query};
use chainglass::test_api::app_message::{ChainRequest, Effect, Msg, RequestId};

use super::address_poisoning::{POISON, REAL};
use super::session::{ALICE, Session, size};

const VAULT: &str = "0x261D8c5e9742e6f7f1076Fa1F560894524e19cad";

/// Types a text as a user does, with the pauses that timers need.
async fn type_slowly(session: &mut Session, text: &str) {
    for c in text.chars() {
        session.keys(&c.to_string()).await;
    }
}

#[tokio::test]
async fn results_open_their_pages() {
    for (text, keys, listed, title) in [
        ("gld", "enter", "GLD · Glass Dollar  ", "› Glass Dollar"),
        ("gld", "down enter", "gvGLD · Glass Vault Share  0x", "› Glass Vault Share"),
        ("gld", "tab enter", "GLD · Glass Dollar  ", "› Glass Vault Share"),
        ("gld", "tab tab enter", "GLD · Glass Dollar  ", "› Glass Dollar"),
        ("gld", "ctrl-n ctrl-p enter", "GLD · Glass Dollar  ", "› Glass Dollar"),
        ("alice", "enter", "alice.eth  0xf39F", "› alice.eth"),
        ("router", "enter", "Router  0x", "› Router"),
    ] {
        let mut session = Session::demo(size(120, 40), "").await;
        session.keys("s").await;
        type_slowly(&mut session, text).await;
        assert!(session.screen().contains(listed), "{text}: {}", session.screen());
        session.keys(keys).await;
        assert!(session.screen().contains(title), "{text}: {}", session.screen());
    }
}

#[tokio::test]
async fn addresses_of_results_are_whole_next_to_whole_names() {
    for (width, address) in [(50, "0x261D…9cad"), (80, "0x261D…9cad"), (120, VAULT)] {
        let mut session = Session::demo(size(width, 24), "").await;
        session.keys("s").await;
        type_slowly(&mut session, "gld").await;
        let screen = session.screen();
        assert!(screen.contains("gvGLD · Glass Vault Share  "), "{screen}");
        assert!(screen.contains(&format!(" {address}")), "{screen}");
    }
}

/// Returns a result as the real server sends it.
fn found(kind: &str, address: &str, [name, domain]: [&str; 2]) -> String {
    let ens = match domain {
        "" => "null".to_owned(),
        domain => format!(r#"{{"address_hash":"{address}","name":"{domain}","names_count":1}}"#),
    };
    let name = if name.is_empty() { "null".to_owned() } else { format!("{name:?}") };
    format!(
        r#"{{"type":"{kind}","name":{name},"address_hash":"{address}","ens_info":{ens},"priority":0}}"#
    )
}

fn found_page(items: &[String], next: &str) -> String {
    format!(r#"{{"items":[{}],"next_page_params":{next}}}"#, items.join(","))
}

/// Returns the lines of the results.
fn result_lines(session: &Session) -> Vec<String> {
    let screen = session.screen();
    let lines = screen.lines().filter(|line| line.contains(" 0x") || line.contains("!0x"));
    lines.filter(|line| line.contains('│')).map(str::to_owned).collect()
}

#[tokio::test]
async fn results_carry_labels_and_lookalike_marks() {
    // The poison has registered the name, and the server lists it first.
    let poison = found("ens_domain", POISON, ["", "bob.eth"]);
    let real = found("address", REAL, ["bob.eth", ""]);
    for (width, label) in [(80, true), (120, true), (120, false), (80, false)] {
        let items = [poison.clone(), real.clone()];
        let mut session = Session::canned(size(width, 30), ALICE, move |query, _| match query {
            Query::Search(_) => Ok(found_page(&items, "null")),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        })
        .await;
        if label {
            session.keys("s").await;
            session.type_text(REAL).await;
            session.keys("l a").await;
            session.type_text("Bob").await;
            session.keys("esc").await;
        }
        session.keys("s").await;
        type_slowly(&mut session, "bob.eth").await;
        let lines = result_lines(&session);
        let screen = session.screen();
        let warned = format!("!{POISON}");
        if label {
            assert!(
                lines[0].contains("«Bob»") && lines[0].contains(&format!(" {REAL}")),
                "{screen}"
            );
            assert!(lines[1].contains(&warned) && !lines[1].contains('«'), "{screen}");
            session.keys("down").await;
            let screen = session.screen();
            assert!(screen.contains("! differs at characters 6–36"), "{screen}");
            assert!(screen.contains("which you labelled"), "{screen}");
        } else {
            assert!(screen.contains(&warned) && screen.contains(&format!("!{REAL}")), "{screen}");
            assert!(screen.contains("one of the two is"), "{screen}");
        }
    }
}

#[tokio::test]
async fn labels_are_among_the_results() {
    let again = [found("ens_domain", REAL, ["", "bob.eth"])];
    let mut session = Session::canned(size(80, 24), ALICE, move |query, cursor| match query {
        Query::Search(_) if cursor.is_none() => Ok(found_page(&[], r#"{"n":1}"#)),
        Query::Search(_) => Ok(found_page(&again, "null")),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("s").await;
    session.type_text(REAL).await;
    session.keys("l a").await;
    session.type_text("The Boss").await;
    session.keys("esc s").await;
    type_slowly(&mut session, "bos").await;
    let lines = result_lines(&session);
    let [line] = &lines[..] else { panic!("{}", session.screen()) };
    assert!(line.contains(&format!("«The Boss»  {REAL}")), "{line}");
    assert!(line.contains("your label"), "{line}");
    session.keys("down").await;
    assert!(
        session
            .requests
            .iter()
            .any(|(query, cursor)| { matches!(query, Query::Search(_)) && cursor.is_some() })
    );
    assert_eq!(result_lines(&session).len(), 1, "the next page has it too\n{}", session.screen());
    session.keys("enter").await;
    let screen = session.screen();
    assert!(!screen.contains("Go to") && screen.contains("«The Boss»"), "{screen}");
}

#[tokio::test]
async fn labels_are_listed_without_an_answer() {
    let failing = |_: &Query, _: Option<&Cursor>| {
        Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#))
    };
    let mut session = Session::canned(size(80, 24), ALICE, failing).await;
    session.keys("a").await;
    session.type_text("The Boss").await;
    session.keys("s").await;
    type_slowly(&mut session, "bos").await;
    let screen = session.screen();
    assert!(screen.contains("cannot search") && screen.contains("«The Boss»  0x"), "{screen}");
    session.keys("enter").await;
    let screen = session.screen();
    assert!(!screen.contains("Go to") && screen.contains("«The Boss»"), "{screen}");
}

#[tokio::test]
async fn imitation_of_a_recent_address_is_marked_among_results() {
    let items = [found("ens_domain", POISON, ["", "bob.eth"])];
    let mut session = Session::canned(size(80, 30), REAL, move |query, _| match query {
        Query::Search(_) => Ok(found_page(&items, "null")),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    for place in ["esc", "b"] {
        session.keys(place).await;
        session.keys("s").await;
        type_slowly(&mut session, "bob").await;
        assert!(session.screen().contains(&format!("!{POISON}")), "{}", session.screen());
        session.keys("esc").await;
    }
}

#[tokio::test]
async fn names_of_results_cannot_forge_marks() {
    let forged = [
        found("ens_domain", POISON, ["«Bob»", "✓ bob.eth"]),
        found("✓ «Bob»", ALICE, ["0x14dC79964da2C08b23698B3D3cc7Ca32193d9955", ""]),
        format!(
            r#"{{"type":"metadata_tag","address_hash":"{ALICE}","metadata":{{"name":"Bob» ✓"}}}}"#
        ),
        format!(
            r#"{{"type":"token","name":"U","symbol":"USD\u0421","address_hash":"{ALICE}",
                "reputation":"scam"}}"#
        ),
    ];
    let mut session = Session::canned(size(120, 30), "", move |query, _| match query {
        Query::Search(_) => Ok(found_page(&forged, "null")),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("s").await;
    type_slowly(&mut session, "bob").await;
    let screen = session.screen();
    assert!(!screen.contains(['«', '»']), "{screen}");
    for name in ["“✓ bob.eth” · “‹Bob›”", "“0x14dC", "“✓ ‹Bob›”", "“Bob› ✓”"]
    {
        assert!(screen.contains(name), "{name}\n{screen}");
    }
    session.keys("G").await;
    session.keys("down down down down").await;
    let screen = session.screen();
    assert!(screen.contains("imitates USDC with look-alike letters"), "{screen}");
}

#[tokio::test]
async fn text_itself_is_opened_before_the_results_arrive() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.keys("s").await;
    session.type_text("alice.eth").await;
    assert!(session.screen().contains("› alice.eth"), "{}", session.screen());
    assert!(session.requests.iter().any(|(query, _)| matches!(query, Query::Redirect(_))));
    // A number opens at once, without a search.
    let mut session = Session::demo(size(80, 24), "").await;
    session.keys("s 3 3 3 enter").await;
    assert!(session.screen().contains("› block 333"), "{}", session.screen());
    assert!(!session.requests.iter().any(|(query, _)| matches!(query, Query::Search(_))));
}

#[tokio::test]
async fn stale_answers_are_ignored() {
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("s").await;
    let typed = |session: &mut Session, key: &str| {
        let effects = session.press(key);
        let timer = effects.into_iter().find_map(|effect| match effect {
            Effect::StartTimer(timer, _) => Some(timer),
            _ => None,
        });
        timer.map(|timer| session.app.update(Msg::TimerFired(timer))).unwrap_or_default()
    };
    assert!(typed(&mut session, "g").is_empty(), "too short");
    let first = typed(&mut session, "l");
    let second = typed(&mut session, "d");
    let asked = |effects: &[Effect]| match effects {
        [Effect::Request { id, request: ChainRequest::Fetch { query, .. }, .. }] => {
            (*id, query.clone())
        }
        other => panic!("{other:?}"),
    };
    let answer = |(id, query): (_, Query), name: &str| {
        let item = format!(
            r#"{{"type":"token","name":"{name}","address_hash":"0x5FbDB2315678afecb367f032d93F642f64180aa3"}}"#
        );
        let reply = query.decode(format!(r#"{{"items":[{item}]}}"#).as_bytes(), None);
        Msg::Fetched { id, query, reply }
    };
    session.app.update(answer(asked(&second), "the newer"));
    session.app.update(answer(asked(&first), "the older"));
    let screen = session.screen();
    assert!(screen.contains("the newer") && !screen.contains("the older"), "{screen}");
}

/// Presses a key of the prompt without firing the timers, and returns them with the requests.
fn press(session: &mut Session, key: &str) -> (Vec<RequestId>, Vec<Msg>) {
    let effects = session.press(key);
    sort_effects(effects)
}

fn sort_effects(effects: Vec<Effect>) -> (Vec<RequestId>, Vec<Msg>) {
    let (mut timers, mut replies) = (Vec::new(), Vec::new());
    for effect in effects {
        match effect {
            Effect::StartTimer(timer, _) => timers.push(timer),
            Effect::Request { id, request: ChainRequest::Fetch { query, .. }, .. } => {
                let body = match query {
                    Query::Search(_) => {
                        found_page(&[found("address", POISON, ["bob", ""])], "null")
                    }
                    Query::Redirect(_) => {
                        format!(r#"{{"parameter":"{REAL}","redirect":true,"type":"address"}}"#)
                    }
                    _ => continue,
                };
                let reply = query.decode(body.as_bytes(), None);
                replies.push(Msg::Fetched { id, query, reply });
            }
            _ => {}
        }
    }
    (timers, replies)
}

/// Types a name, and returns the messages of the answered search, none of which has been handled.
async fn searched() -> (Session, Vec<Msg>) {
    let refuse = |_: &Query, _: Option<&Cursor>| {
        Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#))
    };
    let mut session = Session::canned(size(120, 30), "", refuse).await;
    session.keys("s").await;
    press(&mut session, "b");
    press(&mut session, "o");
    let (timers, _) = press(&mut session, "b");
    assert!(session.screen().contains("searching…"), "{}", session.screen());
    let effects = session.app.update(Msg::TimerFired(timers[0]));
    assert!(session.screen().contains("searching…"), "{}", session.screen());
    let (_, replies) = sort_effects(effects);
    (session, replies)
}

#[tokio::test]
async fn enter_soon_after_the_results_opens_what_was_typed() {
    let (mut session, mut replies) = searched().await;
    session.app.update(replies.remove(0));
    assert!(session.screen().contains(POISON), "the result is there\n{}", session.screen());
    let (_, mut resolved) = press(&mut session, "enter");
    assert_eq!(resolved.len(), 1, "the name is resolved\n{}", session.screen());
    session.app.update(resolved.remove(0));
    assert!(session.screen().contains(REAL), "{}", session.screen());
    assert!(!session.screen().contains(POISON), "{}", session.screen());
}

#[tokio::test]
async fn result_is_opened_once_it_was_seen_or_selected() {
    for is_moved in [false, true] {
        let (mut session, mut replies) = searched().await;
        let (timers, _) = sort_effects(session.app.update(replies.remove(0)));
        if is_moved {
            press(&mut session, "down");
        } else {
            session.app.update(Msg::TimerFired(timers[0]));
        }
        press(&mut session, "enter");
        let screen = session.screen();
        assert!(!screen.contains("Go to") && screen.contains(POISON), "{screen}");
    }
}

#[tokio::test]
async fn results_that_arrive_while_a_name_is_resolved_open_by_themselves_no_more() {
    let (mut session, mut replies) = searched().await;
    let effects = session.press("enter");
    let Some(Effect::Request { id, request: ChainRequest::Fetch { query, .. }, .. }) =
        effects.into_iter().next()
    else {
        panic!("the name is resolved")
    };
    let (timers, _) = sort_effects(session.app.update(replies.remove(0)));
    session.app.update(Msg::TimerFired(timers[0]));
    let body = r#"{"parameter":null,"redirect":false,"type":null}"#;
    let reply = query.decode(body.as_bytes(), None);
    session.app.update(Msg::Fetched { id, query, reply });
    let screen = session.screen();
    assert!(screen.contains("Go to") && screen.contains(POISON), "{screen}");
    assert!(!screen.contains("name not found"), "it is among the results\n{screen}");
    press(&mut session, "enter");
    assert!(!session.screen().contains("Go to"), "{}", session.screen());
}

#[tokio::test]
async fn name_of_the_command_line_is_searched_for() {
    let session = Session::demo(size(120, 40), "GLD").await;
    let screen = session.screen();
    assert!(screen.contains("Go to") && screen.contains("GLD · Glass Dollar  "), "{screen}");
    assert!(!screen.contains("name not found"), "{screen}");
    let session = Session::demo(size(120, 40), "GLDGLD").await;
    assert!(session.screen().contains("name not found"), "{}", session.screen());
}

#[tokio::test]
async fn hex_of_letters_alone_is_decoded_unless_it_is_a_name() {
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("s").await;
    session.type_text("deadbeef").await;
    let asked = session.requests.iter().any(|(query, _)| matches!(query, Query::Redirect(_)));
    let screen = session.screen();
    assert!(asked && screen.contains("0xdeadbeef") && !screen.contains("Go to"), "{screen}");
}

#[tokio::test]
async fn search_says_what_it_finds() {
    for (answer, message) in [
        (Ok(r#"{"items":[],"next_page_params":null}"#), "no match for \"bob\""),
        (Err(500), "cannot search: "),
    ] {
        let mut session = Session::canned(size(80, 24), "", move |query, _| match query {
            Query::Search(_) => answer
                .map(str::to_owned)
                .map_err(|status| ApiError::from_error_body(status, br#"{"message":"Not found"}"#)),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        })
        .await;
        session.keys("s").await;
        type_slowly(&mut session, "bob").await;
        assert!(session.screen().contains(message), "{message}\n{}", session.screen());
        session.keys("backspace backspace backspace").await;
        assert!(!session.screen().contains(message), "{}", session.screen());
        assert!(session.screen().contains("Address, hash"), "{}", session.screen());
    }
}

#[tokio::test]
async fn results_beyond_the_first_page_are_reached() {
    let mut pages = 0;
    let mut session = Session::canned(size(80, 24), "", move |query, cursor| match query {
        Query::Search(_) => {
            assert_eq!(cursor.is_some(), pages > 0);
            let items: Vec<String> = (1..=50)
                .map(|n| {
                    found(
                        "contract",
                        &format!("0x{pages:020x}{n:020x}"),
                        [&format!("Clone {pages}.{n}"), ""],
                    )
                })
                .collect();
            pages += 1;
            let next = if pages < 3 { r#"{"q":"clone","token[name]":"Clone"}"# } else { "null" };
            Ok(found_page(&items, next))
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("s").await;
    for key in ["c", "l", "o", "n"] {
        session.press(key); // no search before typing rests
    }
    session.keys("e").await;
    assert!(session.screen().contains(" 1 of 50+ "), "{}", session.screen());
    assert!(!session.screen().contains("Clone 0.9"), "eight lines\n{}", session.screen());
    session.keys("down down down down down down down down").await;
    assert!(session.screen().contains("Clone 0.9"), "{}", session.screen());
    for position in ["50 of 100+", "100 of 150 ", "150 of 150 "] {
        for _ in 0..50 {
            if !session.screen().contains(position) {
                session.keys("down").await;
            }
        }
        assert!(session.screen().contains(position), "{position}\n{}", session.screen());
    }
    session.keys("enter").await;
    assert!(session.screen().contains("0000…0032"), "{}", session.screen());
    let searches = session.requests.iter().filter(|(query, _)| matches!(query, Query::Search(_)));
    assert_eq!(searches.count(), 3);
}

fn hostile(query: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    let address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    match query {
        Query::Search(_) => Ok(format!(
            r#"{{"items":[{{"type":"to\u001bken","name":"\u202eevil\n","symbol":{{}},"address_hash":"{address}"}},
                {{"type":"user_operation","user_operation_hash":"0x{:064x}"}},
                {{"type":"user_operation","user_operation_hash":7}},{{"type":"block"}},{{"type":7}},null,{{}},{{"type":"blob","blob_hash":"0x12"}},
                {{"type":"block","block_number":"x","block_hash":[]}}]}}"#,
            5
        )),
        _ => Err(ApiError::from_error_body(501, b"")),
    }
}

#[tokio::test]
async fn hostile_results_are_listed_safely_and_others_left_out() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut session = Session::canned(size(width, height), "", hostile).await;
        session.keys("s").await;
        type_slowly(&mut session, "ab").await;
        let screen = session.screen();
        assert!(screen.contains("to␛ken") && !screen.contains("blob"), "{screen}");
        assert_eq!(screen.matches("user operation").count(), 1, "{screen}");
        let is_hidden = |c: char| c.is_control() && c != '\n' || "\u{202e}".contains(c);
        assert!(!screen.contains(is_hidden), "{screen:?}");
    }
}

#[tokio::test]
async fn server_without_search_costs_only_the_results() {
    let refuse = |_: &Query, _: Option<&Cursor>| {
        Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#))
    };
    let mut session = Session::canned(size(80, 24), "", refuse).await;
    session.keys("s").await;
    type_slowly(&mut session, "alice").await;
    session.keys("down").await;
    assert!(session.screen().contains("Go to"), "{}", session.screen());
    session.keys("enter").await;
    assert!(session.screen().contains("cannot resolve names"), "{}", session.screen());
}

#[tokio::test]
async fn pasted_target_replaces_a_text_that_cannot_be_opened() {
    for (text, replaced) in [(ALICE, true), ("34z", false)] {
        let mut session = Session::demo(size(100, 30), "").await;
        session.keys("s 0 x z enter").await;
        let effects = session.app.update(Msg::Paste(text.into()));
        session.settle(effects).await;
        let left = session.screen().contains("0xz");
        assert_eq!(left, !replaced, "{text}: {}", session.screen());
    }
}
