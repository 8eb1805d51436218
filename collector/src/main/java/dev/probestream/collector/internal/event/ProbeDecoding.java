package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.StackRoom;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ProbeCases;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An {@link EventLayout} prepared for decoding: arrays instead of objects. Values beyond the end of a sample (the
 * result of a span that is still open) count as unavailable.
 */
final class ProbeDecoding {
    /** The role of a probe that fires when a parser begins a message. */
    private static final String BEGIN_ROLE = "http.begin";

    /** Names of functions and tracepoints whose texts are arguments of a program: execve, posix_spawn, system ... */
    private static final Pattern STARTS_PROGRAMS =
            Pattern.compile("(?<![a-z])(f?exec(l|v)\\w*|posix_spawnp?|system|popen|uv_spawn|sched_process_exec)\\b"
                    + "|sys_(enter_)?exec|do_exec|bprm_exec");

    /** Whether a hit was decoded. */
    boolean wasHit;
    /** What its hits announce, which are no events then; "" = nothing. */
    String announces = "";
    /** Takes its samples, if its hits are no events. */
    @Nullable
    PartEvents part;

    private final EventKind kind;
    private final int entryEndOffset;
    private final int returnOffset;
    private final StackRoom stacks;
    private final int[] numberOffsets;
    private final int[] numberArguments;
    private final boolean[] numberIsSigned;
    /** 64 minus the number's size in bits. */
    private final int[] numberShifts;

    private final ArgumentSlot[] texts;
    private final int[] textArguments;
    private final TextRule[] textRules;
    private final TextReader textReader;
    private final int probeId;
    /** Of a case: for each argument, which one of the probe's own it is; else empty. */
    private int[] sources = {};
    /** Of a case: which argument of the probe's own is the returned value; -1 = none. */
    private int returnedSource = -1;
    /** Makes the record of a case. */
    private LongFunction<Probe> caseRecord = captureId -> {
        throw new IllegalStateException("the probe is no case of another");
    };

    /** The cases by the value of the number that distinguishes them; empty = there are none. */
    private @Nullable ProbeDecoding[] cases = {};
    /** The number that distinguishes the cases. */
    private int selectorNumber = -1;

    private final boolean beginsMessage;
    /** Index of the number that is the parser's address; -1 = none. */
    private final int parserNumber;

    /** Creates the decoding of a system call, whose texts are masked as paths are. */
    ProbeDecoding(int probeId, EventLayout layout, TextReader textReader) {
        this(layout, List.of(), probeId, "", false, textReader);
    }

    ProbeDecoding(PlannedProbe probe, TextReader textReader) {
        this(
                probe.layout(),
                probe.arguments(),
                probe.probeId(),
                probe.spec().preset().role(),
                STARTS_PROGRAMS.matcher(probe.name()).find(),
                textReader);
        ProbeCases all = probe.spec().preset().cases();
        if (!all.byValue().isEmpty()) {
            cases = new @Nullable ProbeDecoding[ProbeCases.MAX_VALUE + 1];
            all.byValue()
                    .forEach((value, one) -> cases[value.intValue()] = ofCase(probe, one, all.returned(), textReader));
            for (int i = 0; i < numberArguments.length; i++) {
                selectorNumber = numberArguments[i] == all.selector() ? i : selectorNumber;
            }
        }
    }

    /** The decoding of a case: it reads those of the probe's slots that it has. */
    private static ProbeDecoding ofCase(PlannedProbe probe, ProbeCases.Case one, int returned, TextReader textReader) {
        EventLayout all = probe.layout();
        EventLayout own = new EventLayout(
                all.kind(),
                one.sources().stream().map(all.arguments()::get).toList(),
                all.entryEndOffset(),
                returned < 0 ? -1 : all.arguments().get(returned).offset(),
                all.stacks(),
                all.sizeBytes());
        ProbeDecoding decoding = new ProbeDecoding(
                own,
                one.arguments(),
                probe.probeId() + 1 + one.index(),
                probe.spec().preset().role(),
                STARTS_PROGRAMS.matcher(one.name()).find(),
                textReader);
        decoding.sources = one.sources().stream().mapToInt(Integer::intValue).toArray();
        decoding.returnedSource = returned;
        decoding.caseRecord = captureId -> ProbeRecords.ofCase(captureId, probe, one);
        return decoding;
    }

    /** The case that a sample is one of; this probe itself if it has none for it. */
    ProbeDecoding caseOf(ByteBuffer sample, int offset, int lengthBytes) {
        boolean isTold = selectorNumber >= 0
                && numberOffsets[selectorNumber] + Long.BYTES <= lengthBytes
                && (sample.getLong(offset + EventLayout.UNAVAILABLE_OFFSET) & 1L << numberArguments[selectorNumber])
                        == 0;
        long value = isTold ? sample.getLong(offset + numberOffsets[selectorNumber]) : -1;
        ProbeDecoding one = value >= 0 && value < cases.length ? cases[(int) value] : null;
        return one == null ? this : one;
    }

    int probeId() {
        return probeId;
    }

    Probe caseRecord(long captureId) {
        return caseRecord.apply(captureId);
    }

    /** The bits of a sample's arguments that could not be read, as those of a case. */
    private long ofCase(long given) {
        long own = returnedSource >= 0 && (given & 1L << returnedSource) != 0 ? EventLayout.RETURN_UNAVAILABLE : 0;
        for (int i = 0; i < sources.length; i++) {
            own |= (given >>> sources[i] & 1) << i;
        }
        return own;
    }

