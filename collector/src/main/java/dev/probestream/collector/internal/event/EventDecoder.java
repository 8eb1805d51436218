package dev.probestream.collector.internal.event;

import dev.probestream.bpf.ring.SampleHandler;
import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.code.PlannedSyscalls;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.StackRoom;
import dev.probestream.collector.internal.program.layout.SwitchLayout;
import dev.probestream.collector.internal.protocol.connection.Endpoint;
import dev.probestream.collector.internal.syscall.SyscallSignature;
import dev.probestream.collector.internal.syscall.SyscallTable;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.SwitchEvent;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Decodes each sample (see {@link EventLayout}) into an event, in order of arrival. Samples of the task lifecycle go to the {@link
 * TaskLifecycleListener}, those that are no events to their {@link PartEvents}. Allocates nothing per event. Used only
 * by the thread that reads the ring.
 */
public final class EventDecoder implements SampleHandler {

    private final long captureId;
    private final Optional<PlannedSyscalls> syscalls;
    private final SyscallTable syscallTable;
    private final Consumer consumer;
    private final StackSink stacks;
    private final TaskLifecycleSamples lifecycle;
    private final TextReader textReader;
    private final EventSequence events;
    private final StatementEvents statements;
    private final List<PartEvents> parts;
    private @Nullable ProbeDecoding[] byProbeId;
    private boolean syscallHit;

    /**
     * Creates a decoder for the samples of a plan's programs.
     *
     * @param syscallTable of this machine
     * @param stacks returns the id of each stack, e.g. {@code stackInterner::idOf}
     * @param shown what is recorded unmasked
     * @param hasLostHits whether any hit of the probe with this id has been lost so far
     */
    public EventDecoder(
            long captureId,
            ProgramPlan plan,
            SyscallTable syscallTable,
            Consumer consumer,
            StackSink stacks,
            TaskLifecycleListener lifecycleListener,
            Disclosure shown,
            IntPredicate hasLostHits) {
        this.captureId = captureId;
        this.syscalls = plan.syscalls();
        this.syscallTable = syscallTable;
        this.consumer = consumer;
        this.stacks = stacks;
        this.lifecycle = new TaskLifecycleSamples(lifecycleListener);
        this.textReader = new TextReader(shown, hasLostHits);
        this.events = new EventSequence(captureId, consumer);
        this.statements = new StatementEvents(captureId, events, consumer, shown);
        this.parts = List.of(statements, new WebSocketEvents(captureId, events, consumer));
        int maxProbeId =
                plan.probes().stream().mapToInt(PlannedProbe::probeId).max().orElse(0);
        this.byProbeId = new @Nullable ProbeDecoding[maxProbeId + 1];
        plan.probes().forEach(this::add);
    }

    /** Adds a probe that was attached while the capture is running. */
    public void add(PlannedProbe probe) {
        if (probe.probeId() >= byProbeId.length) {
            byProbeId = Arrays.copyOf(byProbeId, probe.probeId() + 1);
        }
        ProbeDecoding decoding = new ProbeDecoding(probe, textReader);
        decoding.announces = probe.spec().preset().attaching().announces();
        for (PartEvents part : parts) {
            if (part.add(probe)) {
                decoding.part = part;
            }
        }
        byProbeId[probe.probeId()] = decoding;
    }

    /**
     * Hits that are no events become events of probes of the collector's own.
     *
     * @param ids of these probes
     * @param foreign takes streams that turn out to be none to a database: their bytes need not be recorded any more
     */
    public void begin(ToIntFunction<OwnProbe> ids, java.util.function.Consumer<Endpoint> foreign) {
        parts.forEach(part -> part.begin(ids.applyAsInt(part.probe())));
        statements.passForeign(foreign);
    }

    /** Nothing is recorded from here on: statements without an answer are open spans. */
    public void interrupt() {
        parts.forEach(PartEvents::interrupt);
    }

