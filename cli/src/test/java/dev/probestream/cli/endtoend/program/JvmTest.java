package dev.probestream.cli.endtoend.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.InstalledProgram;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The probe sets jvm and jvm-methods on each JVM of the machine, which runs the fixture Known.java. */
@KernelTest(since = "5.8")
class JvmTest {
    @TempDir
    private Path folder;

    private Path recording = Path.of("");
    private Path log = Path.of("");

    static List<Path> javaHomes() throws IOException {
        return InstalledProgram.javaHomes();
    }

    @BeforeEach
    void compile() throws IOException {
        recording = folder.resolve("trace.avro");
        log = folder.resolve("classes.log");
        Path source = folder.resolve("Known.java");
        try (InputStream in = Objects.requireNonNull(JvmTest.class.getResourceAsStream("/testdata/jvm/Known.java"))) {
            Files.write(source, in.readAllBytes());
        }
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "--release", "17", "-d", folder.toString(), source.toString()))
                .isZero();
    }

    @ParameterizedTest
    @MethodSource("javaHomes")
    void allAndOnlyTheClassesThatAreLoadedAreRecorded(Path javaHome) throws Exception {
        List<String> loaded;
        try (LineProgram java = LineProgram.start(command(javaHome, logOfClasses()));
                CommandRun record = record(java, "jvm")) {
            record.awaitRecording();
            int before = classes().size();
            java.ask("classes");
            loaded = classes().subList(before, classes().size());

            assertThat(record.interrupt().end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.lost()).isZero();
        assertThat(loaded).contains("Known$One", "Known$Two", "Known$Three");
        assertThat(recorded.events("class loaded"))
                .extracting(JvmTest::classOf)
                .containsExactlyInAnyOrderElementsOf(loaded);
    }

    @ParameterizedTest
    @MethodSource("javaHomes")
    void classesAreRecordedFromTheFirstOn(Path javaHome) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("record", "-o", recording.toString(), "--probes", "jvm", "--"));
        arguments.addAll(command(javaHome, logOfClasses()));
        arguments.add("quit");
        try (CommandRun record = CommandRun.start(List.of(), arguments)) {
            assertThat(record.end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.lost()).isZero();
        assertThat(recorded.events("class loaded"))
                .hasSizeGreaterThan(400)
                .extracting(JvmTest::classOf)
                .containsExactlyInAnyOrderElementsOf(classes());
        for (String event : List.of("VM init begins", "VM init ends", "VM shutdown")) {
            assertThat(recorded.events(event)).as(event).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("javaHomes")
    void threadsCollectionsAndCompilationsAreRecorded(Path javaHome) throws Exception {
        try (LineProgram java = LineProgram.start(command(javaHome, "-XX:+UseSerialGC"));
                CommandRun record = record(java, "jvm")) {
            record.awaitRecording();
            java.ask("thread octi");
            java.ask("gc");
            java.ask("thread fest");
            java.ask("compile");

            assertThat(record.interrupt().end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        for (String event : List.of("thread start", "thread stop")) {
            assertThat(recorded.events(event))
                    .filteredOn(thread -> List.of("octi", "fest").contains(thread.argument("thread")))
                    .hasSize(2)
                    .allMatch(thread -> thread.argument("native_thread").equals((long) thread.tid()))
                    .extracting(thread -> thread.argument("thread"))
                    .containsExactly("octi", "fest");
        }
        assertThat(recorded.events("GC")).singleElement().satisfies(gc -> {
            assertThat(gc.probe().getKind()).isEqualTo(EventKind.SPAN);
            assertThat(gc.argument("is_full")).isEqualTo(1L);
            assertThat(gc.durationNs()).isPositive();
        });
        assertThat(recorded.events("pool after GC"))
                .extracting(pool -> pool.argument("pool").toString())
                .contains("Eden Space", "Tenured Gen");
        for (String event : List.of("compile", "compiled method load")) {
            assertThat(recorded.events(event))
                    .as(event)
                    .anyMatch(method -> method.argument("class").equals("Known")
                            && method.argument("method").equals("hot")
                            && method.argument("signature").equals("(I)I"));
        }
        assertThat(recorded.events("safepoint")).isNotEmpty();
        assertThat(recorded.events("VM operation begin"))
                .extracting(operation -> operation.argument("operation").toString())
                .anyMatch(operation -> operation.contains("GenCollectFull") || operation.contains("SerialGCCollect"));
    }

    @ParameterizedTest
    @MethodSource("javaHomes")
    void contendedMonitorsAreRecordedWithTheFlag(Path javaHome) throws Exception {
        try (LineProgram java = LineProgram.start(command(javaHome, "-XX:+DTraceMonitorProbes"));
                CommandRun record = record(java, "jvm")) {
            record.awaitRecording();
            java.ask("contend");
            java.ask("wait");

            assertThat(record.interrupt().end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        for (String event : List.of("monitor contended", "monitor wait")) {
            assertThat(recorded.events(event))
                    .as(event)
                    .filteredOn(monitor -> monitor.argument("class").equals("Known$Lock"))
                    .isNotEmpty()
                    .allMatch(monitor -> monitor.probe().getKind() == EventKind.SPAN && monitor.durationNs() > 0);
        }
        assertThat(recorded.events("monitor notify"))
                .extracting(monitor -> monitor.argument("class"))
                .containsExactly("Known$Lock");
    }

    @ParameterizedTest
    @MethodSource("javaHomes")
    void methodsAreRecordedWithTheFlag(Path javaHome) throws Exception {
        try (LineProgram java = LineProgram.start(command(javaHome, "-XX:+DTraceMethodProbes"));
                CommandRun record = record(java, "jvm-methods")) {
            record.awaitRecording();
            java.ask("thread octi");

            assertThat(record.interrupt().end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        for (String event : List.of("method entry", "method return")) {
            assertThat(recorded.events(event))
                    .filteredOn(method -> method.argument("class").equals("Known")
                            && method.argument("method").equals("nothing"))
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("javaHomes")
    void theTraceNamesTheArgumentsOfHotspot(Path javaHome) throws Exception {
        try (LineProgram java = LineProgram.start(command(javaHome));
                CommandRun trace =
                        CommandRun.start("trace", "-p", java.pid(), "-M", "1", "usdt:hotspot:thread__start")) {
            trace.await("tracing with ");
            java.ask("thread octi");

            assertThat(trace.end()).isZero();
            assertThat(trace.out()).contains("\"octi\"");
        }
    }

    @ParameterizedTest
    @MethodSource("javaHomes")
    void theTraceShowsHowLongACollectionTook(Path javaHome) throws Exception {
        String spec = "usdtspan:hotspot:gc__begin,gc__end(full=arg1:bool) /full == 1 && duration > 1000/";
        try (LineProgram java = LineProgram.start(command(javaHome));
                CommandRun trace = CommandRun.start("trace", "-p", java.pid(), "-M", "1", "--json", spec)) {
            trace.await("tracing with ");
            java.ask("gc");

            assertThat(trace.end()).isZero();
            assertThat(trace.out()).contains("hotspot:gc").containsPattern("duration[^0-9]+[0-9]{4}");
        }
    }

    private CommandRun record(LineProgram java, String set) throws IOException {
        return CommandRun.start("record", "-p", java.pid(), "-o", recording.toString(), "--probes", set);
    }

    private List<String> command(Path javaHome, String... options) {
        List<String> command =
                new ArrayList<>(List.of(javaHome.resolve("bin/java").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", folder.toString(), "Known"));
        return command;
    }

    private String logOfClasses() {
        return "-Xlog:class+load:file=" + log + ":none";
    }

    /** What the JVM says of the classes it has loaded, in its order. */
    private List<String> classes() throws IOException {
        return Files.readAllLines(log).stream()
                .map(line -> line.substring(0, line.indexOf(" source: ")))
                .toList();
    }

    /** A class as the log spells it; hidden ones are java/lang/Known$$Lambda+0x1234 in the JVM. */
    private static String classOf(RecordedEvent event) {
        return event.argument("class").toString().replace('/', '.').replace('+', '/');
    }
}
