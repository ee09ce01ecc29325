//! Titles of overlays and panels, and the helps of prompts.

super::sentences! {
    LABEL_HELP = "Overrides other names. Leave empty to remove";
    GO_TO_TITLE = "Go to";
    SEARCH_ROWS_TITLE = "Search loaded rows";
    SEARCH_PAGE_TITLE = "Search this page";
    SEARCH_PAGE_HELP = "Text to find, in folds too";
    FILTER_ROWS_TITLE = "Filter rows";
    SEARCH_CALLS_TITLE = "Search calls";
    SEARCH_CALLS_HELP = "Words, or to: from: fn: sel: err: val:>0 gas:>100k at:0.3.1, or re:pattern";
    FILTER_CALLS_TITLE = "Show only paths to matching calls";
    FILTER_CALLS_HELP = "As for a search ({search}). Empty shows all";
    SIGNATURE_HELP = "transfer(address to, uint256 amount) returns (bool), or error Foo(uint256)";
    ARGUMENT_HELP = "A value of this type: 0x…, a name, 42, true, text, [1, 2] or (1, 0x…)";
    EXPORT_TRACE_TITLE = "Export trace to";
    EXPORT_TRACE_HELP = "A new file: .txt tree, .folded flame graph, .speedscope.json or .jsonl";
    EXPORT_ROWS_TITLE = "Export rows to";
    EXPORT_ROWS_HELP = "A new file: .csv full values, .jsonl as sent by the server";
    NO_COMPLETION = "no completion";
    ASKING_EXPLORER = "asking the explorer…";
    SWITCH_CHAIN_TITLE = "Switch chain: name, id or URL";
    TYPED = "what is typed";
    BUILT_IN = "built in";
    PALETTE_TITLE = "Commands and places (addr, tx, go, chain, theme …)";
    SCREEN_COLOURS = "colours of the screen";
    TAB_OF_PAGE = "tab of this page";
    ADDRESS_WITHOUT_NAME = "address without a name";
    SCAM = "the explorer calls it a scam";
    FETCH_PICTURE = "Fetch the picture? The host learns your address ({open} fetches, {back} cancels)";
    COPY_LOOKALIKE = "Look-alike address: copy anyway?";
    COPY_SUSPICIOUS = "Suspicious row: copy anyway?";
    OPEN_IN_BROWSER = "Open in browser? ({open} opens, {back} cancels)";
    BALANCES = "Balance changes";
    TRANSFERS = "Transfers, as they happened";
    BALANCES_IF_MINED = "Balances would change";
    TRANSFERS_IF_MINED = "It would transfer";
    NAME_CONTRACTS = "Name contracts after a project's? ({open} names them, {back} cancels)";
    TRY_THESE = "Try these on the demo chain";
    ORIGIN_TITLE = "Origin of this value ({back} closes)";
}
