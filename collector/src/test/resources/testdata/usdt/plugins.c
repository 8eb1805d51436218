/* Loads libraries on demand: plugins [fork] NUMBER PATH... loads each, waits until somebody watches it (for 20 s at most,
 * then fails) and calls late_call(NUMBER); with fork in a child. plugins now NUMBER PATH... does not wait. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int use(const char *path, long number, int isPatient) {
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        return 2;
    }
    int (*is_watched)(void) = (int (*)(void)) dlsym(library, "late_is_watched");
    time_t end = time(NULL) + 20;
    while (isPatient && !is_watched()) {
        if (time(NULL) > end) {
            return 3;
        }
        usleep(1000);
    }
    return ((long (*)(long)) dlsym(library, "late_call"))(number) == 2 * number ? 0 : 4;
}

int main(int argc, char **argv) {
    int isPatient = strcmp(argv[1], "now") != 0;
    int first = 1;
    if (!isPatient) {
        first = 2;
    } else if (strcmp(argv[1], "fork") == 0) {
        first = 2;
        int status;
        pid_t child = fork();
        if (child != 0) {
            waitpid(child, &status, 0);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
        }
    }
    for (int i = first + 1; i < argc; i++) {
        int status = use(argv[i], atol(argv[first]), isPatient);
        if (status != 0) {
            return status;
        }
    }
    return 0;
}
