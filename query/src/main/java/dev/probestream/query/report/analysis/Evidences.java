package dev.probestream.query.report.analysis;

import dev.probestream.query.report.Finding.Evidence;

/** Links from findings to the sections that show them. */
final class Evidences {
    static final Evidence REQUESTS = new Evidence("requests", RequestsChapter.ID);
    static final Evidence SLOW_REQUESTS = new Evidence("slowest requests", SlowRequestsChapter.ID);
    static final Evidence LOOP = new Evidence("event loop", LoopChapter.ID);
    static final Evidence CPU = new Evidence("CPU samples", CpuChapter.ID);
    static final Evidence WAITING = new Evidence("waiting", WaitingChapter.ID);
    static final Evidence POOL = new Evidence("thread pool", PoolChapter.ID);
    static final Evidence FILES = new Evidence("files", FilesChapter.ID);
    static final Evidence DNS = new Evidence("names looked up", DnsChapter.ID);
    static final Evidence GC = new Evidence("garbage collector", GcChapter.ID);
    static final Evidence CONNECTIONS = new Evidence("connections", ConnectionsChapter.ID);
    static final Evidence ERRORS = new Evidence("errors", ErrorsChapter.ID);
    static final Evidence RECORDED = new Evidence("what was recorded", LossesChapter.ID);

    private Evidences() {}
}
