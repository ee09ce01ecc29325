//! Names as targets: the prompt waits for the explorer to resolve them.

use chainglass::test_api::api::{ApiError, Cursor, Query};
use chainglass::test_api::app_message::{ChainRequest, Effect, Msg};
use insta::assert_snapshot;

use super::demo_items::BOB;
use super::session::{Session, cancels, size};
use super::terminal::Terminal;

/// Enters a name into the prompt, without processing the resulting request.
async fn enter_name(session: &mut Session, name: &str) -> Vec<Effect> {
    session.keys("s").await;
    for c in name.chars() {
        session.press(&c.to_string());
    }
    session.press("enter")
}

fn is_name_query(effects: &[Effect]) -> bool {
    matches!(
        effects,
        [Effect::Request { request: ChainRequest::Fetch { query: Query::Redirect(_), .. }, .. }]
    )
}

#[tokio::test]
async fn domain_opens_its_address() {
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("s").await;
    session.type_text("bob.eth").await;
    assert!(session.screen().contains(BOB), "{}", session.screen());
    assert!(!session.screen().contains("Go to"), "the prompt is closed");
}

#[tokio::test]
async fn prompt_shows_pending_and_failed_resolution() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.keys("s").await;
    let mut screens = vec![session.screen()];
    session.keys("esc").await;
    let asked = enter_name(&mut session, "unknown.eth").await;
    screens.push(session.screen());
    session.settle(asked).await;
    screens.push(session.screen());
    session.keys("ctrl-u 3 3 4 enter").await;
    screens.push(session.screen());
    let boxes = screens.iter().map(|screen| {
        let lines = screen.lines().skip_while(|line| !line.contains("Go to")).take(4);
        lines.collect::<Vec<_>>().join("\n")
    });
    assert_snapshot!(boxes.collect::<Vec<_>>().join("\n\n"));
}

#[tokio::test]
async fn unsupported_name_search_is_explained() {
    for (status, message) in [
        (400, "this explorer cannot resolve names"),
        (404, "this explorer cannot resolve names"),
        (501, "this explorer cannot resolve names"),
        (500, "the explorer answered 500"),
        (429, "the explorer answered 429: too many requests"),
    ] {
        let mut session = Session::canned(size(120, 40), "", move |_, _| {
            Err(ApiError::from_error_body(status, b"{}"))
        })
        .await;
        session.keys("s").await;
        session.type_text("bob.eth").await;
        assert!(session.screen().contains(message), "{status}: {}", session.screen());
    }
}

#[tokio::test]
async fn time_opens_its_block() {
    for time in ["2023-11-14 23:00", "2023-11-14T23:00:00Z", "<1h", "1h ago", "today 23:00"] {
        let mut session = Session::demo(size(120, 40), "").await;
        session.keys("s").await;
        session.type_text(time).await;
        let screen = session.screen();
        assert!(screen.contains("╭─ block ") && !screen.contains("Go to"), "{time}: {screen}");
        let asked = session.requests.iter().map(|(query, _)| query);
        assert_eq!(asked.filter(|query| matches!(query, Query::BlockByTime(_))).count(), 1);
        let started = Session::demo(size(120, 40), time).await.screen();
        assert_eq!(started.lines().next(), screen.lines().next(), "{time} on the command line");
    }
}

#[tokio::test]
async fn latest_opens_the_newest_block() {
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("s").await;
    session.type_text(" Latest").await;
    let screen = session.screen();
    assert!(screen.starts_with(" ◆ demo › block 334") && !screen.contains("Go to"), "{screen}");
    let started = Session::demo(size(120, 40), "latest").await.screen();
    assert_eq!(started.lines().next(), screen.lines().next(), "on the command line");
    for (status, why) in [(404, "the explorer answered 404"), (500, "the explorer answered 500")] {
        let failing =
            move |_: &Query, _: Option<&Cursor>| Err(ApiError::from_error_body(status, b"{}"));
        let mut session = Session::canned(size(120, 40), "", failing).await;
        session.keys("s").await;
        session.type_text("latest").await;
        assert!(session.screen().contains(why), "{status}: {}", session.screen());
    }
}

#[tokio::test]
async fn mistyped_dates_are_not_sent_as_names() {
    for text in ["2026-1-1", "1/5/2026", "25:61", "tomorrow", "2 fortnights ago"] {
        let mut session = Session::demo(size(120, 40), "").await;
        session.keys("s").await;
        session.type_text(text).await;
        let screen = session.screen();
        assert!(screen.contains("expected a time such as 2024-05-01, yesterday"), "{screen}");
        let asked = session.requests.iter().map(|(query, _)| query);
        assert_eq!(asked.filter(|query| matches!(query, Query::Redirect(_))).count(), 0, "{text}");
    }
}

