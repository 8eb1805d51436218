package dev.probestream.collector.internal.program;

import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout.Builtin;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout.ObjectType;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.BaselineCodeLayout;
import dev.probestream.collector.internal.program.layout.v8.EventLoopLayout;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.HeapShape.Kind;
import dev.probestream.collector.internal.program.layout.v8.StreamListenerLayout;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * A thread with an isolate, a stack and V8's objects, in a page of V8's heap, of which there is one at a time. What it gives
 * are tagged pointers.
 */
final class ServedStreamHeap {
    private static final int SIZE_BYTES = 0x4000;
    private static final int PAGE_BYTES = 1 << 18;
    private static final NativeMemory MEMORY = NativeMemory.allocate(2 * PAGE_BYTES);
    private static final long OLD_PAGE = 4;
    private static final long YOUNG_PAGE = 0x14;
    private static final int WORD_BYTES = Long.BYTES;
    private static final int SMI_SHIFT = 32;
    // In place of a context.
    private static final long ENTRY_MARKER = 1L << 1;
    private static final long EXIT_MARKER = 3L << 1;
    private static final int ENTRY_EXIT_FRAME =
            -64; // from the frame pointer of an entry frame: the last exit frame before it

    // Places in the block.
    private static final int THREAD = 0x100;
    private static final int ISOLATE = 0x200;
    private static final int CODE = 0x300;
    private static final int INTERPRETER = 0x380;
    private static final int STACK = 0x400;
    private static final int OBJECTS = 0x1000;

    // The layout of the isolate and of objects here.
    private static final int CONTEXT = 0x10;
    private static final int MICROTASK = 0x28;
    private static final int EXIT_FRAME = 0x40;
    private static final int ODDBALL_TYPE = 131;
    private static final int BYTECODE_TYPE = 160;
    private static final int SCRIPT = 40;
    private static final int SCRIPT_NAME = 8;
    private static final int INSTANCE_TYPE = 12;
    private static final int PROTOTYPE = 0x18;
    private static final int NATIVE_CONTEXT = 0x20;
    private static final int REACTION = 16;
    private static final int FUNCTION_SHARED = 32;
    private static final int FUNCTION_CONTEXT = 40;
    private static final int BUILTIN = 8;
    private static final int FUNCTION_DATA = 16;
    private static final int INSTRUCTION_START = 8;
    private static final int INSTRUCTION_SIZE = 16;
    private static final int ELEMENTS = 16;
    private static final int FIRST_PROPERTY = 24;
    private static final int WRAP_STREAM = 16;
    /** Of a NameDictionary: the words behind its length and before its entries, and of an entry: name, value, details. */
    private static final int DICTIONARY_HEAD = 6;

    private static final int DICTIONARY_ENTRY = 3;
    private static final int FRAME_BYTES = 80;
    /** In the frame of an optimized function, from its frame pointer on; the others are below. */
    static final int FIRST_KEPT = -32;

    /** How the hidden classes of a connection's objects are called here. */
    enum Shape {
        HOLDER,
        RESPONSE,
        MESSAGE,
        SOCKET,
        HANDLE,
        CALLER,
        RESOURCE,
        PACKAGE,
        CLIENT,
        EVENTS,
        LIST
    }

    static final AsyncContextLayout LAYOUT = layout();

    /** The objects of a connection, from its answer on. */
    record Connection(ServedStreamHeap heap, long response, long message, long socket, long wrap, long stream) {
        /** The response that is being sent now. */
        void answer(long other) {
            heap.put(socket, FIRST_PROPERTY + WORD_BYTES, other);
        }

        /** Its handle is closed: libuv's points back no more. */
        void close() {
            heap.write((int) (stream - heap.base), 0);
        }
    }

    private final long base;
    private final int begin;
    private final Map<Shape, Long> maps = new EnumMap<>(Shape.class);
    private final Map<Integer, Long> typeMaps = new HashMap<>();
    private final Map<Long, Long> receivers = new HashMap<>();
    private final long[] codeWords = new long[HeapShape.CODE_WORDS];
    private long compiled;
    private int next = OBJECTS;
    private final long nativeContext;
    private final long moduleContext;
    private final long manyClosures;
    private final long oneClosure;
    private final long cellOfMany;
    private final long code;
    private final long functionMap;
    private final long functionContextMap;
    private final Map<Long, long[]> frameWords = new HashMap<>();

