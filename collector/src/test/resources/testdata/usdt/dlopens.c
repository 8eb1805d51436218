/* dlopens LIBRARY FUNCTION COUNT: loads a library and calls its double FUNCTION(double) at once. */
#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    void *library = dlopen(argv[1], RTLD_NOW);
    double (*function)(double) = library == NULL ? NULL : (double (*)(double)) dlsym(library, argv[2]);
    if (function == NULL) {
        return 1;
    }
    double sum = 0;
    for (int i = 0; i < atoi(argv[3]); i++) {
        sum += function(i);
    }
    return sum < 0;
}
