package dev.probestream.deploy.manual;

import dev.probestream.cli.Commands;
import java.time.LocalDate;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
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
        return files(Commands.model());
    }

    /** The files for any program; all of its commands are direct subcommands. */
    Map<String, String> files(CommandSpec program) {
        Map<String, String> files = new TreeMap<>();
        put(files, program);
        program.subcommands().values().stream().map(CommandLine::getCommandSpec).forEach(spec -> put(files, spec));
        CompletedProgram completed = CompletedProgram.of(program);
        files.put("completions/" + program.name() + ".bash", BashCompletion.of(completed));
        files.put("completions/_" + program.name(), ZshCompletion.of(completed));
        files.put("completions/" + program.name() + ".fish", FishCompletion.of(completed));
        return files;
    }

    private void put(Map<String, String> files, CommandSpec command) {
        files.put("man1/" + command.qualifiedName("-") + ".1", new ManPage(command, version, date).text());
    }
}
