package dev.probestream.cli;

import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.LibraryLog;
import dev.probestream.cli.terminal.Version;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The entry point: runs one command and exits with its exit code. */
public final class Main {
    private Main() {}

    /** Runs the command that {@code arguments} name and ends the JVM with its exit code. */
    public static void main(String[] words) {
        String[] arguments = asked(words);
        // UTF-8 in every locale: file names in results are UTF-8, and LANG=C is common on servers.
        System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        String answer = arguments.length == 1 ? immediateAnswer(arguments[0]) : "";
        if (!answer.isEmpty()) {
            System.out.print(answer);
            System.exit(ExitCode.DONE.value());
        }
        LibraryLog.setUp(System.getenv(LibraryLog.VARIABLE));
        System.exit(Commands.run(arguments));
    }

    /** {@code help} and {@code help COMMAND} ask for what {@code --help} prints; any other words are as they were. */
    private static String[] asked(String... words) {
        if (words.length == 0 || words.length > 2 || !words[0].equals(CommandName.HELP.spelling())) {
            return words;
        }
        if (words.length == 1) {
            return new String[] {"--help"};
        }
        boolean isCommand = Arrays.stream(CommandName.values())
                .anyMatch(name -> name.spelling().equals(words[1]));
        return isCommand ? new String[] {words[1], "--help"} : words;
    }

    /** The answer to a single option of the root that needs no command line; empty for anything else. */
    private static String immediateAnswer(String option) {
        return switch (option) {
            case "-V", "--version" -> Version.text();
            case "-h", "--help" -> isPlain() ? RootHelp.text() : "";
            default -> "";
        };
    }

    /**
     * Whether the help is for 80 columns and without colours: on a terminal, picocli asks for its width. From JDK 22 on there
     * is a console without a terminal too; then picocli answers, with the same text.
     */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isPlain() {
        return System.console() == null
                && System.getenv("CLICOLOR_FORCE") == null
                && System.getProperty("picocli.ansi") == null
                && System.getProperty("picocli.usage.width") == null;
    }
}
