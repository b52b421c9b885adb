// Makes tests/golden/tokenizer-*.json: small tokenisers of every kind, and hashes of what Hugging Face tokenizers makes of 10,000 strings each.
//
//     npm install tokenizers@0.23.2 && node scripts/golden/tokenizers.js tests/golden
//
// The strings are made from tests/golden/nasty.json by a counter, in the same way here and in tests/test_golden_tokenizers.c.
'use strict';
const fs = require('fs'), path = require('path');
const { Tokenizer } = require(require.resolve('tokenizers', { paths: [process.cwd()] }));
const folder = process.argv[2], STRINGS = 10000, BLOCK = 100;
const atoms = JSON.parse(fs.readFileSync(path.join(folder, 'nasty.json'), 'utf8'));

// ---- strings, as in the test ----
let state = 1;
const seed = n => { state = (Math.imul(n + 1, 0x9E3779B1) | 1) >>> 0; };
const draw = n => {
  state ^= state << 13; state >>>= 0; state ^= state >>> 17; state ^= state << 5; state >>>= 0;
  return state % n;
};
// Characters that were there in Unicode 8: the reference's tables of marks and signs end about there.
const ranges = [[1, 0x7F], [0x80, 0x24F], [0x250, 0x36F], [0x400, 0x52F], [0x5D0, 0x5EA], [0x621, 0x652], [0x905, 0x94D], [0xE01, 0xE3A], [0x10D0, 0x10F5],
  [0x1100, 0x11F9], [0x1E00, 0x1EFF], [0x2000, 0x2BFF], [0x3041, 0x3096], [0x3099, 0x30FF], [0x3200, 0x32FE], [0x4E00, 0x9FA5], [0xAC00, 0xD7A3], [0xF900, 0xFA6D],
  [0xFB00, 0xFB06], [0xFE30, 0xFFEF], [0x1D400, 0x1D7FF], [0x1F300, 0x1F64F], [0x20000, 0x2A6D6]];
function string(i) {
  seed(i);
  let s = '';
  const n = draw(24);
  for (let k = 0; k < n; k++) {
    const what = draw(10);
    if (what < 7) s += atoms[draw(atoms.length)];
    else if (what < 9) { const r = ranges[draw(ranges.length)]; s += String.fromCodePoint(r[0] + draw(r[1] - r[0] + 1)); }
    else { const a = atoms[draw(atoms.length)], m = 1 + draw(9); if (a.length < 8) s += a.repeat(m); }
    if (draw(3) === 0) s += ' ';
  }
  return s;
}

// ---- small vocabularies ----
const corpus = atoms.join(' ') + ' ' + `The quick brown fox jumps over the lazy dog. It's the end of the world, and we'll see what the others think of it; the
children are reading the letters that they were sending. Der schnelle braune Fuchs springt über den faulen Hund. Straße, Größe, Äpfel, schön.
Ça va? Où est la bibliothèque? El niño está aquí. Привет, как дела? Привет мир. 今天天气很好。你好，世界。日本語のテキスト。안녕하세요 세계.
for (int i = 0; i < 100; i++) { total += values[i] * 3.14; } return total; // 12345 67890 2024-11-16 reading writing thinking`;

function trainPairs(words, size, start) {              // words: arrays of symbols; the commonest pair is joined, first seen first
  const merges = [], vocab = [...start];
  const known = new Set(vocab);
  while (vocab.length < size) {
    const count = new Map();
    for (const w of words) for (let i = 0; i + 1 < w.length; i++) {
      const k = w[i] + '\u0000' + w[i + 1];
      count.set(k, (count.get(k) || 0) + 1);
    }
    let best = null, most = 1;
    for (const [k, n] of count) if (n > most) { best = k; most = n; }
    if (!best) break;
    const [a, b] = best.split('\u0000');
    merges.push([a, b]);
    if (!known.has(a + b)) { known.add(a + b); vocab.push(a + b); }
    for (const w of words) for (let i = 0; i + 1 < w.length; i++) if (w[i] === a && w[i + 1] === b) w.splice(i, 2, a + b);
  }
  return { merges, vocab };
}
const ids = list => Object.fromEntries(list.map((x, i) => [x, i]));

