package dev.probestream.cli.demo;

import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.util.List;

/**
 * Where in an event the arguments stand that the table is made of.
 *
 * @param flow which step of a flow the probe is
 * @param flowNumber index among the event's numbers of the argument that is the flow's id; -1 = none
 * @param textCount how many texts an event has
 */
record ProbeArguments(FlowStep flow, int flowNumber, int textCount) {
    static ProbeArguments of(Probe probe) {
        FlowStep flow = FlowStep.NONE;
        int flowNumber = -1;
        int numbers = 0;
        int texts = 0;
        List<Argument> arguments = probe.getArguments();
        for (Argument argument : arguments) {
            if (isText(argument)) {
                texts++;
                continue;
            }
            if (argument.getFlow() != FlowStep.NONE && flowNumber < 0) {
                flow = argument.getFlow();
                flowNumber = numbers;
            }
            numbers++;
        }
        return new ProbeArguments(flow, flowNumber, texts);
    }

    private static boolean isText(Argument argument) {
        return argument.getType().startsWith("str") || argument.getType().startsWith("char");
    }
}
