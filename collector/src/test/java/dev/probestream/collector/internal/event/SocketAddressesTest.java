package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.schema.record.Event;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses of real sockets, by their file descriptors and by what the program hands around. */
@KernelTest(since = "6.6")
class SocketAddressesTest {
    private static final String ARGUMENTS =
            "(address=arg2:sockaddr, peer=*arg1:peer@+8, own=*arg1:sockname@+8, same=arg3:peer)";

    @TempDir
    static Path folder;

    private static CProgram sockets;

    @BeforeAll
    static void compile() throws Exception {
        sockets = CProgram.compile(folder, "probe/sockets");
    }

    private static List<Event> shown(String kind, String request, StringBuilder answer) throws Exception {
        try (CProgram.Running process = sockets.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int id = capture.add(kind + ":shown" + ARGUMENTS, sockets, "shown");
            capture.start();
            answer.append(process.ask(request));
            capture.stop();
            return capture.eventsOf(id);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "uprobe, inet, 127.0.0.1, 127.0.0.1",
        "span, inet, 127.0.0.1, 127.0.0.1",
        "uprobe, inet6, [::1], [::1]",
        "span, inet6, [::1], [::1]",
        "uprobe, mapped, 127.0.0.1, 127.0.0.1",
    })
    void bothEndsOfAConnectionAreTold(String kind, String request, String listener, String client) throws Exception {
        StringBuilder answer = new StringBuilder();
        List<Event> events = shown(kind, request, answer);

        String[] ports = answer.toString().split(" ");
        String server = listener + ":" + ports[0];
        String other = client + ":" + ports[1];
        assertThat(events)
                .extracting(Event::getStrings)
                .containsExactly(List.of(server, server, other, server), List.of(other, other, server, other));
        assertThat(events).extracting(Event::getUnavailable).containsOnly(0L);
    }

    @Test
    void unixSocketsAreToldByTheirPathIfTheyHaveOne() throws Exception {
        Path path = folder.resolve("socket");
        List<Event> events = shown("uprobe", "path " + path, new StringBuilder());

        assertThat(events)
                .extracting(Event::getStrings)
                .containsExactly(
                        List.of(path.toString(), path.toString(), "unix", path.toString()),
                        List.of("", "unix", path.toString(), "unix"));
        assertThat(events).extracting(Event::getUnavailable).containsExactly(0L, 1L);
    }

    @Test
    void namesInTheAbstractNamespaceBeginWithAnAt() throws Exception {
        String name = "probestream-" + ProcessHandle.current().pid();
        List<Event> events = shown("span", "abstract " + name, new StringBuilder());

        assertThat(events.get(0).getStrings()).containsExactly("@" + name, "@" + name, "unix", "@" + name);
        assertThat(shown("uprobe", "pair", new StringBuilder()).get(0).getStrings())
                .containsExactly("", "unix", "unix", "unix");
    }

    @Test
    void whatIsNotConnectedHasNoPeerAndAnUnknownFamilyNoAddress() throws Exception {
        StringBuilder port = new StringBuilder();
        Event event = shown("uprobe", "listening", port).get(0);

        assertThat(event.getStrings()).containsExactly("", "", "127.0.0.1:" + port, "");
        assertThat(event.getUnavailable()).isEqualTo(0b1011);
    }

    @ParameterizedTest
    @ValueSource(strings = {"uprobe", "span"})
    void filesAndClosedDescriptorsAndAddressesOfNothingAreUnavailable(String kind) throws Exception {
        List<Event> events = shown(kind, "file", new StringBuilder());

        assertThat(events).hasSize(3).allSatisfy(event -> {
            assertThat(event.getStrings()).containsExactly("", "", "", "");
            assertThat(event.getUnavailable()).isEqualTo(0b1111);
        });
    }

    @Test
    void aDescriptorThatAFunctionMakesIsReadAtItsReturn() throws Exception {
        try (CProgram.Running process = sockets.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int span = capture.add(
                    "span:opened(before=*arg1:peer@+8, peer=*arg1:peer@+8 at return, own=ret:sockname)",
                    sockets,
                    "opened");
            int instant = capture.add("uretprobe:opened(peer=ret:peer)", sockets, "opened");
            capture.start();
            String[] ports = process.ask("inet").split(" ");
            capture.stop();

            String server = "127.0.0.1:" + ports[0];
            String client = "127.0.0.1:" + ports[1];
            assertThat(capture.eventsOf(span))
                    .extracting(Event::getStrings)
                    .containsExactly(List.of("", server, client), List.of("", client, server));
            assertThat(capture.eventsOf(instant))
                    .extracting(Event::getStrings)
                    .containsExactly(List.of(server), List.of(client));
        }
    }

    @Test
    void aKernelThatSaysNothingOfItsSocketsLeavesTheirEndsUnavailable() throws Exception {
        try (CProgram.Running process = sockets.start();
                TestCapture capture = new TestCapture(
                        ProgramOptions.of(RegisterTable.X86_64, TargetFilter.process(process.pid())),
                        UprobeAttachMethod.MULTI)) {
            int id = capture.add("uprobe:shown" + ARGUMENTS, sockets, "shown");
            capture.start();
            String port = process.ask("inet").split(" ")[0];
            capture.stop();

            assertThat(capture.eventsOf(id).get(0).getStrings()).containsExactly("127.0.0.1:" + port, "", "", "");
            assertThat(capture.eventsOf(id).get(0).getUnavailable()).isEqualTo(0b1110);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"uprobe", "span"})
    void textBetweenTwoPointersEndsAtTheSecond(String kind) throws Exception {
        try (CProgram.Running process = sockets.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int id = capture.add(kind + ":piece(text=arg1:str[..arg2], short=arg1:str[..arg2,4])", sockets, "piece");
            int filtered = capture.add(kind + ":piece(text=arg1:str[..arg2]) /text ^= \"/in\"/", sockets, "piece");
            capture.start();
            for (String text : List.of("/index 3", "/index 6", "/index 0", "/index -1", "/index 2")) {
                process.ask("piece " + text);
            }
            capture.stop();

            assertThat(capture.eventsOf(id))
                    .extracting(event -> String.join("|", event.getStrings()))
                    .containsExactly("/in|/in", "/index|/ind…", "|", "|", "/i|/i");
            assertThat(capture.eventsOf(id)).extracting(Event::getUnavailable).containsExactly(0L, 0L, 0L, 3L, 0L);
            assertThat(capture.eventsOf(filtered))
                    .extracting(event -> event.getStrings().get(0))
                    .containsExactly("/in", "/index");
        }
    }
}
