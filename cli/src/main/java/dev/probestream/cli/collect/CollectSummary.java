package dev.probestream.cli.collect;

import dev.probestream.cli.terminal.CostText;
import dev.probestream.cli.terminal.LossText;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.collector.request.CollectionOutcome;
import java.util.ArrayList;
import java.util.List;

/**
 * The outcome of a collection to Kafka.
 *
 * @param servers the brokers' addresses
 * @param acknowledged events that the brokers acknowledged
 */
record CollectSummary(CollectionOutcome outcome, String servers, long acknowledged) {

    /**
     * The summary as text.
     *
     * @param isVerbose whether to list what each probe cost, and which of a set were not hit
     */
    List<String> lines(boolean isVerbose) {
        double seconds = Math.max(outcome.duration().toNanos() / 1e9, 1e-3);
        List<String> lines = new ArrayList<>();
        lines.add("ended: " + outcome.reason());
        lines.addAll(isVerbose ? outcome.partlyHit() : List.of());
        lines.addAll(CostText.lines(outcome.cost(), isVerbose));
        lines.add("sent " + Quantity.count(outcome.deliveredEvents(), "event") + " in "
                + Quantity.seconds(outcome.duration()) + " ("
                + Quantity.count(Math.round(outcome.deliveredEvents() / seconds)) + "/s), "
                + (acknowledged == outcome.deliveredEvents() ? "all" : Quantity.count(acknowledged)) + " acknowledged, "
                + (outcome.lostEvents() == 0 ? "none lost" : Quantity.count(outcome.lostEvents()) + " LOST")
                + ": capture " + outcome.captureId() + " at " + servers);
        outcome.losses().stream().map(LossText::of).distinct().forEach(lines::add);
        return lines;
    }

    /** The summary as JSON. */
    String json() {
        return Summary.json(outcome).put("acknowledged", acknowledged).toString();
    }
}
