package dev.probestream.query.report.comparison;

/** What is compared, causes before what they may lead to. */
enum Area {
    OUTGOING("outgoing"),
    STATEMENTS("statement"),
    CPU("on the CPU"),
    POOL("thread pool"),
    GC("garbage collector"),
    LOOP("event loop"),
    REQUESTS("request");

    private final String words;

    Area(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
