package dev.probestream.collector.internal.program.snippet.histogram;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.collector.histogram.Bucketing;

/** Emits the code that finds the bucket of a value: R1 = the value before, R2 = the bucket's number after. May lose R3. */
final class BucketCode {
    private final Assembler assembler;
    private final Bucketing bucketing;

    BucketCode(Assembler assembler, Bucketing bucketing) {
        this.assembler = assembler;
        this.bucketing = bucketing;
    }

    void find(boolean isSigned) {
        switch (bucketing.form()) {
            case COUNT, SUM, AVG, MIN, MAX, STATS -> assembler.mov(R2, Bucketing.FIRST);
            case LOG2 -> log2(isSigned);
            case LINEAR -> linear(isSigned);
        }
    }

    /** The number of bits the value has: the place of its highest one is searched for by halves. */
    private void log2(boolean isSigned) {
        Label found = assembler.newLabel();
        if (isSigned) {
            assembler.mov(R2, Bucketing.NEGATIVE);
            assembler.jumpIf(Condition.SIGNED_LESS, R1, 0, found);
        }
        assembler.mov(R2, 0);
        assembler.jumpIf(Condition.EQUAL, R1, 0, found);
        assembler.mov(R2, 1);
        for (int bits = 32; bits >= 1; bits /= 2) {
            Label isLower = assembler.newLabel();
            assembler.mov(R3, R1).shiftRight(R3, bits);
            assembler.jumpIf(Condition.EQUAL, R3, 0, isLower);
            assembler.mov(R1, R3).add(R2, bits);
            assembler.bind(isLower);
        }
        assembler.bind(found);
    }

    private void linear(boolean isSigned) {
        Label found = assembler.newLabel();
        Label isAbove = assembler.newLabel();
        if (!isSigned) {
            // What an unsigned value has beyond 63 bits is above every range that can be asked for.
            assembler.jumpIf(Condition.SIGNED_LESS, R1, 0, isAbove);
        }
        assembler.mov(R2, Bucketing.FIRST);
        assembler.loadImmediate64(R3, bucketing.from());
        assembler.jumpIf(Condition.SIGNED_LESS, R1, R3, found);
        assembler.mov(R2, R1).sub(R2, R3);
        assembler.loadImmediate64(R3, bucketing.to());
        assembler.jumpIf(Condition.SIGNED_GREATER_OR_EQUAL, R1, R3, isAbove);
        assembler.loadImmediate64(R3, bucketing.step());
        assembler.div(R2, R3).add(R2, 1);
        assembler.jump(found);
        assembler.bind(isAbove);
        assembler.mov(R2, bucketing.overflowBucket());
        assembler.bind(found);
    }
}