    ServedStreamHeap() {
        // Memory that is allocated stays where it is.
        long block = MEMORY.lend(address -> address);
        base = block + PAGE_BYTES - 1 & -PAGE_BYTES;
        begin = (int) (base - block);
        for (int place = 0; place < SIZE_BYTES; place += WORD_BYTES) {
            write(place, 0);
        }
        write(0, YOUNG_PAGE);
        long contextMap = object(0, 0, 0, 0, 0);
        nativeContext = object(contextMap, 0, 0, 0);
        put(contextMap, NATIVE_CONTEXT, nativeContext);
        moduleContext = object(contextMap, 0, 0, nativeContext);
        manyClosures = object(0, 0);
        oneClosure = object(0, 0);
        cellOfMany = object(manyClosures, 0);
        code = shared(1, 0, script("/srv/app.js"));
        functionMap = map(ObjectType.FIRST_FUNCTION);
        functionContextMap = object(0, 0, 0, 0, 0);
        long builtin = object(functionMap, 0, 0, 0, code, 0, cellOfMany);
        put(functionMap, PROTOTYPE, builtin);
        put(map(ObjectType.LAST_FUNCTION), PROTOTYPE, object(object(0, 0, 0, builtin, 0), 0)); // of async functions
        for (Shape shape : Shape.values()) {
            maps.put(shape, object(0, 0, 0, 0, 0));
        }
        compile();
        write(THREAD - WORD_BYTES, base + ISOLATE);
        write(ISOLATE + CONTEXT, moduleContext);
    }

    private static AsyncContextLayout layout() {
        Map<ObjectType, Integer> types = new EnumMap<>(ObjectType.class);
        Map<Builtin, Integer> builtins = new EnumMap<>(Builtin.class);
        for (ObjectType type : ObjectType.values()) {
            types.put(type, type(type));
        }
        for (Builtin builtin : Builtin.values()) {
            builtins.put(builtin, number(builtin));
        }
        AsyncCallerLayout promises = new AsyncCallerLayout(
                -WORD_BYTES, 0, MICROTASK, REACTION, FUNCTION_SHARED, FUNCTION_CONTEXT, BUILTIN, 0, types, builtins);
        return new AsyncContextLayout(
                -WORD_BYTES,
                0,
                0,
                CONTEXT,
                0,
                0,
                ODDBALL_TYPE,
                BYTECODE_TYPE,
                INSTANCE_TYPE,
                promises,
                EXIT_FRAME,
                SCRIPT,
                SCRIPT_NAME,
                new BaselineCodeLayout(FUNCTION_DATA, INSTRUCTION_START, 0, INSTRUCTION_SIZE),
                EventLoopLayout.NONE,
                StreamListenerLayout.NONE);
    }

    private static int type(ObjectType type) {
        return 1000 + type.offset();
    }

    private static int number(Builtin builtin) {
        return 100 + builtin.offset();
    }

    long threadPointer() {
        return base + THREAD;
    }

    /** What the collector would answer of each Map. */
    Map<Long, HeapShape> shapes() {
        Map<Long, HeapShape> shapes = new HashMap<>();
        shapes.put(map(Shape.HOLDER), new HeapShape(0, Kind.HOLDER, FIRST_PROPERTY, 0));
        shapes.put(map(Shape.RESPONSE), new HeapShape(0, Kind.RESPONSE, FIRST_PROPERTY, 0));
        shapes.put(map(Shape.MESSAGE), new HeapShape(0, Kind.MESSAGE, HeapShape.IN_PROPERTIES | FIRST_PROPERTY, 0));
        shapes.put(map(Shape.SOCKET), new HeapShape(0, Kind.SOCKET, FIRST_PROPERTY, FIRST_PROPERTY + WORD_BYTES));
        shapes.put(functionMap, HeapShape.NOTHING);
        shapes.put(map(ObjectType.LAST_FUNCTION), HeapShape.NOTHING);
        shapes.put(map(Shape.CALLER), new HeapShape(0, Kind.CALLER, FIRST_PROPERTY, 0));
        shapes.put(map(Shape.RESOURCE), new HeapShape(0, Kind.RESOURCE, 0, 0));
        shapes.put(map(Shape.PACKAGE), new HeapShape(0, Kind.PACKAGE, 0, 0));
        shapes.put(map(Shape.CLIENT), new HeapShape(0, Kind.CLIENT, FIRST_PROPERTY, FIRST_PROPERTY + WORD_BYTES));
        shapes.put(map(Shape.EVENTS), HeapShape.NOTHING);
        shapes.put(map(Shape.LIST), new HeapShape(0, Kind.LIST, ELEMENTS, 0));
        shapes.put(map(Shape.HANDLE), new HeapShape(0, Kind.HANDLE, FIRST_PROPERTY, WRAP_STREAM));
        return shapes;
    }

