package dev.probestream.cli;

import dev.probestream.bpf.kernel.UnsupportedFeatureException;
import dev.probestream.bpf.kernel.VerifierException;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.bpf.tracefs.TracepointFormatException;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.histogram.HistogramException;
import dev.probestream.collector.probe.LineSyntaxException;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.SpecSyntaxException;
import dev.probestream.collector.publish.PublishException;
import dev.probestream.query.QueryException;
import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.sink.SinkException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * The one place where a failure becomes a message and an exit code. A failure that
 * the user can act on gets a full message; a bug gets one line, and its stack trace goes to a report file.
 */
final class Failures implements IExecutionExceptionHandler {
    private final Path reportFolder;

    /** Reports of bugs are written to {@code reportFolder}. */
    Failures(Path reportFolder) {
        this.reportFolder = reportFolder;
    }

    @Override
    public int handleExecutionException(Exception exception, CommandLine commandLine, ParseResult parsed) {
        // A command may also throw picocli exceptions while it runs, when it rejects its arguments.
        if (exception instanceof CommandLine.ParameterException wrongUsage) {
            return Commands.refuse(wrongUsage);
        }
        return report(exception, commandLine.getCommandSpec().qualifiedName(), commandLine.getErr());
    }

    /** Prints the failure of {@code command} to {@code err} and returns the exit code. */
    int report(Throwable failure, String command, PrintWriter err) {
        Optional<ExitCode> expected = exitCode(failure);
        if (expected.isPresent()) {
            err.println(command + ": " + message(failure));
            return expected.get().value();
        }
        Optional<String> missing = missingLibraries(failure);
        if (missing.isPresent()) {
            err.println(command + ": " + missing.get());
            return ExitCode.FAILED.value();
        }
        err.println(command + ": this is a bug in Probestream: " + firstLine(failure) + "; "
                + writeReport(failure, command));
        return ExitCode.FAILED.value();
    }

    /** The exit code of a failure that a user can act on; empty for a bug. */
    private static Optional<ExitCode> exitCode(Throwable failure) {
        if (failure instanceof CommandException command) {
            return Optional.of(command.exitCode());
        }
        if (failure instanceof SpecSyntaxException
                || failure instanceof LineSyntaxException
                || failure instanceof HistogramException) {
            return Optional.of(ExitCode.USAGE);
        }
        if (failure instanceof ResolveException unresolved) {
            return Optional.of(
                    unresolved.reason() == ResolveException.Reason.NOT_PERMITTED
                            ? ExitCode.NOT_PERMITTED
                            : ExitCode.FAILED);
        }
        if (failure instanceof UnsupportedFeatureException
                || (failure instanceof SyscallException refused && isPermission(refused.errno()))) {
            return Optional.of(ExitCode.NOT_PERMITTED);
        }
        boolean isExpected = failure instanceof IOException
                || failure instanceof UncheckedIOException
                || failure instanceof PublishException
                || failure instanceof SinkException
                || failure instanceof QueryException
                || failure instanceof VerifierException
                || failure instanceof ProbeArgumentException
                || failure instanceof TracepointFormatException
                || failure instanceof SyscallException;
        return isExpected ? Optional.of(ExitCode.FAILED) : Optional.empty();
    }

    /**
     * The message for a class path without the libraries that only some commands need; empty for any other failure. The
     * launcher adds them, so this happens to those who start the jar themselves.
     */
    private static Optional<String> missingLibraries(Throwable failure) {
        if (!(failure instanceof NoClassDefFoundError) || failure.getMessage() == null) {
            return Optional.empty();
        }
        String name = failure.getMessage();
        if (name.startsWith("org/duckdb/")) {
            return Optional.of(missingLibraries("DuckDB", "lib-query"));
        }
        // Kafka's client is always there: what is missing belongs to the server.
        boolean isBroker = Stream.of("kafka/", "org/apache/kafka/", "scala/").anyMatch(name::startsWith);
        return isBroker ? Optional.of(missingLibraries("Kafka's server", "lib-broker")) : Optional.empty();
    }

    private static String missingLibraries(String what, String folder) {
        return what
                + " is not on the class path: run this command with ./probestream, or with java -cp 'probestream.jar:"
                + folder + "/*' " + Main.class.getName();
    }

    private static boolean isPermission(Errno errno) {
        // ENOSYS: the kernel has no bpf(2), or a seccomp filter hides it.
        return errno == Errno.EPERM || errno == Errno.EACCES || errno == Errno.ENOSYS;
    }

    private static String message(Throwable failure) {
        if (failure instanceof FileSystemException system) {
            // If the JDK has a class for the reason, the message is only the path.
            String reason = system.getReason() == null ? system.getClass().getSimpleName() : system.getReason();
            return system.getFile() + ": " + reason.replaceAll("Exception$", "");
        }
        Throwable cause = failure.getCause();
        if (failure instanceof UncheckedIOException && cause != null) {
            return failure.getMessage() + ": " + message(cause);
        }
        return String.valueOf(failure.getMessage());
    }

    private static String firstLine(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return failure.getClass().getSimpleName() + ": "
                + message.lines().findFirst().orElse("");
    }

    private String writeReport(Throwable failure, String command) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        String text = "probestream " + Version.current() + "\ncommand: " + command + "\nJava: " + Runtime.version()
                + "\nsystem: " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + "\n\n" + trace;
        try {
            Path file = PrivateFiles.writeUnderNewName(reportFolder, "probestream-bug-", ".txt", text);
            return "please report it with " + file;
        } catch (IOException e) {
            return "the report could not be written to " + reportFolder + " (" + e.getMessage() + ")";
        }
    }
}
