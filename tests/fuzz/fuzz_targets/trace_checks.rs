//! What must hold for the tree of any raw trace.

use bytes::Bytes;
use chainglass::trace::{Outline, Reader, Tree, reader};

/// Parses a body whole and in chunks, and compares the results. The first byte selects the chunk size.
pub fn read_both_ways(data: &[u8], prefix: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    let body = [prefix, rest].concat();
    let at_once = reader::read(Bytes::from(body.clone()));
    let in_pieces = read_in_pieces(&body, *how);
    assert_eq!(at_once.frames(), in_pieces.frames());
    assert_eq!(format!("{:?}", at_once.ending()), format!("{:?}", in_pieces.ending()));
    for tree in [&at_once, &in_pieces] {
        assert_eq!(tree.body.from_to(0, tree.body.len()), body);
        check(tree);
    }
}

fn read_in_pieces(body: &[u8], how: u8) -> Tree {
    let (size, most) = (1 + usize::from(how & 15) * 5, 1 << (how >> 4));
    let (mut reader, mut tree) = (Reader::default(), Tree::default());
    for piece in body.chunks(size) {
        reader.feed(Bytes::copy_from_slice(piece));
        while let Some(part) = reader.part(most) {
            tree.grow(part);
        }
    }
    tree.grow(reader.finish(None));
    tree
}

/// Checks the structure of the tree, and that all its methods work on every frame.
fn check(tree: &Tree) {
    assert!(tree.ending().is_some());
    let mut covered = 0;
    for root in tree.roots() {
        assert_eq!(root, covered);
        covered = tree.end(root);
    }
    assert_eq!(covered, tree.len());
    for (number, frame) in (0..).zip(tree.frames()) {
        assert!(!frame.is_open());
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
            assert!(span.at() + tree.body.true_len(span) <= tree.body.len());
        }
        assert_eq!(tree.body.bytes(frame.entry).first(), Some(&b'{'));
        let _ = (tree.outcome(number), tree.value(number), tree.selector(number), tree.sum(number));
        let _ = (tree.address(frame.to), tree.text(frame.error), tree.hex(frame.input, 100));
    }
    let mut outline = Outline::default();
    outline.grow(tree);
    assert_eq!(outline.rows().len(), tree.frames().len());
}
