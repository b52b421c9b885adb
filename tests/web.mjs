// node web.mjs MODULE PROGRAM ROOT: the module of a page and the program say the same of Examples 1 to 6, of sheets and of exercises.
// Prints TAP. Numbers that follow from exp, log, sin or cos may differ in the last digits: the C libraries round these in their own ways.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { open } from './web_module.mjs';

const [module, program, root] = process.argv.slice(2);
const engine = open(module);
let count = 0, failed = 0;

/** @param {boolean} is_good @param {string} name @param {string} [why] */
function check(is_good, name, why) {
    count++;
    if (!is_good) failed++;
    console.log(`${is_good ? 'ok' : 'not ok'} ${count} - ${name}`);
    if (!is_good && why) console.log('# ' + why.slice(0, 500));
}

/** What the program prints, whatever it thinks of it. */
function run(...words) {
    try {
        return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
    } catch (error) {
        return error.stdout;
    }
}

/** Where the two differ, or null. Numbers may by a billionth; words not at all. @returns {string | null} */
function difference(a, b, at = '') {
    if (typeof a === 'number' && typeof b === 'number') {
        return Math.abs(a - b) <= 1e-9 * (1 + Math.abs(a)) ? null : `${at}: ${a} and ${b}`;
    }
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b ? null : `${at}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`;
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    for (const name of names) {
        const found = difference(a[name] ?? null, b[name] ?? null, `${at}/${name}`);
        if (found) return found;
    }
    return null;
}

function compare(name, words, call, drop = []) {
    const there = JSON.parse(run(...words) || 'null'), here = engine.call(...call);
    for (const field of drop) {
        if (there) delete there[field];
        delete here[field];
    }
    const found = here.error ? here.error.what : difference(there, here);
    return found ? `${name}: ${found}` : null;
}

for (const folder of ['lessons', 'models']) {
    for (const file of readdirSync(`${root}/${folder}`)) {
        if (/\.(md|lh)$/.test(file)) engine.call('text', `${folder}/${file}`, readFileSync(`${root}/${folder}/${file}`, 'utf8'));
    }
}
const lessons = readdirSync(`${root}/lessons`).filter((f) => f.endsWith('.md')).map((f) => f.slice(0, -3));

// Every step of Examples 1 to 6, and one number of each explained down to what is given.
for (const name of ['ex1', 'ex2', 'ex3', 'ex4', 'ex5', 'ex6']) {
    engine.call('open', name);
    const wrong = [compare('run', ['run', name, '--json', '--all'], ['run'])];
    for (const step of engine.call('run').steps) {
        const address = step.values[0].length && step.values[0][0].length ? step.path.replace(/:=$/, '@1') : null;
        if (!address || step.path.includes('#')) continue;
        const there = JSON.parse(run('explain', name, address, '--deep', '--json') || 'null'), here = engine.call('explain', address, 'deep');
        if (!there) continue;
        const lines = (x) => x.lines.map((l) => [l.depth, l.label, l.formula, l.numbers, l.note]);
        wrong.push(here.error ? here.error.what : difference(lines(there), lines(here), address));
    }
    const first = wrong.find((x) => x);
    check(!first, `${name}: every step, explained`, first);
}

