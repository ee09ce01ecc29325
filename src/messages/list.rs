//! Messages of lists: notices, empty states and ends.

super::sentences! {
    NO_FILTERS = "this list has no filters";
    NO_SEARCH = "no search yet: {search} starts one";
    NO_NEW_ROWS = "a transaction gets no new rows";
    STILL_FILTERING = "still filtering";
    STILL_LOADING = "still loading";
    NOT_LOADED = "not loaded";
    EMPTY = "the list is empty";
    NO_ROW_MATCHES = "no row matches";
    NOTHING_TO_OPEN = "nothing to open here";
    NO_WEB_PAGE = "no web page for this";
    NOT_FILTERED = "cannot export: not all rows are filtered yet";
    EXPORT_NAME = "cannot export: the name must end in .csv or .jsonl";
    NOT_LOADED_YET = "not loaded · {refresh} loads";
    LOADING_MORE = "loading more…";
    LOADS_MORE = "more · {next_row} or {last} loads";
    NO_INSTANCES = "an ERC-20 token has no NFTs";
    REPLACED_BLOCK = "replaced in a reorg: the explorer no longer lists its transactions";
    REST_NOT_LOADED = "the rest is not loaded: {next_row} loads more";
    UNREADABLE_ROW_KEYS = "{open} shows it, {copy_json} copies it";
    SERVER_ORDER = "in the order of the server";
    LOADS_ALL = "{last} {last} loads all";
    DIRECTIONS = "dir: expects in, out or self";
    LOADING_ALL = "loading all pages · {back} stops";
    ALL_LOADED = "all rows loaded";
    STOPPED_EARLY = "stopped before the end of the list";
    MANY_LOADED = "100,000 more rows loaded · {last} continues";
    LIVE_OFF = "live off";
    LIVE = "live: new rows appear on top";
    NOTHING_NEW = "nothing new";
    ONE_NEW_ROW = "1 new row at the top";
    RELOADS = "{refresh} reloads the list";
}
