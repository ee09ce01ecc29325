//! Names as targets: the explorer is asked, and the box waits for what it says.

use chainglass::api::{ApiError, Cursor, Query};
use chainglass::msg::{Effect, Msg};
use insta::assert_snapshot;

use super::session::{Session, size};

const BOB: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const GLD: &str = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

/// Types a name into the box, and stops before the answer.
async fn typed(session: &mut Session, name: &str) -> Vec<Effect> {
    session.keys("s").await;
    for c in name.chars() {
        session.press(&c.to_string());
    }
    session.press("enter")
}

fn is_ask(effects: &[Effect]) -> bool {
    matches!(effects, [Effect::Fetch { query: Query::Redirect(_), .. }])
}

#[tokio::test]
async fn a_domain_or_a_token_leads_to_its_address() {
    for (name, whose) in [("bob.eth", BOB), ("GLD", GLD), ("Glass Dollar", GLD)] {
        let mut session = Session::demo(size(120, 40), "").await;
        session.keys("s").await;
        session.types(name).await;
        assert!(session.screen().contains(whose), "{name}: {}", session.screen());
        assert!(!session.screen().contains("Go to"), "the box is gone");
    }
}

#[tokio::test]
async fn the_box_says_what_it_waits_for_and_why_nothing_comes() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.keys("s").await;
    let mut screens = vec![session.screen()];
    session.keys("esc").await;
    let asked = typed(&mut session, "nobody.eth").await;
    screens.push(session.screen());
    session.settle(asked).await;
    screens.push(session.screen());
    session.keys("ctrl-u 3 3 4 enter").await;
    screens.push(session.screen());
    let boxes = screens.iter().map(|screen| {
        let lines = screen.lines().skip_while(|line| !line.contains("Go to")).take(5);
        lines.collect::<Vec<_>>().join("\n")
    });
    assert_snapshot!(boxes.collect::<Vec<_>>().join("\n\n"));
}

#[tokio::test]
async fn an_explorer_that_does_not_know_names_says_so_in_plain_words() {
    for (status, words) in [
        (400, "this explorer does not resolve names"),
        (404, "this explorer does not resolve names"),
        (501, "this explorer does not resolve names"),
        (500, "the explorer answered 500"),
        (429, "the explorer answered 429: too many requests"),
    ] {
        let mut session = Session::canned(size(120, 40), "", move |_, _| {
            Err(ApiError::from_error_body(status, b"{}"))
        })
        .await;
        session.keys("s").await;
        session.types("bob.eth").await;
        assert!(session.screen().contains(words), "{status}: {}", session.screen());
    }
}

#[tokio::test]
async fn an_answer_that_the_box_no_longer_waits_for_is_dropped() {
    for (keys, shown) in [("esc", "Worth visiting"), ("x", "bob.ethx"), ("esc s", "Go to")] {
        let mut session = Session::demo(size(120, 40), "").await;
        let asked = typed(&mut session, "bob.eth").await;
        let Some(Effect::Fetch { ticket, .. }) = asked.first().cloned() else {
            panic!("{asked:?}")
        };
        let after: Vec<Effect> = keys.split(' ').flat_map(|key| session.press(key)).collect();
        assert_eq!(after, [Effect::Cancel(ticket.pane)], "{keys}");
        let before = session.screen();
        assert!(before.contains(shown) && !before.contains("asking"), "{before}");
        session.settle(asked).await;
        assert_eq!(session.screen(), before, "{keys}");
    }
}

#[tokio::test]
async fn asking_again_ends_the_question_before() {
    let mut session = Session::demo(size(120, 40), "").await;
    let first = typed(&mut session, "bob.eth").await;
    let Some(Effect::Fetch { ticket, .. }) = first.first().cloned() else { panic!("{first:?}") };
    let second = session.press("enter");
    assert_eq!(second[0], Effect::Cancel(ticket.pane));
    session.settle(first).await;
    assert!(session.screen().contains("asking"), "{}", session.screen());
    session.settle(second).await;
    assert!(session.screen().contains(BOB), "{}", session.screen());
}

#[tokio::test]
async fn a_pasted_name_is_asked_for_only_when_the_user_says_so() {
    let mut session = Session::demo(size(120, 40), "").await;
    let secret = "correct horse battery staple";
    assert_eq!(session.app.update(Msg::Paste(secret.into())), []);
    assert!(session.screen().contains(secret), "{}", session.screen());
    assert!(is_ask(&session.press("enter")));
}

#[tokio::test]
async fn a_name_may_be_given_at_the_start() {
    let session = Session::demo(size(120, 40), "bob.eth").await;
    assert!(session.screen().contains(BOB), "{}", session.screen());
    let mut session = Session::demo(size(120, 40), "nobody.eth").await;
    assert!(session.screen().contains("knows nothing of that name"), "{}", session.screen());
    session.keys("esc").await;
    assert!(session.screen().contains("Worth visiting"), "{}", session.screen());
}

#[tokio::test]
async fn whatever_the_explorer_says_of_a_name_the_box_shows_a_line_of_it() {
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
            let asked = typed(&mut session, "any.eth").await;
            session.settle(asked).await;
            let screen = session.screen();
            assert!(screen.contains("Go to") && screen.contains("any.eth"), "{screen}");
            assert!(!screen.contains("asking") && !screen.contains('\x1b'), "{screen}");
            session.keys("esc").await;
            assert!(session.screen().contains("chainglass"), "{}", session.screen());
        }
    }
}
