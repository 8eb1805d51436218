import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.function.IntUnaryOperator;

/**
 * Does what JVMs are probed for. One request per line of stdin, one answer per line of stdout, "done" unless said otherwise:
 *
 * <pre>
 *   classes        loads Known$One, Known$Two and Known$Three, makes a lambda, and what else it takes
 *   thread NAME    starts a thread and waits for its end
 *   gc             System.gc()
 *   contend        a thread waits for a Known$Lock that this one holds
 *   wait           a thread waits in Object.wait() until this one notifies
 *   compile        calls hot() until it must have been compiled; answers a number
 * </pre>
 *
 * Ends at the end of its input, and at once when started with the argument "quit".
 */
public final class Known {
    static final class One {}

    static final class Two {}

    static final class Three {}

    static final class Lock {
        boolean isWaiting;
    }

    private Known() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            return;
        }
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            System.out.println(answer(line.split(" ")));
        }
    }

    private static String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "classes":
                for (String name : new String[] {"One", "Two", "Three"}) {
                    Class.forName("Known$" + name);
                }
                IntUnaryOperator lambda = n -> n + 1;
                return lambda.applyAsInt(0) == 1 ? "done" : "wrong";
            case "thread":
                Thread thread = new Thread(Known::nothing, words[1]);
                thread.start();
                thread.join();
                return "done";
            case "gc":
                System.gc();
                return "done";
            case "contend":
                contend();
                return "done";
            case "wait":
                await();
                return "done";
            case "compile":
                int sum = 0;
                for (int i = 0; i < 1_000_000; i++) {
                    sum = hot(sum + i);
                }
                return String.valueOf(sum);
            default:
                throw new IOException("what is " + words[0] + "?");
        }
    }

    private static void nothing() {}

    static int hot(int n) {
        return n * 31 + 7;
    }

    private static void contend() throws InterruptedException {
        Lock lock = new Lock();
        Thread other = new Thread(() -> enter(lock), "contender");
        synchronized (lock) {
            other.start();
            while (other.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
        }
        other.join();
    }

    private static void enter(Lock lock) {
        synchronized (lock) {
            lock.isWaiting = true;
        }
    }

    private static void await() throws InterruptedException {
        Lock lock = new Lock();
        Thread other = new Thread(() -> waitFor(lock), "waiter");
        other.start();
        boolean isWaiting = false;
        while (!isWaiting) {
            synchronized (lock) {
                isWaiting = lock.isWaiting;
                if (isWaiting) {
                    lock.isWaiting = false;
                    lock.notify();
                }
            }
        }
        other.join();
    }

    private static void waitFor(Lock lock) {
        synchronized (lock) {
            lock.isWaiting = true;
            while (lock.isWaiting) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
