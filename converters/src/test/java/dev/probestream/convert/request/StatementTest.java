package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.KeepAlive;
import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.split.TimeSplit;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Statements to databases are requests of a client, ordered by whoever wrote them. */
class StatementTest {
    private static final long S = 0x1000;
    private static final long P = 0x2000;
    private static final long D = 0x3000;

    private final Scenario story = new Scenario().on(LOOP);

    private Scenario served() {
        return story.at(10)
                .streamBegin(S)
                .get(P, "/front")
                .at(20)
                .as("statement")
                .lasting(30)
                .statement(D, "SELECT users", "SELECT 3", "")
                .at(25)
                .streamEnd()
                .at(60)
                .line(S, "HTTP/1.1 200 OK");
    }

    @Test
    void aStatementIsARequestOfTheOneInWhoseContextItWasWritten() throws IOException {
        Scenario.Result result = served().assemble();
        Request server = result.of("/front");
        Request statement = result.of("");
        assertThat(statement.side()).isEqualTo(Side.CLIENT);
        assertThat(statement.parentNumber()).isEqualTo(server.number());
        assertThat(result.number("statement")).isEqualTo(statement.number());
        assertThat(statement.startNs()).isEqualTo(20);
        assertThat(statement.endNs()).isEqualTo(50);
        assertThat(statement.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(statement.method()).isEmpty();
        assertThat(statement.keepAlive()).isEqualTo(KeepAlive.UNKNOWN);
        assertThat(statement.remote()).isEqualTo("10.0.0.3:5432");
        assertThat(statement.sentBytes()).isEqualTo(40);
        assertThat(statement.receivedBytes()).isEqualTo(90);
        RequestDetails details = statement.details();
        assertThat(details.protocol()).isEqualTo("postgresql");
        assertThat(details.operation()).isEqualTo("SELECT users");
        assertThat(details.statement()).isEqualTo("SELECT users ***");
        assertThat(details.rows()).isEqualTo(3);
        assertThat(details.reply()).isEqualTo("SELECT 3");
        assertThat(details.errorCode()).isEmpty();
        assertThat(details.database())
                .as("the protocol, as the probe does not spell it")
                .isEqualTo("postgresql");
        assertThat(server.details().database()).isEmpty();
        assertThat(server.details().protocol()).isEqualTo("http");
        assertThat(server.details().operation()).isEqualTo("GET /front");
    }

    @Test
    void itsTimeIsTheNetworksForItselfAndForWhoeverWaits() throws IOException {
        Scenario.Result result = served().assemble();
        assertThat(result.of("").split().networkNs()).isEqualTo(30);
        TimeSplit server = result.of("/front").split();
        assertThat(server.networkNs()).isEqualTo(25); // from 25, where its JavaScript ended, to 50
        assertThat(server.unattributedNs()).isEqualTo(10);
    }

    @Test
    void whatNobodyOrderedHasNoParent() throws IOException {
        Request statement = story.at(10)
                .lasting(5)
                .statement(D, "GET", "bulk", "")
                .assemble()
                .only();
        assertThat(statement.parentNumber()).isEqualTo(0);
        assertThat(statement.endNs()).isEqualTo(15);
    }

    @Test
    void oneThatIsNotAnsweredIsOpenUntilTheEndOfTheCapture() throws IOException {
        Request statement = story.at(10)
                .statement(D, "SELECT users", "", "")
                .at(50)
                .plain()
                .assemble()
                .only();
        assertThat(statement.outcome()).isEqualTo(Outcome.OPEN);
        assertThat(statement.endNs()).isEqualTo(-1);
        assertThat(statement.split().networkNs()).isEqualTo(40);
        assertThat(statement.details().rows()).isEqualTo(-1);
    }

    @Test
    void oneWhoseAnswerCannotBeDistinguishedHasAnOwnerAndNoEnd() throws IOException {
        Scenario.Result result = story.at(10)
                .streamBegin(S)
                .get(P, "/front")
                .at(20)
                .unmatched(D, "GET")
                .at(25)
                .streamEnd()
                .at(60)
                .line(S, "HTTP/1.1 200 OK")
                .assemble();
        Request statement = result.of("");
        assertThat(statement.parentNumber()).isEqualTo(result.of("/front").number());
        assertThat(statement.outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(statement.endNs()).isEqualTo(-1);
        assertThat(statement.split().networkNs()).isEqualTo(-1);
        assertThat(statement.receivedBytes()).isEqualTo(-1);
        assertThat(result.of("/front").split().networkNs()).isZero();
    }

    @Test
    void oneWhoseConnectionIsClosedIsAbortedAndAnErrorIsAnAnswer() throws IOException {
        List<Request> statements = story.at(10)
                .lasting(5)
                .statement(D, "SELECT users", "", "")
                .at(20)
                .lasting(5)
                .statement(D, "SELECT none", "", "42P01")
                .at(30)
                .lasting(5)
                .statement(D, "SELECT users", "", "ECONNRESET")
                .assemble()
                .requests();
        assertThat(statements)
                .extracting(Request::outcome)
                .containsExactly(Outcome.ABORTED, Outcome.COMPLETE, Outcome.ABORTED);
        assertThat(statements).extracting(Request::endNs).containsExactly(15L, 25L, 35L);
        assertThat(statements.get(1).details().errorCode()).isEqualTo("42P01");
    }

    @Test
    void anEventThatLacksArgumentsTellsTheRest() throws IOException {
        Request statement = story.at(10)
                .lasting(5)
                .hit(RoleProbes.probe(80, EventKind.SPAN, "db.statement", ""), new String[0])
                .assemble()
                .only();
        assertThat(statement.sentBytes()).isEqualTo(-1);
        assertThat(statement.receivedBytes()).isEqualTo(-1);
        assertThat(statement.details().rows()).isEqualTo(-1);
        assertThat(statement.details().protocol()).isEmpty();
    }

    @Test
    void unansweredStatementsAreBounded() throws IOException {
        int statements = Exchanges.LIMIT + 10;
        IntStream.range(0, statements).forEach(i -> story.at(i).statement(D, "GET", "", ""));
        assertThat(story.assemble().requests())
                .hasSize(statements)
                .allMatch(request -> request.outcome() == Outcome.OPEN);
    }
}
