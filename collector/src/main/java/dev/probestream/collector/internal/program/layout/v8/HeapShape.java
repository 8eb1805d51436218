package dev.probestream.collector.internal.program.layout.v8;

import dev.probestream.collector.internal.program.layout.MapNames;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.Stream;

/**
 * What an object of V8 is on the way from a function to the stream of the request that it serves: a value of {@link
 * MapNames#HEAP_SHAPES}, under its process and its Map; {@code struct heap_shape} of src/main/bpf/v8_served_search.h.
 *
 * <pre>
 * offset  size  field
 *      0     8  example  an object that had this Map, tagged, while the kind was unknown; of code, the return address
 *      8     4  kind     {@link Kind}
 *     16     4  next     where the next object on the way is; see {@link Kind}
 *     20     4  other    likewise
 * </pre>
 *
 * A property is in the object itself, at an offset in bytes from its begin, or with the bit {@link #IN_PROPERTIES} in its
 * PropertyArray.
 *
 * @param example see above
 * @param kind see above
 * @param next see above
 * @param other see above
 */
public record HeapShape(long example, Kind kind, int next, int other) {
    /** What is followed of an object; the numbers are those of {@code enum shape_kind}. */
    public enum Kind {
        /** It has not been looked at. */
        UNKNOWN(0),
        /** It is not on the way. */
        NOTHING(1),
        /** {@code next}: a property with an object that is one of the others. */
        HOLDER(2),
        /** http.ServerResponse; {@code next}: its request. */
        RESPONSE(3),
        /** http.IncomingMessage; {@code next}: its socket. */
        MESSAGE(4),
        /** net.Socket; {@code next}: its handle; {@code other}: the response that is being sent, or of a client the request. */
        SOCKET(5),
        /** A handle; {@code next}: the pointer to Node's HandleWrap; {@code other}: in that, the pointer to libuv's handle. */
        HANDLE(6),
        /** The SharedFunctionInfo of a function of Node's own JavaScript, or V8's, which is its own key; programs find it. */
        OF_NODE(7),
        /**
         * {@code next}: a function that it calls when it is done, as the statement of a database's client; {@code other}: 1 if an async
         * function that has it gives it what it has awaited, instead of returning that.
         */
        CALLER(8),
        /** An AsyncResource; {@code next}: as of a {@link #CALLER}, or 0. */
        RESOURCE(9),
        /** As {@link #OF_NODE}, of the function Promise. */
        PROMISE_CONSTRUCTOR(10),
        /** What functions of the npm package use, which call a program's functions as Node's own do. */
        PACKAGE(11),
        /**
         * A request that is being sent; {@code next}: the object with its listeners, by event; {@code other}: 0, or the object that
         * follows redirects for it.
         */
        CLIENT(12),
        /** An Array; {@code next}: its elements. */
        LIST(13),
        /**
         * Of a place in optimized code: closures that have no frame there, as V8 has compiled them into the frame's function; {@code
         * next}, {@code other}: where they are, the innermost first, in bytes from the frame pointer; 0 = there is none.
         */
        INLINED(14),
        /** Likewise, and they are called in the scope of an AsyncResource. */
        INLINED_SCOPE(15),
        /** Of a place in optimized code: it is not known which they are. */
        HIDDEN(16);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        private static Kind of(int number) {
            return Stream.of(values())
                    .filter(kind -> kind.number == number)
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no kind of shape is " + number));
        }
    }

    /** In the place of a property: it is in the object's PropertyArray. */
    public static final int IN_PROPERTIES = 1 << 31;

    /** Of the key: u32 tgid, u32 kind, and the word: a tagged pointer, or of code what {@link #keyOfCode} makes of it. */
    public static final int KEY_BYTES = 16;

    // The kinds of keys, enum heap_shape_key_kind.
    private static final int OBJECT = 0;
    private static final int PROTOTYPE = 1;
    private static final int CODE = 2;

    /** How many words of code are in a key: half of them are before the place. */
    public static final int CODE_WORDS = 4;

    private static final long CODE_FACTOR = 0x9e3779b97f4a7c15L;

    public static final int SIZE_BYTES = 24;

    /** Of all processes together; those that were not used for the longest time make room for new ones. */
    public static final int MAX_SHAPES = 8192;

    /** Of a value of {@link MapNames#SERVED_SEARCHES}, {@code struct served_search}. */
    public static final int SEARCH_BYTES = 3224;

    /** Of an object that is not on the way; of code into which no such closure is compiled. */
    public static final HeapShape NOTHING = new HeapShape(0, Kind.NOTHING, 0, 0);

    /** Of an object that has not been looked at. */
    public static HeapShape unknown(long example) {
        return new HeapShape(example, Kind.UNKNOWN, 0, 0);
    }

    /** The key of a Map, or of a function's code, in the machine's byte order. */
    public static ByteBuffer key(int pid, long map) {
        return key(pid, OBJECT, map);
    }

    /** The key of all messages with a prototype, or all responses, whose Maps may differ; likewise. */
    public static ByteBuffer keyOfPrototype(int pid, long prototype) {
        return key(pid, PROTOTYPE, prototype);
    }

    /**
     * The key of a place in code; likewise. There may be other code later, which has other words there.
     *
     * @param returnAddress at which a function goes on
     * @param words around it
     */
    public static ByteBuffer keyOfCode(int pid, long returnAddress, long... words) {
        long key = returnAddress;
        for (long word : words) {
            key = (key ^ word) * CODE_FACTOR;
            key ^= key >>> Integer.SIZE;
        }
        return key(pid, CODE, key);
    }

    private static ByteBuffer key(int pid, int kind, long word) {
        return ByteBuffer.allocate(KEY_BYTES)
                .order(ByteOrder.nativeOrder())
                .putInt(pid)
                .putInt(kind)
                .putLong(word)
                .flip();
    }

    /** The process of a key. */
    public static int pid(ByteBuffer key) {
        return key.getInt(0);
    }

    /** Whether it is that of a place in code. */
    public static boolean isOfCode(ByteBuffer key) {
        return key.getInt(Integer.BYTES) == CODE;
    }

    /** The Map of a key, a tagged pointer. */
    public static long map(ByteBuffer key) {
        return key.getLong(8);
    }

    /** Reads a value at the buffer's position, in its order. */
    public static HeapShape decode(ByteBuffer value) {
        int start = value.position();
        return new HeapShape(
                value.getLong(start),
                Kind.of(value.getInt(start + 8)),
                value.getInt(start + 16),
                value.getInt(start + 20));
    }

    /** The value, in the machine's byte order. */
    public ByteBuffer encode() {
        return ByteBuffer.allocate(SIZE_BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(example)
                .putInt(kind.number)
                .putInt(0)
                .putInt(next)
                .putInt(other)
                .clear();
    }
}
