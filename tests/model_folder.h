/* model_folder -- a folder for tests that write a model: cmocka calls make_root and remove_root for the group, clean after each test. */
#ifndef LH_TESTS_MODEL_FOLDER_H
#define LH_TESTS_MODEL_FOLDER_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char root[] = "/tmp/longhand-test-XXXXXX";
static char folder[300]; /* in it; not there until something is saved */

static inline int make_root(void **state) {
    (void)state;
    if (!mkdtemp(root)) return -1;
    snprintf(folder, sizeof folder, "%s/model", root);
    return 0;
}

static inline int clean(void **state) {
    DIR *d = opendir(folder);
    (void)state;
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.') unlink(path);
    }
    if (d) closedir(d);
    return rmdir(folder) && errno != ENOENT;
}

static inline int remove_root(void **state) {
    clean(state);
    return rmdir(root);
}

#endif
