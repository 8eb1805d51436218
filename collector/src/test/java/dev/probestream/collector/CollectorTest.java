package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Process;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The collector as a whole: real probes in real processes, into a file that is read back. */
@KernelTest(since = "5.8")
class CollectorTest {
    private static final int RING_SIZE_BYTES = 1 << 20;

    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @Test
    void callsOfAProcessBecomeSpansWithArgumentsAndResult() throws Exception {
        try (CProgram.Running program = calls.start()) {
            Recorded recorded = record(
                    request(program.pid(), RING_SIZE_BYTES, "span:add (a=arg1:s64, b=arg2:s64, sum=ret:s64)"), () -> {
                        assertThat(program.ask("add 2 40")).isEqualTo("42");
                        assertThat(program.ask("add -7 3")).isEqualTo("-4");
                    });

            assertThat(recorded.events).hasSize(2).allSatisfy(event -> {
                assertThat(event.kind()).isEqualTo(EventKind.SPAN);
                assertThat(event.pid()).isEqualTo(program.pid());
                assertThat(event.durationNs()).isPositive();
            });
            assertThat(recorded.events)
                    .extracting(Recorded.Kept::numbers)
                    .containsExactly(List.of(2L, 40L), List.of(-7L, 3L));
            assertThat(recorded.events).extracting(Recorded.Kept::returnValue).containsExactly(42L, -4L);
            assertThat(recorded.processes.values()).extracting(Process::getName).containsExactly("calls");
            assertThat(recorded.ends).hasSize(1);
            assertThat(recorded.ends.get(0).getDelivered()).isEqualTo(2);
        }
    }

    @RepeatedTest(10)
    void whatARingFarTooSmallCannotTakeIsCountedExactly() throws Exception {
        int threads = 2;
        int callsPerThread = 200_000;
        try (CProgram.Running program = calls.start()) {
            Recorded recorded = record(
                    request(program.pid(), 4096, "uprobe:tick (n=arg1:s64)", "span:tick (n=arg1:s64)"),
                    () -> program.ask("threads " + threads + " " + callsPerThread));

            assertThat(recorded.lost()).isPositive();
            assertThat(recorded.events.size() + recorded.lost()).isEqualTo(2L * threads * callsPerThread);
            assertThat(recorded.ends.get(0).getLost()).isEqualTo(recorded.lost());
        }
    }

    @Test
    void everythingOfTheKernelIsRecordedForTheTargetOnly() throws Exception {
        try (CProgram.Running program = calls.start()) {
            CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(program.pid())))
                    .probes(ProbeSet.select(List.of("syscalls:all", "sched:all")))
                    .ringSizeBytes(RING_SIZE_BYTES)
                    .commandLine(List.of("test"))
                    .build();
            Recorded recorded = record(request, () -> program.ask("threads 3 10"));

