package dev.probestream.cli;

/**
 * The manual of the root. Its texts are constants, so that {@link #text} gives the help for a pipe or a file without picocli:
 * loading it takes longer than the start of the JVM. A test compares both.
 */
final class RootHelp {
    static final String HEADER = "Traces Node.js processes together with the kernel.";
    static final String DESCRIPTION =
            "Attaches eBPF probes to running processes, without a restart, a code change or a flag. Records every hit and writes"
                    + " a trace for ui.perfetto.dev or Chrome's trace viewer.";
    static final String VERBOSE =
            "With --version: also the build, its commit, the format, the kernel, Java and the C library.";
    static final String EXIT_CODES =
            "Exit codes: 0 success, 1 failure, 2 wrong usage, 77 not permitted or not supported here.";
    static final String TRY = "Try:";
    static final String TRY_DEMO = "  sudo ./probestream demo        a sample Node server, recorded for 5 s";
    static final String TRY_DOCTOR = "  sudo ./probestream doctor      checks the kernel and the privileges";
    static final String TRY_HELP = "  ./probestream COMMAND --help   the manual of a command";

    private static final int COLUMNS = 80;
    private static final int COLUMNS_OF_A_PARAGRAPH = 79;
    private static final int OPTION_COLUMNS = 18;
    private static final int NAME_COLUMNS = 13;

    private RootHelp() {}

    /** The help as picocli formats it for 80 columns without colours. */
    static String text() {
        StringBuilder text = new StringBuilder();
        line(text, HEADER);
        line(text, "Usage: probestream [-hV] [--verbose] COMMAND");
        line(text, "");
        paragraph(text, DESCRIPTION);
        line(text, "");
        row(text, "  -h, --help", OPTION_COLUMNS, "Show this help message and exit.");
        row(text, "  -V, --version", OPTION_COLUMNS, "Print version information and exit.");
        row(text, "      --verbose", OPTION_COLUMNS, VERBOSE);
        line(text, "Commands:");
        for (CommandName command : CommandName.values()) {
            row(text, "  " + command.spelling(), NAME_COLUMNS, command.header());
        }
        line(text, "");
        paragraph(text, EXIT_CODES);
        line(text, "");
        for (String line : new String[] {TRY, TRY_DEMO, TRY_DOCTOR, TRY_HELP}) {
            line(text, line);
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String line) {
        text.append(line).append(System.lineSeparator());
    }

    private static void row(StringBuilder text, String name, int columns, String words) {
        text.append(name).append(" ".repeat(columns - name.length()));
        wrapped(text, words, columns, COLUMNS, columns + 2);
    }

    private static void paragraph(StringBuilder text, String words) {
        wrapped(text, words, 0, COLUMNS_OF_A_PARAGRAPH, 0);
    }

    /** Appends words to a line that has {@code columns} already, and begins a new one where {@code limit} would be passed. */
    private static void wrapped(StringBuilder text, String words, int columns, int limit, int indent) {
        int used = columns;
        String separator = "";
        for (String word : words.split(" ")) {
            if (used + separator.length() + word.length() > limit) {
                line(text, "");
                separator = " ".repeat(indent);
                used = 0;
            }
            text.append(separator).append(word);
            used += separator.length() + word.length();
            separator = " ";
        }
        line(text, "");
    }
}
