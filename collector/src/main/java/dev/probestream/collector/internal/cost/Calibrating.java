package dev.probestream.collector.internal.cost;

import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.machine.TrialCode.Site;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Calibrates traps on a thread of its own, because detaching waits, while the capture is under way. */
final class Calibrating implements AutoCloseable {
    /** Ten times what it takes. */
    private static final long MAX_WAIT_MS = 2000;

    private final List<UprobeLocation> locations = new ArrayList<>();
    private final List<BpfProgram> ofSystemCalls = new ArrayList<>();
    private @Nullable TrapCalibration calibration;
    private @Nullable Thread thread;
    private volatile @Nullable Result result;

    /**
     * What was found.
     *
     * @param sites how the kernel executes the probed instructions
     */
    record Result(TrapPrices prices, Map<UprobeLocation, Site> sites) {}

    /** Takes in a program before the capture begins. */
    void add(PlannedProgram planned, BpfProgram program) {
        Attachment attachment = planned.attachment();
        attachment.uprobes().forEach(uprobe -> locations.add(uprobe.location()));
        if (attachment.kind() == Attachment.Kind.RAW_TRACEPOINT
                && (attachment.tracepoint().equals("sys_enter")
                        || attachment.tracepoint().equals("sys_exit"))) {
            ofSystemCalls.add(program);
        }
    }

    /** Nothing is attached yet. */
    void prepare(UprobeAttachMethod method, boolean isSleepable) {
        if (locations.isEmpty() && ofSystemCalls.isEmpty()) {
            return;
        }
        calibration = TrapCalibration.prepare(method, isSleepable);
        if (calibration != null && !ofSystemCalls.isEmpty()) {
            calibration.beforeSystemCallsAreProbed();
        }
    }

    /** Begins, once; everything is attached and the window is open. */
    void begin() {
        TrapCalibration prepared = calibration;
        if (prepared != null && thread == null) {
            Thread measuring = new Thread(() -> measure(prepared), "calibrate traps");
            measuring.setDaemon(true);
            measuring.start();
            thread = measuring;
        }
    }

    private void measure(TrapCalibration prepared) {
        Map<UprobeLocation, Site> sites = ProbedCode.sites(locations);
        try {
            Set<Site> found = EnumSet.noneOf(Site.class);
            if (!locations.isEmpty()) {
                found.add(Site.PUSH); // also for the price of returns
                found.addAll(sites.values());
            }
            result = new Result(prepared.measure(found, ofSystemCalls), sites);
        } catch (SyscallException e) {
            // The usual prices are used, as on a machine for which there is no calibration.
            result = new Result(TrapPrices.USUAL, sites);
        }
    }

    /** What was found, when it was. */
    Optional<Result> result() {
        return Optional.ofNullable(result);
    }

    /** Waits until it has ended, if it was begun. */
    Optional<Result> await() {
        Thread measuring = thread;
        if (measuring != null) {
            try {
                measuring.join(MAX_WAIT_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return result();
    }

    /** What still runs is left to the end of the process: unmapping code that is executed would end it. */
    @Override
    public void close() {
        await();
        if (calibration != null && (thread == null || !thread.isAlive())) {
            calibration.close();
        }
        calibration = null;
    }
}