    private ProbeDecoding(
            EventLayout layout,
            List<ArgumentSpec> arguments,
            int probeId,
            String role,
            boolean startsPrograms,
            TextReader textReader) {
        this.probeId = probeId;
        this.kind = layout.kind();
        this.entryEndOffset = layout.entryEndOffset();
        this.returnOffset = layout.returnOffset();
        this.stacks = layout.stacks();
        this.textReader = textReader;
        List<Integer> numbers = new ArrayList<>();
        List<Integer> textIndexes = new ArrayList<>();
        for (int i = 0; i < layout.arguments().size(); i++) {
            (layout.arguments().get(i).type().isText() ? textIndexes : numbers).add(i);
        }
        this.numberArguments = numbers.stream().mapToInt(Integer::intValue).toArray();
        this.textArguments = textIndexes.stream().mapToInt(Integer::intValue).toArray();
        this.numberOffsets = new int[numberArguments.length];
        this.numberIsSigned = new boolean[numberArguments.length];
        this.numberShifts = new int[numberArguments.length];
        for (int i = 0; i < numberArguments.length; i++) {
            ArgumentSlot slot = layout.arguments().get(numberArguments[i]);
            ArgumentType type = slot.type();
            numberOffsets[i] = slot.offset();
            numberIsSigned[i] = type.isSigned();
            numberShifts[i] = Long.SIZE - Byte.SIZE * type.capacityBytes();
        }
        this.texts = textIndexes.stream().map(layout.arguments()::get).toArray(ArgumentSlot[]::new);
        this.textRules = textIndexes.stream()
                .map(index -> textRule(arguments, index, startsPrograms))
                .toArray(TextRule[]::new);
        this.parserNumber = parserNumber(arguments, numbers);
        this.beginsMessage = role.equals(BEGIN_ROLE) && parserNumber >= 0;
    }

    private static TextRule textRule(List<ArgumentSpec> arguments, int index, boolean startsPrograms) {
        TextRule rule =
                arguments.isEmpty() ? TextRule.PATH : arguments.get(index).textRule();
        return rule == TextRule.PLAIN && startsPrograms ? TextRule.ARGUMENT : rule;
    }

    private static int parserNumber(List<ArgumentSpec> arguments, List<Integer> numbers) {
        for (int i = 0; i < numbers.size() && !arguments.isEmpty(); i++) {
            if (arguments.get(numbers.get(i)).name().equals(ArgumentSpec.PARSER)) {
                return i;
            }
        }
        return -1;
    }

    EventKind kind() {
        return kind;
    }

    StackRoom stacks() {
        return stacks;
    }

    /** The number of bytes of an open span's entry that are a sample. */
    int entryEndOffset() {
        return entryEndOffset;
    }

    /** Writes the arguments. Returns the bits of those that could not be read, including those of the sample. */
    long arguments(ByteBuffer sample, int offset, int lengthBytes, long ofSample, EventEncoder encoder) {
        long given = sources.length == 0 ? ofSample : ofCase(ofSample);
        long unavailable = given;
        encoder.beginNumbers(numberOffsets.length);
        for (int i = 0; i < numberOffsets.length; i++) {
            if (numberOffsets[i] + Long.BYTES <= lengthBytes) {
                long bits = sample.getLong(offset + numberOffsets[i]) << numberShifts[i];
                encoder.number(numberIsSigned[i] ? bits >> numberShifts[i] : bits >>> numberShifts[i]);
            } else {
                encoder.number(0);
                unavailable |= 1L << numberArguments[i];
            }
        }
        if (parserNumber >= 0) {
            updateParser(sample, offset, unavailable);
        }
        encoder.beginStrings(texts.length);
        textReader.rules().beginEvent();
        for (int i = 0; i < texts.length; i++) {
            if (texts[i].type().form().isFloat() && (given & 1L << textArguments[i]) != 0) {
                encoder.string(sample, offset, 0); // not 0.0
            } else if (!textReader.read(sample, offset, lengthBytes, texts[i], textRules[i], encoder)) {
                unavailable |= 1L << textArguments[i];
            }
        }
        boolean hasReturn = returnOffset >= 0;
        return hasReturn && returnOffset + Long.BYTES > lengthBytes
                ? unavailable | EventLayout.RETURN_UNAVAILABLE
                : unavailable;
    }

    /** Selects the parser for the texts that follow. Parser 0 stands for an unknown one; it never begins a message. */
    private void updateParser(ByteBuffer sample, int offset, long unavailable) {
        int pid = sample.getInt(offset + EventLayout.TGID_OFFSET);
        boolean isKnown = (unavailable & (1L << numberArguments[parserNumber])) == 0;
        long parser = isKnown ? sample.getLong(offset + numberOffsets[parserNumber]) : 0;
        if (beginsMessage && isKnown) {
            textReader.rules().beginMessage(pid, parser, probeId);
        }
        textReader.rules().selectParser(pid, parser, probeId);
    }

    /** The return value; 0 if the probe does not record it or it is unavailable. */
    long returnValue(ByteBuffer sample, int offset, int lengthBytes, long unavailable) {
        boolean isKnown = returnOffset >= 0
                && returnOffset + Long.BYTES <= lengthBytes
                && (unavailable & EventLayout.RETURN_UNAVAILABLE) == 0;
        return isKnown ? sample.getLong(offset + returnOffset) : 0;
    }
}
