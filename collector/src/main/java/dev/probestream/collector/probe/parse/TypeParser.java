package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.collector.probe.Http2Header;
import dev.probestream.collector.probe.ProbeKind;
import java.util.Optional;

/** Reads the type of a value: {@code ':'} and what follows it. */
final class TypeParser {
    private final SpecText text;
    private final ValueParser values;
    private final ProbeKind kind;

    TypeParser(SpecText text, ValueParser values, ProbeKind kind) {
        this.text = text;
        this.values = values;
        this.kind = kind;
    }

    /** Reads the type, if one is written, of a value from this source. */
    Optional<ArgumentType> parse(ArgumentSource source, boolean isAddedTo, boolean dereferenced) {
        if (!text.take(':')) {
            return Optional.empty();
        }
        text.skipBlanks();
        int start = text.position();
        return Optional.of(
                switch (text.word()) {
                    case "char" -> ArgumentType.chars(size(start));
                    case "str" ->
                        text.take('[') ? string(dereferenced) : ArgumentType.string(ArgumentType.DEFAULT_STRING_BYTES);
                    case "sockaddr" -> ArgumentType.address(Form.SOCKADDR);
                    case "peer" -> ArgumentType.address(Form.PEER);
                    case "sockname" -> ArgumentType.address(Form.SOCKNAME);
                    case "http2header" -> http2Header(dereferenced);
                    case "gostr" -> goString(source, isAddedTo, dereferenced, start);
                    case "f32", "f64" -> floating(source, dereferenced, start);
                    default -> number(start);
                });
    }

    private ArgumentType floating(ArgumentSource source, boolean dereferenced, int start) {
        text.moveTo(start);
        boolean isFloat32 = text.word().equals("f32");
        boolean isOfUsdt = kind.isUsdt() && source.kind() == ArgumentSource.Kind.ARGUMENT;
        if (!dereferenced && !isOfUsdt) {
            throw text.failAt(
                    start,
                    "floating-point arguments and results are in registers that BPF programs do not see: only those of"
                            + " USDT probes and in memory (*arg1:f64@+8) can be read");
        }
        return ArgumentType.number(isFloat32 ? Form.F32 : Form.F64);
    }

    private ArgumentType number(int start) {
        text.moveTo(start);
        return ArgumentType.ofSpelling(text.word())
                .orElseThrow(() -> text.failAt(
                        start,
                        "expected a type: s8 u8 s16 u16 s32 u32 s64 u64 f32 f64 ptr bool str str[CAPACITY] str[argN]"
                                + " str[..argN] gostr char[SIZE] sockaddr peer sockname uvstream or uvreader"));
    }

    /** What follows {@code str[}: a capacity, or the argument that holds the length or the end and perhaps a capacity. */
    private ArgumentType string(boolean dereferenced) {
        if (text.take('+')) {
            return lengthBehind(dereferenced);
        }
        boolean isUpTo = text.takeAll("..");
        String what = isUpTo ? "end" : "length";
        text.skipBlanks();
        int start = text.position();
        String word = text.word();
        if (word.isEmpty() && !isUpTo) {
            return ArgumentType.string(capacity());
        }
        if (kind == ProbeKind.TRACEPOINT) {
            throw text.failAt(start, "a tracepoint has no numbered arguments that could hold the text's " + what);
        }
        boolean isReturned = word.equals("ret") && kind == ProbeKind.SYS_EXIT && !isUpTo;
        int boundArgument = isReturned ? ArgumentType.RETURNED : values.argumentNumber(word, start);
        values.rejectArgumentAtReturn(start);
        int capacityBytes = ArgumentType.DEFAULT_STRING_BYTES;
        if (text.take(',')) {
            capacityBytes = capacity();
        } else {
            text.expect(']', "or ',' and a capacity after the argument that holds the " + what);
        }
        return isUpTo
                ? ArgumentType.stringUpTo(boundArgument, capacityBytes)
                : ArgumentType.countedString(boundArgument, capacityBytes);
    }

    /** What follows {@code str[+}: how far behind the text's pointer its length lies, and perhaps a capacity. */
    private ArgumentType lengthBehind(boolean dereferenced) {
        text.skipBlanks();
        int start = text.position();
        long offset = text.number("the offset of the text's length behind its pointer");
        if (offset < 8 || offset > ArgumentType.MAX_LENGTH_OFFSET_BYTES || offset % 8 != 0) {
            throw text.failAt(
                    start, "expected a multiple of 8, from 8 to " + ArgumentType.MAX_LENGTH_OFFSET_BYTES + " bytes");
        }
        if (!dereferenced) {
            throw text.failAt(start, "a length behind a pointer is in memory: *arg1:str[+16]@+8");
        }
        int capacityBytes = ArgumentType.DEFAULT_STRING_BYTES;
        if (text.take(',')) {
            capacityBytes = capacity();
        } else {
            text.expect(']', "or ',' and a capacity after the offset of the length");
        }
        return ArgumentType.stringWithLengthBehind((int) offset, capacityBytes);
    }

    /** What follows {@code http2header}: the argument that points to the frame, and which header. */
    private ArgumentType http2Header(boolean dereferenced) {
        int start = text.position();
        if (!dereferenced || kind != ProbeKind.UPROBE) {
            throw text.failAt(
                    start,
                    "a header of HTTP/2 is found by a session of Node and a frame at a uprobe:"
                            + " *arg1:http2header[arg2,status]@+STREAMS@+HEADERS");
        }
        text.expect('[', "and the argument that points to the frame");
        text.skipBlanks();
        int frameStart = text.position();
        int frameArgument = values.argumentNumber(text.word(), frameStart);
        text.expect(',', "and the name of a header");
        text.skipBlanks();
        int nameStart = text.position();
        Http2Header header = Http2Header.ofSpelling(text.word())
                .orElseThrow(() -> text.failAt(nameStart, "expected method, status or grpc_status"));
        text.expect(']', "after the name of the header");
        return ArgumentType.http2Header(frameArgument, header);
    }

    private ArgumentType goString(ArgumentSource source, boolean isAddedTo, boolean dereferenced, int start) {
        int capacityBytes = text.take('[') ? capacity() : ArgumentType.DEFAULT_STRING_BYTES;
        if (dereferenced) {
            return ArgumentType.goString(0, capacityBytes);
        }
        if (source.kind() == ArgumentSource.Kind.FIELD || source.kind() == ArgumentSource.Kind.RETURN_VALUE) {
            throw text.failAt(
                    start, "a gostr is two arguments, pointer and length, or lies where a pointer points: *…:gostr@+8");
        }
        if (isAddedTo) {
            throw text.failAt(start, "nothing can be added to a gostr: to follow a pointer, write *arg1:gostr@+8");
        }
        if (source.number() == ArgumentSource.MAX_NUMBER) {
            throw text.failAt(start, "the length of a gostr is the next argument, and there is none");
        }
        return ArgumentType.goString(source.number() + 1, capacityBytes);
    }

    private int size(int typePosition) {
        if (!text.take('[')) {
            throw text.failAt(typePosition, "expected a size, e.g. char[16]");
        }
        return capacity();
    }

    private int capacity() {
        text.skipBlanks();
        int start = text.position();
        long size = text.number("a size in bytes");
        if (size < 1 || size > ArgumentType.MAX_STRING_BYTES) {
            throw text.failAt(start, "expected a size of 1 to " + ArgumentType.MAX_STRING_BYTES + " bytes");
        }
        text.expect(']', "after the size");
        return (int) size;
    }
}
