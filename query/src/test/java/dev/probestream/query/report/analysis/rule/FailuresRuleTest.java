package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailuresRuleTest {
    private static final int SYNC = 0;

    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void requestsThatFailAreFound() throws Exception {
        for (int i = 0; i < 20; i++) {
            planted.request("SERVER", "/pay", i, i + 1, (i < 5 ? "503" : "200") + " AS status");
        }
        planted.poll(0, 30).poll(30, 31);

        assertThat(planted.finding(folder, "errors").title())
                .isEqualTo("25 % of the requests failed: most of them GET /pay.");
    }

    @Test
    void requestsWhoseCallsFoundNoDescriptorAreAConsequence() throws Exception {
        for (int i = 0; i < 20; i++) {
            boolean isFailed = i < 5;
            planted.request("SERVER", "/pay", i, i + 1, (isFailed ? "500" : "200") + " AS status");
            planted.span(
                    Planted.LOOP,
                    "node-fs",
                    "uv_fs_open",
                    i + 0.1,
                    i + 0.2,
                    Map.of("path", "/x", "request", i, "callback", SYNC),
                    isFailed ? -24 : 20);
            // Of two failed requests it is not known which calls they made.
            if (i > 1) {
                planted.sql(
                        "INSERT INTO request_events BY NAME SELECT 1 AS capture_id, %d AS sequence, %d AS request_id"
                                .formatted(i, i + 1));
            }
        }
        planted.poll(0, 30).poll(30, 31);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).startsWith("resources-exhausted");
        Finding requests = findings.stream()
                .filter(finding -> finding.rule().equals("errors"))
                .findFirst()
                .orElseThrow();
        assertThat(requests.severity()).isEqualTo(Severity.MEDIUM);
        assertThat(requests.text())
                .contains("Of the failed ones 3 had a call that failed because a resource was used up: a consequence.");
    }

    @Test
    void errorsOfGrpcForWhichTheServerIsToBlameAreFailures() throws Exception {
        for (int i = 0; i < 20; i++) {
            String code = i < 5 ? "'INTERNAL'" : i < 10 ? "'NOT_FOUND'" : "NULL";
            planted.request("SERVER", "/shop.Cart/Add", i, i + 1, "200 AS status, " + code + " AS error_code");
        }
        planted.poll(0, 30).poll(30, 31);

        Finding finding = planted.finding(folder, "errors");
        assertThat(finding.title()).isEqualTo("25 % of the requests failed: most of them GET /shop.Cart/Add.");
        assertThat(finding.text())
                .contains("5 were answered with a status of gRPC by which the server failed.", "5 × INTERNAL.");
    }

    @Test
    void refusedConnectionsAreFoundButMissingFilesAreNot() throws Exception {
        for (int i = 0; i < 6; i++) {
            planted.span(
                    Planted.LOOP,
                    "node-net",
                    "connect",
                    i,
                    i + 0.1,
                    Map.of("remote", "10.0.0.5:6379", "stream", i),
                    -111);
            planted.span(
                    Planted.LOOP,
                    "node-fs",
                    "uv_fs_stat",
                    i,
                    i + 0.1,
                    Map.of("path", "/x", "request", i, "callback", SYNC),
                    -2);
        }

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("connection-errors");
        assertThat(findings.get(0).title()).isEqualTo("6 connections to 10.0.0.5:6379 failed with ECONNREFUSED.");
    }

    @Test
    void resultsThatAreNoFailuresAreNotListed() throws Exception {
        // EINTR, EAGAIN, EEXIST, ENOTTY, EALREADY, EINPROGRESS, ERESTARTSYS
        for (int errno : new int[] {4, 11, 17, 25, 114, 115, 512}) {
            for (int i = 0; i < 6; i++) {
                planted.span(Planted.LOOP, "syscalls", "ioctl", i, i + 0.1, Map.of("fd", 3), -errno);
                planted.span(
                        Planted.LOOP,
                        "node-fs",
                        "uv_fs_mkdir",
                        i,
                        i + 0.1,
                        Map.of("path", "/x", "request", i, "callback", SYNC),
                        -errno);
            }
        }
        planted.span(Planted.LOOP, "syscalls", "ioctl", 9, 9.1, Map.of("fd", 3), -9);

        ReportContents report = planted.report(folder);

        assertThat(report.findings()).extracting(Finding::rule).containsExactly("healthy");
        assertThat(column(report, "errors", "error")).containsExactly("EBADF");
        assertThat(column(report, "syscalls", "with an error")).containsExactly(1L);
        assertThat(column(report, "files", "failed")).containsExactly(0L);
    }

    @Test
    void requestThatFailedAndWasClosedCountsOnce() throws Exception {
        for (int i = 0; i < 10; i++) {
            planted.request("SERVER", "/pay", i, i + 1, "503 AS status");
        }
        planted.sql("UPDATE requests SET outcome = 'ABORTED'").poll(0, 30).poll(30, 31);

        assertThat(planted.finding(folder, "errors").title()).startsWith("100 % of the requests failed");
    }

    private static List<Object> column(ReportContents report, String section, String name) {
        ReportPart.Table table = report.sections().stream()
                .filter(candidate -> candidate.id().equals(section))
                .flatMap(candidate -> candidate.parts().stream())
                .filter(ReportPart.Table.class::isInstance)
                .map(ReportPart.Table.class::cast)
                .findFirst()
                .orElseThrow();
        int index =
                table.columns().stream().map(ReportPart.Column::name).toList().indexOf(name);
        return table.rows().stream().map(row -> row.get(index)).toList();
    }
}
