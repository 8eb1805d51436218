package dev.probestream.collector.internal.resolve.code;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the offset in the file at which a function is probed. */
public final class EntryPoint {
    /** What a compiler writes first into a function with -fcf-protection (Intel SDM, ENDBR64). */
    private static final byte[] ENDBR64 = {(byte) 0xf3, 0x0f, 0x1e, (byte) 0xfa};

    /** Room for endbr64 and for what {@link EntryCheck}, {@link CallbackCheck}, {@link ComparisonCheck} or {@link GoStackCheck} looks at. */
    private static final int CODE_BYTES = 32;

    /** No function is longer; larger sizes and offsets are a slip or a lie. */
    private static final long MAX_FUNCTION_BYTES = 1 << 28;

    private final ProbeSpec spec;
    private final ElfFile elf;
    private final String what;

    public EntryPoint(ProbeSpec spec, ElfFile elf, String what) {
        this.spec = spec;
        this.elf = elf;
        this.what = what;
    }

    public long fileOffset(ElfSymbol symbol) throws IOException, ResolveException {
        if (symbol.isIndirect()) {
            throw new ResolveException(
                    Reason.REFUSED,
                    what + ": " + symbol.name() + " is an indirect function (IFUNC): its code only chooses, once, which"
                            + " of several functions the program will use; probe those, e.g. with *" + symbol.name()
                            + "*");
        }
        if (spec.offsetBytes() < 0 || spec.offsetBytes() >= Math.min(symbol.sizeBytes(), MAX_FUNCTION_BYTES)) {
            throw new ResolveException(
                    Reason.NO_FUNCTION,
                    what + ": byte " + spec.offsetBytes() + " is not in " + symbol.name() + ", which has "
                            + symbol.sizeBytes() + " bytes");
        }
        if (spec.offsetBytes() == 0) {
            return elf.fileOffset(symbol) + skipped(symbol);
        }
        Optional<String> obstacle = InstructionStarts.obstacle(elf, symbol, (int) spec.offsetBytes());
        if (obstacle.isPresent()) {
            throw new ResolveException(
                    Reason.REFUSED,
                    what + ": " + obstacle.get() + "; a probe within an instruction would crash the program"
                            + " ('objdump -d " + elf.name() + "' shows where they begin)");
        }
        return elf.fileOffset(symbol) + spec.offsetBytes();
    }

    /**
     * Whether the kernel single-steps the instruction that the probe sits on, at some ten times the cost of a hit.
     *
     * @throws ResolveException when the function cannot be probed
     */
    public boolean isSingleStepped(ElfSymbol symbol) throws IOException, ResolveException {
        if (elf.machine() != ElfMachine.X86_64) {
            return false;
        }
        int site = (int) (fileOffset(symbol) - elf.fileOffset(symbol));
        long known = Math.min(symbol.sizeBytes(), site + (long) X86Instruction.MAX_BYTES);
        return SingleStep.isAt(elf.code(symbol, (int) known), site);
    }

    private int skipped(ElfSymbol symbol) throws IOException {
        if (elf.machine() != ElfMachine.X86_64) {
            return 0;
        }
        byte[] code = elf.code(symbol, (int) Math.min(symbol.sizeBytes(), CODE_BYTES));
        boolean startsWithEndbr =
                code.length > ENDBR64.length && Arrays.equals(code, 0, ENDBR64.length, ENDBR64, 0, ENDBR64.length);
        int start = startsWithEndbr ? ENDBR64.length : GoStackCheck.end(code, 0);
        return spec.pastCheck() ? pastCheck(code, start) : start;
    }

    private int pastCheck(byte[] code, int start) {
        int push = EntryCheck.end(code, start);
        if (push > start) {
            return push;
        }
        int callback = CallbackCheck.end(code, start, reads(4));
        return callback > start ? callback : ComparisonCheck.end(code, start, reads(2), reads(5));
    }

    private boolean reads(int number) {
        Stream<ArgumentSpec> compared = spec.filter().stream()
                .flatMap(filter -> filter.comparisons().stream())
                .flatMap(comparison -> comparison.operands().stream())
                .flatMap(operand -> operand.arguments());
        return Stream.concat(spec.arguments().stream(), compared)
                .anyMatch(argument -> argument.source().equals(ArgumentSource.argument(number))
                        || argument.type().boundArgument() == number);
    }
}
