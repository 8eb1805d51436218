package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import java.util.ArrayList;
import java.util.List;

/** Attaches by one perf event per site, for kernels before uprobe_multi. */
final class PerfUprobes {
    private final UprobeAttachMethod means;
    private final BpfProgram program;
    private final boolean isReturn;
    private final int pid;

    PerfUprobes(UprobeAttachMethod means, BpfProgram program, boolean isReturn, int pid) {
        this.means = means;
        this.program = program;
        this.isReturn = isReturn;
        this.pid = pid;
    }

    UprobeAttachment attach(List<AttachPoint> sites) {
        int uprobeType = PerfEvents.uprobeType()
                .orElseThrow(
                        () -> new UnsupportedFeatureException(means.feature().probe()));
        Links links = new Links();
        List<RefusedAttachPoint> refused = new ArrayList<>();
        try {
            for (AttachPoint site : sites) {
                attach(uprobeType, site, links, refused);
            }
        } catch (RuntimeException e) {
            links.close();
            throw e;
        }
        return new UprobeAttachment(links, sites.size() - refused.size(), refused);
    }

    private void attach(int uprobeType, AttachPoint site, Links links, List<RefusedAttachPoint> refused) {
        long result = PerfEvents.openUprobe(uprobeType, site, isReturn, pid);
        if (result >= 0) {
            FileDescriptor event = FileDescriptor.of(result, "open uprobe", "");
            links.add(PerfEvents.attach(program, event, site.cookie(), means == UprobeAttachMethod.PERF_LINK));
            return;
        }
        UprobeError refusal = UprobeError.of(result);
        if (refusal == UprobeError.EVERY_ATTACH_POINT) {
            throw refusal.exception(result, site, isReturn, pid);
        }
        refused.add(refusal.refused(result, site, isReturn, pid));
    }
}
