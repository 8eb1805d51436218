package dev.probestream.deploy.manual;

import java.time.LocalDate;
import picocli.CommandLine.Model.CommandSpec;

/** A page of section 1 in the macros of man(7). */
record ManPage(CommandSpec command, String version, LocalDate date) {
    String text() {
        return ".TH " + command.qualifiedName("-").toUpperCase(java.util.Locale.ROOT) + " 1 " + date
                + " \"Probestream " + version + "\"\n.SH NAME\n"
                + command.qualifiedName("-") + " \\- "
                + String.join(" ", command.usageMessage().header()) + "\n";
    }
}
