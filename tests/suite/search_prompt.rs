//! The search below the prompt that asks where to go.

use chainglass::test_api::api::{ApiError, Cursor, Query};
use chainglass::test_api::msg::{Effect, Msg, PaneRequest, Timer};

use super::session::{Session, size};

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
async fn addresses_of_results_are_whole_on_a_wide_screen() {
    for (width, end) in [(80, "0x261D"), (120, "0x261D8c5e9742e6f7f1076Fa1F560894524e19cad ")] {
        let mut session = Session::demo(size(width, 24), "").await;
        session.keys("s").await;
        type_slowly(&mut session, "gld").await;
        let screen = session.screen();
        assert!(screen.contains(end) && screen.contains("24e19cad"), "{screen}");
    }
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
            Effect::StartTimer(timer @ Timer::Search(_), _) => Some(timer),
            _ => None,
        });
        timer.map(|timer| session.app.update(Msg::TimerFired(timer))).unwrap_or_default()
    };
    assert!(typed(&mut session, "g").is_empty(), "too short");
    let first = typed(&mut session, "l");
    let second = typed(&mut session, "d");
    let ticket = |effects: &[Effect]| match effects {
        [Effect::Request { ticket, request: PaneRequest::Fetch { query, .. } }] => {
            (*ticket, query.clone())
        }
        other => panic!("{other:?}"),
    };
    let answer = |(ticket, query): (_, Query), name: &str| {
        let item = format!(
            r#"{{"type":"token","name":"{name}","address_hash":"0x5FbDB2315678afecb367f032d93F642f64180aa3"}}"#
        );
        let reply = query.decode(format!(r#"{{"items":[{item}]}}"#).as_bytes(), None);
        Msg::Fetched { ticket, query, reply }
    };
    session.app.update(answer(ticket(&second), "the newer"));
    session.app.update(answer(ticket(&first), "the older"));
    let screen = session.screen();
    assert!(screen.contains("the newer") && !screen.contains("the older"), "{screen}");
}

fn hostile(query: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    let address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    match query {
        Query::Search(_) => Ok(format!(
            r#"{{"items":[{{"type":"to\u001bken","name":"\u202eevil\n","symbol":{{}},"address_hash":"{address}"}},
                {{"type":"block"}},{{"type":7}},null,{{}},{{"type":"blob","blob_hash":"0x12"}},
                {{"type":"block","block_number":"x","block_hash":[]}}]}}"#
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
        let is_hidden = |c: char| c.is_control() && c != '\n' || "\u{202e}".contains(c);
        assert!(!screen.contains(is_hidden), "{screen:?}");
    }
}

#[tokio::test]
async fn server_without_search_costs_only_the_results() {
    let refuse = |_: &Query, _: Option<&Cursor>| Err(ApiError::from_error_body(404, b""));
    let mut session = Session::canned(size(80, 24), "", refuse).await;
    session.keys("s").await;
    type_slowly(&mut session, "alice").await;
    session.keys("down").await;
    assert!(session.screen().contains("Go to"), "{}", session.screen());
    session.keys("enter").await;
    assert!(session.screen().contains("cannot resolve names"), "{}", session.screen());
}
