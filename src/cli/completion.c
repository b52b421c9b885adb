/* completion -- longhand help completion bash|zsh|fish: what a shell completes, from the records of the commands.
 *
 * Commands, options and lessons are in the script; the names of the steps of a program are asked for when they are wanted, by
 * longhand help steps LESSON. Folders and files are the shell's own business.
 */
#include <string.h>

#include "base/embedded.h"
#include "cli/cli.h"

/* Commands whose second word is a step. */
static const char *const of_steps = "explain plot";

/* ---- names ---- */

/* ex1 of lessons/ex1.md */
static void put_lessons(const char *between) {
    bool is_first = true;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const char *name = lh_embedded_files[i].name, *slash = strchr(name, '/'),
                   *dot = strrchr(name, '.');
        const bool is_lesson = strncmp(name, "lessons/", 8) == 0,
                   is_model = strncmp(name, "models/", 7) == 0;
        if ((!is_lesson && !is_model) || dot < slash || strcmp(dot, ".txt") == 0) continue;
        printf("%s%.*s", is_first ? "" : between, (int)(dot - slash - 1), slash + 1);
        is_first = false;
    }
}

int lh_help_steps(lh_cli *cli, const char *lesson) {
    lh_source s;
    if (!lh_cli_load(cli, lesson, &s)) return LH_EXIT_FAILED;
    lh_graph *g = lh_cli_graph(cli, &s, NULL);
    for (int i = 0; g && i < g->n_steps; i++)
        if (!g->step[i]->is_dead && !strchr(g->step[i]->name, ' ')) puts(g->step[i]->path);
    const int status = g ? LH_EXIT_YES : LH_EXIT_FAILED;
    lh_graph_free(g);
    lh_program_free(s.program);
    return status;
}

/* Up to the first sentence's end, with the signs of `with` set off by a backslash; ' becomes a typographic one. */
static void put_text(const char *text, const char *with) {
    for (; *text; text++) {
        if (text[0] == '.' && (text[1] == ' ' || !text[1])) return;
        if (*text == '\'') {
            fputs("’", stdout);
            continue;
        }
        if (strchr(with, *text)) putchar('\\');
        putchar(*text == '\n' ? ' ' : *text);
    }
}

/* ---- bash ---- */

static void put_options(const lh_option *o) {
    for (; o && o->name; o++) {
        printf(" --%s", o->name);
        if (o->letter) printf(" -%c", o->letter);
    }
}

static void for_bash(void) {
    printf("# What bash completes for longhand, from: longhand help completion bash\n"
           "_longhand() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        words='help");
    for (int i = 0; lh_commands[i]; i++) printf(" %s", lh_commands[i]->name);
    printf("'\n"
           "    elif [ \"${word#-}\" = \"$word\" ]; then\n"
           "        words='");
    put_lessons(" ");
    printf(
        "'\n"
        "        case \" %s \" in\n"
        "        *\" $command \"*) [ \"$COMP_CWORD\" -gt 2 ] &&\n"
        "            words=$(\"${COMP_WORDS[0]}\" help steps \"${COMP_WORDS[2]}\" 2>/dev/null) ;;\n"
        "        esac\n"
        "    else\n"
        "        case $command in\n",
        of_steps);
    for (int i = 0; lh_commands[i]; i++) {
        printf("        %s) words='--help", lh_commands[i]->name);
        put_options(lh_commands[i]->options);
        printf("' ;;\n");
    }
    printf("        esac\n"
           "        words=\"$words --files\"\n"
           "    fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "}\n"
           "complete -o default -F _longhand longhand\n");
}

/* ---- zsh ---- */

static const char *const zsh_signs = "[]:\\\\";

static void put_zsh_option(const lh_option *o) {
    printf(" \\\n            '");
    if (o->letter)
        printf("(-%c --%s)'{-%c,--%s}'", o->letter, o->name, o->letter, o->name);
    else
        printf("--%s", o->name);
    printf("[");
    put_text(o->help, zsh_signs);
    printf("]");
    if (o->argument) {
        printf(":");
        put_text(o->argument, zsh_signs);
        printf(":_files");
    }
    printf("'");
}

static void for_zsh(void) {
    printf("#compdef longhand\n"
           "# What zsh completes for longhand, from: longhand help completion zsh\n"
           "_longhand_names() {\n"
           "    if [[ ' %s ' == *\" $words[2] \"* && $CURRENT -gt 3 ]]; then\n"
           "        compadd -- ${(f)\"$($words[1] help steps $words[3] 2>/dev/null)\"}\n"
           "    else\n"
           "        compadd -- ",
           of_steps);
    put_lessons(" ");
    printf("\n        _files\n"
           "    fi\n"
           "}\n"
           "_longhand() {\n"
           "    local -a commands=(\n"
           "        'help:what there is'\n");
    for (int i = 0; lh_commands[i]; i++) {
        printf("        '%s:", lh_commands[i]->name);
        put_text(lh_commands[i]->summary, zsh_signs);
        printf("'\n");
    }
    printf("    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe command commands\n"
           "        return\n"
           "    fi\n"
           "    case $words[2] in\n");
    for (int i = 0; lh_commands[i]; i++) {
        printf("    %s)\n        _arguments -s '1:' '*:name:_longhand_names' '--help[what it "
               "does]' '--files[folders that programs may read]:folder:_files'",
               lh_commands[i]->name);
        for (const lh_option *o = lh_commands[i]->options; o && o->name; o++) put_zsh_option(o);
        printf(" ;;\n");
    }
    /* In a folder of functions the file is the body of _longhand until it ran once: so it has to do
       the first completion, too. Where it is sourced, it only says whose completion it is. */
    printf("    esac\n"
           "}\n"
           "if [[ $funcstack[1] == _longhand ]]; then _longhand \"$@\"; else compdef _longhand "
           "longhand; fi\n");
}

/* ---- fish ---- */

static void for_fish(void) {
    printf("# What fish completes for longhand, from: longhand help completion fish\n"
           "function __longhand_steps\n"
           "    set -l words (commandline -opc)\n"
           "    test (count $words) -gt 2; and $words[1] help steps $words[3] 2>/dev/null\n"
           "end\n"
           "complete -c longhand -n __fish_use_subcommand -f -a help -d 'what there is'\n");
    for (int i = 0; lh_commands[i]; i++) {
        const lh_command *c = lh_commands[i];
        printf("complete -c longhand -n __fish_use_subcommand -f -a %s -d '", c->name);
        put_text(c->summary, "\\");
        printf("'\n");
        for (const lh_option *o = c->options; o && o->name; o++) {
            printf("complete -c longhand -n '__fish_seen_subcommand_from %s' -l %s", c->name,
                   o->name);
            if (o->letter) printf(" -s %c", o->letter);
            if (o->argument) printf(" -r");
            printf(" -d '");
            put_text(o->help, "\\");
            printf("'\n");
        }
    }
    printf("complete -c longhand -n 'not __fish_use_subcommand' -a '");
    put_lessons(" ");
    printf("'\n"
           "complete -c longhand -n '__fish_seen_subcommand_from %s' -f -a '(__longhand_steps)'\n",
           of_steps);
}

int lh_help_completion(lh_cli *cli, const char *shell) {
    if (!shell || strcmp(shell, "bash") == 0)
        for_bash();
    else if (strcmp(shell, "zsh") == 0)
        for_zsh();
    else if (strcmp(shell, "fish") == 0)
        for_fish();
    else
        return lh_cli_fail(cli, "there is completion for bash, zsh and fish, but not for %s",
                           shell);
    return LH_EXIT_YES;
}
