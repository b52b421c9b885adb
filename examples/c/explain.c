/* explain -- runs Example 1 and shows how one of its numbers came about.
 *
 *     ./explain            the attention weight P[1][0]
 *     ./explain 'Z[1][1]'  another number
 */
#include <longhand.h>
#include <stdio.h>

/* Every call before this one did nothing once there was an error: it is enough to look here. */
static int report(longhand *lh) {
    const longhand_message *e = longhand_error(lh);
    if (!e) return 0;
    fprintf(stderr, "%s%s%s\n", e->what, e->cure[0] ? ": " : "", e->cure);
    return 1;
}

int main(int argc, char **argv) {
    const char *address = argc > 1 ? argv[1] : "P[1][0]";
    longhand *lh = longhand_new();
    longhand_open_lesson(lh, "ex1");

    const longhand_explanation *e = longhand_explain(lh, address, &(longhand_detail){.digits = 6});
    if (e) {
        printf("%s = %.6g   %s\n", address, e->value, e->where);
        for (int i = 0; i < e->n_lines; i++)
            printf("  %s = %s = %s = %.6g\n", e->line[i]->label, e->line[i]->formula,
                   e->line[i]->numbers, e->line[i]->value);
    }
    int status = report(lh);
    longhand_free(lh);
    return status;
}