const alphabet = (() => {
  const shown = [];
  for (let b = 33; b < 127; b++) shown.push(b);
  for (let b = 161; b < 256; b++) if (b !== 173) shown.push(b);
  const c = {};
  shown.forEach(b => { c[b] = String.fromCharCode(b); });
  let n = 0;
  for (let b = 0; b < 256; b++) if (!(b in c)) c[b] = String.fromCharCode(256 + n++);
  return c;
})();
const bytesOf = s => [...Buffer.from(s, 'utf8')].map(b => alphabet[b]);

function bytePairs() {
  const words = corpus.match(/'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu).map(bytesOf);
  const start = Object.keys(alphabet).map(b => alphabet[b]);
  return trainPairs(words, 600, start);
}
function metaPairs() {
  const text = '▁' + corpus.replace(/ /g, '▁');
  const words = text.match(/▁*[^▁\n]+/gu).map(w => [...w]);
  const chars = [...new Set([...text].filter(c => c.codePointAt(0) < 0x600 || c === '▁'))].filter(c => c !== '\u0000');
  const bytes = Array.from({ length: 256 }, (_, b) => '<0x' + b.toString(16).toUpperCase().padStart(2, '0') + '>');
  const inside = new Set(chars);
  return { ...trainPairs(words.filter(w => w.every(c => inside.has(c))), 256 + 3 + chars.length + 300, ['<unk>', '<s>', '</s>', ...bytes, ...chars]), chars, bytes };
}
function unigrams(withBytes) {
  const text = '▁' + corpus.replace(/\s/g, '▁'), count = new Map();
  const list = [...text];
  for (let i = 0; i < list.length; i++) for (let n = 1; n <= 6 && i + n <= list.length; n++) {
    const s = list.slice(i, i + n).join('');
    if (s.indexOf('▁', 1) > 0 || (n === 1 && s.codePointAt(0) > 0x24F && s !== '▁')) continue;
    count.set(s, (count.get(s) || 0) + 1);
  }
  const kept = [...count].filter(([s, n]) => [...s].length === 1 || n > 5).slice(0, 700);
  const total = kept.reduce((a, [, n]) => a + n, 0);
  const bytes = Array.from({ length: 256 }, (_, b) => ['<0x' + b.toString(16).toUpperCase().padStart(2, '0') + '>', 0]);
  return [['<pad>', 0], ['</s>', 0], ['<unk>', 0], ...(withBytes ? bytes : []), ...kept.map(([s, n]) => [s, Math.round(Math.log(n / total) * 10000) / 10000])];
}
function wordPieces() {
  const words = corpus.normalize('NFD').replace(/\p{Mn}/gu, '').toLowerCase().match(/\p{L}+|\p{N}+|[^\s\p{L}\p{N}]/gu), count = new Map();
  for (const w of words) {
    const c = [...w];
    for (let i = 0; i < c.length; i++) for (let n = 1; n <= 5 && i + n <= c.length; n++) {
      const s = (i ? '##' : '') + c.slice(i, i + n).join('');
      count.set(s, (count.get(s) || 0) + 1);
    }
  }
  const kept = [...count].filter(([s, n]) => [...s.replace(/^##/, '')].length === 1 || n > 3).map(([s]) => s).filter(s => s.codePointAt(0) < 0x600 || s.length < 3);
  return ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...kept.slice(0, 900)];
}

const bp = bytePairs(), mp = metaPairs();
const models = {
  bytes: { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false, vocab: ids(bp.vocab), merges: bp.merges },
  meta: { type: 'BPE', dropout: null, unk_token: '<unk>', continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: true, byte_fallback: true, ignore_merges: false, vocab: ids(mp.vocab), merges: mp.merges },
  unigram: { type: 'Unigram', unk_id: 2, vocab: unigrams(false), byte_fallback: false },
  wordpiece: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab: ids(wordPieces()) },
};

// ---- kinds: what stands around a model; "change" is laid over the model's own fields ----
const added = (content, id, more) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...more });
const NB = bp.vocab.length, NM = mp.vocab.length, NU = models.unigram.vocab.length;
const byteLevel = (regex, space) => ({ type: 'ByteLevel', add_prefix_space: !!space, trim_offsets: true, use_regex: regex });
const split = (regex, behavior = 'Isolated', invert = false) => ({ type: 'Split', pattern: { Regex: regex }, behavior, invert });
const seqPre = (...p) => ({ type: 'Sequence', pretokenizers: p });
const template = (before, after, table) => ({
  type: 'TemplateProcessing',
  single: [...before.map(id => ({ SpecialToken: { id, type_id: 0 } })), { Sequence: { id: 'A', type_id: 0 } }, ...after.map(id => ({ SpecialToken: { id, type_id: 0 } }))],
  pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
  special_tokens: Object.fromEntries([...new Set([...before, ...after])].map(t => [t, { id: t, ids: [table[t]], tokens: [t] }])),
});
const cl100k = n => `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${n}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;
const tekken = "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const replaceSpace = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
const metaDecoder = strip => ({ type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: '▁' }, content: ' ' }, { type: 'ByteFallback' }, { type: 'Fuse' }, ...(strip ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : [])] });
const marks = (n, ...names) => names.map((x, i) => added(x, n + i));
const bytePost = byteLevel(true, false);
const metaspace = (prepend_scheme, s = true) => ({ type: 'Metaspace', replacement: '▁', prepend_scheme, split: s });
const llamaMarks = [added('<unk>', 0), added('<s>', 1), added('</s>', 2)];

const kinds = {
  gpt2: { model: 'bytes', added: marks(NB, '<|endoftext|>'), pre: byteLevel(true), post: bytePost, decoder: byteLevel(true) },
  'gpt2-saved-by-transformers-5': { model: 'bytes', added: marks(NB, '<|endoftext|>'), pre: byteLevel(true), post: template([], [], {}), decoder: byteLevel(true) },
  'roberta': { model: 'bytes', added: [...marks(NB, '<s>', '</s>'), added('<mask>', NB + 2, { lstrip: true })], pre: byteLevel(true, true), post: { type: 'RobertaProcessing', sep: ['</s>', NB + 1], cls: ['<s>', NB], trim_offsets: true, add_prefix_space: true }, decoder: byteLevel(true) },
  'gpt-neox': { model: 'bytes', added: [...marks(NB, '<|endoftext|>', '<|padding|>'), ...[8, 6, 5, 4, 3, 2].map((n, i) => added(' '.repeat(n), NB + 2 + i, { special: false, normalized: true }))], normalizer: { type: 'NFC' }, pre: byteLevel(true), post: template([], ['<|endoftext|>'], { '<|endoftext|>': NB }), decoder: byteLevel(true) },
  'llama-3': { model: 'bytes', change: { ignore_merges: true }, added: marks(NB, '<|begin_of_text|>', '<|im_start|>', '<|im_end|>'), pre: seqPre(split(cl100k('\\p{N}{1,3}')), byteLevel(false)), post: { type: 'Sequence', processors: [bytePost, template(['<|begin_of_text|>'], [], { '<|begin_of_text|>': NB })] }, decoder: byteLevel(true) },
  smollm2: { model: 'bytes', added: marks(NB, '<|endoftext|>', '<|im_start|>', '<|im_end|>'), pre: seqPre({ type: 'Digits', individual_digits: true }, byteLevel(true)), post: null, decoder: byteLevel(true) },
  qwen2: { model: 'bytes', added: [...marks(NB, '<|endoftext|>', '<|im_start|>', '<|im_end|>'), added('<extra>', NB + 3, { special: false })], normalizer: { type: 'NFC' }, pre: seqPre(split(cl100k('\\p{N}')), byteLevel(false)), post: byteLevel(false), decoder: byteLevel(false) },
  'olmo-2': { model: 'bytes', added: [...marks(NB, '<|endoftext|>'), added('<|im_start|>', NB + 1, { special: false, normalized: true })], pre: seqPre(split(cl100k('\\p{N}{1,3}')), byteLevel(false)), post: null, decoder: byteLevel(true) },
  'mistral-tekken': { model: 'bytes', change: { ignore_merges: true }, added: marks(NB, '<unk>', '<s>', '</s>'), pre: seqPre(split(tekken), byteLevel(false)), post: template(['<s>'], [], { '<s>': NB + 1 }), decoder: byteLevel(true) },
  'bytes-missing': { model: 'bytes', change: { unk_token: '!', fuse_unk: true }, drop: ['"', 'Ã', 'Ļ', '¨', 'Ģ'], added: [], pre: byteLevel(true), post: null, decoder: byteLevel(true) },
  'llama-2': { model: 'meta', added: llamaMarks, normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, replaceSpace] }, pre: null, post: template(['<s>'], [], { '<s>': 1 }), decoder: metaDecoder(true) },
  'llama-2-normalized-marks': { ids_only: true, model: 'meta', added: [added('<unk>', 0, { normalized: true }), added('<s>', 1, { normalized: true }), added('</s>', 2, { normalized: true, rstrip: true })], normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, replaceSpace] }, pre: null, post: template(['<s>'], ['</s>'], { '<s>': 1, '</s>': 2 }), decoder: metaDecoder(true) },
  'mistral-metaspace': { model: 'meta', added: llamaMarks, pre: metaspace('first', false), post: template(['<s>'], [], { '<s>': 1 }), decoder: metaDecoder(true) },
  gemma: { model: 'meta', added: [...llamaMarks, added('<start_of_turn>', NM), added('\n<end_of_turn>', NM + 1), added('  ', NM + 2, { special: false })], normalizer: replaceSpace, pre: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false }, post: template(['<s>'], [], { '<s>': 1 }), decoder: metaDecoder(false) },
  'phi-3': { model: 'meta', change: { fuse_unk: true }, added: [...llamaMarks.slice(0, 2), added('</s>', 2, { rstrip: true, special: false }), added('<|endoftext|>', NM), added('<|im_end|>', NM + 1, { rstrip: true })], normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, replaceSpace] }, pre: null, post: template([], [], {}), decoder: metaDecoder(true) },
  'meta-no-fallback': { model: 'meta', change: { byte_fallback: false, fuse_unk: false }, added: llamaMarks, normalizer: { type: 'NFKC' }, pre: metaspace('always'), post: null, decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true } },
  'meta-fused': { model: 'meta', change: { byte_fallback: false, fuse_unk: true }, added: llamaMarks, normalizer: { type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'Lowercase' }, { type: 'StripAccents' }] }, pre: metaspace('never'), post: null, decoder: null },
  unigram: { model: 'unigram', added: [added('<pad>', 0), added('</s>', 1), added('<unk>', 2), added('<mask>', NU, { lstrip: true, rstrip: true })], normalizer: { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }, { type: 'Strip', strip_left: false, strip_right: true }] }, pre: metaspace('always'), post: template([], ['</s>'], { '</s>': 1 }), decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true } },
  'unigram-bytes': { model: 'unigram-bytes', added: [added('<pad>', 0), added('</s>', 1), added('<unk>', 2)], normalizer: null, pre: seqPre({ type: 'WhitespaceSplit' }, metaspace('always', false)), post: null, decoder: { type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true }] } },
  bert: { model: 'wordpiece', added: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((x, i) => added(x, i)), normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true }, pre: { type: 'BertPreTokenizer' }, post: template(['[CLS]'], ['[SEP]'], { '[CLS]': 2, '[SEP]': 3 }), decoder: { type: 'WordPiece', prefix: '##', cleanup: true } },
  'bert-cased': { model: 'wordpiece', change: { max_input_chars_per_word: 7 }, added: [added('[PAD]', 0), added('[UNK]', 1), added('[CLS]', 2), added('[SEP]', 3), added('[MASK]', 4, { lstrip: true }), added('word', models_size('wordpiece'), { special: false, single_word: true, normalized: true })], normalizer: { type: 'BertNormalizer', clean_text: false, handle_chinese_chars: false, strip_accents: false, lowercase: false }, pre: { type: 'BertPreTokenizer' }, post: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] }, decoder: { type: 'WordPiece', prefix: '##', cleanup: false } },
  'word-level': { model: 'words', added: [added('[UNK]', 0)], normalizer: { type: 'NFKD' }, pre: { type: 'Whitespace' }, post: null, decoder: null, truncation: { direction: 'Left', max_length: 7, strategy: 'LongestFirst', stride: 0 } },
  'splits': { model: 'bytes', added: [], pre: seqPre({ type: 'Punctuation', behavior: 'Contiguous' }, { type: 'Split', pattern: { Regex: '\\s+' }, behavior: 'MergedWithNext', invert: false }, { type: 'Digits', individual_digits: false }, { type: 'CharDelimiterSplit', delimiter: 'x' }, split('[A-Z]?[a-zà-ÿ]+|\\d', 'MergedWithPrevious', false), byteLevel(false)), post: null, decoder: byteLevel(true) },
  'empty-sequences': { model: 'bytes', added: [], normalizer: { type: 'Sequence', normalizers: [] }, pre: seqPre(byteLevel(true)), post: { type: 'Sequence', processors: [] }, decoder: { type: 'Sequence', decoders: [byteLevel(true)] }, truncation: { direction: 'Right', max_length: 9, strategy: 'LongestFirst', stride: 2 } },
};
function models_size(name) { return Object.keys(models[name].vocab).length; }
models['unigram-bytes'] = { type: 'Unigram', unk_id: 2, vocab: unigrams(true), byte_fallback: true };
models.words = { type: 'WordLevel', vocab: ids(['[UNK]', ...new Set(corpus.normalize('NFKD').match(/[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]+/gu).slice(0, 400))]), unk_token: '[UNK]' };

function whole(kind) {                                  // the tokenizer.json
  const model = JSON.parse(JSON.stringify({ ...models[kind.model], ...(kind.change || {}) }));
  for (const d of kind.drop || []) {
    delete model.vocab[d];
    model.merges = model.merges.filter(m => !m.join('').includes(d));
    for (const k of Object.keys(model.vocab)) if (k !== d && k.includes(d)) delete model.vocab[k];
  }
  return { version: '1.0', truncation: kind.truncation || null, padding: null, added_tokens: kind.added, normalizer: kind.normalizer || null, pre_tokenizer: kind.pre, post_processor: kind.post, decoder: kind.decoder, model };
}

// ---- hashes: FNV-1a of 64 bits, over ids as four bytes each, a mark, and the decoded text ----
const PRIME = 0x100000001B3n, MASK = (1n << 64n) - 1n;
function fnv(bytes, h) {
  for (const b of bytes) h = ((h ^ BigInt(b)) * PRIME) & MASK;
  return h;
}
const idBytes = list => { const b = Buffer.alloc(4 * list.length + 4); list.forEach((x, i) => b.writeUInt32LE(x, 4 * i)); b.writeUInt32LE(0xFFFFFFFF, 4 * list.length); return b; };

(async () => {
  const only = process.argv[3];
  for (const [name, m] of Object.entries(models)) fs.writeFileSync(path.join(folder, `model-${name}.json`), JSON.stringify(m) + '\n');
  const out = [];
  for (const [name, kind] of Object.entries(kinds)) {
    if (only && only !== name) continue;
    const json = whole(kind), t = Tokenizer.fromString(JSON.stringify(json));
    const hashes = [], few = [];
    let h = 0xCBF29CE484222325n;
    for (let i = 0; i < STRINGS; i++) {
      const s = string(i), framed = (await t.encode(s, null, { addSpecialTokens: true })).getIds(), bare = (await t.encode(s, null, { addSpecialTokens: false })).getIds();
      const text = await t.decode(framed, false), read = await t.decode(framed, true);
      if (process.env.DUMP) fs.appendFileSync(process.env.DUMP, JSON.stringify({ kind: name, i, s, framed, bare, text, read }) + '\n');
      h = fnv(idBytes(framed), h); h = fnv(idBytes(bare), h); if (!kind.ids_only) h = fnv(Buffer.from(text + '\u0000' + read + '\u0000', 'utf8'), h);
      if ((i + 1) % BLOCK === 0) { hashes.push((h & 0xFFFFFFFFn).toString(16).padStart(8, '0')); h = 0xCBF29CE484222325n; }
    }
    const { model, ...around } = json;
    out.push({ name, ids_only: !!kind.ids_only, model: kind.model, change: kind.change || {}, drop: kind.drop || [], around, hashes: hashes.join('') });
    console.error(name, 'done');
  }
  if (!only) fs.writeFileSync(path.join(folder, 'tokenizers.json'), '[\n' + out.map(x => JSON.stringify(x)).join(',\n') + '\n]\n');
  if (only) fs.writeFileSync(path.join(process.env.TMP || '/tmp', only + '.json'), JSON.stringify(whole(kinds[only])));
})();
