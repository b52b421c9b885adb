/* The graph as a list and as a drawing: in an order that can be computed, complete, and well-formed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/columns.h"
#include "explain/diagram.h"
#include "explain/picture.h"
#include "graph/op.h"
#include "learn/lesson.h"
#include "xml.h"
#include "scarce.h"

typedef struct opened {
    lh_context *ctx;
    lh_program *program;
    lh_graph *graph;
    lh_picture *picture;
} opened;

static opened open_text(const char *name, const char *text, size_t length, int what,
                        const lh_setting *set, int n_set) {
    opened o = {.ctx = lh_context_new()};
    o.program = lh_lesson_parse(o.ctx, name, text, length);
    o.graph = lh_graph_build(o.ctx, o.program, &(lh_build){.set = set, .n_set = n_set});
    o.picture = o.graph ? lh_picture_new(o.graph, (lh_picture_of)what) : NULL;
    if (o.picture) return o;
    fail_msg("%s:%d: %s", name, lh_context_error(o.ctx)->at.line, lh_context_error(o.ctx)->what);
    abort();
}

static void close_all(opened *o) {
    lh_picture_free(o->picture);
    lh_graph_free(o->graph);
    lh_program_free(o->program);
    lh_context_free(o->ctx);
}

/* Nested repeats, and names that XML would read as marks. */
static const char nested[] =
    "vocab A B \"<pad>\" \"&\"\nsize n = 3, m = 2, dim = 4\nparam E : vocab x dim = normal(1)\n"
    "example A B -> A\nskip = (tokens == \"<pad>\") + (tokens == \"&\") + (1 < 2)\n"
    "repeat h for n with X = E[tokens] * (1 - skip)\n  param W : dim x dim = normal(1)\n"
    "  repeat k for m with Y = X @ W\n    param V : dim x dim = normal(1)\n"
    "    Z = Y @ V\n    next Y = gelu(Z) + Y\n  end\n  next X = layernorm(Y)\nend\n"
    "L = nll(softmax(X[last] @ E^T), target)\nloss = average(L)\nbackward loss\n"
    "right = average(argmax(X[last] @ E^T) == target)\n"
    "each W in params\n  W := momentum(W, dW, 0.1)\nend\n";

/* Every program there is, and `nested`. */
static void each_program(void (*check)(const char *name, opened *o)) {
    int n = 0;
    for (int i = -1; i < lh_n_embedded_files; i++) {
        const lh_embedded own = {"nested", nested, sizeof nested - 1};
        const lh_embedded *e = i < 0 ? &own : &lh_embedded_files[i];
        if (i >= 0 && strncmp(e->name, "lessons/", 8) != 0 && strncmp(e->name, "models/", 7) != 0)
            continue;
        for (int all = 0; all < 2; all++, n++) {
            opened o = open_text(e->name, e->text, e->length, all, NULL, 0);
            check(e->name, &o);
            close_all(&o);
        }
    }
    assert_true(n >= 20);
}

/* ---- the order ---- */

static bool reads_box(const lh_box *b, int box) {
    for (int k = 0; k < b->n_reads; k++)
        if (b->reads[k] == box) return true;
    return false;
}

/* Every name that stands in the formula itself and whose numbers it needs is among what it reads. */
static void formula_is_read(const char *name, const lh_picture *p, int box, const lh_node *n) {
    for (int i = 0; i < n->n_in; i++) {
        const lh_node *in = n->in[i];
        if (!lh_op_reads(n, i)) continue;
        const lh_step *owner = p->outline->owner[in->id]; /* it may stand inside another's call */
        if (!in->step && owner == p->box[box].step) {
            formula_is_read(name, p, box, in);
            continue;
        }
        if (p->outline->is_plain[in->id]) continue;
        int from = p->of_step[in->step ? in->step->id : owner->id];
        if (from < 0 || from == box || in->kind == LH_OP_size || n->kind == LH_OP_call) continue;
        if (!reads_box(&p->box[box], from))
            fail_msg("%s: %s does not read %s", name, p->box[box].path, p->box[from].path);
    }
}

