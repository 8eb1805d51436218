package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskStateBitsTest {
    @ParameterizedTest(name = "{3}")
    @CsvSource({
        "false, 0x0, 0x0, runnable, 0",
        "true, 0x0, 0x0, preempted, 0x100",
        "true, 0x1, 0x0, preempted on its way to sleep, 0x100",
        "false, 0x1, 0x0, interruptible, 0x1",
        "false, 0x2, 0x0, uninterruptible, 0x2",
        "false, 0x102, 0x0, killable, 0x2",
        "false, 0x402, 0x0, idle, 0x80",
        "false, 0x4, 0x0, stopped, 0x4",
        "false, 0x8, 0x0, traced, 0x8",
        "false, 0x80, 0x10, dead, 0x10",
        "false, 0x80, 0x20, zombie, 0x20",
        "false, 0x40, 0x0, parked, 0x40",
        "false, 0x1000, 0x0, waiting for a lock of a real-time kernel, 0x2",
        "false, 0x8000, 0x0, frozen, 0x2",
    })
    void statesAreReportedAsTheKernelsOwnEventDoes(
            boolean isPreempted, String state, String exitState, String name, String reported) {
        assertThat(TaskStateBits.reported(isPreempted, Long.decode(state), Integer.decode(exitState)))
                .as(name)
                .isEqualTo(Integer.decode(reported));
    }
}
