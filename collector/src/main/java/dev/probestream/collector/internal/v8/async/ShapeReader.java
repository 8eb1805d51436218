package dev.probestream.collector.internal.v8.async;

import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.HeapShape.Kind;
import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.HeapStrings;
import dev.probestream.collector.internal.v8.layout.V8Properties;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells from the names of an object's properties what it is on the way to a stream: those that Node gives its own objects
 * (lib/_http_incoming.js, lib/_http_server.js, lib/net.js, lib/_tls_wrap.js), and under which frameworks keep these: {@code req}
 * (Koa), {@code raw} (Fastify, Hapi), {@code env} and {@code incoming} (Hono).
 */
final class ShapeReader {
    private static final List<String> HELD = List.of("req", "raw", "request", "incoming", "env");

    /**
     * Under which libraries keep what they call when something is done: mysql2, pg, and many others; undici, and with it fetch(), a
     * handler with functions for the response; Node the function that {@code once()} was given.
     */
    private static final List<String> CALLED = List.of(
            "onResult",
            "callback",
            "cb",
            "resolve",
            "_resolver",
            symbol("handler"),
            symbol("#handler"),
            "onResponseStart",
            "onHeaders",
            "listener");

    private static final String LISTENERS = "_events";

    /** Properties by which a request to a server is known: of http.ClientRequest, follow-redirects (in axios) and got. */
    private static final List<Set<String>> OF_CLIENTS = List.of(
            Set.of("_header", "agent"), Set.of("_redirects", "_redirectCount"), Set.of("redirectUrls", "retryCount"));

    /** Of the RequestContexts that all functions of the npm package have which call a program's (node/lib/request-contexts.js). */
    private static final List<String> OF_PACKAGE = List.of(symbol("#storage"), symbol("#semaphores"));

    /** Those that lead to another one of these. */
    private static final Set<Kind> LEADING = Set.of(Kind.HOLDER, Kind.RESPONSE, Kind.MESSAGE, Kind.SOCKET, Kind.CLIENT);

    /** Longer names are none of these. */
    private static final int MAX_NAME_CHARACTERS = 24;

    /** Objects with more properties are not looked at. */
    private static final int MAX_PROPERTIES = 128;

    /** How many fields of C++ a handle has, and where in a HandleWrap its pointer to libuv's handle can be. */
    private static final int MAX_INTERNAL_FIELDS = 5;

    private static final int MAX_WRAP_BYTES = 256;

    // Of libuv's uv_handle_t: data, loop, type (include/uv.h).
    private static final int HANDLE_TYPE = 16;
    private static final int UV_NAMED_PIPE = 7;
    private static final int UV_TCP = 12;

    private final HeapReader heap;
    private final HeapStrings strings;
    private final V8Properties properties;

    ShapeReader(HeapReader heap, V8Properties properties) {
        this.heap = heap;
        this.strings = new HeapStrings(heap);
        this.properties = properties;
    }

    /**
     * The shape of objects with this Map.
     *
     * @param example one of them, unless it has moved
     * @return empty if the example is needed and has moved
     * @throws HeapException if the Map cannot be read
     */
    Optional<HeapShape> read(long map, long example) throws HeapException {
        heap.begin();
        heap.require(map, heap.layout().types().map());
        Map<String, Integer> places = places(map);
        @Nullable Integer handle = places.get(symbol("kHandle"));
        @Nullable Integer response = places.get("_httpMessage");
        @Nullable Integer socket = places.get("socket");
        @Nullable Integer request = places.get("req");
        @Nullable Integer parent = places.get("_parent");
        if (handle != null && response != null) {
            return Optional.of(new HeapShape(0, Kind.SOCKET, handle, response));
        }
        if (socket != null && places.containsKey("httpVersionMajor")) {
            return Optional.of(new HeapShape(0, Kind.MESSAGE, socket, 0));
        }
        if (request != null && places.containsKey("_header")) {
            return Optional.of(new HeapShape(0, Kind.RESPONSE, request, 0));
        }
        if (parent != null && places.containsKey("_parentWrap")) {
            return Optional.of(new HeapShape(0, Kind.HOLDER, parent, 0)); // a TLSWrap's handle is the one below
        }
        int type = heap.uint16(map, heap.layout().maps().instanceType());
        if (type == properties.apiObject()) {
            return handle(map, example);
        }
        if (type == properties.array()) {
            return Optional.of(new HeapShape(0, Kind.LIST, properties.elements(), 0));
        }
        if (places.containsKey(LISTENERS) && OF_CLIENTS.stream().anyMatch(places.keySet()::containsAll)) {
            return Optional.of(new HeapShape(
                    0,
                    Kind.CLIENT,
                    Objects.requireNonNull(places.get(LISTENERS)),
                    places.getOrDefault("_redirectable", 0)));
        }
        if (places.containsKey("response") && places.containsKey("error") && places.containsKey("close")) {
            return Optional.of(
                    new HeapShape(0, Kind.CALLER, Objects.requireNonNull(places.get("response")), 0)); // listeners
        }
        if (places.keySet().containsAll(OF_PACKAGE)) {
            return Optional.of(new HeapShape(0, Kind.PACKAGE, 0, 0));
        }
        @Nullable Integer process = places.get("processResponse");
        if (process != null) {
            return Optional.of(new HeapShape(0, Kind.CALLER, process, 1)); // what fetch() does is given this
        }
        Optional<Integer> held = first(HELD, places);
        Optional<Integer> called = first(CALLED, places);
        if (held.isPresent()) {
            return held.map(place -> new HeapShape(0, Kind.HOLDER, place, 0));
        }
        // A net.Socket has an async id, too, but calls nothing in its scope.
        return Optional.of(
                places.containsKey(symbol("trigger_async_id_symbol"))
                        ? new HeapShape(0, Kind.RESOURCE, called.orElse(0), 0)
                        : called.map(place -> new HeapShape(0, Kind.CALLER, place, 0))
                                .orElse(HeapShape.NOTHING));
    }

