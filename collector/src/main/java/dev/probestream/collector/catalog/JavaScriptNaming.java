package dev.probestream.collector.catalog;

/**
 * What the memory of a process tells of its JavaScript, which needs no flag of Node.js: the names of functions, who awaits them,
 * and the async contexts, by which hits are found to be a request's.
 *
 * @param version of V8; "" where it is not known
 * @param obstacle why functions cannot be named from the memory; "" = they are
 * @param asyncObstacle why the functions that await the running one are not known; "" = they are
 * @param contextObstacle why hits have no async context; "" = they have
 */
public record JavaScriptNaming(String version, String obstacle, String asyncObstacle, String contextObstacle) {
    /**
     * Nothing of it is known, for one reason.
     *
     * @param version of V8; "" where it is not known
     * @param obstacle why
     * @return the description
     */
    public static JavaScriptNaming refused(String version, String obstacle) {
        return new JavaScriptNaming(version, obstacle, obstacle, obstacle);
    }
}
