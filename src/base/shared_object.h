/* shared_object -- code that is loaded where it is needed, from a file of its own: what has CUDA, what has MPI.
 *
 *     void *so = lh_shared_object("LONGHAND_MPI", "longhand_mpi.so", RTLD_NOW, why, sizeof why);
 *
 * It is looked for where the environment variable says, next to the program (in a build folder), and where it was installed.
 * NULL: it is nowhere, and why stays as it was; or it cannot be loaded, and why says what the system said.
 */
#ifndef LH_BASE_SHARED_OBJECT_H
#define LH_BASE_SHARED_OBJECT_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void *lh_shared_object(const char *variable, const char *name, int flags, char *why,
                                     size_t n) {
    char self[4096], near[4200], installed[4200];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    snprintf(near, sizeof near, "%s/%s", self, name);
    snprintf(installed, sizeof installed, "%s/%s", LH_LIBDIR, name);
    const char *const place[] = {getenv(variable), near, installed};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        if (!place[i] || !*place[i] || access(place[i], R_OK)) continue;
        void *so = dlopen(place[i], flags);
        if (so) return so;
        snprintf(why, n, "%s", dlerror());
    }
    return NULL;
}

#endif