    private static Optional<Integer> first(List<String> names, Map<String, Integer> places) {
        return names.stream().map(places::get).filter(Objects::nonNull).findFirst();
    }

    /**
     * The objects to which an object with this shape leads: what is asked next. One that has got further properties meanwhile, and so
     * another Map, has these at the same places.
     *
     * @param example one of them; if it has moved, what is read leads to nothing, or to objects that are not asked for
     */
    List<Long> next(long example, HeapShape shape) throws HeapException {
        heap.begin();
        if (!LEADING.contains(shape.kind())) {
            return List.of();
        }
        List<Long> objects = new ArrayList<>(List.of(field(example, shape.next())));
        if (shape.kind() == Kind.SOCKET) {
            objects.add(field(example, shape.other()));
        }
        objects.removeIf(word -> !HeapReader.isPointer(word));
        return objects;
    }

    /** The prototype of the objects with a Map. */
    long prototype(long map) throws HeapException {
        heap.begin();
        return heap.pointer(map, properties.prototype());
    }

    /** The Map of an object. */
    long map(long object) throws HeapException {
        return heap.pointer(object, 0);
    }

    private long field(long object, int place) throws HeapException {
        return place < 0
                ? heap.word(heap.pointer(object, properties.outOfObject()), place & ~HeapShape.IN_PROPERTIES)
                : heap.word(object, place);
    }

    /** Where the fields of an object with this Map are, by their names. */
    private Map<String, Integer> places(long map) throws HeapException {
        Map<String, Integer> places = new HashMap<>();
        int count = V8Properties.descriptorCount(heap.int32(map, properties.bitField3()));
        if (count > MAX_PROPERTIES) {
            return places;
        }
        long descriptors = heap.pointer(map, properties.descriptors());
        int start = heap.byteAt(map - 1 + properties.inObjectStart());
        int inObject = heap.byteAt(map - 1 + properties.sizeInWords()) - start;
        for (int i = 0; i < count; i++) {
            int descriptor = properties.firstDescriptor() + V8Properties.DESCRIPTOR_BYTES * i;
            long name = heap.word(descriptors, descriptor);
            long details = heap.word(descriptors, descriptor + V8Properties.WORD_BYTES);
            if (HeapReader.isSmi(details) && V8Properties.isField(HeapReader.smi(details))) {
                int index = V8Properties.fieldIndex(HeapReader.smi(details));
                places.put(
                        name(name),
                        index < inObject
                                ? V8Properties.WORD_BYTES * (start + index)
                                : HeapShape.IN_PROPERTIES
                                        | V8Properties.FIRST_OUT_OF_OBJECT
                                                + V8Properties.WORD_BYTES * (index - inObject));
            }
        }
        return places;
    }

    /** The name of a property; "" if it is longer than any that is looked for. */
    private String name(long name) throws HeapException {
        boolean isSymbol = heap.instanceType(name) == properties.symbol();
        long text = isSymbol ? heap.pointer(name, properties.symbolDescription()) : name;
        if (!strings.isString(text) || strings.length(text) > MAX_NAME_CHARACTERS) {
            return "";
        }
        String read = strings.string(text, MAX_NAME_CHARACTERS);
        return isSymbol ? symbol(read) : read;
    }

    /** How a symbol is called here. */
    private static String symbol(String description) {
        return "@" + description;
    }

    /**
     * Looks for the HandleWrap of a handle's object, and in that for the uv_tcp_t or uv_pipe_t whose {@code data} points back.
     * Where they are depends on the version of Node.
     */
    private Optional<HeapShape> handle(long map, long example) throws HeapException {
        if (heap.word(example, 0) != map) {
            return Optional.empty();
        }
        for (int i = 0; i < MAX_INTERNAL_FIELDS; i++) {
            int field = properties.firstInternalField() + V8Properties.WORD_BYTES * i;
            long wrap = heap.word(example, field);
            if (!isAddress(wrap)) {
                continue;
            }
            int stream = streamIn(wrap);
            if (stream > 0) {
                return Optional.of(new HeapShape(0, Kind.HANDLE, field, stream));
            }
        }
        return Optional.of(HeapShape.NOTHING);
    }

    /** The offset of the pointer to libuv's handle; 0 = there is none. */
    private int streamIn(long wrap) {
        for (int offset = V8Properties.WORD_BYTES; offset < MAX_WRAP_BYTES; offset += V8Properties.WORD_BYTES) {
            if (isStream(wrap, wrap + offset)) {
                return offset;
            }
        }
        return 0;
    }

    /** Whether the word there points to a handle of libuv whose data is that wrap. */
    private boolean isStream(long wrap, long address) {
        try {
            long handle = heap.longAt(address);
            if (!isAddress(handle) || heap.longAt(handle) != wrap) {
                return false;
            }
            int type = heap.intAt(handle + HANDLE_TYPE);
            return type == UV_TCP || type == UV_NAMED_PIPE;
        } catch (HeapException e) {
            return false; // the word is no address
        }
    }

    private static boolean isAddress(long word) {
        return word > 0 && word % Long.BYTES == 0;
    }
}
