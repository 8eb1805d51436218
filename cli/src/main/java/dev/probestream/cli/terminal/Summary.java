package dev.probestream.cli.terminal;

import dev.probestream.collector.CollectionOutcome;
import dev.probestream.convert.ConversionOutcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The summary at the end of a command: what was written and what is missing. */
public final class Summary {
    private Summary() {}

    /** The end of a recording; {@code sizeBytes} is the size of the recording. */
    public static List<String> of(CollectionOutcome outcome, Path recording, long sizeBytes) {
        List<String> lines = new ArrayList<>();
        lines.add("ended: " + outcome.reason());
        lines.add(recorded(outcome, recording.toString(), sizeBytes));
        outcome.losses().stream().map(LossText::of).distinct().forEach(lines::add);
        return lines;
    }

    /** How much was recorded, in one line; {@code medium} is the destination: a file or a broker. */
    public static String recorded(CollectionOutcome outcome, String medium, long sizeBytes) {
        double seconds = Math.max(outcome.duration().toNanos() / 1e9, 1e-3);
        return "recorded " + Quantity.count(outcome.deliveredEvents(), "event") + " in "
                + Quantity.seconds(outcome.duration()) + " ("
                + Quantity.count(Math.round(outcome.deliveredEvents() / seconds)) + "/s), "
                + (outcome.lostEvents() == 0 ? "none lost" : Quantity.count(outcome.lostEvents()) + " LOST") + ": "
                + medium + " (" + Quantity.bytes(sizeBytes) + ")";
    }

    /** The output of a conversion. */
    public static String of(ConversionOutcome outcome) {
        String left = outcome.events().outsideRange() == 0
                ? ""
                : ", " + Quantity.count(outcome.events().outsideRange()) + " outside the time range";
        return "wrote " + outcome.output() + " (" + Quantity.bytes(outcome.sizeBytes()) + "): "
                + Quantity.count(outcome.events().written(), "event") + left;
    }
}
