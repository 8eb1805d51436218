package dev.probestream.cli;

import dev.probestream.cli.terminal.LibraryLog;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The entry point: runs one command and exits with its exit code. */
public final class Main {
    private Main() {}

    /** Runs the command that {@code arguments} name and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        // UTF-8 in every locale: file names in results are UTF-8, and LANG=C is common on servers.
        System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        LibraryLog.setUp(System.getenv(LibraryLog.VARIABLE));
        System.exit(Commands.run(arguments));
    }
}
