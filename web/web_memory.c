/* web_memory -- the module's memory grows by a quarter at a time. wasi-libc asks for it page by page, which takes longer than
 * the work itself: a sheet of ex6 needs thousands of pages. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum { PAGE = 65536 };

extern unsigned char __heap_base;

/* Takes the place of wasi-libc's. The end that malloc sees is where it asked to be, and memory behind it is ready. */
void *sbrk(intptr_t increment) {
    static uintptr_t end;
    const uintptr_t has = __builtin_wasm_memory_size(0) * PAGE;
    if (!end) end = has;
    if (increment < 0 || (uintptr_t)increment > UINTPTR_MAX - end) {
        errno = ENOMEM;
        return (void *)-1;
    }
    const uintptr_t before = end, wanted = end + (uintptr_t)increment;
    if (wanted > has) {
        uintptr_t pages = (wanted - has + PAGE - 1) / PAGE, more = has / PAGE / 4;
        if (more < pages) more = pages;
        if (__builtin_wasm_memory_grow(0, more) == SIZE_MAX &&
            __builtin_wasm_memory_grow(0, pages) == SIZE_MAX) {
            errno = ENOMEM;
            return (void *)-1;
        }
    }
    end = wanted;
    return (void *)before;
}