static void order_is_good(const char *name, opened *o) {
    const lh_picture *p = o->picture;
    int number = 0, shown = 0;
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        for (int k = 0; k < b->n_reads; k++)
            if (b->reads[k] >= i)
                fail_msg("%s: %s reads %s, which comes later", name, b->path,
                         p->box[b->reads[k]].path);
        if (b->is_given) continue;
        assert_int_equal(b->number, number + 1);
        number += b->folds ? b->n_folded : 1;
        if (!b->folds) formula_is_read(name, p, i, b->step->node);
    }
    for (int i = 0; i < o->graph->n_steps; i++) {
        const lh_step *s = o->graph->step[i];
        bool is_line = s->kind != LH_STEP_GIVEN && !lh_step_is_inner(s);
        if (is_line && p->of_step[i] < 0) fail_msg("%s: %s is missing", name, s->path);
        if (s->gradient && s->gradient->kind == LH_STEP_GRADIENT && p->of_step[i] >= 0 &&
            !p->box[p->of_step[i]].folds)
            assert_int_equal(p->box[p->of_step[i]].beside, p->of_step[s->gradient->id]);
        shown += s->kind != LH_STEP_GIVEN && p->of_step[i] >= 0;
    }
    assert_int_equal(number, shown);
}

static void order_is_topological_and_complete(void **state) {
    (void)state;
    each_program(order_is_good);
}

/* ---- the drawing ---- */

typedef struct rect {
    int x, y, w, h;
    char name[64]; /* the path of its box */
} rect;

static int read_rects(const char *svg, rect *list, int most) {
    int n = 0;
    for (const char *s = svg; (s = strstr(s, "<g><title>")) != NULL && n < most;) {
        rect *r = &list[n++];
        s += strlen("<g><title>");
        snprintf(r->name, sizeof r->name, "%.*s", (int)strcspn(s, ": "), s);
        const char *box = strstr(s, "<rect class=\"box");
        assert_non_null(box);
        assert_int_equal(sscanf(strstr(box, " x="), " x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"",
                                &r->x, &r->y, &r->w, &r->h),
                         4);
    }
    return n;
}

static const rect *find_rect(const rect *list, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    return NULL;
}

static void drawing_is_good(const char *name, opened *o) {
    static rect list[4000];
    lh_picture *p = o->picture;
    lh_text svg = lh_text_new(p->arena);
    lh_picture_svg(p, "A < B & \"C\"", &svg);
    assert_false(lh_failed(o->ctx));
    const char *problem = xml_problem(svg.s);
    if (problem) fail_msg("%s: %s", name, problem);
    assert_non_null(strstr(svg.s, "<title id=\"longhand-title\">A &lt; B &amp; &quot;C&quot;"));
    assert_non_null(strstr(svg.s, "prefers-color-scheme: dark"));
    int width = 0, height = 0, n = read_rects(svg.s, list, 4000);
    assert_int_equal(sscanf(strstr(svg.s, "width="), "width=\"%d\" height=\"%d\"", &width, &height),
                     2);
    for (int i = 0; i < n; i++) {
        const rect *a = &list[i];
        if (a->x < 0 || a->y < 0 || a->x + a->w > width || a->y + a->h > height)
            fail_msg("%s: %s leaves the paper", name, a->name);
        for (int k = 0; k < i; k++) {
            const rect *b = &list[k];
            if (a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h &&
                b->y < a->y + a->h)
                fail_msg("%s: %s lies on %s", name, a->name, b->name);
        }
    }
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        if (b->folds || b->kind == LH_BOX_PART || b->kind == LH_BOX_UPDATE) continue;
        const rect *r = find_rect(list, n, b->path);
        if (!r) fail_msg("%s: %s is not drawn", name, b->path);
        if (!r || b->kind != LH_BOX_STEP || b->beside < 0 || p->box[b->beside].folds) continue;
        const rect *d = find_rect(list, n, p->box[b->beside].path);
        if (d->x <= r->x) fail_msg("%s: d%s is not right of it", name, b->path);
    }
    for (int i = 0; i < p->n_boxes; i++) /* each name is there as text, in the description too */
        if (!p->box[i].folds) assert_non_null(strstr(svg.s, p->box[i].name));
}

static void drawings_are_well_formed(void **state) {
    (void)state;
    each_program(drawing_is_good);
}

