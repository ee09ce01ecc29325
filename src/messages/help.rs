//! Descriptions of signs and keys in the help.

super::sentences! {
    ADDRESS_MARK = "an address: shapes and hues made of all its digits";
    OUTCOMES = "succeeded, failed, pending";
    WARNING = "a warning: a look-alike, a scam, a failed call inside";
    DIRECTIONS = "from the viewed address to another one, and back";
    LABEL = "your own name for an address";
    GUARDED_NAME = "a name from the chain that holds a mark of the program";
    FOLDS = "unfolded, folded, nothing inside";
    UNKNOWN = "unknown, none";
    GUESS = "a call whose signature is a guess";
    INFERRED = "inferred here, not sent by the server; a changed call in a comparison";
    SCROLLED = "the part of a list that is on the screen";
    TAB = "the tab of this number";
    LEVELS = "unfold as many levels";
    APPLY = "apply, or confirm";
    ACCEPT = "accept what is typed";
    RAW_CALL = "the call as raw JSON";
    SAVE_CALLS = "save the calls to a file; the extension sets the format";
}
