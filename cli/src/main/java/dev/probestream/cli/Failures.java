package dev.probestream.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * The one place where a failure becomes a message and an exit code. What a user can act on is said in one message; a bug
 * is said in one line, and its stack trace goes to a report file.
 */
final class Failures implements IExecutionExceptionHandler {
    private final Path reportFolder;

    /** Reports of bugs are written to {@code reportFolder}. */
    Failures(Path reportFolder) {
        this.reportFolder = reportFolder;
    }

    @Override
    public int handleExecutionException(Exception exception, CommandLine commandLine, ParseResult parsed) {
        PrintWriter err = commandLine.getErr();
        String name = commandLine.getCommandSpec().qualifiedName();
        if (exception instanceof CommandException expected) {
            err.println(name + ": " + expected.getMessage());
            return expected.exitCode().value();
        }
        err.println(name + ": this is a bug in Probestream: " + firstLine(exception) + "; " + report(exception, name));
        return ExitCode.FAILED.value();
    }

    private static String firstLine(Throwable exception) {
        String message = String.valueOf(exception.getMessage());
        return exception.getClass().getSimpleName() + ": "
                + message.lines().findFirst().orElse("");
    }

    private String report(Throwable exception, String command) {
        StringWriter trace = new StringWriter();
        exception.printStackTrace(new PrintWriter(trace));
        String text = "probestream " + Version.current() + "\ncommand: " + command + "\nJava: " + Runtime.version()
                + "\nsystem: " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + "\n\n" + trace;
        try {
            Path file = Files.createTempFile(reportFolder, "probestream-bug-", ".txt");
            Files.writeString(file, text);
            return "please report it with " + file;
        } catch (IOException e) {
            return "the report could not be written to " + reportFolder + " (" + e.getMessage() + ")";
        }
    }
}
