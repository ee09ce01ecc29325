//! Messages of pages and their parts: details, contracts, pictures, the start page.

super::sentences! {
    PICTURES_OFF = "pictures are off";
    NO_PICTURE = "no picture";
    NO_PICTURE_HERE = "no picture here";
    PICTURE_NEEDS_NO_FETCHING = "this picture needs no fetching";
    NOTHING_YET = "nothing here yet: {go_to} opens an address or transaction";
    NO_OTHER_PANEL = "no other panel";
    DEMO_STANDS_STILL = "the demo chain stands still";
    NOTHING_YET_WATCH = "nothing here yet: {go_to} opens an address or transaction, {watch} adds it";
    ONLY_OWN_ROWS = "only watched and recent rows can be removed";
    LIVE_FEED = "live: new rows appear on top";
    NOT_A_CONTRACT = "not a contract";
    NO_CODE = "the explorer has no code for it ({refresh} retries)";
    NOT_LOADED = "not loaded · {refresh} loads";
    CHANGED_CODE = "deployed code no longer matches the verified source";
    EMPTY_RESULT = "empty result: not a contract?";
    NOT_OF_ABI = "(does not match the ABI)";
    CALL_HINT = "({open} on one calls it)";
    LOOK_UP_HINT = "({look_up} looks the unknown ones up)";
    AMBIGUOUS_LABEL = "several addresses have this label";
    NOT_AN_ANSWER = "not an answer to a call";
    NOT_A_KNOWN_TOKEN = "not a known token";
    NO_TOKEN = "no token at this address";
    STILL_LOADING = "still loading";
    NO_SEARCH_YET = "nothing searched for yet";
    NOTHING_TO_OPEN = "nothing to open here";
    NO_UNKNOWN_SIGNATURE = "no unknown signature here";
    NOTHING_TO_FOLD = "nothing to fold here";
    NO_JSON = "no JSON here";
    NOTHING_TO_SHOW = "nothing here to show in another program";
    MORE_TRANSFERS = "… and more";
    UNKNOWN_UNTIL_MINED = "unknown until it is in a block";
}
