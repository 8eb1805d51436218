package dev.probestream.cli.list;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.catalog.ProbeCatalog;
import dev.probestream.collector.catalog.Selection;
import dev.probestream.collector.process.ResolveException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code list}: the probes of a process, a file or the kernel. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Lists the probes that can be used.",
        customSynopsis = "probestream list (-p PID | -l FILE | --kernel) [-v] [--json] [GLOB]",
        description = {
            "",
            "One line per probe, spelled as 'record --probes' takes it: USDT probes and tracepoints first, then functions."
                    + " A process has hundreds of thousands of functions, and the kernel tens of thousands: with -p and"
                    + " --kernel they are counted, and shown when a GLOB says which ('*' for all). Nothing is changed, no"
                    + " probe is attached. The counts are said on standard error.",
            ""
        },
        footer = {
            "",
            "-v says more, in indented lines: of a USDT probe each place in the code (virtual address, offset in the file,"
                    + " base, semaphore) and its arguments, as the file has them and in words, with the names and types"
                    + " known of node, hotspot, libc, postgresql, python, ruby, mysql and others; of a function its address"
                    + " and size; of a tracepoint its fields.",
            "",
            "--json prints one object per line, always with all details; addresses are numbers:",
            "  kind, spec      in each; then by kind:",
            "  usdt            file provider name sites[virtualAddress fileOffset base",
            "                  semaphore semaphoreFileOffset argumentText arguments[text",
            "                  sizeBytes signed place constant unreadable name type]]",
            "  function        file name virtualAddress fileOffset sizeBytes local cxxName",
            "  tracepoint      category name fields[name type offset sizeBytes signed",
            "                  elements]",
            "  rawtracepoint, kernelfunction   name",
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 77 not permitted.",
            "",
            "Examples:",
            "  ./probestream list -l /usr/bin/node 'uv_fs_*'",
            "  sudo ./probestream list -p 4711 -v 'hotspot:gc__*'",
            "  sudo ./probestream list --kernel -v sched_switch",
            "  ./probestream list -l /lib64/libc.so.6 --json | jq -r 'select(.kind == \"usdt\") | .name'"
        })
public final class ListCommand implements Callable<Integer> {
    private static final int BUFFER_CHARACTERS = 1 << 16;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-p", "--pid"},
            paramLabel = "PID",
            order = 1,
            description = "Every file this process has mapped to run code of, deleted ones and memfds too.")
    private @Nullable Integer pid;

    @Option(
            names = {"-l", "--file"},
            paramLabel = "FILE",
            order = 2,
            description = "An executable or shared object, for whatever processor; its functions are shown.")
    private @Nullable Path file;

    @Option(
            names = "--kernel",
            order = 3,
            description =
                    "The running kernel: tracepoints, raw tracepoints, and functions, which this version cannot attach"
                            + " to.")
    private boolean kernel;

    @Option(
            names = {"-v", "--verbose"},
            order = 4,
            description = "Say all that is known of each probe.")
    private boolean verbose;

    @Option(names = "--json", order = 5, description = "Print one JSON object per probe and line.")
    private boolean json;

    @Parameters(
            arity = "0..1",
            paramLabel = "GLOB",
            description = "Only probes of this name; * and ? stand for any characters and for one. Matches the name,"
                    + " PROVIDER:NAME or CATEGORY:EVENT, the whole spelling, or the name of a C++ function"
                    + " (v8::internal::Heap::*).")
    private @Nullable String glob;

    @Override
    public Integer call() throws IOException, ResolveException, CommandException {
        ProbeCatalog catalog = catalog();
        Selection wanted = glob == null ? Selection.all(file != null) : Selection.matching(glob);
        PrintWriter standardOut = spec.commandLine().getOut();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), false);
        PrintWriter out = new PrintWriter(new BufferedWriter(standardOut, BUFFER_CHARACTERS));
        CountedListing listing;
        if (json) {
            JsonListing objects = new JsonListing(out);
            listing = new CountedListing(objects, terminal::say);
            read(catalog, wanted, listing);
            objects.finish();
        } else {
            listing = new CountedListing(new TextListing(out, verbose), terminal::say);
            read(catalog, wanted, listing);
        }
        out.flush();
        // Behind '| head' the reader has gone: it has what it wanted, and nobody waits for the counts.
        if (!standardOut.checkError()) {
            terminal.say(listing.summary() + (wanted.showsFunctions() ? "" : "; a GLOB shows functions"));
        }
        return ExitCode.DONE.value();
    }

    private ProbeCatalog catalog() {
        int ways = (pid == null ? 0 : 1) + (file == null ? 0 : 1) + (kernel ? 1 : 0);
        if (ways != 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    ways == 0
                            ? "say whose probes to list: -p PID, -l FILE or --kernel"
                            : "say whose probes to list in one way only: -p PID, -l FILE or --kernel");
        }
        if (pid != null) {
            return ProbeCatalog.ofProcess(pid);
        }
        return file != null ? ProbeCatalog.ofFile(file) : ProbeCatalog.ofKernel();
    }

    private void read(ProbeCatalog catalog, Selection wanted, CountedListing listing)
            throws IOException, ResolveException, CommandException {
        try {
            catalog.read(wanted, listing);
        } catch (NoSuchFileException e) {
            throw new CommandException(ExitCode.FAILED, "cannot read " + e.getFile() + ": there is no such file", e);
        } catch (AccessDeniedException e) {
            throw new CommandException(
                    ExitCode.NOT_PERMITTED,
                    "cannot read " + e.getFile() + ": permission denied (run Probestream as its owner or as root)",
                    e);
        }
    }
}
