package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One event as an {@link EventHandler} gets it: a view that is valid during one call. Only {@link #text} allocates. For
 * the thread that called the handler.
 */
public final class CollectedEvent {
    private static final long RETURN_VALUE_UNAVAILABLE = 1L << 63;

    private final EventView view = new EventView();
    /** By probe id: ids are small and start at 1. */
    private @Nullable DescribedProbe[] probes = new @Nullable DescribedProbe[16];

    private @Nullable DescribedProbe current;

    /** An argument's position among all arguments, and among those that are stored like it. */
    private record Place(int position, int index, boolean isText) {}

    private record DescribedProbe(Probe probe, Map<String, Place> places) {
        static DescribedProbe of(Probe probe) {
            Map<String, Place> places = new HashMap<>();
            int texts = 0;
            int numbers = 0;
            List<Argument> arguments = probe.getArguments();
            for (int i = 0; i < arguments.size(); i++) {
                String type = arguments.get(i).getType();
                boolean isText = type.equals("str") || type.startsWith("char[");
                places.put(arguments.get(i).getName(), new Place(i, isText ? texts++ : numbers++, isText));
            }
            return new DescribedProbe(probe, places);
        }
    }

    CollectedEvent() {}

    void describe(Probe probe) {
        int id = probe.getProbeId();
        if (id >= probes.length) {
            probes = Arrays.copyOf(probes, Math.max(2 * probes.length, id + 1));
        }
        probes[id] = DescribedProbe.of(probe);
    }

    /** Makes this the view of an event, until the encoder begins the next. */
    void wrap(EventEncoder event) {
        try {
            view.wrap(event.bytes(), event.offset(), event.offset() + event.length());
        } catch (MalformedEventException e) {
            throw new IllegalStateException("an event that was encoded here cannot be read", e);
        }
        int id = view.probeId();
        current = id < probes.length ? probes[id] : null;
        if (current == null) {
            throw new IllegalStateException("an event of probe " + id + ", which was not described");
        }
    }

    /** {@return what was probed; the record stays the same for all events of the probe and may be kept} */
    public Probe probe() {
        return described().probe();
    }

    /** {@return what the event describes, such as a call that has ended ({@code SPAN})} */
    public EventKind kind() {
        return view.kind();
    }

    /** {@return when it happened or began, in nanoseconds of CLOCK_MONOTONIC} */
    public long timestampNs() {
        return view.timestampNs();
    }

    /** {@return how long it took in nanoseconds; -1 = it has no duration, or has not ended} */
    public long durationNs() {
        return view.durationNs();
    }

    /** {@return the process, in the pid namespace of the collector} */
    public int pid() {
        return view.pid();
    }

    /** {@return the thread, in the pid namespace of the collector} */
    public int tid() {
        return view.tid();
    }

    /** {@return the CPU that the probe ran on, from 0} */
    public int cpu() {
        return view.cpu();
    }

    /** {@return the id of the Stack record of this event; 0 = none was asked for or none could be read} */
    public long stackId() {
        return view.stackId();
    }

    /** {@return the names of the arguments that the probe records} */
    public List<String> argumentNames() {
        return probe().getArguments().stream().map(Argument::getName).toList();
    }

    /**
     * Returns whether an argument could be read.
     *
     * @param argument its name
     * @return false if its memory was not readable; then its value is 0 or ""
     * @throws IllegalArgumentException if the probe records no such argument
     */
    public boolean isAvailable(String argument) {
        return (view.unavailable() & (1L << place(argument).position())) == 0;
    }

    /**
     * Reads a number.
     *
     * @param argument its name
     * @return its value in the argument's unit; unsigned 64-bit values keep their bits
     * @throws IllegalArgumentException if the probe records no such argument, or it is a text
     */
    public long number(String argument) {
        Place place = place(argument);
        if (place.isText()) {
            throw new IllegalArgumentException("argument " + argument + " of " + probe().getName() + " is a text");
        }
        return view.number(place.index());
    }

    /**
     * Reads a text.
     *
     * @param argument its name
     * @return its value, already masked, as a string of its own
     * @throws IllegalArgumentException if the probe records no such argument, or it is a number
     */
    public String text(String argument) {
        Place place = place(argument);
        if (!place.isText()) {
            throw new IllegalArgumentException("argument " + argument + " of " + probe().getName() + " is a number");
        }
        return view.string(place.index());
    }

    /** {@return what the function or system call returned; empty if that is not recorded or could not be read} */
    public OptionalLong returnValue() {
        boolean isAbsent = probe().getReturnType().isEmpty() || (view.unavailable() & RETURN_VALUE_UNAVAILABLE) != 0;
        return isAbsent ? OptionalLong.empty() : OptionalLong.of(view.returnValue());
    }

    /** {@return the encoded event; borrowed like this one} */
    public EventView view() {
        return view;
    }

    private Place place(String argument) {
        Place place = described().places().get(argument);
        if (place == null) {
            throw new IllegalArgumentException(
                    probe().getName() + " records no argument " + argument + ", but " + argumentNames());
        }
        return place;
    }

    private DescribedProbe described() {
        if (current == null) {
            throw new IllegalStateException("an event is valid only during the call that brings it");
        }
        return current;
    }

    /** Ends the call that borrowed this. */
    void release() {
        current = null;
    }
}