    /** The same for a while, for probes of these categories, whose windows were closed at that moment. */
    void interrupt(Set<String> categories, long closedNs) {
        parts.forEach(part -> part.interrupt(categories, closedNs));
    }

    /** How many statements with unknown results were sent to databases. */
    public long undecodedStatements() {
        return statements.undecoded();
    }

    /** How many statements are recorded without their answers. */
    public long unmatchedStatements() {
        return statements.unmatched();
    }

    /** The number of events so far, including open spans. */
    public long delivered() {
        return events.delivered();
    }

    /** The latest time that an event has had so far, CLOCK_MONOTONIC; 0 without events. */
    public long lastNs() {
        return events.lastNs();
    }

    /** Whether an event of this probe was decoded; of system calls, which are one probe to the user, any. */
    public boolean wasHit(int probeId) {
        boolean isSyscall = syscalls.filter(calls -> calls.covers(probeId)).isPresent();
        ProbeDecoding known = probeId >= 0 && probeId < byProbeId.length ? byProbeId[probeId] : null;
        return isSyscall
                ? syscallHit
                : known != null && (known.wasHit || (known.part != null && known.part.hasUnseenHits()));
    }

    /**
     * Passes a probe's record to the consumer if that has not happened yet. Needed for a system call whose hits are all
     * lost: no event announces its probe.
     */
    public void publishProbe(int probeId) {
        probe(probeId);
    }

    /** A hit of this probe was summed: passes its record to the consumer if that has not happened yet. */
    public void summed(int probeId) {
        probe(probeId).wasHit = true;
    }

    @Override
    public void sample(ByteBuffer buffer, int offset, int lengthBytes) {
        RecordType recordType =
                RecordType.ofCode(Short.toUnsignedInt(buffer.getShort(offset + EventLayout.RECORD_TYPE_OFFSET)));
        switch (recordType) {
            case EVENT -> {
                ProbeDecoding probe = probe(buffer.getInt(offset + EventLayout.PROBE_ID_OFFSET));
                event(buffer, offset, lengthBytes, probe, probe.kind());
            }
            case OPEN_SPAN -> {
                ProbeDecoding probe = probe(buffer.getInt(offset + EventLayout.PROBE_ID_OFFSET));
                event(buffer, offset, probe.entryEndOffset(), probe, EventKind.OPEN_SPAN);
            }
            case SWITCH -> contextSwitch(buffer, offset);
            case FORK, EXEC, EXIT, RENAME -> lifecycle.sample(recordType, buffer, offset);
        }
    }

    /**
     * Decodes a value of a pairing map into an OPEN_SPAN event.
     *
     * @param value borrowed; read with absolute gets from {@code offset}
     */
    void openSpan(ByteBuffer value, int offset) {
        ProbeDecoding probe = probe(value.getInt(offset + EventLayout.PROBE_ID_OFFSET));
        event(value, offset, probe.entryEndOffset(), probe, EventKind.OPEN_SPAN);
    }

    /**
     * Passes on that a process had a connection open at that moment, as an event of the probe of {@link
     * ProbeRecords#ofOpenConnections}.
     *
     * @param isAccepted false also if it is not known which side opened it
     */
    public void openConnection(
            int probeId, long atNs, int pid, int fd, String remote, String local, boolean isAccepted) {
        EventEncoder encoder = events.begin(atNs, -1, pid, pid, 0, probeId, EventKind.INSTANT);
        encoder.beginNumbers(2);
        encoder.number(fd);
        encoder.number(isAccepted ? 1 : 0);
        encoder.beginStrings(2);
        encoder.string(remote);
        encoder.string(local);
        events.end(0, 0, 0);
    }

