package dev.probestream.bench.kafka;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.record.EventKind;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Events whose messages are all of one size, and differ as those of one function's calls do. */
public final class TypicalEvents {
    /** The value of a message: a span with four numbers, a path and a stack. */
    public static final int VALUE_BYTES = 108;

    public static final long CAPTURE_ID = 0x5eed_5eed_5eed_5eedL;
    static final int PROBE_ID = 1;
    /** So many of them are more than lz4 looks back. */
    private static final int COUNT = 1024;

    /** Of the first. */
    static final long START_NS = 3_600_000_000_000L;

    private static final int PID = 40_000;

    private TypicalEvents() {}

    /** Complete, one encoder each. */
    static EventEncoder[] prepare() {
        SplittableRandom random = new SplittableRandom(42);
        EventEncoder[] events = new EventEncoder[COUNT];
        for (int i = 0; i < COUNT; i++) {
            long seed = random.nextLong();
            int textBytes = 0;
            EventEncoder event = event(i, seed, textBytes);
            while (value(event).length < VALUE_BYTES) {
                event = event(i, seed, ++textBytes);
            }
            events[i] = event;
        }
        return events;
    }

    /** The same as values of messages. */
    public static byte[][] values() {
        return Stream.of(prepare()).map(TypicalEvents::value).toArray(byte[][]::new);
    }

    private static byte[] value(EventEncoder event) {
        return EventMessage.value(event, EventMessage.header(MessageFraming.SINGLE_OBJECT));
    }

    private static EventEncoder event(int number, long seed, int textBytes) {
        SplittableRandom random = new SplittableRandom(seed);
        EventEncoder event = new EventEncoder();
        long startNs = START_NS + number * 10_000L + random.nextInt(5_000);
        int tid = PID + random.nextInt(5);
        event.begin(
                CAPTURE_ID,
                1_000_000L + number,
                startNs,
                2_000 + random.nextInt(4_000),
                PID,
                tid,
                random.nextInt(2),
                PROBE_ID,
                EventKind.SPAN);
        event.beginNumbers(4);
        event.number(0x7f10_0000_0000L + 512L * random.nextInt(1000));
        event.number(524_288);
        event.number(438);
        event.number(-1);
        event.beginStrings(1);
        String path = "/srv/app/public/file-" + random.nextInt(64) + ".html?and-as-much-of-this-as-it-takes";
        event.string(path.substring(0, textBytes));
        event.end(random.nextInt(100), 0x1234_5678_9abc_def0L + random.nextInt(10), 0);
        return event;
    }
}
