//! NFTs: the page of one, and its newest transfers.

pub mod instance;
pub mod transfers;
