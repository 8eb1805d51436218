package dev.probestream.cli.kafka.kill;

import dev.probestream.bpf.CProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The program {@code testdata/kill/beats.c}, which calls {@code beat(n)} at a steady rate and {@code work(n)} for every
 * eighth n. As no n comes twice, an event can be distinguished from all others in every file format.
 */
final class Beats implements AutoCloseable {
    /** The name of the span among the two probes. */
    static final String SPAN = "work";

    /** The other. */
    static final String INSTANT = "beat";

    /** The argument of both. */
    static final String ARGUMENT = "n";

    private final CProgram program;
    private final CProgram.Running running;

    private Beats(CProgram program, CProgram.Running running) {
        this.program = program;
        this.running = running;
    }

    /** It ends by itself after so many seconds, whatever becomes of the test. */
    static Beats start(Path folder, int seconds) throws IOException, InterruptedException {
        CProgram program = CProgram.compile(folder, "kill/beats");
        return new Beats(program, program.start(String.valueOf(seconds)));
    }

    void go(int threads, long perSecond) throws IOException {
        running.ask("go " + threads + " " + perSecond);
    }

    /** How many calls of both functions there were. */
    long stop() throws IOException {
        return Long.parseLong(running.ask("stop"));
    }

    /** A collector of every call, with metrics and a summary in JSON. */
    Service collect(String servers, String... more) throws IOException {
        return collect(List.of(), servers, more);
    }

    /** The same with these options for its JVM; those of {@link Service#start(String...)} if there are none. */
    Service collect(List<String> jvmOptions, String servers, String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("collect", "--kafka", servers, "--metrics-port", "0", "--json", "-p"));
        arguments.add(String.valueOf(running.pid()));
        arguments.addAll(List.of("--budget", "off"));
        arguments.add("--probes");
        arguments.add("uprobe:" + program.executable() + ":" + INSTANT + "(" + ARGUMENT + "=arg1:s64)");
        arguments.add("--probes");
        arguments.add("span:" + program.executable() + ":" + SPAN + "(" + ARGUMENT + "=arg1:s64)");
        arguments.addAll(List.of(more));
        String[] words = arguments.toArray(String[]::new);
        return jvmOptions.isEmpty() ? Service.start(words) : Service.start(jvmOptions, words);
    }

    /** What distinguishes an event from all others of its program. */
    static long identity(boolean isSpan, long number) {
        return 2 * number + (isSpan ? 1 : 0);
    }

    @Override
    public void close() throws IOException {
        running.close();
    }
}
