package dev.probestream.cli.list;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.catalog.ProbeCatalog;
import dev.probestream.collector.catalog.Selection;
import dev.probestream.collector.probe.ResolveException;
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

/** {@code list}: lists the probes of a process, a file or the kernel. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = ListCommand.HEADER,
        customSynopsis = "probestream list (-p PID | -l FILE | --kernel) [-v] [--json] [GLOB]",
        description = {
            "",
            "Prints one line per probe, in the syntax of 'record --probes': USDT probes and tracepoints first, then functions."
                    + " A process has hundreds of thousands of functions, and the kernel tens of thousands: with -p and"
                    + " --kernel they are only counted unless a GLOB selects them ('*' for all). No probe is"
                    + " attached. The counts go to standard error.",
            ""
        },
        footer = {
            "",
            "-v adds indented lines: for a USDT probe each site in the code (virtual address, file offset,"
                    + " base, semaphore) and its arguments, as stored in the file and decoded, with the names and types"
                    + " known for node, hotspot, libc, postgresql, python, ruby, mysql and others; for a function its address"
                    + " and size; for a tracepoint its fields.",
            "",
            "--json prints one object per line with all details; addresses are numbers:",
            "  kind, spec      in each; further fields by kind:",
            "  usdt            file provider name sites[virtualAddress fileOffset base",
            "                  semaphore semaphoreFileOffset argumentText arguments[text",
            "                  sizeBytes signed place constant unreadable name type]]",
            "  function        file name virtualAddress fileOffset sizeBytes local cxxName",
            "  tracepoint      category name fields[name type offset sizeBytes signed",
            "                  elements]",
            "  rawtracepoint, kernelfunction   name",
            "",
            "Exit codes: 0 success, 1 failure, 2 wrong usage, 77 not permitted.",
            "",
            "Examples:",
            "  ./probestream list -l /usr/bin/node 'uv_fs_*'",
            "  sudo ./probestream list -p 4711 -v 'hotspot:gc__*'",
            "  sudo ./probestream list --kernel -v sched_switch",
            "  ./probestream list -l /lib64/libc.so.6 --json | jq -r 'select(.kind == \"usdt\") | .name'"
        })
public final class ListCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Lists available probes.";

    private static final int BUFFER_CHARACTERS = 1 << 16;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-p", "--pid"},
            paramLabel = "PID",
            order = 1,
            description = "List every file with code mapped by this process, including deleted files and memfds.")
    private @Nullable Integer pid;

    @Option(
            names = {"-l", "--file"},
            paramLabel = "FILE",
            order = 2,
            description = "List an executable or shared object of any architecture, with its functions.")
    private @Nullable Path file;

    @Option(
            names = "--kernel",
            order = 3,
            description =
                    "List the running kernel: tracepoints, raw tracepoints, and functions (probes on kernel functions are not"
                            + " supported).")
    private boolean kernel;

    @Option(
            names = {"-v", "--verbose"},
            order = 4,
            description = "Print all details of each probe.")
    private boolean verbose;

    @Option(names = "--json", order = 5, description = "Print one JSON object per line for each probe.")
    private boolean json;

    @Parameters(
            arity = "0..1",
            paramLabel = "GLOB",
            description = "List only probes of this name; * matches any characters, ? matches one. Matches the name,"
                    + " PROVIDER:NAME or CATEGORY:EVENT, the whole spec, or the name of a C++ function"
                    + " (v8::internal::Heap::*).")
    private @Nullable String glob;

    @Override
    public Integer call() throws IOException, ResolveException, CommandException {
        ProbeCatalog catalog = catalog();
        Selection selection = glob == null ? Selection.all(file != null) : Selection.matching(glob);
        PrintWriter standardOut = spec.commandLine().getOut();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), false);
        PrintWriter out = new PrintWriter(new BufferedWriter(standardOut, BUFFER_CHARACTERS));
        CountedListing listing;
        if (json) {
            JsonListing objects = new JsonListing(out);
            listing = new CountedListing(objects, terminal::print);
            read(catalog, selection, listing);
            objects.finish();
        } else {
            listing = new CountedListing(new TextListing(out, verbose), terminal::print);
            read(catalog, selection, listing);
        }
        out.flush();
        // If the reader has closed the pipe, as head does, the counts are not printed.
        if (!standardOut.checkError()) {
            terminal.print(listing.summary() + (selection.showsFunctions() ? "" : "; use a GLOB to list functions"));
        }
        return ExitCode.DONE.value();
    }

    private ProbeCatalog catalog() {
        int ways = (pid == null ? 0 : 1) + (file == null ? 0 : 1) + (kernel ? 1 : 0);
        if (ways != 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    ways == 0
                            ? "no source of probes: use -p PID, -l FILE or --kernel"
                            : "more than one source of probes: use only one of -p PID, -l FILE or --kernel");
        }
        if (pid != null) {
            return ProbeCatalog.ofProcess(pid);
        }
        return file != null ? ProbeCatalog.ofFile(file) : ProbeCatalog.ofKernel();
    }

    private void read(ProbeCatalog catalog, Selection selection, CountedListing listing)
            throws IOException, ResolveException, CommandException {
        try {
            catalog.read(selection, listing);
        } catch (NoSuchFileException e) {
            throw new CommandException(ExitCode.FAILED, "cannot read " + e.getFile() + ": the file does not exist", e);
        } catch (AccessDeniedException e) {
            throw new CommandException(
                    ExitCode.NOT_PERMITTED,
                    "cannot read " + e.getFile() + ": permission denied (run Probestream as its owner or as root)",
                    e);
        }
    }
}
