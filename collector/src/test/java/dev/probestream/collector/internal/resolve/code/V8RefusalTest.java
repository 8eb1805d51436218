package dev.probestream.collector.internal.resolve.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfSymbol;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class V8RefusalTest {
    @ParameterizedTest
    @CsvSource({
        "_ZN4node10task_queueL13RunMicrotasksERKN2v820FunctionCallbackInfoINS1_5ValueEEE, true",
        "_ZN4node2fsL4OpenERKN2v820FunctionCallbackInfoINS1_5ValueEEE,                    true",
        "_ZN2v88internal33Runtime_AllocateInYoungGenerationEiPmPNS0_7IsolateE,           true",
        "_ZN2v88internal17Builtin_JsonParseEiPmPNS0_7IsolateE,                           true",
        "Builtins_ArrayMap,                                                              true",
        "_ZN2v88internal14MicrotaskQueue17PerformCheckpointEPNS_7IsolateE,               true",
        "_ZN2v88internal14MicrotaskQueue13RunMicrotasksEPNS0_7IsolateE,                  false",
        "_ZN4node11Environment14CheckImmediateEP10uv_check_s,                            false",
        "uv_fs_open,                                                                     false",
    })
    void whatJavaScriptCallsIsKnownByItsName(String name, boolean isCalled) {
        assertThat(V8Refusal.isCalledByJavaScript(new ElfSymbol(name, 0x1000, 16, false, false)))
                .isEqualTo(isCalled);
    }
}
