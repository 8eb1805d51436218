package dev.probestream.bpf.internal;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.HeapInvocationBuffer;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Type;

/** Calls a function of this process by its address. A wrong address ends the JVM. */
public final class NativeFunction {
    private static final CallContext TWO_LONGS = new CallContext(Type.SINT64, Type.SINT64, Type.SINT64);

    private NativeFunction() {}

    /** Calls {@code long f(long, long)} of the C calling convention. */
    public static long call(long address, long a, long b) {
        HeapInvocationBuffer arguments = new HeapInvocationBuffer(TWO_LONGS);
        arguments.putLong(a);
        arguments.putLong(b);
        return Invoker.getInstance().invokeLong(TWO_LONGS, address, arguments);
    }
}