    long map(Shape shape) {
        return Objects.requireNonNull(maps.get(shape));
    }

    /** From now on objects of that shape have another Map, with this new prototype. */
    long makeMapOfItsOwn(Shape shape) {
        return makeMapOfItsOwn(shape, object(0, 0));
    }

    /** Likewise with a prototype that is there. */
    long makeMapOfItsOwn(Shape shape, long prototype) {
        maps.put(shape, object(0, 0, 0, prototype, 0));
        return prototype;
    }

    /** A connection whose request is being answered. */
    Connection connection() {
        long wrap = object(0, 0, 0) - 1;
        long stream = object(wrap, 0) - 1;
        write((int) (wrap - base) + WRAP_STREAM, stream);
        long handle = object(map(Shape.HANDLE), 0, 0, wrap);
        long socket = object(map(Shape.SOCKET), 0, 0, handle, 0);
        long message = object(map(Shape.MESSAGE), object(0, 0, 0, socket), 0);
        Connection connection = new Connection(this, response(message), message, socket, wrap, stream);
        connection.answer(connection.response);
        return connection;
    }

    long response(long message) {
        return object(map(Shape.RESPONSE), 0, 0, message);
    }

    /** An object of a framework. */
    long holder(long held) {
        return object(map(Shape.HOLDER), 0, 0, held);
    }

    /** An object of a library that calls this. */
    long caller(long function) {
        return object(map(Shape.CALLER), 0, 0, function);
    }

    /** An AsyncResource. */
    long resource() {
        return object(map(Shape.RESOURCE), 0, 0, 0);
    }

    /** What functions of the npm package use. */
    long ofPackage() {
        return object(map(Shape.PACKAGE), 0, 0, 0);
    }

    /** The socket of a client on which that request is being sent. */
    long socketOf(long client) {
        return object(map(Shape.SOCKET), 0, 0, 0, client);
    }

    /** A request to a server; an object that goes on with it may be 0. */
    long client(long listeners, long goesOn) {
        return object(map(Shape.CLIENT), 0, 0, listeners, goesOn);
    }

    /** An object with a NameDictionary of these, each under a name of its own, and room for one more. */
    long listeners(long... listeners) {
        int capacity = listeners.length + 1;
        long[] words = new long[2 + DICTIONARY_HEAD + DICTIONARY_ENTRY * capacity];
        words[1] = (long) (words.length - 2) << SMI_SHIFT;
        words[2] = (long) listeners.length << SMI_SHIFT;
        words[4] = (long) capacity << SMI_SHIFT;
        long undefined = object(typeMap(ODDBALL_TYPE), 0);
        for (int i = 0; i < capacity; i++) {
            boolean isUsed = i < listeners.length;
            int entry = 2 + DICTIONARY_HEAD + DICTIONARY_ENTRY * i;
            words[entry] = isUsed ? object(typeMap(0), 0) : undefined;
            words[entry + 1] = isUsed ? listeners[i] : undefined;
        }
        return object(map(Shape.EVENTS), object(words), 0);
    }

    /** An Array. */
    long list(long... elements) {
        return object(map(Shape.LIST), 0, array(elements), (long) elements.length << SMI_SHIFT);
    }

    /** The context of functions outside of all others. */
    long moduleContext() {
        return moduleContext;
    }

    long context(long previous, long... variables) {
        return object(wordsOfContext(previous, variables));
    }

    long[] wordsOfContext(long previous, long... variables) {
        long[] words = new long[2 + 2 + variables.length];
        words[1] = (long) (2 + variables.length) << SMI_SHIFT;
        words[3] = previous;
        System.arraycopy(variables, 0, words, 4, variables.length);
        return words;
    }

    /** A context that a function with the ScopeInfo has made. */
    long contextOf(long scope, long previous) {
        return object(functionContextMap, 2L << SMI_SHIFT, scope, previous);
    }

    long array(long... elements) {
        long[] words = new long[2 + elements.length];
        words[1] = (long) elements.length << SMI_SHIFT;
        System.arraycopy(elements, 0, words, 2, elements.length);
        return object(words);
    }

    /** A closure, one of several of its code. */
    long function(long context) {
        return function(context, cellOfMany);
    }

    long function(long context, long feedbackCell) {
        return object(wordsOfFunction(context, feedbackCell));
    }

    long[] wordsOfFunction(long context) {
        return wordsOfFunction(context, cellOfMany);
    }

