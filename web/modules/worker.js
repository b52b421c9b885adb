/* worker -- the engine's side of the page. It runs in a worker, so that the page never waits: a lesson that trains for a minute can be
 * stopped by ending the worker.
 *
 * startWorker is sent to the worker as text (pages opened from a disk may not load one from a file), so it uses nothing from outside itself.
 *
 *     page -> worker   {id: 0, engine: "base64 of gzip"}        once
 *                      {id: 7, call: ["explain", "P[1][0]"]}
 *     worker -> page   {id: 7, result: {...}}  or  {id: 7, result: {error: {...}}, isNew: true} after the engine had to begin anew */

/* eslint-disable no-restricted-globals */
export function startWorker() {
  /** @typedef {{memory: WebAssembly.Memory, room: (n: number) => number, call: (at: number, n: number) => number, size: () => number, _initialize: () => void}} Exports */
  /** @type {WebAssembly.Module | null} */
  let compiled = null;
  /** @type {Exports | null} */
  let engine = null;
  const encoder = new TextEncoder(), decoder = new TextDecoder();

  /** @param {string} packed */
  async function unpack(packed) {
    const text = atob(packed), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  }

  /* The engine asks the system for nothing but the time; no file is open, and none can be (8: EBADF). */
  /** @param {WebAssembly.Module} module @returns {any} */
  function system(module) {
    /** @type {Record<string, Record<string, Function>>} */
    const imports = {};
    for (const wanted of WebAssembly.Module.imports(module)) {
      const group = imports[wanted.module] = imports[wanted.module] || {};
      group[wanted.name] = () => 8;
      if (wanted.name === "proc_exit") group[wanted.name] = (/** @type {number} */ status) => { throw new Error("the engine ended: " + status); };
      if (wanted.name === "clock_time_get")
        group[wanted.name] = (/** @type {number} */ _clock, /** @type {bigint} */ _precision, /** @type {number} */ at) => {
          new DataView(/** @type {Exports} */ (engine).memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
          return 0;
        };
    }
    return imports;
  }

  async function begin() {
    if (!compiled) throw new Error("there is no engine");
    const instance = await WebAssembly.instantiate(compiled, system(compiled));
    engine = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
    engine._initialize();
  }

  /** @param {string[]} words @returns {any} */
  function ask(words) {
    if (!engine) throw new Error("there is no engine");
    const bytes = encoder.encode(words.join("\0") + "\0"), at = engine.room(bytes.length);
    if (!at) return { error: { kind: "memory", line: 0, what: "there is no memory left", cure: "" } };
    new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
    const from = engine.call(at, bytes.length);
    return JSON.parse(decoder.decode(new Uint8Array(engine.memory.buffer, from, engine.size())));
  }

  /** Memory or stack ran out: the instance is of no use any more. @param {number} id @param {unknown} e */
  async function mend(id, e) {
    const what = "this is too much for the browser: " + (e instanceof Error ? e.message : String(e));
    await begin().catch(() => { engine = null; });
    postMessage({ id, isNew: true, result: { error: { kind: "limit", line: 0, what, cure: "try smaller sizes or fewer steps" } } });
  }

  /* One after another, although unpacking takes a while. */
  let before = Promise.resolve();
  self.onmessage = event => {
    before = before.then(async () => {
      const { id, call, engine: packed } = event.data;
      try {
        if (packed) {
          compiled = await unpack(packed);
          await begin();
          postMessage({ id, result: {} });
        } else {
          postMessage({ id, result: ask(call) });
        }
      } catch (e) {
        if (compiled) await mend(id, e);
        else postMessage({ id, result: { error: { kind: "file", line: 0, what: "the engine cannot be loaded: " + e, cure: "" } } });
      }
    });
  };
}
