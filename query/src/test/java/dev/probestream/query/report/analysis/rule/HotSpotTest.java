package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which function a finding about CPU time names, in three blocked turns of 300 ms. */
class HotSpotTest {
    private static final String HANDLER = "handler /srv/app/server.js:5";

    @TempDir
    private Path folder;

    private Planted planted;
    private double atMs;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        planted.turns(300, 300, 300);
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void innerFunctionWithMostSamplesIsNamedThoughItIsInLessThanHalfOfThem() throws Exception {
        String price = "price /srv/app/lib/price.js:9";
        samples(40, "convert /srv/app/lib/price.js:3", price, HANDLER);
        samples(25, "checksum /srv/app/lib/check.js:1", "validate /srv/app/lib/check.js:4", HANDLER);
        samples(15, HANDLER);

        Finding finding = planted.finding(folder, "loop-blocked");

        assertThat(finding.title()).endsWith(" by convert (lib/price.js:3).");
        assertThat(finding.text())
                .contains(
                        "50 % of the CPU samples in them lie in convert (lib/price.js:3)",
                        "It is called by handler (app/server.js:5) > price (lib/price.js:9).");
    }

    @Test
    void handlerThatIsOftenAtTheLeafIsNotNamedForAnInnerFunctionBelowWhichThereIsMuchNativeCode() throws Exception {
        samples(35, HANDLER);
        samples(
                45,
                "v8::internal::Scavenger::Process()",
                "v8::internal::Heap::Scavenge()",
                "v8::internal::Heap::CollectGarbage()",
                "v8::internal::Factory::NewFixedArray()",
                "Builtins_GrowFastElements",
                "expand /srv/app/lib/tree.js:7",
                HANDLER);

        assertThat(planted.finding(folder, "loop-blocked").title()).endsWith(" by expand (lib/tree.js:7).");
    }

    @Test
    void handlerIsNamedIfItsOwnCodeRunsMost() throws Exception {
        samples(50, HANDLER, "Builtins_AsyncFunctionAwaitResolveClosure");
        samples(30, "checksum /srv/app/lib/check.js:1", HANDLER);

        Finding finding = planted.finding(folder, "loop-blocked");

        assertThat(finding.title()).endsWith(" by handler (app/server.js:5).");
        assertThat(finding.text()).doesNotContain("It is called by", "most often at");
    }

    @Test
    void functionAboveManySmallOnesIsNamed() throws Exception {
        for (int visitor = 0; visitor < 8; visitor++) {
            samples(
                    10,
                    "visit" + visitor + " /srv/app/lib/visit.js:" + (10 + visitor),
                    "walk /srv/app/lib/visit.js:3",
                    HANDLER);
        }

        assertThat(planted.finding(folder, "loop-blocked").title()).endsWith(" by walk (lib/visit.js:3).");
    }

    @Test
    void samplesWithoutTheNameOfTheInnermostFunctionDoNotCountForItsCaller() throws Exception {
        samples(30, "convert /srv/app/lib/price.js:3", HANDLER);
        long stack = planted.stack("convert /srv/app/lib/price.js:3", HANDLER);
        planted.sql(
                "UPDATE stacks SET symbol = NULL, file = NULL, line = NULL WHERE depth = 0 AND stack_id = " + stack);
        samples(50, stack);

        assertThat(planted.finding(folder, "loop-blocked").title()).endsWith(" by convert (lib/price.js:3).");
    }

    @Test
    void actionIsThatOfTheNamedFunctionAndNotOfOneBelowIt() throws Exception {
        samples(50, HANDLER);
        samples(
                30,
                "v8::internal::JsonParser<unsigned char>::ParseJsonValue()",
                "load /srv/app/lib/load.js:1",
                HANDLER);

        assertThat(planted.finding(folder, "loop-blocked").title()).endsWith(" by handler (app/server.js:5).");
    }

    private void samples(int count, String... leafFirst) throws SQLException {
        samples(count, planted.stack(leafFirst));
    }

    /** 10 ms a sample, one after the other. */
    private void samples(int count, long stack) throws SQLException {
        for (int sample = 0; sample < count; sample++) {
            atMs = atMs + 10 > 890 ? 2 : atMs + 10;
            planted.samples(Planted.LOOP, atMs, atMs + 1, stack);
        }
    }
}
