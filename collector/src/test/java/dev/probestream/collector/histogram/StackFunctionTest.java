package dev.probestream.collector.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.Frames;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class StackFunctionTest {
    private static final Frame KERNEL = frame("vfs_read", "[kernel]", FrameKind.KERNEL, "");
    private static final Frame LIBC = frame("read", "/usr/lib/x86_64-linux-gnu/libc.so.6", FrameKind.NATIVE, "");
    private static final Frame NODE = frame("uv_fs_read", "/usr/local/bin/node", FrameKind.NATIVE, "");
    private static final Frame OWN_OF_NODE = frame("readSync", "", FrameKind.JS, "node:fs");
    private static final Frame APPLICATION = frame("load", "", FrameKind.JS, "/srv/app.js");

    @Test
    void theInnermostJavaScriptThatIsNotNodesIsTheApplications() {
        assertThat(name(KERNEL, LIBC, NODE, OWN_OF_NODE, APPLICATION)).isEqualTo("load (/srv/app.js:12)");
    }

    @Test
    void withoutItTheInnermostFunctionOutsideOfSystemLibrariesIs() {
        assertThat(name(KERNEL, LIBC, NODE, OWN_OF_NODE)).isEqualTo("uv_fs_read");
        assertThat(name(LIBC, frame("", "/opt/app/libown.so", FrameKind.NATIVE, "")))
                .isEqualTo("[libown.so]");
    }

    @Test
    void otherwiseItIsTheInnermost() {
        assertThat(name(KERNEL, LIBC, frame("", "[vdso]", FrameKind.NATIVE, "")))
                .isEqualTo("read");
        assertThat(StackFunction.ofApplication(List.of(KERNEL))).isEmpty();
    }

    private static String name(Frame... frames) {
        return StackFunction.ofApplication(List.of(frames)).orElseThrow().text();
    }

    private static Frame frame(String symbol, String module, FrameKind kind, String file) {
        return Frames.of(symbol, module, 1, kind, file, file.isEmpty() ? 0 : 12);
    }
}
