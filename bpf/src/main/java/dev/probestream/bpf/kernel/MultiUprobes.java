package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Attaches by uprobe_multi. One link takes all its sites or none and does not say which one it dislikes, so a refused
 * list is halved until the culprits stand alone; the rest end up on several links.
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

    UprobeAttachment attach(List<AttachPoint> sites) {
        Map<Path, List<AttachPoint>> sitesByFile = new LinkedHashMap<>();
        sites.forEach(site -> sitesByFile
                .computeIfAbsent(site.file(), file -> new ArrayList<>())
                .add(site));
        try {
            sitesByFile.forEach(this::attachOrHalve);
        } catch (RuntimeException e) {
            links.close();
            throw e;
        }
        return new UprobeAttachment(links, attachedCount, refused);
    }

    private void attachOrHalve(Path file, List<AttachPoint> sites) {
        int kernelPid = pid == Uprobes.EVERY_PROCESS ? 0 : pid;
        long result = LinkCreation.ofUprobes(program, file.toString(), sites, isReturn, kernelPid);
        if (result >= 0) {
            links.add(FileDescriptor.of(result, "attach", "")::close);
            attachedCount += sites.size();
            return;
        }
        UprobeError refusal = UprobeError.of(result);
        if (refusal == UprobeError.EVERY_ATTACH_POINT) {
            throw refusal.exception(result, sites.get(0), isReturn, pid);
        }
        if (refusal == UprobeError.FILE || sites.size() == 1) {
            sites.forEach(site -> refused.add(refusal.refused(result, site, isReturn, pid)));
            return;
        }
        attachOrHalve(file, sites.subList(0, sites.size() / 2));
        attachOrHalve(file, sites.subList(sites.size() / 2, sites.size()));
    }
}
