package dev.probestream.bench.probe;

import dev.probestream.collector.Collector;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** A collector at work on a thread of its own, from one target to one publisher, as {@code probestream} does it. */
public final class Collecting {
    private final StopSignal stop = new StopSignal();
    private final CountDownLatch attached = new CountDownLatch(1);
    private final CompletableFuture<CollectionOutcome> outcome = new CompletableFuture<>();

    private Collecting() {}

    /** Starts it and waits until the target is probed. */
    public static Collecting start(int pid, String spec, Supplier<EventPublisher> publisher)
            throws InterruptedException {
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(pid)))
                .probes(List.of(SpecParser.parse(spec)))
                .commandLine(List.of("bench"))
                .build();
        Collecting collecting = new Collecting();
        new Thread(() -> collecting.collect(request, publisher), "collector").start();
        collecting.attached.await();
        return collecting;
    }

    /** Ends it and waits until everything that was hit is published or counted as lost. */
    public CollectionOutcome finish() throws ExecutionException, InterruptedException {
        stop.raise();
        return outcome.get();
    }

    private void collect(CollectionRequest request, Supplier<EventPublisher> opener) {
        try (EventPublisher publisher = opener.get();
                Collector collector = Collector.open(request, stop)) {
            // The first progress is reported after the probes are in place.
            outcome.complete(collector.run(publisher, unused -> attached.countDown()));
        } catch (Exception e) {
            outcome.completeExceptionally(e);
        } finally {
            attached.countDown();
        }
    }
}
