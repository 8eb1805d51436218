package dev.probestream.cli.terminal;

import dev.probestream.bpf.machine.ProcessSignal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * SIGINT (Ctrl-C), SIGTERM and SIGHUP while a command works: the first starts an orderly end, the second ends the
 * process at once. A shutdown hook cannot do that: the JVM ignores a second signal while its hooks run.
 *
 * <p>{@code sun.misc.Signal} is exported by the module jdk.unsupported and is the only way to handle signals in Java; it is
 * called by reflection because javac warns about each of its names and the warning cannot be suppressed.
 */
public final class Signals implements AutoCloseable {
    private static final List<String> NAMES = List.of("INT", "TERM", "HUP");

    private static final int SIGINT = 2; // signal(7)

    private final Map<Object, Object> previousHandlers = new LinkedHashMap<>();
    private final Method handle;
    private volatile Runnable onFirst = () -> {};
    private volatile boolean received;

    /** Handles signals until closed. */
    public Signals() {
        // A shell without job control starts what it runs in the background (&) with SIGINT ignored, and the JVM
        // installs
        // no handler for a signal that is ignored. SIGHUP stays ignored under nohup.
        if (ProcessSignal.isIgnored(SIGINT)) {
            ProcessSignal.restoreDefault(SIGINT, "handle SIGINT");
        }
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            handle = signalType.getMethod("handle", signalType, handlerType);
            for (String name : NAMES) {
                int exitCode = name.equals("INT") ? 130 : name.equals("TERM") ? 143 : 129;
                Object handler = Proxy.newProxyInstance(
                        handlerType.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, arguments) -> {
                            handle(exitCode);
                            return null;
                        });
                Object signal = signalType.getConstructor(String.class).newInstance(name);
                previousHandlers.put(signal, handle.invoke(null, signal, handler));
            }
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("sun.misc.Signal of the module jdk.unsupported cannot be used", e);
        }
    }

    /** Runs {@code action} on a thread of the JVM when the first signal arrives, or at once if it has arrived already. */
    public void onFirst(Runnable action) {
        onFirst = action;
        if (received) {
            action.run();
        }
    }

    private void handle(int exitCode) {
        if (received) {
            Runtime.getRuntime().halt(exitCode);
        }
        received = true;
        onFirst.run();
    }

    /** Restores the previous handlers. */
    @Override
    public void close() {
        previousHandlers.forEach((signal, handler) -> {
            try {
                handle.invoke(null, signal, handler);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new LinkageError("sun.misc.Signal.handle, which worked before, failed", e);
            }
        });
    }
}
