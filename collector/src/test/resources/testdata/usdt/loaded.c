/* A library for hasty.c whose code would leave a trace: as soon as it runs, it makes the file that $TRACE names. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void leave_a_trace(void) {
    const char *path = getenv("TRACE");
    if (path != NULL) {
        close(creat(path, 0600));
    }
}

void late_hit(long value) {
    (void) value;
}