static void a_gradient_stands_beside_its_value(void **state) {
    (void)state;
    static rect list[200];
    const lh_embedded *e = lh_embedded_find("lessons/ex3.md");
    opened o = open_text(e->name, e->text, e->length, false, NULL, 0);
    lh_text svg = lh_text_new(o.picture->arena);
    lh_picture_svg(o.picture, "ex3", &svg);
    int n = read_rects(svg.s, list, 200);
    static const char *const pairs[][2] = {{"Q", "dQ"}, {"P", "dP"}, {"H", "dH"}, {"X", "dX"}};
    int before = 0;
    for (int i = 0; i < 4; i++) {
        const rect *a = find_rect(list, n, pairs[i][0]), *b = find_rect(list, n, pairs[i][1]);
        assert_true(a->y < b->y + b->h && b->y < a->y + a->h); /* on one level */
    }
    static const char *const down[] = {"X", "Q", "K", "V", "S", "Z", "P", "H", "logits", "L"};
    for (int i = 0; i < 10; i++) {
        const rect *r = find_rect(list, n, down[i]);
        assert_true(r->y > before);
        before = r->y;
    }
    close_all(&o);
}

static void turns_are_folded(void **state) {
    (void)state;
    const lh_embedded *e = lh_embedded_find("models/gpt.lh");
    const lh_setting twelve = {"layers", "12"};
    for (int all = 0; all < 2; all++) {
        opened o = open_text(e->name, e->text, e->length, all, &twelve, 1);
        const lh_picture *p = o.picture;
        int folds = 0, later = 0, second = 0;
        for (int i = 0; i < p->n_boxes; i++) {
            folds += p->box[i].folds > 0 && strcmp(p->box[i].name, "h[1] ... h[11]") == 0;
            later += !p->box[i].folds && strncmp(p->box[i].path, "h[5].", 5) == 0;
            second += p->box[i].n_turns && strcmp(p->box[i].turn[0], "h[1]") == 0;
        }
        assert_int_equal(folds, all ? 0 : 4); /* given, forward, backward, update */
        assert_true(all ? later > 20 : later == 0);
        assert_true(all ? second > 20 : second == 0);
        close_all(&o);
    }
}

/* dK and dQ both read dS of the call: it has a box of its own, and neither reads the other. */
static void what_two_gradients_read_is_shown(void **state) {
    (void)state;
    const lh_embedded *e = lh_embedded_find("models/gpt.lh");
    opened o = open_text(e->name, e->text, e->length, true, NULL, 0);
    const lh_picture *p = o.picture;
    int ds = -1, readers = 0;
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        if (strcmp(b->path, "h[0].H.dS") == 0) ds = i;
        if (strcmp(b->path, "h[0].dQ") == 0 || strcmp(b->path, "h[0].dK") == 0)
            readers += ds >= 0 && reads_box(b, ds);
    }
    assert_int_equal(readers, 2);
    close_all(&o);
}

static void memory_may_end(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_program *program = lh_program_parse(ctx, "test.lh", nested, sizeof nested - 1);
    lh_graph *g = lh_graph_build(ctx, program, NULL);
    assert_non_null(g);
    bool whole = false;
    for (refused = 1; !whole && refused < 10000; refused++) {
        asked = 0;
        ctx->alloc = alloc_but_one;
        lh_picture *p = lh_picture_new(g, false);
        if (p) {
            lh_text svg = lh_text_new(p->arena);
            lh_picture_svg(p, "test", &svg);
            whole = asked < refused;
            assert_true(whole ? !lh_failed(ctx) && !xml_problem(svg.s) : lh_failed(ctx));
        } else {
            assert_true(lh_failed(ctx));
        }
        lh_picture_free(p);
        ctx->alloc = malloc;
        lh_context_clear(ctx);
    }
    assert_true(whole);
    lh_graph_free(g);
    lh_program_free(program);
    lh_context_free(ctx);
}

/* ---- the command ---- */