    /**
     * Passes on what was read of a process, not hit by it.
     *
     * @param unavailable bit i = argument i could not be read
     */
    public void reading(
            int probeId, EventKind kind, long atNs, int pid, List<Long> numbers, List<String> texts, long unavailable) {
        EventEncoder encoder = events.begin(atNs, -1, pid, pid, 0, probeId, kind);
        encoder.beginNumbers(numbers.size());
        numbers.forEach(encoder::number);
        encoder.beginStrings(texts.size());
        texts.forEach(encoder::string);
        events.end(0, 0, unavailable);
    }

    private void event(ByteBuffer buffer, int offset, int lengthBytes, ProbeDecoding attached, EventKind kind) {
        ProbeDecoding probe = attached.caseOf(buffer, offset, lengthBytes);
        if (probe != attached && !probe.wasHit) {
            probe.wasHit = true;
            consumer.probe(probe.caseRecord(captureId));
        }
        attached.wasHit = true;
        if (!attached.announces.isEmpty()) {
            consumer.announced(attached.announces, buffer.getLong(offset + EventLayout.TIMESTAMP_OFFSET));
            return;
        }
        if (attached.part != null) {
            attached.part.sample(attached.probeId(), buffer, offset, lengthBytes, kind == EventKind.OPEN_SPAN);
            return;
        }
        EventEncoder encoder = begin(buffer, offset, kind, probe.probeId());
        long given = buffer.getLong(offset + EventLayout.UNAVAILABLE_OFFSET);
        long unavailable = probe.arguments(buffer, offset, lengthBytes, given, encoder);
        long returnValue = probe.returnValue(buffer, offset, lengthBytes, unavailable);
        events.end(returnValue, stackId(buffer, offset, lengthBytes, probe.stacks()), unavailable);
    }

    private EventEncoder begin(ByteBuffer buffer, int offset, EventKind kind, int probeId) {
        return events.begin(
                buffer.getLong(offset + EventLayout.TIMESTAMP_OFFSET),
                buffer.getLong(offset + EventLayout.DURATION_OFFSET),
                buffer.getInt(offset + EventLayout.TGID_OFFSET),
                buffer.getInt(offset + EventLayout.TID_OFFSET),
                Short.toUnsignedInt(buffer.getShort(offset + EventLayout.CPU_OFFSET)),
                probeId,
                kind);
    }

    private long stackId(ByteBuffer buffer, int offset, int lengthBytes, StackRoom room) {
        if (!room.isAny() || room.kernelFramesOffset() > lengthBytes) {
            return 0;
        }
        int kernelBytes = Math.max(0, buffer.getInt(offset + room.kernelBytesOffset()));
        int userBytes = Math.max(0, buffer.getInt(offset + room.userBytesOffset()));
        return kernelBytes + userBytes == 0
                ? 0
                : stacks.stack(
                        buffer.getLong(offset + EventLayout.TIMESTAMP_OFFSET)
                                + Math.max(0, buffer.getLong(offset + EventLayout.DURATION_OFFSET)),
                        buffer.getInt(offset + EventLayout.TGID_OFFSET),
                        buffer,
                        offset + room.kernelFramesOffset(),
                        kernelBytes,
                        offset + room.userFramesOffset(),
                        userBytes,
                        room.depths().javaScript() == 0
                                ? -1
                                : offset + room.javaScript().offset());
    }

