package dev.probestream.query.report.analysis.rule.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a package sends by itself, and what requests may have ordered. */
class CallsHomeRuleTest {
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
    void packageThatSendsWhatNoRequestOrderedIsNamed() throws Exception {
        calls.server("/", 1, 2, 200);
        for (int i = 0; i < 3; i++) {
            calls.client(
                    0,
                    "http",
                    "POST /v1/collect",
                    i * 1000,
                    i * 1000 + 5,
                    443,
                    ", 'stats.vendor.test' AS peer_name,"
                            + " 'report (metrics-kit/index.js:7)' AS caller, 'metrics-kit' AS caller_package");
        }

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("calls-home");
        assertThat(findings.get(0).title())
                .isEqualTo("The package metrics-kit sent 3 requests to stats.vendor.test (10.0.0.5:443) beside the"
                        + " requests that this server serves, from report (metrics-kit/index.js:7).");
        assertThat(findings.get(0).text())
                .contains("3 of them were sent while no request was", "One every 1.0 s, most often POST /v1/collect.");
    }

    @Test
    void peerThatRequestsNeedIsNotCalledHome() throws Exception {
        long parent = calls.server("/", 1, 20, 200);
        calls.client(parent, "http", "GET /rates", 2, 10, 443, "");
        for (int i = 0; i < 3; i++) {
            calls.client(
                    0,
                    "http",
                    "GET /rates",
                    i * 1000,
                    i * 1000 + 5,
                    443,
                    ", 'refresh (cache-kit/index.js:7)' AS caller," + " 'cache-kit' AS caller_package");
            calls.client(
                    0, "http", "GET /flags", i * 1000, i * 1000 + 5, 444, ", 'refresh (lib/flags.js:7)' AS caller");
        }

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::severity).containsOnly(Severity.NOTE);
        assertThat(findings)
                .extracting(Finding::title)
                .anyMatch(title -> title.startsWith("The application sent 3 requests to 10.0.0.5:444"));
    }

    /** Whose they are is not known, and they are sent only while requests are served. */
    @Test
    void whatRequestsMayHaveOrderedIsNotCalledHome() throws Exception {
        for (int i = 0; i < 20; i++) {
            calls.server("/", i * 10, i * 10 + 5, 200);
            calls.client(
                    0,
                    "http",
                    "GET /rates",
                    i * 10 + 1,
                    i * 10 + 4,
                    443,
                    ", 'ask (rates-kit/index.js:7)' AS caller, 'rates-kit' AS caller_package");
        }

        assertThat(planted.rules(folder)).doesNotContain("calls-home");
    }

    @Test
    void whatAPackageSendsToTheServerItselfIsNamed() throws Exception {
        calls.server("/", 1, 2, 200);
        planted.sql("UPDATE requests SET local_address = '10.0.0.5', local_port = 443");
        for (int i = 0; i < 3; i++) {
            calls.client(
                    0,
                    "http",
                    "POST /collect",
                    i * 1000 + 10,
                    i * 1000 + 15,
                    443,
                    ", 'report (metrics-kit/index.js:7)' AS caller, 'metrics-kit' AS caller_package");
        }

        assertThat(planted.finding(folder, "calls-home").title())
                .startsWith("The package metrics-kit sent 3 requests to this process (10.0.0.5:443) beside");
    }
}