static int command(const char *arguments, char *out, size_t n) {
    char line[1024];
    const char *root = getenv("LH_BUILD_ROOT");
    snprintf(line, sizeof line, "%s/longhand %s 2>&1", root ? root : ".", arguments);
    FILE *f = popen(line, "r");
    assert_non_null(f);
    size_t got = fread(out, 1, n - 1, f);
    out[got] = 0;
    while (fgetc(f) != EOF) {}
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char out[1 << 20];

static void the_command_draws(void **state) {
    (void)state;
    char file[] = "/tmp/longhand-graph-XXXXXX", arguments[128];
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    snprintf(arguments, sizeof arguments, "graph ex1 -o %s", file);
    assert_int_equal(command(arguments, out, sizeof out), 0);
    FILE *f = fopen(file, "rb");
    size_t n = fread(out, 1, sizeof out - 1, f);
    out[n] = 0;
    fclose(f);
    remove(file);
    assert_null(xml_problem(out));
    assert_int_equal(command("graph ex1 -o /nowhere/at/all.svg", out, sizeof out), 2);
    assert_non_null(strstr(out, "/nowhere/at/all.svg cannot be written"));
    assert_int_equal(command("graph nobody", out, sizeof out), 2);
}

static void the_command_lists(void **state) {
    (void)state;
    assert_int_equal(command("graph ex3", out, sizeof out), 0);
    assert_non_null(strstr(out, "Forward"));
    assert_non_null(strstr(out, "Backward"));
    assert_non_null(strstr(out, "Update"));
    assert_non_null(strstr(out, "← Q, K"));
    assert_int_equal(command("graph ex3 --json", out, sizeof out), 0);
    assert_non_null(strstr(out, "\"nodes\": ["));
    assert_non_null(strstr(out, "\"edges\": ["));
}

static int columns(const char *s) {
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

static void lines_fit(void **state) {
    (void)state;
    static const char *const names[] = {"ex1", "ex3", "ex6", "gpt", "sine", "translator"};
    for (int width = 60; width <= 120; width += 20)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char arguments[64], value[8];
            snprintf(arguments, sizeof arguments, "graph %s", names[i]);
            snprintf(value, sizeof value, "%d", width);
            setenv("COLUMNS", value, 1);
            assert_int_equal(command(arguments, out, sizeof out), 0);
            for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
                if (columns(line) > width) fail_msg("%s at %d: %s", names[i], width, line);
        }
    unsetenv("COLUMNS");
}

/* ---- encoder beside decoder, the way to one step, diagrams ---- */

static const lh_box *box_named(const lh_picture *p, const char *path) {
    for (int i = 0; i < p->n_boxes; i++)
        if (strcmp(p->box[i].path, path) == 0) return &p->box[i];
    return NULL;
}

/* What reads the first text alone stands left, what reads the second one too stands right, and no two boxes meet. */
static void two_texts_stand_side_by_side(void **state) {
    (void)state;
    static rect list[200];
    const lh_embedded *e = lh_embedded_find("lessons/de-nada.md");
    opened o = open_text(e->name, e->text, e->length, LH_PICTURE_FORWARD, NULL, 0);
    assert_string_equal(o.picture->text[0], "source");
    assert_string_equal(o.picture->text[1], "given");
    static const char *const left[] = {"Xe", "A", "encoded"}, *const right[] = {"Ye", "C", "H"};
    lh_text svg = lh_text_new(o.picture->arena);
    lh_picture_svg(o.picture, "de-nada", &svg);
    int n = read_rects(svg.s, list, 200), last = 0;
    for (int i = 0; i < 3; i++) {
        assert_false(box_named(o.picture, left[i])->is_second);
        assert_true(box_named(o.picture, right[i])->is_second);
        const rect *a = find_rect(list, n, left[i]), *b = find_rect(list, n, right[i]);
        assert_true(a->x + a->w < b->x && a->y > last);
        last = a->y;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            assert_false(list[i].x < list[k].x + list[k].w && list[k].x < list[i].x + list[i].w &&
                         list[i].y < list[k].y + list[k].h && list[k].y < list[i].y + list[i].h);
    assert_null(find_rect(list, n, "AQ")); /* weights stand in the formulas */
    assert_null(xml_problem(svg.s));
    close_all(&o);
    e = lh_embedded_find("lessons/ex5.md"); /* one text: one column */
    o = open_text(e->name, e->text, e->length, LH_PICTURE_FORWARD, NULL, 0);
    assert_null(o.picture->text[0]);
    close_all(&o);
}

static void the_way_to_a_step_is_all_that_leads_there(void **state) {
    (void)state;
    const lh_embedded *e = lh_embedded_find("lessons/ex2.md");
    opened o = open_text(e->name, e->text, e->length, false, NULL, 0);
    const lh_step *goal = o.graph->step[0];
    for (int i = 1; i < o.graph->n_steps; i++)
        if (o.graph->step[i]->kind == LH_STEP_UPDATE) goal = o.graph->step[i];
    lh_picture *p = lh_picture_to(o.graph, goal);
    static const char *const there[] = {"Q", "context", "probs", "dlogits", "dWO", "rate", "WO"},
                             *const away[] = {"dcontext", "dP", "dQ", "dX", "dL"};
    for (int i = 0; i < 7; i++) assert_non_null(box_named(p, there[i]));
    for (int i = 0; i < 5; i++) {
        assert_non_null(box_named(o.picture, away[i]));
        assert_null(box_named(p, away[i]));
    }
    lh_picture_free(p);
    close_all(&o);
}

static int count_of(const char *text, const char *what) {
    int n = 0;
    for (const char *s = text; (s = strstr(s, what)); s += strlen(what)) n++;
    return n;
}

/* The architectures: no line wider than the screen, the reader's place once or in both columns, every lesson that is named exists. */
static void diagrams_show_the_place(void **state) {
    (void)state;
    static const char *const places[] = {"cross", "sampling", "rope"};
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    for (int i = 0; strcmp(lh_diagram_names[i], "training") != 0; i++) {
        const lh_diagram *d = lh_diagram_find(lh_diagram_names[i]);
        const char *here = places[i];
        for (int width = 40; width <= 120; width += 4) {
            lh_text t = lh_text_new(a);
            lh_diagram_text(d, here, &(lh_chart_screen){.width = width}, &t);
            for (char *line = strtok(t.s, "\n"); line; line = strtok(NULL, "\n"))
                if (lh_columns(line) > width) fail_msg("%d: %s", width, line);
        }
        lh_text t = lh_text_new(a), svg = lh_text_new(a), none = lh_text_new(a);
        lh_diagram_text(d, here, &(lh_chart_screen){.width = 80}, &t);
        assert_int_equal(count_of(t.s, "▶ you are here"), 1);
        lh_diagram_text(d, "glossary", &(lh_chart_screen){.width = 80}, &none);
        assert_int_equal(count_of(none.s, "you are here"), 0);
        lh_diagram_svg(d, here, &svg);
        assert_null(xml_problem(svg.s));
        assert_int_equal(count_of(svg.s, "class=\"here\""), 1);
        for (int b = 0; b < d->n_blocks; b++)
            for (int k = 0; k < d->block[b].n_lines; k++) {
                const char *lesson = d->block[b].line[k].lesson;
                if (lesson)
                    assert_non_null(lh_embedded_find(lh_printf(a, "lessons/%s.md", lesson)));
            }
        for (int k = 0; k < d->n_links; k++)
            assert_true(d->link[k].from_line < d->block[d->link[k].from].n_lines &&
                        d->link[k].to_line < d->block[d->link[k].to].n_lines);
    }
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void training_is_a_loop(void **state) {
    (void)state;
    const lh_embedded *e = lh_embedded_find("lessons/ex2.md");
    opened o = open_text(e->name, e->text, e->length, false, NULL, 0);
    const lh_diagram *d = lh_diagram_training(o.picture->arena, o.graph);
    lh_text t = lh_text_new(o.picture->arena);
    lh_diagram_text(d, NULL, &(lh_chart_screen){.width = 80}, &t);
    static const char *const parts[] = {
        "forward", "loss", "backward", "update", "logits", "dlogits", "dWO", "▲", "▼", "◀", "▶"};
    for (int i = 0; i < 11; i++)
        if (!strstr(t.s, parts[i])) fail_msg("%s is missing:\n%s", parts[i], t.s);
    assert_null(strstr(t.s, "dcontext")); /* no update needs it */
    close_all(&o);
    e = lh_embedded_find("lessons/ex1.md");
    o = open_text(e->name, e->text, e->length, false, NULL, 0);
    assert_null(lh_diagram_training(o.picture->arena, o.graph));
    assert_non_null(strstr(lh_context_error(o.ctx)->what, "no line with :="));
    close_all(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_topological_and_complete),
        cmocka_unit_test(drawings_are_well_formed),
        cmocka_unit_test(a_gradient_stands_beside_its_value),
        cmocka_unit_test(turns_are_folded),
        cmocka_unit_test(what_two_gradients_read_is_shown),
        cmocka_unit_test(memory_may_end),
        cmocka_unit_test(the_command_draws),
        cmocka_unit_test(the_command_lists),
        cmocka_unit_test(lines_fit),
        cmocka_unit_test(two_texts_stand_side_by_side),
        cmocka_unit_test(the_way_to_a_step_is_all_that_leads_there),
        cmocka_unit_test(diagrams_show_the_place),
        cmocka_unit_test(training_is_a_loop),
    };
    return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
