package dev.probestream.cli.terminal;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.convert.ConversionOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The summary at the end of a command: what was written and what is missing. */
public final class Summary {
    private Summary() {}

    /** When a capture ends, as the end of the message at its start: after the limit, or on Ctrl-C. */
    public static String end(Optional<Duration> limit) {
        return limit.map(time -> " for " + Quantity.duration(time.toNanos())).orElse("; Ctrl-C ends it");
    }

    /**
     * Fails if the library of a probe was there without the probe; what was captured of the other probes is kept.
     *
     * @param misspelled in words what was not there, which may be nothing
     * @throws CommandException with the names that are near
     */
    public static void requireFound(List<String> misspelled) throws CommandException {
        if (!misspelled.isEmpty()) {
            throw new CommandException(ExitCode.FAILED, String.join("\n", misspelled));
        }
    }

    /** The outcome of a capture as JSON. The id is a string because many readers do not keep 63 bits of a number. */
    public static ObjectNode json(CollectionOutcome outcome) {
        ObjectNode json = new ObjectMapper().createObjectNode();
        json.put("captureId", String.valueOf(outcome.captureId()));
        json.put("reason", outcome.reason());
        json.put("delivered", outcome.deliveredEvents());
        json.put("lost", outcome.lostEvents());
        json.put("seconds", outcome.duration().toMillis() / 1e3);
        json.set("cost", CostText.json(outcome.cost()));
        return json;
    }

    /**
     * The end of a recording; {@code sizeBytes} is the size of the recording.
     *
     * @param isVerbose whether to list what each probe cost, and which of a set were not hit
     */
    public static List<String> of(CollectionOutcome outcome, Path recording, long sizeBytes, boolean isVerbose) {
        List<String> lines = new ArrayList<>();
        lines.add("ended: " + outcome.reason());
        lines.addAll(isVerbose ? outcome.partlyHit() : List.of());
        lines.addAll(CostText.lines(outcome.cost(), isVerbose));
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
