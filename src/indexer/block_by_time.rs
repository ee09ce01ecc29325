//! The block of a time among those that are not indexed: bisection by the times of blocks, which the
//! node is asked for one by one.

use crate::store::StoreResult;

/// Returns the number of the newest block before `end` that is not newer than a time, in seconds. Each
/// block that it asks for halves the range, so there are at most 64.
pub(super) async fn newest_block_until(
    seconds: i64,
    end: u64,
    time_of_block: impl AsyncFn(u64) -> StoreResult<i64>,
) -> StoreResult<Option<u64>> {
    // All blocks before `first_unknown` are as old as that, and none from `first_newer` on is.
    let (mut first_unknown, mut first_newer) = (0, end);
    while first_unknown < first_newer {
        let middle = first_unknown + (first_newer - first_unknown) / 2;
        if time_of_block(middle).await? <= seconds {
            first_unknown = middle + 1;
        } else {
            first_newer = middle;
        }
    }
    Ok(first_unknown.checked_sub(1))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::store::StoreError;

    #[tokio::test]
    async fn newest_block_is_found_with_few_requests() {
        for (end, times, seconds, expected) in [
            (1_000_000, (10, 12), 9, None),
            (1_000_000, (10, 12), 10, Some(0)),
            (1_000_000, (10, 12), 10 + 12 * 777_777, Some(777_777)),
            (1_000_000, (10, 12), 21 + 12 * 777_777, Some(777_777)),
            (1_000_000, (10, 12), i64::MAX, Some(999_999)),
            (u64::MAX, (0, 0), 0, Some(u64::MAX - 1)),
            (0, (0, 0), 5, None),
        ] {
            let asked = Cell::new(0);
            let (genesis, interval) = times;
            let time_of_block = async |block: u64| {
                asked.set(asked.get() + 1);
                Ok(genesis + interval * i64::try_from(block).unwrap_or(0))
            };
            let found = newest_block_until(seconds, end, time_of_block).await.unwrap();
            assert_eq!(found, expected, "{seconds} before {end}");
            assert!(asked.get() <= 64, "{} blocks", asked.get());
        }
    }

    #[tokio::test]
    async fn first_failure_ends_the_search() {
        let asked = Cell::new(0);
        let time_of_block = async |_: u64| {
            asked.set(asked.get() + 1);
            Err(StoreError::Unavailable("gone".into()))
        };
        assert!(newest_block_until(7, 1_000, time_of_block).await.is_err());
        assert_eq!(asked.get(), 1);
    }
}
