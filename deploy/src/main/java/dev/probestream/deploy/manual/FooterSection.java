package dev.probestream.deploy.manual;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The section of a page for a chunk of a help's footer, recognised by its first line; in the order of a page. */
enum FooterSection {
    PROBE_SETS("Probe sets:"),
    PROBE_SPECS("Probe specs.*"),
    OUTPUT("Columns: .*"),
    JSON_OUTPUT("--json.*"),
    NOTES("(?!)"),
    ENVIRONMENT("[A-Z_]{4,}=.*"),
    EXIT_STATUS("Exit codes: .*"),
    EXAMPLES("Examples?:|Try:");

    private final Pattern firstLine;

    FooterSection(String firstLine) {
        this.firstLine = Pattern.compile(firstLine);
    }

    /** As it stands above the section. */
    String title() {
        return name().replace('_', ' ');
    }

    /** Whether the line holds no more than the title. */
    boolean isTitle(String line) {
        return line.equalsIgnoreCase(title() + ":")
                || (this == EXAMPLES && firstLine.matcher(line).matches());
    }

    /** The chunks of a footer by section. */
    static Map<FooterSection, List<List<String>>> of(List<String> lines) {
        Map<FooterSection, List<List<String>>> sections = new EnumMap<>(FooterSection.class);
        for (List<String> chunk : HelpText.chunks(lines)) {
            sections.computeIfAbsent(of(chunk.get(0)), section -> new ArrayList<>())
                    .add(chunk);
        }
        return sections;
    }

    private static FooterSection of(String line) {
        for (FooterSection section : values()) {
            if (section.firstLine.matcher(line).matches()) {
                return section;
            }
        }
        return NOTES;
    }
}
