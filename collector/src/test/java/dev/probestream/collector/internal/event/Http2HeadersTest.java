package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.schema.record.Event;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Single headers are found among those of a stream, of which the fixture has some as Node has them. */
@KernelTest(since = "6.6")
class Http2HeadersTest {
    private static final String AT = "@+40@+24";

    private static final String SPEC = "uprobe:handle(method=*arg1:http2header[arg2,method]" + AT
            + ", status=*arg1:http2header[arg2,status]" + AT + ", grpc=*arg1:http2header[arg2,grpc_status]" + AT + ")";

    /** Method, status and grpc_status as the bits of {@link Event#getUnavailable()}. */
    private static final long ALL = 7;

    private static final long GRPC_STATUS = 4;

    @TempDir
    private Path folder;

    @Test
    void aHeaderIsReadWhereverItStandsOrIsKnownToBeMissing() throws Exception {
        CProgram program = CProgram.compile(folder, "program/http2headers");
        try (CProgram.Running process = program.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int id = capture.add(SPEC, program, "handle");
            capture.start();
            ask(process, ":status 200", "grpc-status 5", "grpc-message why", "=5");
            ask(process, ":method POST", ":path /grpc-status", "grpc-statut 3", "grpc-status-2 4", "=5");
            ask(process, ".60", "grpc-status 13", "=5");
            ask(process, "grpc-status", "=5");
            ask(process, "grpc-status 123456789", ":method POSTPOSTPOSTPOSTPOSTPOSTPOST", "=5");
            ask(process, "=5");
            // In the same bucket, and of another stream.
            ask(process, "grpc-status 5", "=8");
            capture.stop();

            assertThat(capture.eventsOf(id))
                    .extracting(Event::getStrings)
                    .containsExactly(
                            List.of("", "200", "5"),
                            List.of("POST", "", ""),
                            List.of("", "", "13"),
                            List.of("", "", ""),
                            List.of("POSTPOSTPOSTPOSTPOSTPOST…", "", "12345678…"),
                            List.of("", "", ""),
                            List.of("", "", ""));
            assertThat(capture.eventsOf(id)).extracting(Event::getUnavailable).containsOnly(0L);
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void whatIsUncertainIsUnknown() throws Exception {
        CProgram program = CProgram.compile(folder, "program/http2headers");
        try (CProgram.Running process = program.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int id = capture.add(SPEC, program, "handle");
            capture.start();
            ask(process, ":status 200", "grpc-status 0", "grpc-status 5", "=5");
            ask(process, ".70", "grpc-status 13", "=5");
            ask(process, "!", "=5");
            ask(process, "grpc-status 5", "=11");
            ask(process, "grpc-status 5", "=3");
            capture.stop();

            assertThat(capture.eventsOf(id))
                    .extracting(Event::getStrings)
                    .containsExactly(
                            List.of("", "200", ""),
                            List.of("", "", ""),
                            List.of("", "", ""),
                            List.of("", "", ""),
                            List.of("", "", ""));
            assertThat(capture.eventsOf(id))
                    .extracting(Event::getUnavailable)
                    .containsExactly(GRPC_STATUS, ALL, ALL, ALL, ALL);
        }
    }

    private static void ask(CProgram.Running process, String... lines) throws Exception {
        for (String line : lines) {
            process.ask(line);
        }
    }
}
