package dev.probestream.convert.request.origin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FetchCallersTest {
    private static final Caller A = new Caller("fetchPrice (lib/feed.js:12)", "");
    private static final Caller B = new Caller("load (lib/stock.js:3)", "");

    private final FetchCallers fetches = new FetchCallers();

    @Test
    void theOnlyFunctionThatFetchesFromAPathIsTheCaller() {
        fetches.fetches(1, "http://feed.test:8080/price?of=***#x", A);
        fetches.fetches(1, "https://feed.test/", B);
        fetches.fetches(1, "http://other.test/price?of=***", A);
        assertThat(fetches.of(1, "/price?of=***")).isEqualTo(A);
        assertThat(fetches.of(1, "/")).isEqualTo(B);
        assertThat(fetches.of(1, "/price")).isEqualTo(Caller.UNKNOWN);
        assertThat(fetches.of(2, "/")).isEqualTo(Caller.UNKNOWN);
    }

    @Test
    void ofSeveralFunctionsNoneIsTheCaller() {
        fetches.fetches(1, "http://feed.test/price", A);
        fetches.fetches(1, "http://feed.test/price", B);
        fetches.fetches(1, "http://feed.test/price", A);
        assertThat(fetches.of(1, "/price")).isEqualTo(Caller.UNKNOWN);
        fetches.fetches(1, "http://feed.test/stock", A);
        fetches.fetches(1, "http://feed.test/stock", Caller.UNKNOWN);
        assertThat(fetches.of(1, "/stock")).isEqualTo(Caller.UNKNOWN);
    }

    @Test
    void pathsAreForgottenBeyondTheLimit() {
        fetches.fetches(1, "http://feed.test/price", A);
        for (int i = 0; i < FetchCallers.LIMIT; i++) {
            fetches.fetches(1, "http://feed.test/" + i, A);
        }
        assertThat(fetches.of(1, "/price")).isEqualTo(Caller.UNKNOWN);
        assertThat(fetches.of(1, "/0")).isEqualTo(A);
    }
}
