//! Reasons why a request is not sent or a response not used.

super::sentences! {
    KEY_OVER_HTTP = "an API key is only sent over https";
    TOO_MANY_REDIRECTS = "too many redirects";
    REDIRECT_TO_HTTP = "a redirect from https to http was not followed";
    REDIRECT_TO_OTHER_SCHEME = "a redirect to a URL that is not http(s) was not followed";
    REDIRECT_TO_PRIVATE_NETWORK = "a redirect to a private network was not followed";
    REDIRECT_WITH_KEY = "a redirect with the API key in its URL was not followed";
    REDIRECT_WITH_SECRET = "a redirect with a possible key in its URL was not followed";
    NOT_PUBLIC = "not on the public internet";
    PICTURE_TIMED_OUT = "no response in time";
    PICTURE_TOO_LARGE = "too many bytes";
    SHORT_NAME = "too short: explorers search for three characters or more";
    NO_NAME_SEARCH = "this explorer cannot resolve names: enter an address or hash";
    NO_DIAGNOSIS = "the server does not know it yet";
    CUT_RECORDING = "the rest was not recorded";
    BROKEN_OFF = "internal error";
    SUSPENDED = "the computer slept";
    SENT_AGAIN = "no answer yet, sent again";
    SINGLE_CHAIN = "this run has a single chain";
    LOOKUP_NOT_JSON = "cannot read the answer: not JSON";
    LOOKUP_NO_RESULT = "cannot read the answer: no result in it";
    NO_CERTIFICATE = "no certificate found (-----BEGIN CERTIFICATE-----)";
}
