package dev.probestream.convert.shape;

import dev.probestream.convert.errno.ErrnoNames;
import dev.probestream.schema.record.FlowStep;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a writer and the assembler must know of one argument, or of the result, of a probe. */
public final class ArgumentShape {
    private static final byte[] UNAVAILABLE = "unavailable".getBytes(StandardCharsets.UTF_8);

    private final int index;
    private final String name;
    private final int nameIndex;
    private final String unit;
    private final ValueStyle style;

    /** Among the event's strings for text, else among its numbers. */
    private final int position;

    private final FlowStep flow;
    private final LongMap<byte[]> labels = new LongMap<>();

    public ArgumentShape(
            int index,
            String name,
            int nameIndex,
            String type,
            String unit,
            int position,
            FlowStep flow,
            Map<String, String> labels) {
        this.index = index;
        this.name = name;
        this.nameIndex = nameIndex;
        this.unit = unit;
        this.style = ValueStyle.of(type, unit);
        this.position = position;
        this.flow = flow;
        labels.forEach(this::addLabel);
    }

    private void addLabel(String value, String label) {
        try {
            labels.put(Long.decode(value), label.getBytes(StandardCharsets.UTF_8));
        } catch (NumberFormatException e) {
            // A label for something that is not a number can never be looked up; the plain number is shown.
        }
    }

    /** Counts the arguments of all probes from 0. */
    public int index() {
        return index;
    }

    public String name() {
        return name;
    }

    /** In {@code Timeline.argumentNames}. */
    public int nameIndex() {
        return nameIndex;
    }

    /** ns, bytes, count ... as in {@link dev.probestream.schema.record.Argument}; "" = none. */
    public String unit() {
        return unit;
    }

    /** Whether a counter's value is an unsigned 64-bit number. */
    public boolean isUnsigned() {
        return style == ValueStyle.UNSIGNED;
    }

    public boolean isText() {
        return style == ValueStyle.TEXT;
    }

    public int position() {
        return position;
    }

    public FlowStep flow() {
        return flow;
    }

    public void showUnavailable(ArgumentSink sink) {
        sink.text(this, UNAVAILABLE, 0, UNAVAILABLE.length);
    }

    public void show(long value, ArgumentSink sink) {
        byte[] label = labels.size() == 0 ? null : labels.get(value);
        if (label != null) {
            sink.text(this, label, 0, label.length);
            return;
        }
        switch (style) {
            case SIGNED, TEXT -> sink.signed(this, value);
            case UNSIGNED -> sink.unsigned(this, value);
            case BOOL -> sink.bool(this, value != 0);
            case HEX -> sink.hexadecimal(this, value);
            case ERRNO -> showErrno(value, sink);
        }
    }

    private void showErrno(long value, ArgumentSink sink) {
        byte[] text = value < 0 ? ErrnoNames.text(value) : null;
        if (text == null) {
            sink.signed(this, value);
        } else {
            sink.text(this, text, 0, text.length);
        }
    }
}
