package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.syscall.LinkCreation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Attaches by uprobe_multi. The kernel attaches all attach points of a link or none and does not report which one it
 * refuses, so a refused list is halved until the refused attach points are isolated; the others are spread over several
 * links.
 */
final class MultiUprobes {
    private final BpfProgram program;
    private final boolean isReturn;
    private final int pid;

    private final Links links = new Links();
    private final List<RefusedAttachPoint> refused = new ArrayList<>();
    private int attachedCount;

    MultiUprobes(BpfProgram program, boolean isReturn, int pid) {
        this.program = program;
        this.isReturn = isReturn;
        this.pid = pid;
    }

    UprobeAttachment attach(List<AttachPoint> attachPoints) {
        Map<Path, List<AttachPoint>> attachPointsByFile = new LinkedHashMap<>();
        attachPoints.forEach(attachPoint -> attachPointsByFile
                .computeIfAbsent(attachPoint.file(), file -> new ArrayList<>())
                .add(attachPoint));
        try {
            attachPointsByFile.forEach(this::attachOrHalve);
        } catch (RuntimeException e) {
            links.close();
            throw e;
        }
        return new UprobeAttachment(links, attachedCount, refused);
    }

    private void attachOrHalve(Path file, List<AttachPoint> attachPoints) {
        int kernelPid = pid == Uprobes.EVERY_PROCESS ? 0 : pid;
        long result = link(program, file, attachPoints, isReturn, kernelPid);
        if (result >= 0) {
            links.add(FileDescriptor.of(result, "attach", "")::close);
            attachedCount += attachPoints.size();
            return;
        }
        UprobeError error = UprobeError.of(result);
        if (error == UprobeError.EVERY_ATTACH_POINT) {
            throw error.exception(result, attachPoints.get(0), isReturn, pid);
        }
        if (error == UprobeError.FILE || attachPoints.size() == 1) {
            attachPoints.forEach(attachPoint -> refused.add(error.refused(result, attachPoint, isReturn, pid)));
            return;
        }
        attachOrHalve(file, attachPoints.subList(0, attachPoints.size() / 2));
        attachOrHalve(file, attachPoints.subList(attachPoints.size() / 2, attachPoints.size()));
    }

    /**
     * Attaches to all attach points of one file, or to none.
     *
     * @param pid 0 = every process (the kernel's convention)
     * @return a descriptor or minus an errno
     */
    static long link(BpfProgram program, Path file, List<AttachPoint> attachPoints, boolean isReturn, int pid) {
        return LinkCreation.ofUprobes(
                program.descriptorNumber(),
                file.toString(),
                longs(attachPoints, AttachPoint::fileOffset),
                longs(attachPoints, AttachPoint::refCtrOffset),
                longs(attachPoints, AttachPoint::cookie),
                isReturn,
                pid);
    }

    private static long[] longs(List<AttachPoint> attachPoints, ToLongFunction<AttachPoint> field) {
        return attachPoints.stream().mapToLong(field).toArray();
    }
}
