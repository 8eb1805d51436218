package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which code asked for a client's request, and by which name. */
class OriginTest {
    private static final long C = 0x1800;
    private static final long Q = 0x2800;

    private final Scenario story = new Scenario().on(LOOP);

    private Scenario lookedUp(String host, String... addresses) {
        Probe done = RoleProbes.probe(80, EventKind.SPAN, "pool.done", "");
        done.getArguments().add(RoleProbes.argument("request", "ptr", FlowStep.NONE));
        for (String name : List.of("host", "address", "address_2", "address_3")) {
            done.getArguments().add(RoleProbes.argument(name, "str", FlowStep.NONE));
        }
        String[] texts = {host, "", "", ""};
        System.arraycopy(addresses, 0, texts, 1, addresses.length);
        return story.lasting(5).hit(done, texts, 0x77);
    }

    private Scenario asked(String url) {
        return story.line(C, "GET " + url + " HTTP/1.1");
    }

    private Request request(String url) throws IOException {
        return story.assemble().of(url);
    }

    @Test
    void aConnectionHasTheNameThatWasLookedUpForItsAddress() throws IOException {
        story.at(5);
        lookedUp("feed.test", "10.0.0.9:0", "[fd00::1]:0").at(10).connect(C, "[fd00::1]:443");
        story.at(20);
        asked("/x");
        assertThat(request("/x").details().peerName()).isEqualTo("feed.test");
    }

    @Test
    void aConnectionHasTheNameThatAQueryFoundItsAddressFor() throws IOException {
        Probe answer = RoleProbes.probe(81, EventKind.INSTANT, "dns.answer", "");
        for (String name : List.of("host", "addresses")) {
            answer.getArguments().add(RoleProbes.argument(name, "str", FlowStep.NONE));
        }
        story.at(5).hit(answer, new String[] {"feed.test", "10.0.0.9 fd00::1 …"});
        story.at(10).connect(C, "[fd00::1]:443").at(20);
        asked("/x");
        assertThat(request("/x").details().peerName()).isEqualTo("feed.test");
    }

    @Test
    void aConnectionToAnotherAddressHasNone() throws IOException {
        story.at(5);
        lookedUp("feed.test", "10.0.0.9:0").at(10).connect(C, "10.0.0.1:443").at(20);
        asked("/x");
        assertThat(request("/x").details().peerName()).isEmpty();
    }

    @Test
    void aStatementHasTheNameOfItsConnection() throws IOException {
        story.at(5);
        lookedUp("db.test", "10.0.0.3:0").at(10).connect(C, "10.0.0.3:5432");
        story.at(20).lasting(5).statement(C, "SELECT users", "SELECT 3", "");
        assertThat(request("").details().peerName()).isEqualTo("db.test");
    }

    @Test
    void whoWritesIsTheCaller() throws IOException {
        story.at(10).from("fetchPrice", "/srv/lib/feed.js").callerWrites(C).at(11);
        asked("/x");
        story.at(20).from("load", "/srv/node_modules/chatty/index.js").callerWrites(C);
        story.at(21).lasting(3).statement(C, "SELECT users", "SELECT 3", "");
        Scenario.Result result = story.assemble();
        assertThat(result.of("/x").details().caller()).isEqualTo("fetchPrice (lib/feed.js:1)");
        assertThat(result.of("/x").details().callerPackage()).isEmpty();
        assertThat(result.of("").details().caller()).isEqualTo("load (chatty/index.js:1)");
        assertThat(result.of("").details().callerPackage()).isEqualTo("chatty");
    }

    @Test
    void whoAsksForAConnectionIsTheCallerOfItsNextRequestOnly() throws IOException {
        story.at(10)
                .from("fetchPrice", "/srv/lib/feed.js")
                .callerConnects(C)
                .at(11)
                .connect(C, "10.0.0.1:80");
        story.at(20);
        asked("/x").at(30).streamBegin(C).answer(Q, 200).at(40).streamEnd().at(50);
        asked("/again");
        Scenario.Result result = story.assemble();
        assertThat(result.of("/x").details().caller()).isEqualTo("fetchPrice (lib/feed.js:1)");
        assertThat(result.of("/again").details().caller()).isEmpty();
    }

    @Test
    void aConnectionOfAPoolIsNotForItsNextStatement() throws IOException {
        story.at(10).from("start", "/srv/app.js").callerConnects(C).at(11).connect(C, "10.0.0.1:80");
        story.at(20).lasting(3).statement(C, "GET", "bulk", "");
        assertThat(request("").details().caller()).isEmpty();
    }

    @Test
    void whatFetchWritesLaterIsOfTheFunctionThatCalledIt() throws IOException {
        Frame library = Scenario.frame("Request", "node:internal/deps/undici/undici");
        Frame fetch = Scenario.frame("fetch", "node:internal/bootstrap/web/exposed-window-or-worker");
        Probe url = RoleProbes.probe(82, EventKind.INSTANT, "caller.url", "");
        url.getArguments().add(RoleProbes.argument("url", "str", FlowStep.NONE));
        story.at(10)
                .from(library, fetch, Scenario.frame("fetchPrice", "/srv/lib/feed.js"))
                .hit(url, new String[] {"http://feed.test/x?of=***"});
        story.at(20).from(library).callerWrites(C).at(21);
        asked("/x?of=***");
        story.at(30)
                .from(Scenario.frame("immediate", "node:internal/timers"))
                .callerWrites(Q)
                .at(31);
        story.line(Q, "GET /x?of=*** HTTP/1.1");
        assertThat(story.assemble().requests().stream()
                        .map(request -> request.details().caller()))
                .containsExactly("fetchPrice (lib/feed.js:1)", "");
    }

    @Test
    void anotherWriteOfTheStreamIsNoCaller() throws IOException {
        story.at(10).from("fetchPrice", "/srv/lib/feed.js").callerWrites(C).at(2_000_011);
        asked("/late");
        assertThat(request("/late").details().caller()).isEmpty();
    }
}
