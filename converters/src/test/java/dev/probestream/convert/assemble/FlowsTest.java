package dev.probestream.convert.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.FlowStep;
import org.junit.jupiter.api.Test;

class FlowsTest {
    private final Flows flows = new Flows(new Flows.Numbers());

    @Test
    void flowsThatNeverEndAreForgottenOldestFirst() {
        for (int value = 0; value < 3 * Flows.LIMIT; value++) {
            flows.number(0, value, FlowStep.START);
        }
        assertThat(flows.number(0, 0, FlowStep.END)).isEqualTo(Flows.NONE);
        assertThat(flows.number(0, 3L * Flows.LIMIT - 1, FlowStep.END)).isEqualTo(3L * Flows.LIMIT);
    }

    @Test
    void anAddressUsedForEverTakesOnePlace() {
        flows.number(0, 1, FlowStep.START);
        for (int i = 0; i < 3 * Flows.LIMIT; i++) {
            flows.number(0, 2, FlowStep.START);
            flows.number(0, 2, FlowStep.END);
        }
        assertThat(flows.number(0, 1, FlowStep.STEP)).isEqualTo(1);
    }
}