    private void contextSwitch(ByteBuffer buffer, int offset) {
        ProbeDecoding probe = probe(buffer.getInt(offset + EventLayout.PROBE_ID_OFFSET));
        probe.wasHit = true;
        EventEncoder encoder =
                begin(buffer, offset, EventKind.SWITCH, buffer.getInt(offset + EventLayout.PROBE_ID_OFFSET));
        SwitchEvent.encodeNumbers(
                encoder,
                buffer.getInt(offset + EventLayout.TID_OFFSET),
                buffer.getInt(offset + EventLayout.TGID_OFFSET),
                buffer.getInt(offset + SwitchLayout.PREVIOUS_PRIORITY_OFFSET),
                TaskStateBits.reported(
                        buffer.getInt(offset + SwitchLayout.PREEMPTED_OFFSET) != 0,
                        buffer.getLong(offset + SwitchLayout.PREVIOUS_STATE_OFFSET),
                        buffer.getInt(offset + SwitchLayout.PREVIOUS_EXIT_STATE_OFFSET)),
                buffer.getInt(offset + SwitchLayout.NEXT_TID_OFFSET),
                buffer.getInt(offset + SwitchLayout.NEXT_TGID_OFFSET),
                buffer.getInt(offset + SwitchLayout.NEXT_PRIORITY_OFFSET));
        encoder.beginStrings(SwitchEvent.STRINGS.size());
        textReader.name(buffer, offset + SwitchLayout.PREVIOUS_COMM_OFFSET, SwitchLayout.COMM_SIZE_BYTES, encoder);
        textReader.name(buffer, offset + SwitchLayout.NEXT_COMM_OFFSET, SwitchLayout.COMM_SIZE_BYTES, encoder);
        events.end(0, stackId(buffer, offset, Integer.MAX_VALUE, probe.stacks()), 0);
    }

    private ProbeDecoding probe(int probeId) {
        ProbeDecoding known = probeId >= 0 && probeId < byProbeId.length ? byProbeId[probeId] : null;
        return known != null ? known : syscall(probeId);
    }

    /** Adds the probe of a system call at its first event. */
    private ProbeDecoding syscall(int probeId) {
        PlannedSyscalls planned = syscalls.filter(calls -> calls.covers(probeId))
                .orElseThrow(() -> new IllegalArgumentException("sample of unknown probe " + probeId));
        SyscallSignature signature = syscallTable.signature(planned.number(probeId));
        ProbeDecoding decoding = new ProbeDecoding(
                probeId,
                planned.layout()
                        .layout(
                                signature.arguments().stream()
                                        .map(argument -> argument.type())
                                        .toList(),
                                signature.texts()),
                textReader);
        if (probeId >= byProbeId.length) {
            byProbeId = Arrays.copyOf(byProbeId, probeId + 1);
        }
        byProbeId[probeId] = decoding;
        syscallHit = true;
        consumer.probe(ProbeRecords.ofSyscall(captureId, probeId, planned, signature));
        return decoding;
    }

    /** Receives decoded events, on the thread that reads the ring. */
    public interface Consumer {
        /** Takes one event. The encoder belongs to the decoder and is valid only inside the call. */
        void event(EventEncoder event);

        /**
         * Takes the record of a system call's probe, or of a case of a probe, before its first event. Other probes are not
         * passed here.
         */
        void probe(Probe probe);

        /**
         * Takes the name that a hit announces, which is no event. It comes more than once: hits go on until their probe is
         * detached.
         *
         * @param atNs of the hit, CLOCK_MONOTONIC
         */
        void announced(String name, long atNs);
    }

    /** Maps the raw stacks of a sample to the id of a stack record. */
    public interface StackSink {
        /**
         * Takes the stacks of one sample: u64 addresses, leaf first. The buffer is borrowed for the call; read it with
         * absolute gets.
         *
         * @param timestampNs when the stack was taken: at the hit, of a span at its end
         * @param tgid the process that the user stack belongs to
         * @param kernelOffset offset of the first kernel address
         * @param kernelBytes size of the kernel addresses in bytes, a multiple of 8; 0 = none
         * @param userOffset offset of the first user address
         * @param userBytes size of the user addresses in bytes, a multiple of 8; 0 = none
         * @param javaScriptOffset offset of the {@link dev.probestream.collector.internal.program.layout.JavaScriptRoom};
         *     -1 = the sample has none
         * @return the id of the stack, 0 = none
         */
        long stack(
                long timestampNs,
                int tgid,
                ByteBuffer buffer,
                int kernelOffset,
                int kernelBytes,
                int userOffset,
                int userBytes,
                int javaScriptOffset);
    }
}
