package dev.probestream.collector.internal.v8.code;

import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import dev.probestream.collector.internal.v8.layout.V8Layout.SharedFunctions;
import java.nio.ByteBuffer;

/** Bytecode of functions, and byte arrays. */
final class FunctionBytecode {
    static final long NONE = 0;
    /** What belongs to functions of ordinary size is far below. */
    private static final int MAX_ARRAY_BYTES = 2 << 20;

    private final HeapReader heap;
    private final V8CodeLayout layout;

    FunctionBytecode(HeapReader heap, V8CodeLayout layout) {
        this.heap = heap;
        this.layout = layout;
    }

    /** Whether the function is a builtin: its data is the number of one. */
    boolean isBuiltin(long sharedFunctionInfo) throws HeapException {
        SharedFunctions fields = heap.layout().sharedFunctions();
        return HeapReader.isSmi(heap.word(sharedFunctionInfo, fields.data()))
                && (fields.untrustedData() < 0
                        || HeapReader.isSmi(heap.word(sharedFunctionInfo, fields.untrustedData())));
    }

    /** The BytecodeArray of a SharedFunctionInfo (SharedFunctionInfo::GetActiveBytecodeArray); {@link #NONE} without one. */
    long of(long sharedFunctionInfo) throws HeapException {
        long data =
                heap.word(sharedFunctionInfo, heap.layout().sharedFunctions().data());
        return heap.is(data, layout.types().code()) ? ofBaseline(data) : resolve(data);
    }

    /** The BytecodeArray that baseline code was made from; {@link #NONE} without one. */
    long ofBaseline(long code) throws HeapException {
        return resolve(heap.word(code, layout.codes().deoptimizationData()));
    }

    private long resolve(long data) throws HeapException {
        long bytecode = heap.is(data, layout.types().interpreterData())
                ? heap.word(data, layout.bytecodes().inInterpreterData())
                : data;
        return heap.is(bytecode, heap.layout().types().bytecodeArray()) ? bytecode : NONE;
    }

    int length(long bytecodeArray) throws HeapException {
        return heap.smi(bytecodeArray, layout.bytecodes().length());
    }

    byte[] bytes(long bytecodeArray) throws HeapException {
        return bytesAt(bytecodeArray, layout.bytecodes().firstBytecode(), length(bytecodeArray));
    }

    boolean isByteArray(long object) throws HeapException {
        return heap.is(object, layout.types().byteArray())
                || heap.is(object, layout.types().trustedByteArray());
    }

    /** The contents of a byte array. */
    byte[] byteArray(long object) throws HeapException {
        if (!isByteArray(object)) {
            throw new HeapException(HeapException.Reason.UNEXPECTED, "no byte array");
        }
        return bytesAt(
                object,
                heap.layout().arrays().elements(),
                heap.smi(object, heap.layout().arrays().length()));
    }

    byte[] bytesAt(long object, int offset, int length) throws HeapException {
        if (length < 0 || length > MAX_ARRAY_BYTES) {
            throw new HeapException(HeapException.Reason.UNEXPECTED, length + " bytes");
        }
        byte[] bytes = new byte[length];
        heap.bytesAt(object - 1 + offset, ByteBuffer.wrap(bytes));
        return bytes;
    }
}
