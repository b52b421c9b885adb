/* version -- which Longhand this is. */
#ifndef LH_BASE_VERSION_H
#define LH_BASE_VERSION_H

const char *lh_version(void); /* "0.2.0" */

#endif
