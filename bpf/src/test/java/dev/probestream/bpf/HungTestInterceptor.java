package dev.probestream.bpf;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Ends a {@link KernelTest} that waits for a process without end: a read of a pipe cannot be interrupted, but it returns when
 * the process is killed. The test then fails where it waits, and the threads of the JVM are printed. The bound is far above
 * what any test takes, so that it depends on no machine's speed.
 */
final class HungTestInterceptor implements InvocationInterceptor {
    private static final Duration BOUND = Duration.ofMinutes(10);

    private static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "hung tests");
        thread.setDaemon(true);
        return thread;
    });

    @Override
    public void interceptBeforeAllMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    private static void proceed(Invocation<Void> invocation, ExtensionContext context) throws Throwable {
        String name = context.getRequiredTestClass().getName() + ": " + context.getDisplayName();
        Future<?> end = CLOCK.schedule(() -> endProcesses(name), BOUND.toMillis(), TimeUnit.MILLISECONDS);
        try {
            invocation.proceed();
        } finally {
            end.cancel(false);
        }
    }

    private static void endProcesses(String name) {
        System.out.printf("%s has not ended after %d minutes; killing its processes:%n", name, BOUND.toMinutes());
        ProcessHandle.current()
                .descendants()
                .forEach(process -> System.out.println("  " + process.pid() + " "
                        + process.info().commandLine().orElse("?")));
        for (Map.Entry<Thread, StackTraceElement[]> thread :
                Thread.getAllStackTraces().entrySet()) {
            System.out.println(thread.getKey());
            for (StackTraceElement frame : thread.getValue()) {
                System.out.println("    at " + frame);
            }
        }
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    }
}
