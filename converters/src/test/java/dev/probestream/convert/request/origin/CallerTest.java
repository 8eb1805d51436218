package dev.probestream.convert.request.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallerTest {
    private static final String UNDICI = "node:internal/deps/undici/undici";

    private final List<Frame> frames = new ArrayList<>();

    private void called(FrameKind kind, String symbol, String file, int line) {
        frames.add(frame(kind, symbol, file, line));
    }

    private Frame frame(FrameKind kind, String symbol, String file, int line) {
        return Frame.newBuilder()
                .setSymbol(symbol)
                .setModule("")
                .setOffset(frames.size())
                .setKind(kind)
                .setFile(file)
                .setLine(line)
                .build();
    }

    private void javascript(String symbol, String file, int line) {
        called(FrameKind.JS, symbol, file, line);
    }

    private void node() {
        called(FrameKind.NATIVE, "uv__try_write", "", 0);
        javascript("writeGeneric", "node:internal/stream_base_commons", 145);
    }

    @Test
    void theApplicationsFunctionThatCalledNodeHasNoPackage() {
        node();
        javascript("fetchPrice", "/srv/shop/lib/feed.js", 12);
        javascript("handle", "/srv/shop/node_modules/express/lib/router/index.js", 100);
        assertThat(Caller.of(frames)).isEqualTo(new Caller("fetchPrice (lib/feed.js:12)", ""));
    }

    @Test
    void aPackageThatDoesWhatItWasAskedForEarlierIsToldApart() {
        node();
        javascript("_send", "/srv/node_modules/pg/lib/connection.js", 40);
        javascript("_pulseQueue", "/srv/node_modules/pg-pool/index.js", 300);
        assertThat(Caller.isLater(frames)).as("the queue is not known").isFalse();
        frames.add(3, frame(FrameKind.JS, "parse", "/srv/node_modules/pgparser/index.js", 3));
        javascript("processTicksAndRejections", "node:internal/process/task_queues", 85);
        assertThat(Caller.isLater(frames)).isTrue();
        javascript("", "/srv/app.js", 7);
        assertThat(Caller.isLater(frames)).as("the application does it").isFalse();
    }

    @Test
    void aPackageThatUsesAClientIsNotLater() {
        node();
        javascript("_send", "/srv/node_modules/pg/lib/connection.js", 40);
        javascript("load", "/srv/node_modules/chatty/index.js", 40);
        javascript("processTicksAndRejections", "node:internal/process/task_queues", 85);
        assertThat(Caller.isLater(frames)).isFalse();
    }

    @Test
    void whatGoesOnFromAnAwaitOrATimerIsNotLater() {
        node();
        javascript("refresh", "/srv/node_modules/chatty/index.js", 40);
        called(FrameKind.NATIVE, "RunMicrotasks", "", 0);
        javascript("processTicksAndRejections", "node:internal/process/task_queues", 85);
        assertThat(Caller.isLater(frames)).isFalse();
        frames.clear();
        javascript("refresh", "/srv/node_modules/chatty/index.js", 40);
        javascript("listOnTimeout", "node:internal/timers", 500);
        assertThat(Caller.isLater(frames)).isFalse();
    }

    @Test
    void whoCallsFetchIsTheFunctionBehindIt() {
        javascript("URL", "node:internal/url", 800);
        javascript("Request", UNDICI, 900);
        assertThat(Caller.isOfFetch(frames)).isTrue();
        javascript("fetchPrice", "/srv/shop/lib/feed.js", 12);
        assertThat(Caller.ofFetch(frames)).as("new Request()").isEqualTo(Caller.UNKNOWN);
        frames.remove(2);
        javascript("fetch", "node:internal/bootstrap/web/exposed-window-or-worker", 80);
        assertThat(Caller.ofFetch(frames)).as("a redirection").isEqualTo(Caller.UNKNOWN);
        javascript("fetchPrice", "/srv/shop/lib/feed.js", 12);
        assertThat(Caller.ofFetch(frames)).isEqualTo(new Caller("fetchPrice (lib/feed.js:12)", ""));
    }

    @Test
    void codeThatFetchCallsIsNotOfFetch() {
        javascript("URL", "node:internal/url", 800);
        assertThat(Caller.isOfFetch(frames)).isFalse();
        javascript("nextPart", "/srv/shop/lib/feed.js", 12);
        javascript("writeIterable", UNDICI, 900);
        assertThat(Caller.isOfFetch(frames)).isFalse();
    }

    @Test
    void thePackageThatTheApplicationCalledIsNamedBesideItsFunction() {
        node();
        javascript("write", "/srv/node_modules/pg/lib/connection.js", 40);
        javascript("query", "/srv/node_modules/pg-pool/index.js", 300);
        javascript("", "/srv/app.js", 7);
        assertThat(Caller.of(frames)).isEqualTo(new Caller("(anonymous) (srv/app.js:7)", "pg"));
    }

    @Test
    void withoutAFunctionOfTheApplicationItIsThePackageThatCalledTheClient() {
        node();
        javascript("write", "/srv/node_modules/pg/lib/connection.js", 40);
        javascript("query", "/srv/node_modules/pg-pool/index.js", 300);
        javascript("load", "/srv/node_modules/@acme/sessions/lib/store.js", 9);
        javascript("session", "/srv/node_modules/express-session/index.js", 9);
        javascript("listOnTimeout", "node:internal/timers", 500);
        assertThat(Caller.of(frames)).isEqualTo(new Caller("load (@acme/sessions/lib/store.js:9)", "@acme/sessions"));
    }

    @Test
    void aPackageThatCallsNodeItselfIsTheCaller() {
        node();
        javascript("ping", "/srv/node_modules/a/node_modules/chatty/index.js", 7);
        assertThat(Caller.of(frames)).isEqualTo(new Caller("ping (chatty/index.js:7)", "chatty"));
    }

    @Test
    void aStackWithoutSuchFunctionsTellsNone() {
        node();
        assertThat(Caller.of(frames)).isEqualTo(Caller.UNKNOWN);
        javascript("", "", 0);
        javascript("late", "/srv/app.js", 1);
        assertThat(Caller.of(frames)).isEqualTo(Caller.UNKNOWN);
    }

    @Test
    void pathsOfAnyFormAreCutToTheirEnd() {
        javascript("a", "/app.js", 1);
        javascript("b", "file:///srv/shop/main.mjs", 2);
        javascript("c", "[eval]", 3);
        assertThat(Caller.of(frames.subList(0, 1)).function()).isEqualTo("a (app.js:1)");
        assertThat(Caller.of(frames.subList(1, 2)).function()).isEqualTo("b (shop/main.mjs:2)");
        assertThat(Caller.of(frames.subList(2, 3)).function()).isEqualTo("c ([eval]:3)");
    }

    @Test
    void callersAreFoundByTheirStack() {
        Callers callers = new Callers();
        javascript("a", "/app.js", 1);
        callers.add(Stack.newBuilder()
                .setCaptureId(1)
                .setStackId(77)
                .setFrames(frames)
                .build());
        assertThat(callers.of(77).function()).isEqualTo("a (app.js:1)");
        assertThat(callers.of(78)).isEqualTo(Caller.UNKNOWN);
    }
}