    private long[] wordsOfFunction(long context, long feedbackCell) {
        return new long[] {functionMap, 0, 0, 0, code(), context, feedbackCell};
    }

    /** A function of Node's own JavaScript. */
    long functionOfNode() {
        return object(functionMap, 0, 0, 0, shared(1, 0, script("node:async_hooks")), moduleContext, cellOfMany);
    }

    /** The function Promise. */
    long promiseConstructor() {
        long number = (long) number(Builtin.PROMISE_CONSTRUCTOR) << SMI_SHIFT;
        long shared = shared(number, 0, object(typeMap(ODDBALL_TYPE), 0));
        return object(functionMap, 0, 0, 0, shared, nativeContext, cellOfMany);
    }

    /** An async closure, one of several of its code. */
    long asyncFunction(long context, long feedbackCell) {
        return object(map(ObjectType.LAST_FUNCTION), 0, 0, 0, code(), context, feedbackCell);
    }

    /** A function whose contexts have a ScopeInfo. */
    long functionOf(long scope, long context) {
        return object(functionMap, 0, 0, 0, shared(1, scope, script("/srv/app.js")), context, cellOfMany);
    }

    private long shared(long builtin, long scope, long script) {
        return object(typeMap(type(ObjectType.SHARED_FUNCTION_INFO)), builtin, 0, scope, 0, script);
    }

    /** The SharedFunctionInfo of all other functions. */
    long code() {
        return code;
    }

    /** All functions are those of the script with that name. */
    void nameScript(String name) {
        put(code, SCRIPT, script(name));
    }

    /** All functions are V8's own. */
    void removeScript() {
        put(code, SCRIPT, object(typeMap(ODDBALL_TYPE), 0));
    }

    private long script(String name) {
        long characters = 0;
        for (int i = WORD_BYTES - 1; i >= 0; i--) {
            characters = characters << Byte.SIZE | name.charAt(i);
        }
        return object(typeMap(0), object(typeMap(0), (long) name.length() << SMI_SHIFT, characters));
    }

    long cellOfOneClosure() {
        return object(oneClosure, 0);
    }

    void makeAnotherClosure(long cell) {
        put(cell, 0, manyClosures);
    }

    /** The object of an async function. */
    long generator(long function, long receiver, long registers, long context, boolean isRunning, long promise) {
        long continuation = (isRunning ? -2L : 5L) << SMI_SHIFT;
        long map = typeMap(type(ObjectType.ASYNC_FUNCTION));
        return object(map, 0, 0, function, context, receiver, 0, 0, continuation, registers, promise);
    }

    /** A task that continues it. */
    long task(long generator) {
        return object(typeMap(type(ObjectType.FULFILL_TASK)), 0, 0, 0, awaiting(generator), 0);
    }

    /** A task of queueMicrotask() that calls it. */
    long callableTask(long function) {
        return object(typeMap(type(ObjectType.CALLABLE_TASK)), 0, function, 0, 0, 0);
    }

    /** A task that calls it to resolve a promise with its object. */
    long thenableTask(long then, long promise) {
        return object(typeMap(type(ObjectType.THENABLE_TASK)), 0, 0, promise, 0, then);
    }

    /** A pending promise that they await. */
    long promiseOf(long... generators) {
        long reaction = 0;
        for (long generator : generators) {
            reaction = object(typeMap(type(ObjectType.PROMISE_REACTION)), 0, reaction, 0, awaiting(generator), 0);
        }
        return object(typeMap(type(ObjectType.PROMISE)), 0, 0, reaction, 0);
    }

    /** A pending promise whose {@code then()} was given the function. */
    long promiseHandledBy(long function) {
        long derived = object(typeMap(type(ObjectType.PROMISE)), 0, 0, 0, 0);
        long reaction = object(typeMap(type(ObjectType.PROMISE_REACTION)), 0, 0, 0, function, derived);
        return object(typeMap(type(ObjectType.PROMISE)), 0, 0, reaction, 0);
    }

    /** V8's own closure that continues it. */
    private long awaiting(long generator) {
        return builtin(Builtin.FUNCTION_AWAIT_RESOLVE, generator);
    }

    /** What new Promise() gives its executor to resolve it. */
    long resolving(long promise) {
        return builtin(Builtin.CAPABILITY_RESOLVE, promise);
    }

    private long builtin(Builtin builtin, long variable) {
        long shared = object(typeMap(type(ObjectType.SHARED_FUNCTION_INFO)), (long) number(builtin) << SMI_SHIFT, 0);
        long context = object(0, 3L << SMI_SHIFT, 0, 0, variable);
        return object(functionMap, 0, 0, 0, shared, context, cellOfMany);
    }

