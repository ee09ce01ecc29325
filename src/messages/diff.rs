//! Messages of the comparison of two traces.

super::sentences! {
    NO_DIFFERENCE_BELOW = "no difference below";
    NO_DIFFERENCE_ABOVE = "no difference above";
    NO_CALL_ADDRESS = "this call has no address to open";
    NO_CALLS_TO_FOLD = "nothing to fold: this call makes no calls";
    ROOT_CALL = "no parent: this is the root call";
    NOT_EXPORTED = "a comparison cannot be exported as data: {pager} shows it as text";
    NO_CALLS = "neither trace has calls";
    DIFFERENT_ROOTS = "the transactions call different contracts or functions";
}
