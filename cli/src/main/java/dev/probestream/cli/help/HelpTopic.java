package dev.probestream.cli.help;

import dev.probestream.collector.probe.preset.ProbeSet;
import java.util.Locale;

/** A text that several commands share; its lines have at most 80 columns. */
enum HelpTopic {
    /** What each probe set records. */
    SETS {
        @Override
        String text() {
            StringBuilder text = new StringBuilder("Probe sets:\n");
            ProbeSet.descriptions().forEach(set -> addTo(text, set));
            text.append("Names for several sets (node-* also matches several):\n");
            ProbeSet.groups().forEach(group -> addTo(text, group));
            return text.toString();
        }
    },
    /** How a probe is written. */
    SPECS {
        @Override
        String text() {
            return """
                    Probe specs:
                      uprobe:[PATH:]FUNCTION[+OFFSET]   the entry of a function; without PATH, a
                                                        function of the process's executable
                      uretprobe:[PATH:]FUNCTION         the return of a function
                      span:[PATH:]FUNCTION              both, as one span with its duration
                      usdt:[PATH:]PROVIDER:NAME         a USDT probe, at all its sites in every file
                                                        that the process maps, now or later
                      u:[PATH|PROVIDER:]NAME            a USDT probe or a function, whichever exists
                      usdtspan:[PATH:]PROVIDER:BEGIN,END   two USDT probes that a thread hits one
                                                        after the other, as one span
                      span(BEGIN -> END [by KEY,...])   two instants of these kinds that a thread
                                                        hits one after the other, or that have
                                                        the same values, as one span
                      tracepoint:CATEGORY:EVENT         a tracepoint of the kernel with its fields
                      rawtracepoint:EVENT               a raw tracepoint: no fields, less overhead
                      syscall:NAME                      a system call and its return, as one span
                      sys_exit:NAME                     the return of a system call
                      profile:HZ                        CPU samples of the threads, with stacks
                    * and ? in FUNCTION, PROVIDER and NAME are wildcards; 'list' shows the names.
                    Optional parts of a spec:
                      (path=arg3:str, size=*arg1:u64@+88 at return, result=ret:s64)
                      [ustack] [kstack] [stack] [counter] [pastcheck] [untilnext]
                      /fd > 2 && (flags & 0x40) != 0 && path ^= "/etc/"/   filter

                    Types: s8 u8 s16 u16 s32 u32 s64 u64 ptr bool str str[N] char[N]; str[argM] and
                    str[argM,N] if argument M holds the length, str[..argM] if it points behind the
                    last byte; gostr for a string of Go, whose length is the next argument;
                    sockaddr for the address of a socket, and peer and sockname for those of the
                    two ends of the socket whose descriptor the value is; uvstream for the pointer
                    to libuv's stream of a descriptor (Node.js), and uvreader for who reads it:
                    1 JavaScript, 2 an HTTP server's parser between two messages, 3 in one, 4 TLS,
                    0 another. *arg2:str@16@56 follows two pointers.

                    Filters compare with == != < <= > >=, text with == != ^= (begins with), and
                    join with && || !. Operands are arguments, recorded names, ret, pid, tid, comm,
                    cpu, uid and, for a span, duration in ns. A value that cannot be read fails
                    each comparison and its !.
                    """;
        }
    };

    private static final int COLUMNS = 80;

    /** Its lines, each with its end. */
    abstract String text();

    /** As it is typed. */
    String spelling() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static void addTo(StringBuilder text, ProbeSet.Entry entry) {
        String start = String.format("  %-12s ", entry.name());
        StringBuilder line = new StringBuilder(start);
        for (String word : entry.description().split(" ")) {
            if (line.length() + 1 + word.length() > COLUMNS) {
                text.append(line).append('\n');
                line = new StringBuilder(" ".repeat(start.length()));
            }
            line.append(' ').append(word);
        }
        text.append(line).append('\n');
    }
}
