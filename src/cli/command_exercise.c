/* command_exercise -- longhand exercise LESSON [N]: the exercises of a lesson, answered at the prompt or in one go, and checked. */
#include "cli/exercise_command.h"

#include <string.h>
#include <time.h>

#include "base/number.h"
#include "cli/json_stream.h"
#include "cli/parts.h"

static struct {
    const char *answer;
    bool key, list, json;
} options;

static const lh_option exercise_options[] = {
    {"answer", 0, LH_OPTION_TEXT, &options.answer, "TEXT",
     "check this answer and exit: status 0 right, 1 wrong, 2 cannot be read", 0, 0},
    {"key", 0, LH_OPTION_FLAG, &options.key, NULL, "what is right, with its working", 0, 0},
    {"list", 0, LH_OPTION_FLAG, &options.list, NULL, "list the exercises, and which are done", 0,
     0},
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- progress ---- */

void lh_exercise_record(lh_exercise_state *c, const lh_task *t, const char *raw,
                        const lh_answered *a, int hints) {
    const lh_exercise *e = lh_task_exercise(t);
    bool is_right = a->state == LH_ANSWER_RIGHT, is_wrong = a->state == LH_ANSWER_WRONG;
    lh_attempt x = {.time = (long long)time(NULL),
                    .lesson = c->kept,
                    .step = lh_exercise_step(c->cli->arena, e->number),
                    .raw = raw,
                    .verdict = lh_answer_words[a->state],
                    .mistake = "",
                    .hints = hints < LH_HINTS ? hints : LH_HINTS,
                    .is_right = is_right,
                    .is_wrong = is_wrong};
    if (!is_right && !is_wrong) return;
    if (is_right && hints < LH_HINTS) c->is_done[e->number - 1] = true;
    lh_keep_record(&c->keep, &x, NULL);
}

static void read_progress(lh_exercise_state *c) {
    lh_progress *p = lh_progress_new(c->cli->arena, c->keep.store, lh_keep_zone());
    c->before = p ? lh_progress_lesson(p, c->kept) : NULL;
    for (int i = 0; i < c->lesson->n_exercises; i++)
        c->is_done[i] = lh_progress_has_done(c->before, i + 1);
}

/* ---- which exercise ---- */

static bool read_number(lh_exercise_state *c, const char *text, int *exercise) {
    const int all = c->lesson->n_exercises;
    int n;
    if (lh_number_whole(text, 1, all, &n)) {
        *exercise = n - 1;
        return true;
    }
    lh_cli_fail(c->cli, "%s has no exercise %.40s: they are numbered 1 to %d", c->source.name, text,
                all);
    fprintf(stderr, "`longhand exercise %s --list` shows them\n",
            lh_shell_word(c->cli->arena, c->source.name));
    return false;
}

/* The first that is not done. */
static int first_open(const lh_exercise_state *c) {
    for (int i = 0; i < c->lesson->n_exercises; i++)
        if (!c->is_done[i]) return i;
    return 0;
}

/* ---- one exercise, one go ---- */

static lh_json begin_json(void) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    return j;
}

static void end_json(lh_json *j) {
    lh_json_end(j, '}');
    lh_json_close(j);
}

static void print_verdict(const lh_exercise_state *c, lh_task *t, const lh_answered *a) {
    lh_json j = begin_json();
    lh_exercise_verdict(&j, c->source.name, t, a);
    end_json(&j);
}

static void print_key(const lh_exercise_state *c, lh_task *t) {
    lh_json j = begin_json();
    lh_exercise_key(&j, c->source.name, t);
    end_json(&j);
}

static void print_question(const lh_exercise_state *c, lh_task *t) {
    lh_json j = begin_json();
    lh_exercise_question(&j, c->source.name, t, c->is_done[lh_task_exercise(t)->number - 1]);
    end_json(&j);
}

static void print_list(const lh_exercise_state *c) {
    lh_json j = begin_json();
    lh_exercise_list(&j, c->source.name, c->lesson, c->is_done);
    end_json(&j);
}

static int answer_once(lh_exercise_state *c, lh_task *t) {
    lh_answered a = lh_task_answer(t, options.answer);
    lh_exercise_record(c, t, options.answer, &a, 0);
    if (options.json)
        print_verdict(c, t, &a);
    else
        lh_view_answer(c, &a, stderr);
    if (!options.json && a.state == LH_ANSWER_RIGHT) lh_view_end(c, t);
    if (lh_failed(c->cli->ctx)) return lh_cli_report(c->cli);
    return a.state == LH_ANSWER_RIGHT    ? LH_EXIT_YES
           : a.state == LH_ANSWER_UNREAD ? LH_EXIT_FAILED
                                         : LH_EXIT_NO;
}

