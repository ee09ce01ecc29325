//! Checks of the tree of any raw trace.

use bytes::Bytes;
use chainglass::test_api::trace::{CallTree, TraceParser, VisibleFrames, parser};

/// Parses a body whole and in chunks, and compares the results. The first byte selects the chunk size.
pub fn parse_both_ways(data: &[u8], prefix: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    let body = [prefix, rest].concat();
    let whole = parser::parse_trace(Bytes::from(body.clone()));
    let in_chunks = parse_in_chunks(&body, *how);
    assert_eq!(whole.frames(), in_chunks.frames());
    assert_eq!(format!("{:?}", whole.summary()), format!("{:?}", in_chunks.summary()));
    for tree in [&whole, &in_chunks] {
        assert_eq!(tree.body.slice(0, u64::MAX), body);
        check(tree, body.len() as u64);
    }
}

fn parse_in_chunks(body: &[u8], how: u8) -> CallTree {
    let (size, most) = (1 + usize::from(how & 15) * 5, 1 << (how >> 4));
    let (mut parser, mut tree) = (TraceParser::default(), CallTree::default());
    for piece in body.chunks(size) {
        parser.feed(Bytes::copy_from_slice(piece));
        while let Some(part) = parser.next_chunk(most) {
            tree.apply_chunk(part);
        }
    }
    tree.apply_chunk(parser.finish(None));
    tree
}

/// Checks the structure of the tree, and that all its methods work on every frame.
fn check(tree: &CallTree, body_len: u64) {
    assert!(tree.summary().is_some());
    let mut covered = 0;
    for root in tree.roots() {
        assert_eq!(root, covered);
        covered = tree.end(root);
    }
    assert_eq!(covered, tree.len());
    for (number, frame) in (0..).zip(tree.frames()) {
        assert!(!frame.is_unfinished());
        assert!(number < tree.end(number) && tree.end(number) <= tree.len());
        match tree.parent(number) {
            Some(parent) => {
                assert!(parent < number && tree.end(number) <= tree.end(parent));
                assert_eq!(frame.depth, tree.get(parent).unwrap().depth + 1);
            }
            None => assert_eq!(frame.depth, 0),
        }
        let spans = [
            frame.entry,
            frame.from,
            frame.to,
            frame.value,
            frame.input,
            frame.output,
            frame.error,
        ];
        for span in spans.into_iter().filter(|span| span.is_some()) {
            assert!(span.offset() + tree.body.full_len(span) <= body_len);
        }
        assert_eq!(tree.body.bytes(frame.entry).first(), Some(&b'{'));
        let _ = (
            tree.outcome(number),
            tree.value(number),
            tree.selector(number),
            tree.subtree_totals(number),
        );
        let _ = (tree.address(frame.to), tree.text(frame.error), tree.hex(frame.input, 100));
    }
    let mut visible = VisibleFrames::default();
    visible.extend(tree);
    assert_eq!(visible.rows().len(), tree.frames().len());
}
