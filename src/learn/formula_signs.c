/* formula_signs -- the table of what a formula may hold, and looking things up in it.
 *
 * A line: the name, the Unicode sign, its class (what spaces go around it), what it does, the MathML element it becomes, how
 * it is spoken. A command is found by its name behind a backslash; a sign that stands for itself (+ = α) by its Unicode. A name
 * that is one sign of ASCII can be both: + is read as it stands, \{ needs its backslash (is_bare tells which), and
 * "\," is a space while "," is a comma.
 */
#include <string.h>

#include "graph/build.h"
#include "learn/formula_internal.h"

/* clang-format off */
const lh_formula_command lh_formula_commands[] = {
    {"alpha", "α", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "alpha"},
    {"beta", "β", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "beta"},
    {"gamma", "γ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "gamma"},
    {"delta", "δ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "delta"},
    {"epsilon", "ϵ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "epsilon"},
    {"varepsilon", "ε", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "epsilon"},
    {"zeta", "ζ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "zeta"},
    {"eta", "η", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "eta"},
    {"theta", "θ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "theta"},
    {"vartheta", "ϑ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "theta"},
    {"iota", "ι", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "iota"},
    {"kappa", "κ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "kappa"},
    {"lambda", "λ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "lambda"},
    {"mu", "μ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "mu"},
    {"nu", "ν", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "nu"},
    {"xi", "ξ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "xi"},
    {"pi", "π", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "pi"},
    {"rho", "ρ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "rho"},
    {"sigma", "σ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "sigma"},
    {"tau", "τ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "tau"},
    {"upsilon", "υ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "upsilon"},
    {"phi", "ϕ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "phi"},
    {"varphi", "φ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "phi"},
    {"chi", "χ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "chi"},
    {"psi", "ψ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "psi"},
    {"omega", "ω", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "omega"},
    {"Gamma", "Γ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital gamma"},
    {"Delta", "Δ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital delta"},
    {"Theta", "Θ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital theta"},
    {"Lambda", "Λ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital lambda"},
    {"Xi", "Ξ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital xi"},
    {"Pi", "Π", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital pi"},
    {"Sigma", "Σ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital sigma"},
    {"Upsilon", "Υ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital upsilon"},
    {"Phi", "Φ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital phi"},
    {"Psi", "Ψ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital psi"},
    {"Omega", "Ω", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "capital omega"},
    {"infty", "∞", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "infinity"},
    {"ell", "ℓ", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "l"},
    {"emptyset", "∅", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "the empty set"},
    {"top", "⊤", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "top"},
    {"bot", "⊥", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "bottom"},
    {"forall", "∀", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "for all"},
    {"exists", "∃", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "there is"},
    {"ldots", "…", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "and so on"},
    {"dots", "…", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "and so on"},
    {"cdots", "⋯", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "and so on"},
    {"vdots", "⋮", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "and so on"},
    {"ddots", "⋱", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "and so on"},
    {"prime", "′", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "prime"},
    {"%", "%", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "percent"},
    {"#", "#", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "number"},
    {"&", "&", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "and"},
    {"_", "_", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "underscore"},
    {"$", "$", LH_SIGN_LETTER, LH_DOES_SIGN, "mi", "dollar"},
    {"partial", "∂", LH_SIGN_PREFIX, LH_DOES_SIGN, "mi", "partial"},
    {"nabla", "∇", LH_SIGN_PREFIX, LH_DOES_SIGN, "mi", "nabla"},
    {"neg", "¬", LH_SIGN_PREFIX, LH_DOES_SIGN, "mo", "not"},
    {"sum", "∑", LH_SIGN_LARGE, LH_DOES_SIGN, "mo", "the sum"},
    {"prod", "∏", LH_SIGN_LARGE, LH_DOES_SIGN, "mo", "the product"},
    {"int", "∫", LH_SIGN_INTEGRAL, LH_DOES_SIGN, "mo", "the integral"},
    {"max", "max", LH_SIGN_FUNCTION, LH_DOES_LIMITS, "mi", "the maximum"},
    {"min", "min", LH_SIGN_FUNCTION, LH_DOES_LIMITS, "mi", "the minimum"},
    {"sup", "sup", LH_SIGN_FUNCTION, LH_DOES_LIMITS, "mi", "the supremum"},
    {"inf", "inf", LH_SIGN_FUNCTION, LH_DOES_LIMITS, "mi", "the infimum"},
    {"lim", "lim", LH_SIGN_FUNCTION, LH_DOES_LIMITS, "mi", "the limit"},
    {"det", "det", LH_SIGN_FUNCTION, LH_DOES_LIMITS, "mi", "the determinant"},
    {"Pr", "Pr", LH_SIGN_FUNCTION, LH_DOES_LIMITS, "mi", "the probability"},
    {"log", "log", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "log"},
    {"ln", "ln", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "the natural log"},
    {"exp", "exp", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "exp"},
    {"sin", "sin", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "sine"},
    {"cos", "cos", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "cosine"},
    {"tan", "tan", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "tangent"},
    {"sinh", "sinh", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "hyperbolic sine"},
    {"cosh", "cosh", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "hyperbolic cosine"},
    {"tanh", "tanh", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "tanh"},
    {"arctan", "arctan", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "arc tangent"},
    {"arg", "arg", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "arg"},
    {"dim", "dim", LH_SIGN_FUNCTION, LH_DOES_SIGN, "mi", "the dimension"},
    {"+", "+", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "plus"},
    {"-", "−", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "minus"},
    {"*", "∗", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "times"},
    {"/", "/", LH_SIGN_LETTER, LH_DOES_SIGN, "mo", "over"},
    {"pm", "±", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "plus or minus"},
    {"mp", "∓", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "minus or plus"},
    {"cdot", "⋅", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "times"},
    {"times", "×", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "times"},
    {"div", "÷", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "divided by"},
    {"odot", "⊙", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "times, cell by cell,"},
    {"otimes", "⊗", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "tensor times"},
    {"oplus", "⊕", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "direct plus"},
    {"ominus", "⊖", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "circled minus"},
    {"circ", "∘", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "after"},
    {"ast", "∗", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "times"},
    {"star", "⋆", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "star"},
    {"cup", "∪", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "union"},
    {"cap", "∩", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "intersected with"},
    {"setminus", "∖", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "without"},
    {"wedge", "∧", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "and"},
    {"vee", "∨", LH_SIGN_BINARY, LH_DOES_SIGN, "mo", "or"},
    {"=", "=", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "equals"},
    {"<", "<", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "less than"},
    {">", ">", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "greater than"},
    {":", ":", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "such that"},
    {"lt", "<", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "less than"},
    {"gt", ">", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "greater than"},
    {"leq", "≤", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is at most"},
    {"le", "≤", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is at most"},
    {"geq", "≥", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is at least"},
    {"ge", "≥", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is at least"},
    {"neq", "≠", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is not"},
    {"ne", "≠", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is not"},
    {"approx", "≈", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is about"},
    {"sim", "∼", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is distributed as"},
    {"simeq", "≃", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is about"},
    {"equiv", "≡", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is the same as"},
    {"propto", "∝", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is proportional to"},
    {"ll", "≪", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is much less than"},
    {"gg", "≫", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is much greater than"},
    {"in", "∈", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "in"},
    {"notin", "∉", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "not in"},
    {"ni", "∋", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "contains"},
    {"subset", "⊂", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is within"},
    {"subseteq", "⊆", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is within or equal to"},
    {"mid", "∣", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "given"},
    {"parallel", "∥", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "beside"},
    {"perp", "⟂", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is perpendicular to"},
    {"to", "→", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "to"},
    {"rightarrow", "→", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "to"},
    {"leftarrow", "←", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "becomes"},
    {"gets", "←", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "becomes"},
    {"leftrightarrow", "↔", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "corresponds to"},
    {"Rightarrow", "⇒", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "implies"},
    {"Leftarrow", "⇐", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "follows from"},
    {"implies", "⟹", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "implies"},
    {"iff", "⟺", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "if and only if"},
    {"mapsto", "↦", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "maps to"},
    {"uparrow", "↑", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "up"},
    {"downarrow", "↓", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "down"},
    {"coloneqq", "≔", LH_SIGN_RELATION, LH_DOES_SIGN, "mo", "is defined as"},
    {"(", "(", LH_SIGN_OPEN, LH_DOES_SIGN, "mo", ""},
    {")", ")", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", ""},
    {"[", "[", LH_SIGN_OPEN, LH_DOES_SIGN, "mo", ""},
    {"]", "]", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", ""},
    {"{", "{", LH_SIGN_OPEN, LH_DOES_SIGN, "mo", "open brace"},
    {"}", "}", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", "close brace"},
    {"|", "‖", LH_SIGN_LETTER, LH_DOES_SIGN, "mo", "double bar"},
    {"Vert", "‖", LH_SIGN_LETTER, LH_DOES_SIGN, "mo", "double bar"},
    {"vert", "|", LH_SIGN_LETTER, LH_DOES_SIGN, "mo", "bar"},
    {"lbrace", "{", LH_SIGN_OPEN, LH_DOES_SIGN, "mo", "open brace"},
    {"rbrace", "}", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", "close brace"},
    {"lvert", "|", LH_SIGN_OPEN, LH_DOES_SIGN, "mo", "open bar"},
    {"rvert", "|", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", "close bar"},
    {"lVert", "‖", LH_SIGN_OPEN, LH_DOES_SIGN, "mo", "open norm"},
    {"rVert", "‖", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", "close norm"},
    {"langle", "⟨", LH_SIGN_OPEN, LH_DOES_SIGN, "mo", "open angle"},
    {"rangle", "⟩", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", "close angle"},
    {"lfloor", "⌊", LH_SIGN_OPEN, LH_DOES_SIGN, "mo", "floor of"},
    {"rfloor", "⌋", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", "end floor"},
    {"lceil", "⌈", LH_SIGN_OPEN, LH_DOES_SIGN, "mo", "ceiling of"},
    {"rceil", "⌉", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", "end ceiling"},
    {",", ",", LH_SIGN_COMMA, LH_DOES_SIGN, "mo", ","},
    {";", ";", LH_SIGN_COMMA, LH_DOES_SIGN, "mo", ";"},
    {"colon", ":", LH_SIGN_COMMA, LH_DOES_SIGN, "mo", "colon"},
    {"!", "!", LH_SIGN_CLOSE, LH_DOES_SIGN, "mo", "factorial"},
    {".", ".", LH_SIGN_LETTER, LH_DOES_SIGN, "mo", "point"},
    {"?", "?", LH_SIGN_LETTER, LH_DOES_SIGN, "mo", "question mark"},
    {",", "0.1667em", LH_SIGN_SPACE, LH_DOES_SPACE, "mspace", ""},
    {":", "0.2222em", LH_SIGN_SPACE, LH_DOES_SPACE, "mspace", ""},
    {">", "0.2222em", LH_SIGN_SPACE, LH_DOES_SPACE, "mspace", ""},
    {";", "0.2778em", LH_SIGN_SPACE, LH_DOES_SPACE, "mspace", ""},
    {" ", "0.3333em", LH_SIGN_SPACE, LH_DOES_SPACE, "mspace", ""},
    {"!", "0em", LH_SIGN_SPACE, LH_DOES_SPACE, "mspace", ""},
    {"quad", "1em", LH_SIGN_SPACE, LH_DOES_SPACE, "mspace", ""},
    {"qquad", "2em", LH_SIGN_SPACE, LH_DOES_SPACE, "mspace", ""},
    {"frac", "", LH_SIGN_INNER, LH_DOES_FRACTION, "mfrac", "over"},
    {"dfrac", "", LH_SIGN_INNER, LH_DOES_FRACTION, "mfrac", "over"},
    {"tfrac", "", LH_SIGN_INNER, LH_DOES_FRACTION, "mfrac", "over"},
    {"sqrt", "√", LH_SIGN_LETTER, LH_DOES_ROOT, "msqrt", "the square root of"},
    {"hat", "\xCC\x82", LH_SIGN_LETTER, LH_DOES_ACCENT, "mover", "hat"},
    {"widehat", "\xCC\x82", LH_SIGN_LETTER, LH_DOES_ACCENT, "mover", "hat"},
    {"bar", "\xCC\x84", LH_SIGN_LETTER, LH_DOES_ACCENT, "mover", "bar"},
    {"overline", "\xCC\x85", LH_SIGN_LETTER, LH_DOES_ACCENT, "mover", "bar"},
    {"tilde", "\xCC\x83", LH_SIGN_LETTER, LH_DOES_ACCENT, "mover", "tilde"},
    {"widetilde", "\xCC\x83", LH_SIGN_LETTER, LH_DOES_ACCENT, "mover", "tilde"},
    {"vec", "\xE2\x83\x97", LH_SIGN_LETTER, LH_DOES_ACCENT, "mover", "vector"},
    {"dot", "\xCC\x87", LH_SIGN_LETTER, LH_DOES_ACCENT, "mover", "dot"},
    {"ddot", "\xCC\x88", LH_SIGN_LETTER, LH_DOES_ACCENT, "mover", "double dot"},
    {"underbrace", "⏟", LH_SIGN_INNER, LH_DOES_UNDER, "munder", "called"},
    {"overbrace", "⏞", LH_SIGN_INNER, LH_DOES_OVER, "mover", "called"},
    {"mathrm", "", LH_SIGN_LETTER, LH_DOES_ALPHABET, "mi", "roman"},
    {"mathbf", "", LH_SIGN_LETTER, LH_DOES_ALPHABET, "mi", "bold"},
    {"boldsymbol", "", LH_SIGN_LETTER, LH_DOES_ALPHABET, "mi", "bold"},
    {"bm", "", LH_SIGN_LETTER, LH_DOES_ALPHABET, "mi", "bold"},
    {"mathbb", "", LH_SIGN_LETTER, LH_DOES_ALPHABET, "mi", "double"},
    {"mathcal", "", LH_SIGN_LETTER, LH_DOES_ALPHABET, "mi", "script"},
    {"text", "", LH_SIGN_LETTER, LH_DOES_TEXT, "mtext", ""},
    {"textrm", "", LH_SIGN_LETTER, LH_DOES_TEXT, "mtext", ""},
    {"mbox", "", LH_SIGN_LETTER, LH_DOES_TEXT, "mtext", ""},
    {"operatorname", "", LH_SIGN_FUNCTION, LH_DOES_NAME, "mi", ""},
    {"left", "", LH_SIGN_OPEN, LH_DOES_LEFT, "mo", ""},
    {"middle", "", LH_SIGN_RELATION, LH_DOES_SIZE, "mo", ""},
    {"right", "", LH_SIGN_CLOSE, LH_DOES_RIGHT, "mo", ""},
    {"big", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"Big", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"bigg", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"Bigg", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"bigl", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"Bigl", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"biggl", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"Biggl", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"bigr", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"Bigr", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"biggr", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"Biggr", "", LH_SIGN_LETTER, LH_DOES_SIZE, "mo", ""},
    {"begin", "", LH_SIGN_INNER, LH_DOES_BEGIN, "mtable", ""},
    {"end", "", LH_SIGN_INNER, LH_DOES_END, "mtable", ""},
    {"matrix", "", LH_SIGN_INNER, LH_DOES_ENVIRONMENT, "mtable", "a matrix"},
    {"pmatrix", "()", LH_SIGN_INNER, LH_DOES_ENVIRONMENT, "mtable", "a matrix"},
    {"bmatrix", "[]", LH_SIGN_INNER, LH_DOES_ENVIRONMENT, "mtable", "a matrix"},
    {"vmatrix", "||", LH_SIGN_INNER, LH_DOES_ENVIRONMENT, "mtable", "the determinant"},
    {"Vmatrix", "‖‖", LH_SIGN_INNER, LH_DOES_ENVIRONMENT, "mtable", "a matrix"},
    {"cases", "{", LH_SIGN_INNER, LH_DOES_ENVIRONMENT, "mtable", "cases"},
    {"aligned", "", LH_SIGN_INNER, LH_DOES_ENVIRONMENT, "mtable", "lines"},
};
/* clang-format on */

const int lh_n_formula_commands = (int)(sizeof lh_formula_commands / sizeof *lh_formula_commands);

/* Read as it stands, without a backslash: + ( = and the like. */
static bool is_bare(const lh_formula_command *c) {
    return !c->name[1] && c->does == LH_DOES_SIGN && strchr("+-*/=<>:()[],;!.?", c->name[0]);
}

const lh_formula_command *lh_formula_find(const char *name, size_t n, bool environment) {
    for (int i = 0; i < lh_n_formula_commands; i++) {
        const lh_formula_command *c = &lh_formula_commands[i];
        if ((c->does == LH_DOES_ENVIRONMENT) != environment || is_bare(c)) continue;
        if (strlen(c->name) == n && memcmp(c->name, name, n) == 0) return c;
    }
    return NULL;
}

/* The name of a bare sign is what is typed (-), its sign what is meant (−): both are found. */
const lh_formula_command *lh_formula_find_sign(const char *sign) {
    for (int i = 0; i < lh_n_formula_commands; i++) {
        const lh_formula_command *c = &lh_formula_commands[i];
        if (is_bare(c) && strcmp(c->name, sign) == 0) return c;
    }
    for (int i = 0; i < lh_n_formula_commands; i++) {
        const lh_formula_command *c = &lh_formula_commands[i];
        if (c->does == LH_DOES_SIGN && strcmp(c->sign, sign) == 0) return c;
    }
    return NULL;
}

const char *lh_formula_nearest(lh_arena *a, const char *name, size_t n, bool environment) {
    const char **known = lh_alloc_array(a, (size_t)lh_n_formula_commands, sizeof *known);
    int count = 0;
    for (int i = 0; known && i < lh_n_formula_commands; i++) {
        const lh_formula_command *c = &lh_formula_commands[i];
        if ((c->does == LH_DOES_ENVIRONMENT) == environment && c->name[1]) known[count++] = c->name;
    }
    return known ? lh_nearest(lh_copy(a, name, n < 100 ? n : 100), known, count) : NULL;
}

char *lh_formula_example(lh_arena *a, const lh_formula_command *c) {
    const char *slash = is_bare(c) ? "" : "\\";
    switch (c->does) {
    case LH_DOES_LIMITS: return lh_printf(a, "\\%s_{i} x_i", c->name);
    case LH_DOES_SPACE: return lh_printf(a, "a\\%s b", c->name);
    case LH_DOES_FRACTION: return lh_printf(a, "\\%s{a}{b}", c->name);
    case LH_DOES_ROOT: return lh_printf(a, "\\%s[3]{x}", c->name);
    case LH_DOES_UNDER: return lh_printf(a, "\\%s{a + b}_{c}", c->name);
    case LH_DOES_OVER: return lh_printf(a, "\\%s{a + b}^{c}", c->name);
    case LH_DOES_ACCENT: return lh_printf(a, "\\%s{x}", c->name);
    case LH_DOES_ALPHABET: return lh_printf(a, "\\%s{R}", c->name);
    case LH_DOES_TEXT: return lh_printf(a, "x \\%s{ if } y", c->name);
    case LH_DOES_NAME: return lh_printf(a, "\\%s{softmax}(x)", c->name);
    case LH_DOES_LEFT:
    case LH_DOES_RIGHT: return lh_printf(a, "\\left( x \\right]");
    case LH_DOES_SIZE:
        return lh_printf(
            a, strcmp(c->name, "middle") == 0 ? "\\left( x \\%s| y \\right)" : "\\%s| x \\Big|",
            c->name);
    case LH_DOES_BEGIN:
    case LH_DOES_END: return lh_printf(a, "\\begin{matrix} a \\end{matrix}");
    case LH_DOES_ENVIRONMENT:
        return lh_printf(a, "\\begin{%s} a & b \\\\ c & d \\end{%s}", c->name, c->name);
    case LH_DOES_SIGN: break;
    }
    if (c->class == LH_SIGN_LARGE || c->class == LH_SIGN_INTEGRAL)
        return lh_printf(a, "\\%s_{i=1}^{n} x_i", c->name);
    if (c->class == LH_SIGN_FUNCTION || c->class == LH_SIGN_PREFIX)
        return lh_printf(a, "\\%s x", c->name);
    if (strcmp(c->mathml, "mi") == 0) return lh_printf(a, "\\%s", c->name);
    return lh_printf(a, "x %s%s y", slash, c->name);
}