static int one(lh_exercise_state *c, int exercise) {
    lh_task *t = lh_task_open(c->live, exercise);
    if (!t) return lh_cli_report(c->cli);
    int status = LH_EXIT_YES;
    if (options.answer)
        status = answer_once(c, t);
    else if (options.key && options.json)
        print_key(c, t);
    else if (options.key)
        lh_view_key(c, t);
    else
        print_question(c, t);
    if (lh_failed(c->cli->ctx)) status = lh_cli_report(c->cli);
    lh_task_close(t);
    return status;
}

/* ---- the command ---- */

static bool open_class(lh_exercise_state *c, const char *lesson) {
    lh_cli *cli = c->cli;
    if (!lh_cli_find(cli, lesson, &c->source)) return false;
    c->kept = lh_keep_name(cli, &c->source);
    lh_finder finder = lh_cli_finder(cli);
    c->lesson = lh_lesson_open(cli->ctx, c->source.file, c->source.text, c->source.length, &finder);
    c->live = c->lesson ? lh_live_new(c->lesson) : NULL;
    if (!c->live) {
        lh_cli_report(cli);
        return false;
    }
    c->is_done = lh_alloc_array(cli->arena, (size_t)c->lesson->n_exercises + 1, sizeof(bool));
    if (!c->is_done || !lh_keep_open(cli, &c->keep)) return false;
    read_progress(c);
    return true;
}

static int run_class(lh_exercise_state *c, int argc, char **argv) {
    int exercise = -1, n = c->lesson->n_exercises;
    bool is_one = options.answer || options.key || (options.json && !options.list && argc > 1);
    if (n == 0) {
        lh_cli_fail(c->cli, "%s has no exercises", c->source.name);
        return LH_EXIT_FAILED;
    }
    if (argc > 1 && !read_number(c, argv[1], &exercise)) return LH_EXIT_FAILED;
    if (is_one && exercise < 0 && n > 1) {
        lh_cli_fail(c->cli, "say which exercise: longhand exercise %s 1 %s",
                    lh_shell_word(c->cli->arena, c->source.name),
                    options.answer ? "--answer ..." : "--key");
        return LH_EXIT_FAILED;
    }
    if (is_one) return one(c, exercise < 0 ? 0 : exercise);
    if (options.json) {
        print_list(c);
        return LH_EXIT_YES;
    }
    if (options.list) {
        lh_view_list(c);
        return LH_EXIT_YES;
    }
    return lh_exercise_talk(c, exercise < 0 ? first_open(c) : exercise);
}

static int exercise_run(lh_cli *cli, int argc, char **argv) {
    lh_exercise_state c = {.cli = cli, .show = lh_print_show};
    int status = open_class(&c, argv[0]) ? run_class(&c, argc, argv) : LH_EXIT_FAILED;
    lh_keep_close(&c.keep);
    lh_live_free(c.live);
    lh_lesson_free(c.lesson);
    return status;
}

static const char *kinds(lh_arena *a) {
    lh_text t = lh_text_new(a);
    for (int i = 0; lh_task_kinds[i]; i++)
        lh_text_add(&t, "%s\t%s\n", lh_task_kinds[i]->name, lh_task_kinds[i]->summary);
    return t.s;
}

const lh_command lh_command_exercise = {
    .name = "exercise",
    .synopsis = "LESSON|FILE [N] [--answer TEXT] [--key] [--list] [--json]",
    .summary = "The exercises of a lesson: compute, predict, write a line, experiment, find the "
               "wrong line.",
    .examples = "longhand exercise softmax\tthe first that is not done, at the prompt\n"
                "longhand exercise softmax --list\tall of them\n"
                "longhand exercise softmax 3 --answer 'p = e / s'\tone answer, checked\n"
                "longhand exercise softmax 3 --key\twhat is right, and why\n",
    .notes = "A line is tried in the lesson's program, on its numbers and on random ones: another "
             "way to the same value is right. Exit status with --answer: 0 right, 1 wrong, 2 "
             "cannot be read.",
    .list_title = "Kinds",
    .list = kinds,
    .options = exercise_options,
    .run = exercise_run,
    .min_args = 1,
    .max_args = 2,
};
