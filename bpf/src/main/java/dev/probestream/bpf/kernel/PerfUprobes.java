package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.syscall.PerfEvents;
import java.util.ArrayList;
import java.util.List;

/** Attaches by one perf event per attach point, for kernels before uprobe_multi. */
final class PerfUprobes {
    private final UprobeAttachMethod method;
    private final BpfProgram program;
    private final boolean isReturn;
    private final int pid;

    PerfUprobes(UprobeAttachMethod method, BpfProgram program, boolean isReturn, int pid) {
        this.method = method;
        this.program = program;
        this.isReturn = isReturn;
        this.pid = pid;
    }

    UprobeAttachment attach(List<AttachPoint> attachPoints) {
        int uprobeType = PerfEvents.uprobeType()
                .orElseThrow(
                        () -> new UnsupportedFeatureException(method.feature().probe()));
        Links links = new Links();
        List<RefusedAttachPoint> refused = new ArrayList<>();
        try {
            for (AttachPoint attachPoint : attachPoints) {
                attach(uprobeType, attachPoint, links, refused);
            }
        } catch (RuntimeException e) {
            links.close();
            throw e;
        }
        return new UprobeAttachment(links, attachPoints.size() - refused.size(), refused);
    }

    private void attach(int uprobeType, AttachPoint attachPoint, Links links, List<RefusedAttachPoint> refused) {
        long result = PerfEvents.openUprobe(
                uprobeType, attachPoint.file(), attachPoint.fileOffset(), attachPoint.refCtrOffset(), isReturn, pid);
        if (result >= 0) {
            FileDescriptor event = FileDescriptor.of(result, "open uprobe", "");
            links.add(program.attachTo(event, attachPoint.cookie(), method == UprobeAttachMethod.PERF_LINK));
            return;
        }
        UprobeError error = UprobeError.of(result);
        if (error == UprobeError.EVERY_ATTACH_POINT) {
            throw error.exception(result, attachPoint, isReturn, pid);
        }
        refused.add(error.refused(result, attachPoint, isReturn, pid));
    }
}
