package dev.probestream.deploy.manual;

import dev.probestream.cli.Commands;
import java.time.LocalDate;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The files of the manual.
 *
 * @param version of the program
 * @param date of the build
 */
record Manual(String version, LocalDate date) {
    /** The text of each file, by its path below the folder of the manual. */
    Map<String, String> files() {
        CommandSpec program = Commands.model();
        Map<String, String> files = new TreeMap<>();
        files.put("man1/probestream.1", new ManPage(program, version, date).text());
        return files;
    }
}
