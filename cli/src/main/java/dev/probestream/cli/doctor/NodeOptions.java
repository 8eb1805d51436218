package dev.probestream.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The options a Node.js process was started with: those of NODE_OPTIONS, then those between the program and the script on
 * its command line. Arguments after the script belong to the script.
 *
 * @param options as they were written
 */
record NodeOptions(List<String> options) {
    /** Options whose value may be a separate argument (node --help). */
    private static final Set<String> WITH_VALUE = Set.of(
            "-C",
            "-e",
            "-p",
            "-pe",
            "-r",
            "--conditions",
            "--eval",
            "--experimental-loader",
            "--import",
            "--loader",
            "--print",
            "--require",
            "--title");

    /**
     * @param commandLine as in /proc/PID/cmdline, starting with the program
     * @param nodeOptions the value of the variable NODE_OPTIONS, "" if it is not set
     */
    static NodeOptions of(List<String> commandLine, String nodeOptions) {
        List<String> options = new ArrayList<>(List.of(nodeOptions.strip().split("\\s+")));
        int at = 1;
        while (at < commandLine.size() && commandLine.get(at).startsWith("-")) {
            String option = commandLine.get(at);
            options.add(option);
            at += WITH_VALUE.contains(option) ? 2 : 1;
        }
        return new NodeOptions(List.copyOf(options));
    }

    /** Whether a switch is on, such as {@code perf-basic-prof}; the last occurrence counts. V8 accepts _ for - in names. */
    boolean has(String name) {
        boolean isOn = false;
        for (String option : options) {
            String spelled = option.toLowerCase(Locale.ROOT).replace('_', '-');
            if (spelled.equals("--" + name)) {
                isOn = true;
            } else if (spelled.equals("--no-" + name) || spelled.equals("--no" + name)) {
                isOn = false;
            }
        }
        return isOn;
    }
}
