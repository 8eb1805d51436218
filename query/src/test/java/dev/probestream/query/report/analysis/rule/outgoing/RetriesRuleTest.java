package dev.probestream.query.report.analysis.rule.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked again after it failed, and what only looks so. */
class RetriesRuleTest {
    @TempDir
    private Path folder;

    private PlantedCalls calls;
    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        calls = new PlantedCalls();
        planted = calls.planted;
    }

    @AfterEach
    void close() throws SQLException {
        calls.close();
    }

    @Test
    void workThatFailsAndIsDoneAgainIsRetried() throws Exception {
        retrying(503);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("retries");
        assertThat(findings.get(0).title())
                .isEqualTo("GET /stock at 10.0.0.5:9000 was tried again 8 times after it failed.");
        assertThat(findings.get(0).text())
                .isEqualTo(
                        "Most often after 503. It was tried up to 3 times for one request; 4 first attempts became 12."
                                + " 4 requests tried again, most often GET /basket.");
    }

    @Test
    void workThatIsRefusedForNowAndDoneAgainIsRetried() throws Exception {
        retrying(429);

        assertThat(planted.finding(folder, "retries").text()).startsWith("Most often after 429.");
    }

    @Test
    void anAnswerThatNothingWasFoundIsNoFailure() throws Exception {
        retrying(404);

        assertThat(planted.rules(folder)).doesNotContain("retries");
    }

    @Test
    void workThatIsDoneOftenWithoutAFailureIsNotRetried() throws Exception {
        retrying(200);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void aStatusOfGrpcIsAFailureIfTheServerIsToBlame() throws Exception {
        calling("UNAVAILABLE");

        assertThat(planted.finding(folder, "retries").text()).startsWith("Most often after UNAVAILABLE.");
    }

    @Test
    void aStatusOfGrpcForWhichTheServerIsNotToBlameIsAnAnswer() throws Exception {
        calling("NOT_FOUND");

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void retriesOfManyIdsAreOneFinding() throws Exception {
        for (int i = 0; i < 8; i++) {
            long parent = calls.server("/basket", i * 100, i * 100 + 50, 200);
            pay(parent, i * 100 + 1, 1000 + i, 503);
            pay(parent, i * 100 + 11, 1000 + i, 200);
        }

        assertThat(planted.finding(folder, "retries").title())
                .isEqualTo("GET /pay/:id at 10.0.0.5:9000 was tried again 8 times after it failed.");
    }

    /** As a loop over ids does, all of which fail. */
    @Test
    void anotherIdIsNoRetry() throws Exception {
        for (int i = 0; i < 8; i++) {
            long parent = calls.server("/basket", i * 100, i * 100 + 50, 200);
            pay(parent, i * 100 + 1, 1000, 503);
            pay(parent, i * 100 + 11, 1001, 503);
        }

        assertThat(planted.rules(folder)).doesNotContain("retries");
    }

    private void calling(String status) throws SQLException {
        for (int i = 0; i < 4; i++) {
            long parent = calls.server("/basket", i * 100, i * 100 + 50, 200);
            for (int n = 0; n < 3; n++) {
                double atMs = i * 100 + n * 10;
                calls.client(
                        parent,
                        "http2",
                        "POST /shop.Cart/Get",
                        atMs + 1,
                        atMs + 5,
                        9000,
                        ", 200 AS status, '%1$s' AS reply, '%1$s' AS error_code".formatted(status));
            }
        }
    }

    private void retrying(int status) throws SQLException {
        for (int i = 0; i < 4; i++) {
            long parent = calls.server("/basket", i * 100, i * 100 + 50, 200);
            for (int n = 0; n < 3; n++) {
                double atMs = i * 100 + n * 10;
                calls.client(
                        parent,
                        "http",
                        "GET /stock",
                        atMs + 1,
                        atMs + 5,
                        9000,
                        ", " + (n < 2 ? status : 200) + " AS status");
            }
        }
    }

    private void pay(long parent, double atMs, int id, int status) throws SQLException {
        calls.client(parent, "http", "GET /pay/:id", atMs, atMs + 4, 9000, ", " + status + " AS status");
        planted.sql("UPDATE requests SET url = '/pay/" + id + "' WHERE request_id = " + calls.requests());
    }
}
