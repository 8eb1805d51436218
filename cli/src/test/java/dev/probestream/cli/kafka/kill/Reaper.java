package dev.probestream.cli.kafka.kill;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

/** Kills a service again and again, at random moments, and starts it anew each time. To be asked when its thread is done. */
final class Reaper implements Callable<Service>, AutoCloseable {
    /** Of one that is killed while it starts, whether it is ready or not. */
    private static final int MAX_EARLY_MS = 3_000;

    /** One of so many that are ready may live long, the others a quarter of that: both haste and work are needed. */
    private static final int LONG_LIVED = 3;

    /** How the service starts. */
    interface Starter {
        Service start() throws IOException;
    }

    /** What is to be noted of a service that is ready, right before it is killed. */
    interface Note {
        void of(Service service) throws IOException, InterruptedException;
    }

    private final Starter starter;
    private final String ready;
    private final int wanted;
    private final int early;
    private final int maxLifeMs;
    private final Random random;
    private final Note note;
    private final List<List<String>> gaveUp = new ArrayList<>();
    private Service current;
    private int kills;

    /**
     * @param ready what the service says when it works; it is killed within {@code maxLifeMs} after that
     * @param wanted so many are killed
     * @param early one of so many is killed soon after it was started, ready or not
     */
    Reaper(Starter starter, String ready, int wanted, int early, int maxLifeMs, Random random, Note note)
            throws IOException {
        this.starter = starter;
        this.ready = ready;
        this.wanted = wanted;
        this.early = early;
        this.maxLifeMs = maxLifeMs;
        this.random = random;
        this.note = note;
        this.current = starter.start();
    }

    /** Kills, and returns the last one, which is ready and lives. */
    @Override
    public Service call() throws IOException, InterruptedException {
        while (kills < wanted) {
            if (random.nextInt(early) == 0) {
                Thread.sleep(random.nextInt(MAX_EARLY_MS));
            } else if (isReady()) {
                Thread.sleep(random.nextInt(random.nextInt(LONG_LIVED) == 0 ? maxLifeMs : maxLifeMs / 4));
                note.of(current);
            }
            if (current.isAlive()) {
                current.kill();
                kills++;
            } else {
                gaveUp.add(current.output());
            }
            current = starter.start();
        }
        while (!isReady()) {
            gaveUp.add(current.output());
            current = starter.start();
        }
        return current;
    }

    /** Waits until it works; false when it ends instead. */
    private boolean isReady() throws IOException, InterruptedException {
        try {
            current.await(Pattern.compile(ready, Pattern.LITERAL));
            return true;
        } catch (IOException e) {
            if (current.isAlive()) {
                throw e;
            }
            return false;
        }
    }

    /** The last one that was started. */
    Service last() {
        return current;
    }

    int kills() {
        return kills;
    }

    /** What those said that ended by themselves. */
    List<List<String>> gaveUp() {
        return gaveUp;
    }

    @Override
    public void close() {
        current.close();
    }
}