#[tokio::test]
async fn time_without_a_block_is_explained() {
    for (time, why) in [
        ("2999-01-01", "in the future: there is no block yet"),
        ("1999-01-01", "1999-01-01T00:00:00Z is before the first block of the chain"),
        // The demo chain's clock stands still on the day on which it began.
        ("yesterday noon", "2023-11-13T12:00:00Z is before the first block of the chain"),
        ("19998y ago", "before every calendar"),
    ] {
        let mut session = Session::demo(size(120, 40), "").await;
        session.keys("s").await;
        session.type_text(time).await;
        assert!(session.screen().contains(why), "{time}: {}", session.screen());
    }
    for (status, why) in [
        (400, "this explorer cannot find a block by its time"),
        (404, "this explorer cannot find a block by its time"),
        (500, "the explorer answered 500"),
    ] {
        let failing =
            move |_: &Query, _: Option<&Cursor>| Err(ApiError::from_error_body(status, b"{}"));
        let mut session = Session::canned(size(120, 40), "", failing).await;
        session.keys("s").await;
        session.type_text("2020-01-01").await;
        assert!(session.screen().contains(why), "{status}: {}", session.screen());
    }
}

#[tokio::test]
async fn stale_resolution_is_ignored() {
    for (keys, shown) in [("esc", "Try these"), ("x", "bob.ethx"), ("esc s", "Go to")] {
        let mut session = Session::demo(size(120, 40), "").await;
        let asked = enter_name(&mut session, "bob.eth").await;
        let Some(Effect::Request { id, request: ChainRequest::Fetch { .. }, .. }) =
            asked.first().cloned()
        else {
            panic!("{asked:?}")
        };
        let after: Vec<Effect> = keys.split(' ').flat_map(|key| session.press(key)).collect();
        assert!(after.first().is_some_and(|it| cancels(it, id)), "{keys}");
        let before = session.screen();
        assert!(before.contains(shown) && !before.contains("asking"), "{before}");
        session.settle(asked).await;
        assert_eq!(session.screen(), before, "{keys}");
    }
}

#[tokio::test]
async fn new_resolution_cancels_the_previous() {
    let mut session = Session::demo(size(120, 40), "").await;
    let first = enter_name(&mut session, "bob.eth").await;
    let Some(Effect::Request { id, request: ChainRequest::Fetch { .. }, .. }) =
        first.first().cloned()
    else {
        panic!("{first:?}")
    };
    let second = session.press("enter");
    assert!(cancels(&second[0], id));
    session.settle(first).await;
    assert!(session.screen().contains("asking"), "{}", session.screen());
    session.settle(second).await;
    assert!(session.screen().contains(BOB), "{}", session.screen());
}

#[tokio::test]
async fn pasted_name_needs_enter() {
    let mut session = Session::demo(size(120, 40), "").await;
    let secret = "correct horse battery staple";
    assert_eq!(session.app.update(Msg::Paste(secret.into())), []);
    assert!(session.screen().contains(secret), "{}", session.screen());
    assert!(is_name_query(&session.press("enter")));
}

#[tokio::test]
async fn name_is_accepted_as_start_target() {
    let session = Session::demo(size(120, 40), "bob.eth").await;
    assert!(session.screen().contains(BOB), "{}", session.screen());
    let mut session = Session::demo(size(120, 40), "unknown.eth").await;
    assert!(session.screen().contains("name not found"), "{}", session.screen());
    session.keys("esc").await;
    assert!(session.screen().contains("Try these"), "{}", session.screen());
}

#[test]
fn name_on_the_command_line_takes_a_tab_and_filters() {
    let args = ["--chain", "demo", "alice.eth", "--tab", "transfers", "--matching", "token:GLD"];
    Terminal::explorer(&args).wait_for("[&token:GLD]").wait_for("0xf39Fd6e51aad88F6F4ce6aB88");
    Terminal::explorer(&["--chain", "demo", "latest", "--tab", "block"])
        .wait_for("0x2231ba7626bea09e3ea08f655525b2dc");
    Terminal::explorer(&["--chain", "demo", "absent.eth", "--tab", "nfts"])
        .wait_for("absent.eth: name not found");
}

#[tokio::test]
async fn any_resolution_response_shows_one_line() {
    let long = "\\u001b]52;c;eA==\\u0007\\u202e".repeat(50_000);
    for body in [
        format!(r#"{{"redirect":true,"type":"{long}","parameter":"{long}"}}"#),
        format!(r#"{{"redirect":true,"type":"address","parameter":"{long}"}}"#),
        format!(r#"{{"redirect":true,"type":"transaction","parameter":"0x{}"}}"#, "1".repeat(65)),
        r#"{"redirect":true,"type":"address"}"#.into(),
        r#"{"redirect":true,"type":"address","parameter":{"hash":"0x12"}}"#.into(),
        r#"{"redirect":true,"type":"transaction","parameter":"https://evil.example/tx/0x12"}"#
            .into(),
        r#"{"redirect":[true],"type":7,"parameter":"0x12"}"#.into(),
        "[]".into(),
        "null".into(),
    ] {
        for (width, height) in [(40, 10), (80, 24)] {
            let body = body.clone();
            let answer = move |_: &Query, _: Option<&Cursor>| Ok(body.clone());
            let mut session = Session::canned(size(width, height), "", answer).await;
            let asked = enter_name(&mut session, "any.eth").await;
            session.settle(asked).await;
            let screen = session.screen();
            assert!(screen.contains("Go to") && screen.contains("any.eth"), "{screen}");
            assert!(!screen.contains("asking") && !screen.contains('\x1b'), "{screen}");
            session.keys("esc").await;
            let is_start = session.screen().contains("an address, transaction, block");
            assert!(is_start, "{}", session.screen());
        }
    }
}
