//! Reasons why an action does nothing here, of the app and of views that do not have it.

super::sentences! {
    NARROW_SPLIT = "the split view needs 160 columns";
    SPLIT_IS_OFF = "the split view is off ({toggle_split} on)";
    NO_PREVIEW = "no preview here";
    NO_HEADER = "no header to select here";
    FIRST_PAGE = "start of history ({close} quits)";
    HISTORY_START = "start of history";
    HISTORY_END = "end of history";
    NO_OTHER_TABS = "no other tabs here";
    NO_SUCH_TAB = "no such tab here";
    SAME_TAB = "already on this tab";
    ONLY_NODES_PRINT = "only the chain of a node has console output";
    NO_TOKEN = "open a token or its address first";
    NO_ADDRESS = "no address here";
    NO_WEB_PAGE = "no web page for this";
    NO_FAILED_CALL = "no call failed";
    NO_BLOCK = "no such block here: open one first";
    ONLY_PICTURES = "only on NFTs, which have pictures";
    NOT_HERE = "not available here";
    ONLY_LIVE_LISTS = "only lists can be live";
    ONLY_LISTS_FILTER = "only lists have filters";
    ONLY_SEARCHED = "only lists, details and call traces can be searched";
    ONLY_FILTERED = "only lists and call traces can be filtered";
    ONLY_RAW_FIELDS = "only rows and calls have raw fields";
    ONLY_LISTS_AND_TRACES = "only in lists and call traces";
    ONLY_EXPORTED = "only lists and call traces can be exported";
    NOTHING_TO_FOLD = "nothing to fold here";
    NO_OTHER_CELL = "nothing to the left or right";
    NOTHING_TO_REFRESH = "nothing to refresh here";
    ONLY_TRACES_AND_DIFFS = "only in call traces and trace diffs";
    ONLY_DIFFS = "only in trace diffs";
    ONLY_SIGNATURES = "only in call traces, contracts and on the page of a log";
    NO_SPLIT = "no split view here";
    ONLY_START_PAGE = "only on the start page";
    ONLY_REQUEST_LOG = "only in the request log";
    NOTHING_TO_COPY = "nothing to copy here";
    NO_TRANSACTION_TO_COPY = "no transaction to copy here";
    NO_ADDRESS_TO_COPY = "no address to copy here";
    NO_TOKEN_TO_COPY = "no token to copy here";
    NO_BLOCK_TO_COPY = "no block number to copy here";
    NO_METHOD_TO_COPY = "no method to copy here";
    NO_VALUE_TO_COPY = "no value to copy here";
    NO_JSON_TO_COPY = "no JSON to copy here";
    NO_ROW_TO_COPY = "no row to copy here";
    ONLY_TRACES = "only in call traces";
}