// Every lesson that has a sheet: blank, and its key marked with one number wrong.
const sheets = [];
let n_sheets = 0, n_answers = 0;
for (const name of lessons) {
    if (!/^```sheet/m.test(readFileSync(`${root}/lessons/${name}.md`, 'utf8'))) continue;
    engine.call('open', name);
    for (const seed of ['0', '3']) {
        const found = compare(`${name} seed ${seed}`, ['sheet', name, '--seed', seed, '--format', 'json'], ['sheet', `seed=${seed}`], ['note']);
        n_sheets++;
        if (found) sheets.push(found);
    }
}
check(sheets.length === 0 && n_sheets > 30, `all sheets, ${n_sheets}`, sheets.join('; '));

// Every exercise: its question, its key, and what is said of the key and of an answer that is wrong.
const exercises = [];
for (const name of lessons) {
    const opened = engine.call('open', name);
    for (const { exercise } of opened.exercises ?? []) {
        const n = String(exercise);
        const question = compare(`${name} ${n}`, ['exercise', name, n, '--json'], ['exercise', n], ['next', 'sheet', 'done']);
        const key = compare(`${name} ${n} key`, ['exercise', name, n, '--key', '--json'], ['exercise_key', n]);
        const right = engine.call('exercise_key', n).key;
        const answers = right ? [right, '1'] : ['1'];
        const judged = answers.map((x) => compare(`${name} ${n} ${x}`, ['exercise', name, n, '--answer', x, '--json'], ['judge', n, x]));
        n_answers += answers.length;
        exercises.push(...[question, key, ...judged].filter((x) => x));
    }
}
check(exercises.length === 0 && n_answers > 300, `all exercises, ${n_answers} answers`, exercises.join('; '));

// A sheet of ex3 with mistakes: the same marks.
const blank = JSON.parse(run('sheet', 'ex3', '--seed', '7', '--format', 'json')), key = JSON.parse(run('sheet', 'ex3', '--seed', '7', '--format', 'json', '--key'));
engine.call('open', 'ex3');
blank.answers = key.answers;
blank.answers.Z = blank.answers.S;
const marked = engine.call('mark', JSON.stringify(blank));
const file = `${mkdtempSync('/tmp/longhand-web-')}/sheet 1.json`;
writeFileSync(file, JSON.stringify(blank));
const there = JSON.parse(run('mark', 'ex3', file, '--json'));
for (const x of [...there.sheets, ...marked.sheets]) delete x.file, delete x.learner;
const found = difference(there, marked);
check(!found && marked.sheets[0].steps.some((s) => s.mistakes.length > 0), 'a marked sheet with a mistake that has a name', found ?? 'no mistake is named');

// Lessons as HTML: the module's own reader of Markdown and the program's come to the same, pictures and checks aside: a check needs wider numbers than the module has.
const book = mkdtempSync('/tmp/longhand-web-');
run('book', '-o', book);
const bare = (html) => html.replace(/<svg[^]*?<\/svg>/g, '').replace(/<ul class="check">[^]*?<\/ul>\n(<p>no gradients.*<\/p>\n)?<p>.*all is well.*<\/p>\n/g, '').trim();
const apart = ['errata', 'cost']; // one counts what travels with the program, one has models that 32 bits cannot count
const pages = [];
for (const name of lessons) {
    const page = readFileSync(`${book}/${name}.html`, 'utf8'), from = page.indexOf('<article');
    engine.call('open', name);
    const here = bare(engine.call('lesson').html ?? ''), there = bare(page.slice(page.indexOf('>', from) + 2, page.indexOf('</article>')));
    if (here !== there && !apart.includes(name)) pages.push(name);
}
check(pages.length === 0 && lessons.length > 40, `${lessons.length} lessons as HTML`, pages.join(' '));

// Points and curves of pictures: each address is that of the number which is said beside it, and written as `explain` writes it.
const plain = (text) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&amp;/g, '&');
const touched = /<rect class="spot" data-at="([^"]*)"(?: data-across="([^"]*)")? aria-label="([^"]*)"/g;
const strays = [];
let points = 0;
for (const name of lessons) {
    engine.call('open', name);
    for (const [, at, across, label] of readFileSync(`${book}/${name}.html`, 'utf8').matchAll(touched)) {
        const said = [across, at].filter(Boolean).map((a) => [plain(a), engine.call('explain', plain(a))]);
        points++;
        if (said.some(([a, told]) => told.at !== a) || said.map(([a, told]) => `${a} = ${told.text}`).join(', ') !== plain(label)) strays.push(`${name} ${label}`);
    }
}
check(strays.length === 0 && points > 5000, `${points} points of pictures are the numbers that they say`, strays.slice(0, 5).join('; '));

// What is hostile stays text.
engine.call('text', 'bad.md', '# Mine\n\n<img src=x onerror=alert(1)>\n\nHere <script>alert(1)</script> [x](javascript:alert(1)) [y](javascript://%0aalert(1)) {{2 < 1}} {{nobody}}\n\n' +
    '```longhand\nconst a = 2   # <script>\nb = a * 3\n```\n\n```show\nheat nothing\n```\n');
engine.call('open', 'bad.md');
const hostile = engine.call('lesson');
check(!/<script|<img|href="javascript/i.test(hostile.html) && hostile.html.includes('&lt;script&gt;') && hostile.problems.length > 0, 'a hostile lesson stays text', JSON.stringify(hostile));

// 100 rounds of what a reader does take no more memory.
engine.call('open', 'ex4');
const round = (i) => {
    engine.call('set', 'E[0][1]', String((i % 10) / 10));
    engine.call('refresh');
    engine.call('explain', 'P{example 1}[1][0]', 'deep');
    engine.call('set', 'E', '[1');
};
for (let i = 0; i < 20; i++) round(i);
const before = engine.bytes();
for (let i = 0; i < 100; i++) round(i);
check(engine.bytes() <= before + (32 << 20), 'memory does not grow with the calls', `${before} bytes, then ${engine.bytes()}`);
console.log(`1..${count}`);
process.exitCode = failed ? 1 : 0;
