package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VerifierExceptionTest {
    @Test
    void statisticsAtTheEndTellNothing() {
        String log = """
            0: R1=ctx() R10=fp0
            0: (bf) r0 = r2
            R2 !read_ok
            verification time 32 usec
            stack depth 0
            processed 1 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0
            """;

        assertThat(VerifierException.lastLines(log))
                .containsExactly("0: R1=ctx() R10=fp0", "0: (bf) r0 = r2", "R2 !read_ok");
    }

    @Test
    void onlyTheLastFourLinesAreTold() {
        assertThat(VerifierException.lastLines("a\nb\n\nc\nd\ne\n")).containsExactly("b", "c", "d", "e");
    }

    @Test
    void lastLineOfTheSourceIsTold() {
        String log = """
            ; int count = 0; @ a.bpf.c:3
            0: (b7) r0 = 0
            ; return numbers[i]; @ a.bpf.c:4
            1: (71) r0 = *(u8 *)(r2 +0)
            invalid variable-offset read
            """;

        assertThat(VerifierException.sourceLine(log)).contains("return numbers[i]; @ a.bpf.c:4");
        assertThat(VerifierException.sourceLine("0: (bf) r0 = r2\n")).isEmpty();
    }
}