    /** This microtask runs. */
    void run(long task) {
        write(ISOLATE + MICROTASK, task);
    }

    /** When it is on the stack, it is called of that object. */
    void receive(long function, long receiver) {
        receivers.put(function, receiver);
    }

    /** The functions on the stack, above which is the exit frame. */
    void stack(long running, long context, long... called) {
        int place = STACK + FRAME_BYTES;
        write(ISOLATE + EXIT_FRAME, base + place);
        frame(place, 0, EXIT_MARKER);
        for (int i = called.length - 1; i >= 0; i--) {
            place += FRAME_BYTES;
            frame(place, called[i], moduleContext);
        }
        if (running != 0) {
            place += FRAME_BYTES;
            frame(place, running, context);
        }
        place += FRAME_BYTES;
        frame(place, 0, ENTRY_MARKER);
        write(place + ENTRY_EXIT_FRAME, 0);
    }

    /** The function is optimized; its frame has these words, at most three, from {@link #FIRST_KEPT} on. */
    void keep(long function, long... words) {
        frameWords.put(function, words);
    }

    /** What frames of functions have that are not optimized. */
    long bytecodeArray() {
        return object(typeMap(BYTECODE_TYPE), 0);
    }

    /** All functions have baseline code there, of so many bytes. */
    void compileBaseline(long instructionStart, long instructionSize) {
        put(code, FUNCTION_DATA, object(0, instructionStart, instructionSize));
    }

    /** Where optimized functions go on. */
    long returnAddress() {
        return base + CODE;
    }

    /** What is there: other code each time. */
    void compile() {
        for (int i = 0; i < codeWords.length; i++) {
            codeWords[i] = ++compiled;
            write(CODE + WORD_BYTES * (i - codeWords.length / 2), codeWords[i]);
        }
    }

    /** The key of that. */
    ByteBuffer keyOfCode(int pid) {
        return HeapShape.keyOfCode(pid, returnAddress(), codeWords);
    }

    /** That of the place where all others go on. */
    ByteBuffer keyOfInterpreter(int pid) {
        return HeapShape.keyOfCode(pid, base + INTERPRETER, new long[HeapShape.CODE_WORDS]);
    }

    /** A frame of no arguments but the receiver, at its frame pointer. */
    private void frame(int place, long function, long context) {
        write(place - 24, 1);
        write(place - 16, function);
        write(place - 8, context);
        write(place, base + place + FRAME_BYTES);
        // The frame that it has called has where it goes on.
        write(
                place - FRAME_BYTES + WORD_BYTES,
                frameWords.containsKey(function) ? returnAddress() : base + INTERPRETER);
        write(place + 16, receivers.getOrDefault(function, 0L));
        long[] words = frameWords.getOrDefault(function, new long[0]);
        for (int i = 0; i < 3; i++) {
            write(place + FIRST_KEPT - WORD_BYTES * i, i < words.length ? words[i] : 0);
        }
    }

    /** Changes one to three words. */
    void damage(Random random) {
        for (int change = 1 + random.nextInt(3); change > 0; change--) {
            int place = WORD_BYTES * random.nextInt(next / WORD_BYTES);
            write(
                    place,
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextLong();
                        case 1 -> base + WORD_BYTES * (long) random.nextInt(next / WORD_BYTES) + 1;
                        case 2 -> (long) random.nextInt(64) << SMI_SHIFT;
                        default -> 0;
                    });
        }
    }

    /** A new object of these words, of which the first is its Map. */
    long object(long... words) {
        int place = next;
        next += WORD_BYTES * (words.length + 2 & ~1);
        for (int i = 0; i < words.length; i++) {
            write(place + WORD_BYTES * i, words[i]);
        }
        return base + place + 1;
    }

    /** All objects have survived collections. */
    void age() {
        write(0, OLD_PAGE);
    }

    private void write(int place, long word) {
        MEMORY.putLong(begin + place, word);
    }

    private void put(long object, int offset, long word) {
        write((int) (object - 1 - base) + offset, word);
    }

    private long map(ObjectType type) {
        return typeMap(type(type));
    }

    private long typeMap(int type) {
        return typeMaps.computeIfAbsent(type, number -> {
            long map = object(0, 0, 0, 0, 0);
            MEMORY.putInt(begin + (int) (map - 1 - base) + INSTANCE_TYPE, number);
            return map;
        });
    }
}
