//! The comparison of two traces of the demo chain.

use insta::assert_snapshot;

use super::session::{Session, size};

const MARKED: &str = "0xc2b74c678eae4d24d74793fbfeb9759e925965b6ccb9a6349091a6bb7c1b0abe";
const OTHER: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
const ONE_HOP: &str = "0x7a658eb95e5bc1572352aba171557a918b974dc97f34147372e577ceb93f0cb7";

async fn compared(width: u16, height: u16, left: &str, right: &str) -> Session {
    let mut session = Session::demo(size(width, height), left).await;
    session.keys("2 m m s").await;
    session.type_text(right).await;
    session.keys("2 D").await;
    session
}

#[tokio::test]
async fn failed_and_successful_swap_match_their_snapshots() {
    for (width, height) in [(80, 24), (120, 40), (40, 10)] {
        let mut session = compared(width, height, MARKED, OTHER).await;
        assert_snapshot!(format!("diff_{width}x{height}"), session.screen());
        session.keys("z R").await;
        assert_snapshot!(format!("diff_unfolded_{width}x{height}"), session.screen());
    }
}

#[tokio::test]
async fn one_and_four_pool_swaps_match_their_snapshots() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut session = compared(width, height, ONE_HOP, OTHER).await;
        assert_snapshot!(format!("diff_hops_{width}x{height}"), session.screen());
        session.keys("] x ] x").await;
        assert_snapshot!(format!("diff_hops_next_{width}x{height}"), session.screen());
    }
}

#[tokio::test]
async fn identical_traces_have_no_difference() {
    let session = compared(80, 24, MARKED, MARKED).await;
    assert!(session.screen().contains("no difference: "), "{}", session.screen());
}

#[tokio::test]
async fn difference_jumps_and_folds_work() {
    let mut session = compared(120, 40, ONE_HOP, OTHER).await;
    session.keys("] x").await;
    let first = session.screen();
    session.keys("] x [ x").await;
    assert_eq!(session.screen(), first, "next and previous difference");
    session.keys("z M").await;
    let folded = session.screen();
    session.keys("z R").await;
    assert_ne!(session.screen(), folded);
    session.keys("y T").await;
    let text = session.copied().unwrap();
    assert_snapshot!("diff_text", text);
    session.keys("D").await;
    assert!(!session.screen().contains("(marked)"), "D returns to the trace");
}
