package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.ErrorText;
import dev.probestream.query.report.analysis.fact.NativeName;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.SignalName;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Processes that died: of what, in which function, and while serving which request. What was recorded of a process cannot
 * matter more than its end, so these findings come first.
 */
public final class CrashRule implements Rule {
    static final String NAME = "crash";

    private static final int MOST = 12;
    private static final int MOST_REQUESTS = 3;

    /** SIGHUP, SIGINT, SIGTERM: how a process is asked to end. */
    private static final Set<Long> ASKED_TO_END = Set.of(1L, 2L, 15L);

    /** SI_KERNEL of asm-generic/siginfo.h. */
    private static final long BY_THE_KERNEL = 128;

    @Override
    public String remedy() {
        return "Handle the error where the named function raises it, and restart the process.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow end : database.rows("""
                SELECT *, len(open_requests) AS open_count,
                    array_to_string(list_slice(open_requests, 1, %1$d), ', ') AS open_text
                FROM report_end WHERE cause IS NOT NULL OR exit_signal IS NOT NULL OR has_loop
                ORDER BY at_ns, pid LIMIT %2$d""".formatted(MOST_REQUESTS, MOST))) {
            boolean isAsked = ASKED_TO_END.contains(end.count("exit_signal"));
            boolean isUnexplained =
                    end.isNull("exit_signal") && end.text("cause").isEmpty() && end.isNull("since_error_ns");
            Death death = death(end);
            found.add(new WeightedFinding(
                    new Finding(
                            NAME,
                            isAsked || isUnexplained ? Severity.MEDIUM : Severity.HIGH,
                            who(end) + " " + death.what + serving(end) + ".",
                            (death.more + " " + requests(end)).strip(),
                            List.of(EvidenceLinks.ENDS, EvidenceLinks.REQUESTS)),
                    isAsked ? end.count("open_count") : Double.MAX_VALUE / (2 + found.size())));
        }
        return found;
    }

    /** How it died as the end of a sentence, and whole sentences with details. */
    private record Death(String what, String more) {}

    private static String who(ResultRow end) {
        return "Process " + end.count("pid") + " (" + end.text("name") + ")";
    }

    private static Death death(ResultRow end) {
        return switch (end.text("cause")) {
            case "fatal error" -> uncaught(end);
            case "process.exit" -> exited(end);
            case "process.abort" ->
                new Death("called process.abort()" + in(end, "in"), "It ended with " + how(end) + "." + caller(end));
            case "out of memory" -> outOfMemory(end);
            case "failed assertion", "V8 fatal error", "failed check of V8" -> failedCheck(end);
            case "signal" -> signal(end);
            default -> unexplained(end);
        };
    }

    private static Death unexplained(ResultRow end) {
        if (!end.isNull("since_error_ns")) {
            return new Death(handled(end), "It ended" + handledAfter(end));
        }
        return new Death(
                (end.isNull("exit_signal")
                                ? "ended with exit code " + end.count("exit_code")
                                : "was ended by " + SignalName.of(end.count("exit_signal")))
                        + soonAfterRejection(end),
                "Why is unknown: the set node-crash was not recorded, or it saw nothing of it." + rejectionBefore(end));
    }

    private static Death uncaught(ResultRow end) {
        ErrorText text = ErrorText.of(end.text("text"));
        return new Death(
                "died of " + kind(end, text) + error(text) + where(end, text),
                "It ended with " + how(end) + "." + passedOn(text) + ownCaller(end, text) + runtimeOnly(end, text)
                        + (text.message().isEmpty() ? " Its text could not be read, or was too long." : ""));
    }

    private static String kind(ResultRow end, ErrorText text) {
        if (end.bool("is_of_worker") || text.emitter().equals("Worker")) {
            return "an uncaught error in a Worker";
        }
        if (text.isEmitted()) {
            return "an 'error' event without a listener" + (text.emitter().isEmpty() ? "" : " on " + text.emitter());
        }
        return end.bool("is_rejection") ? "a rejected promise" : "an uncaught exception";
    }

    /** ": TypeError: no price (ENOPRICE)": the code only if the message does not contain it. */
    private static String error(ErrorText text) {
        if (text.message().isEmpty()) {
            return "";
        }
        boolean hasCode = text.code().isEmpty() || text.message().contains(text.code());
        return ": " + text.message() + (hasCode ? "" : " (" + text.code() + ")");
    }

    /** The application's innermost function of the error's own stack, else that of the throw, else Node's function that made it. */
    private static String where(ResultRow end, ErrorText text) {
        boolean isPassedOn = text.isEmitted() || !text.passedOnIn().isEmpty();
        if (!text.place().isEmpty()) {
            return (isPassedOn ? ", made in " : ", thrown in ") + text.place();
        }
        if (!end.text("throw_place").isEmpty()) {
            return ", thrown in " + end.text("throw_place");
        }
        return text.runtimePlace().isEmpty() ? "" : ", made in " + text.runtimePlace();
    }

    private static String passedOn(ErrorText text) {
        if (text.passedOnIn().isEmpty()) {
            return "";
        }
        return (text.isEmitted() ? " The event was emitted in " : " It was thrown in ") + text.passedOnIn() + ".";
    }

    private static String ownCaller(ResultRow end, ErrorText text) {
        String own = text.ownCaller();
        if (text.place().isEmpty() && !end.text("own_throw_place").equals(end.text("throw_place"))) {
            own = end.text("own_throw_place");
        }
        return own.isEmpty() ? "" : " The application's code called it in " + own + ".";
    }

    /** What Node's own callbacks report has no function of the application in its stack. */
    private static String runtimeOnly(ResultRow end, ErrorText text) {
        boolean hasPlace = !text.place().isEmpty() || !end.text("throw_place").isEmpty();
        if (hasPlace || !text.isEmitted()) {
            return "";
        }
        return " No function of the application is in the error's stack. "
                + (text.emitter().isEmpty() ? "The object" : "The " + text.emitter())
                + " that failed needs a listener for 'error'.";
    }

    private static Death exited(ResultRow end) {
        String exit = "process.exit(" + (int) end.count("a0") + ") was called" + in(end, "in");
        if (end.isNull("since_error_ns")) {
            return new Death(
                    "ended because " + exit + soonAfterRejection(end), (caller(end) + rejectionBefore(end)).strip());
        }
        return new Death(handled(end), exit + handledAfter(end) + caller(end));
    }

    /** An uncaught error for which the application has a handler: Node prints nothing, so its text is not known. */
    private static String handled(ResultRow end) {
        String place = end.text("throw_place").isEmpty() ? "" : ", thrown in " + end.text("throw_place");
        return "ended with " + how(end) + " after "
                + (end.bool("is_rejection") ? "a rejected promise" : "an uncaught exception")
                + " that a handler of the application took" + place;
    }

    private static String handledAfter(ResultRow end) {
        String own = end.text("own_throw_place");
        return " " + Amounts.ofNs(end.number("since_error_ns")) + " after the error."
                + (own.isEmpty() || own.equals(end.text("throw_place"))
                        ? ""
                        : " The application's code called it in " + own + ".")
                + " The handler prevents that Node prints the error: its name and message are not recorded.";
    }

    /** Of a rejection so shortly before the end that this is hardly chance. */
    private static String soonAfterRejection(ResultRow end) {
        return isSoon(end)
                ? ", " + Amounts.ofNs(end.number("since_rejection_ns"))
                        + " after a promise that nothing handled was rejected" + rejectedBy(end)
                : "";
    }

    private static boolean isSoon(ResultRow end) {
        return !end.isNull("since_rejection_ns") && end.number("rejection_by_chance") <= Thresholds.REJECTION_BY_CHANCE;
    }

    private static String rejectionBefore(ResultRow end) {
        if (end.isNull("since_rejection_ns")) {
            return "";
        }
        return isSoon(end)
                ? " If a handler of unhandledRejection ended the process, the rejected promise is the reason; Node does not"
                        + " print its error then."
                : " A promise that nothing handled was rejected " + Amounts.ofNs(end.number("since_rejection_ns"))
                        + " before" + rejectedBy(end) + ": a handler of unhandledRejection may have ended the process.";
    }

    /** Where the error was thrown, else the function that rejected the promise, as an async function does that throws. */
    private static String rejectedBy(ResultRow end) {
        if (!end.text("rejection_throw_place").isEmpty()) {
            return " by an error thrown in " + end.text("rejection_throw_place");
        }
        return end.text("rejection_place").isEmpty() ? "" : " in " + end.text("rejection_place");
    }

    private static Death outOfMemory(ResultRow end) {
        String heap = end.isNull("heap_bytes")
                ? ""
                : " After the last garbage collection " + Amounts.bytes(end.number("heap_bytes"))
                        + " of the heap were in use.";
        return new Death(
                "ran out of heap memory" + in(end, "in"),
                end.text("s0") + "; it ended with " + how(end) + "." + heap + caller(end)
                        + " V8's limit is set with --max-old-space-size.");
    }

    private static Death failedCheck(ResultRow end) {
        String where = end.text("s0");
        String what = end.text("s1");
        return new Death(
                "ended itself after a " + end.text("cause").replaceFirst("^V8 fatal", "fatal") + in(end, "in"),
                (what.isEmpty() ? where : where + ": " + what) + "; it ended with " + how(end) + "." + caller(end));
    }

    private static Death signal(ResultRow end) {
        String name = SignalName.of(end.count("exit_signal"));
        boolean isOwn = end.count("a2") == end.count("pid");
        boolean isFault = isOwn && end.count("a1") > 0;
        if (isFault) {
            String caller = end.text("app_place").isEmpty() ? "" : ", called by " + end.text("app_place");
            return new Death("crashed with " + name + nativePlace(end) + caller, "It is a fault of native code.");
        }
        if (isOwn) {
            return new Death("sent " + name + " to itself" + in(end, "in"), caller(end));
        }
        boolean isKernel = end.count("a1") == BY_THE_KERNEL;
        boolean isMemory = isKernel && end.text("exit_signal").equals("9");
        String victim = end.bool("is_victim")
                ? "The out-of-memory killer chose it."
                : isMemory ? "The kernel does so when memory is short, for one." : "";
        return new Death(
                "was ended by " + name + " from "
                        + (isKernel ? "the kernel" : "process " + end.count("a2") + " (" + end.text("s0") + ")"),
                victim
                        + (isKernel
                                ? " The thread that ran was of process " + end.count("a2") + " (" + end.text("s0")
                                        + ")."
                                : ""));
    }

    /** The innermost function of the stack and its file; a caller further out would be a wrong name. */
    private static String nativePlace(ResultRow end) {
        String function = NativeName.shortened(end.text("native_leaf"));
        String file = end.text("native_module").replaceFirst(".*/", "");
        if (function.isEmpty()) {
            return file.isEmpty() ? "" : " in a function without a name of " + file;
        }
        return " in " + function + (file.isEmpty() ? "" : " (" + file + ")");
    }

    private static String how(ResultRow end) {
        return end.isNull("exit_signal")
                ? "exit code " + end.count("exit_code")
                : SignalName.of(end.count("exit_signal"));
    }

    /** The innermost function of the application: of the stack, else of the text that Node printed. */
    private static String in(ResultRow end, String word) {
        String place = end.text("app_place");
        if (place.isEmpty()) {
            place = ErrorText.of(end.text("text")).place();
        }
        return place.isEmpty() ? "" : " " + word + " " + place;
    }

    private static String caller(ResultRow end) {
        String own = end.text("own_place");
        if (in(end, "in").isEmpty() && !own.isEmpty()) {
            return " The name of the function is not known; it ran on behalf of " + own + ".";
        }
        boolean isSame = own.isEmpty() || own.equals(end.text("app_place"));
        return isSame ? "" : " The application's code called it in " + own + ".";
    }

    private static String serving(ResultRow end) {
        if (!end.text("serving").isEmpty()) {
            return ", while serving " + end.text("serving").strip();
        }
        return switch ((int) end.count("open_count")) {
            case 0 -> "";
            case 1 -> ", while serving " + end.text("open_text").strip();
            default ->
                ", while serving " + Amounts.count(end.count("open_count"), "request") + ", the last of them "
                        + end.text("open_text").split(", ", 2)[0].strip();
        };
    }

    private static String requests(ResultRow end) {
        long open = end.count("open_count");
        if (open < 2) {
            return "";
        }
        return Amounts.count(open, "request") + " were open: "
                + end.text("open_text").strip()
                + (open > MOST_REQUESTS ? " and " + (open - MOST_REQUESTS) + " more." : ".");
    }
}