            assertThat(recorded.of("read")).isNotEmpty();
            assertThat(recorded.of("write"))
                    .anySatisfy(write -> assertThat(write.returnValue()).isEqualTo(3));
            assertThat(recorded.of("sched_switch"))
                    .isNotEmpty()
                    .allSatisfy(event -> assertThat(event.numbers())
                            .satisfies(numbers -> assertThat(List.of(numbers.get(1), numbers.get(5)))
                                    .contains((long) program.pid())));
            assertThat(recorded.of("sched_waking")).isNotEmpty();
            assertThat(recorded.events)
                    .filteredOn(event -> event.kind() == EventKind.SPAN)
                    .allSatisfy(event -> assertThat(event.pid()).isEqualTo(program.pid()));
            assertThat(recorded.threads.values())
                    .filteredOn(thread -> thread.getPid() == program.pid())
                    .hasSize(4);
        }
    }

    @Test
    void systemCallsByWhichTheKernelReturnsFromProbesAreNotTheProgramsOwn() throws Exception {
        try (CProgram.Running program = calls.start()) {
            Recorded recorded = record(
                    request(program.pid(), RING_SIZE_BYTES, "syscalls:all", "span:tick"),
                    () -> program.ask("repeat 100"));

            assertThat(recorded.of("tick")).hasSize(100);
            assertThat(recorded.of("write")).isNotEmpty();
            assertThat(recorded.of("uretprobe")).isEmpty();
            assertThat(recorded.of("uprobe")).isEmpty();
        }
    }

    /** The kernel delays the removal of probes while a thread has a call open and enters others; see {@code Links}. */
    @Test
    void aBusyThreadInACallThatLastsDoesNotHoldUpTheEnd() throws Exception {
        try (CProgram.Running program = calls.start()) {
            Recorded recorded = record(
                    request(program.pid(), RING_SIZE_BYTES, "span:serve", "span:tick", "span:other"),
                    () -> program.ask("serve"));

            assertThat(recorded.of("serve"))
                    .singleElement()
                    .satisfies(serve -> assertThat(serve.kind()).isEqualTo(EventKind.OPEN_SPAN));
        }
    }

    /**
     * The second process is a fork that ends at once. The first reports its own user when it is executed, and runs
     * until its program has been looked up: it reads a line that is written then.
     */
    @Test
    void usersAndProgramsOfForksThatHaveEndedAreKnown() throws Exception {
        ElfFixture.needs("setpriv");
        Path known = folder.resolve("known");
        assertThat(new ProcessBuilder("mkfifo", "-m", "666", known.toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Path file = folder.resolve("users.avro");
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofCommand(List.of(
                        "setpriv",
                        "--reuid",
                        "65534",
                        "--clear-groups",
                        "/bin/sh",
                        "-c",
                        "(true) & wait; read known < " + known)))
                .probes(ProbeSet.select(List.of("sched")))
                .limit(Duration.ofMinutes(2))
                .followChildren(true)
                .ringSizeBytes(RING_SIZE_BYTES)
                .commandLine(List.of("test"))
                .build();
        try (RandomAccessFile toShell = new RandomAccessFile(known.toFile(), "rw"); // does not wait for the reader
                Collector collector = Collector.open(request);
                FilePublisher publisher = FilePublisher.create(file)) {
            collector.run(new KnownProgram(publisher, 65534, toShell));
        }

        assertThat(Recorded.read(file).processes.values())
                .hasSize(2)
                .allSatisfy(process -> assertThat(process.getUid()).isEqualTo(65534))
                .allSatisfy(process -> assertThat(process.getExecutable()).isNotEmpty());
    }

    /** Writes a line when the program of a user's process is published. */
    private record KnownProgram(EventPublisher publisher, int uid, RandomAccessFile reader) implements EventPublisher {
        @Override
        public void publish(SpecificRecord metadata) {
            publisher.publish(metadata);
            if (metadata instanceof Process process
                    && process.getUid() == uid
                    && !process.getExecutable().isEmpty()) {
                try {
                    reader.writeBytes("known\n");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        @Override
        public void publish(EventEncoder event) {
            publisher.publish(event);
        }

        @Override
        public void flush() {
            publisher.flush();
        }

        @Override
        public void complete() {
            publisher.complete();
        }

        @Override
        public long publishedBytes() {
            return publisher.publishedBytes();
        }

        @Override
        public void close() {
            publisher.close();
        }
    }

    @Test
    void recordingEndsWithTheProcess() throws Exception {
        try (CProgram.Running program = calls.start()) {
            Path file = folder.resolve("ends.avro");
            CollectionRequest request = request(program.pid(), RING_SIZE_BYTES, "uprobe:tick");
            try (Collector collector = Collector.open(request);
                    FilePublisher publisher = FilePublisher.create(file)) {
                CollectionOutcome outcome = collector.run(publisher, progress -> {
                    try {
                        program.finish();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                assertThat(outcome.reason()).isEqualTo("process " + program.pid() + " (calls) exited");
            }
            assertThat(Recorded.read(file).ends).hasSize(1);
        }
    }

    @Test
    void commandIsProbedFromItsFirstInstruction() throws Exception {
        Path file = folder.resolve("command.avro");
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofCommand(List.of("/bin/true")))
                .probes(ProbeSet.select(List.of("syscalls:all")))
                .limit(Duration.ofSeconds(60))
                .ringSizeBytes(RING_SIZE_BYTES)
                .commandLine(List.of("test"))
                .build();
        try (Collector collector = Collector.open(request);
                FilePublisher publisher = FilePublisher.create(file)) {
            CollectionOutcome outcome = collector.run(publisher);
            assertThat(outcome.reason()).isEqualTo("the command '/bin/true' ended with status 0");
            assertThat(outcome.commandStatus()).hasValue(0);
        }
        Recorded recorded = Recorded.read(file);
        // The call that the dynamic linker begins with; the execve before it is the shell's.
        assertThat(recorded.events.get(0).probe()).isEqualTo("brk");
        assertThat(recorded.of("execve")).isEmpty();
        assertThat(recorded.of("mmap")).isNotEmpty();
    }

    /** What happens between the probes being in place and the end of the recording. */
    private interface Action {
        void run() throws Exception;
    }

    private static CollectionRequest request(int pid, int ringSizeBytes, String... specs) {
        return CollectionRequest.of(TargetSelection.ofPids(List.of(pid)))
                .probes(ProbeSet.select(List.of(specs)))
                .ringSizeBytes(ringSizeBytes)
                .commandLine(List.of("test"))
                .build();
    }

    private static Recorded record(CollectionRequest request, Action action) throws Exception {
        Path file = folder.resolve("recording.avro");
        StopSignal stop = new StopSignal();
        boolean[] done = {false};
        try (Collector collector = Collector.open(request, stop);
                FilePublisher publisher = FilePublisher.create(file)) {
            collector.run(publisher, progress -> {
                if (!done[0]) {
                    done[0] = true;
                    try {
                        action.run();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    stop.raise();
                }
            });
        }
        return Recorded.read(file);
    }
}
