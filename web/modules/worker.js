/* worker -- the engine's side of the page. It runs in a worker, so that the page never waits: a lesson that trains for a minute can be
 * stopped by ending the worker.
 *
 * startWorker is sent to the worker as text (pages opened from a disk may not load one from a file), so it uses nothing from outside itself.
 *
 *     page -> worker   {id: 0, engine: "base64 of gzip"}        once
 *                      {id: 7, call: ["explain", "P[1][0]"]}
 *                      {id: 8, files: [{name: "config.json", file: File}]}     what the engine finds below /model, in place of what was there
 *     worker -> page   {id: 7, result: {...}}  or  {id: 7, result: {error: {...}}, isNew: true} after the engine had to begin anew */

/* eslint-disable no-restricted-globals */
export function startWorker() {
  /** @typedef {{memory: WebAssembly.Memory, room: (n: number) => number, call: (at: number, n: number) => number, size: () => number, _initialize: () => void}} Exports */
  /** @type {WebAssembly.Module | null} */
  let compiled = null;
  /** @type {Exports | null} */
  let engine = null;
  const encoder = new TextEncoder(), decoder = new TextDecoder(), FileReader = /** @type {any} */ (self).FileReaderSync;

  /** @param {string} packed */
  async function unpack(packed) {
    const text = atob(packed), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  }

  /** @type {{name: string, file: Blob}[]} the files of the reader's own model */
  let files = [];
  /** @type {Map<number, {file: Blob, at: number}>} those that are open, by the number that the engine knows them by */
  const open = new Map();
  let nextOpen = 10;

  /** @returns {DataView} memory may have moved since the last call */
  const memory = () => new DataView(/** @type {Exports} */ (engine).memory.buffer);

  /** @param {number} at @param {number} n @returns {Blob | null | undefined} the file that is named there; null: the folder itself */
  function named(at, n) {
    const name = decoder.decode(new Uint8Array(/** @type {Exports} */ (engine).memory.buffer, at, n).slice());
    return name === "" || name === "." ? null : files.find(f => f.name === name)?.file;
  }

  /** @param {number} to @param {Blob | null} file @returns {number} */
  function writeStat(to, file) {
    const m = memory();
    for (let i = 0; i < 64; i += 8) m.setBigUint64(to + i, 0n, true);
    m.setUint8(to + 16, file ? 4 : 3); /* a plain file, or a folder */
    m.setBigUint64(to + 24, 1n, true);
    m.setBigUint64(to + 32, BigInt(file ? file.size : 0), true);
    return 0;
  }

  /** Some bytes of a file into the buffers that the engine lists. @param {Blob} file @param {number} from @param {number} list @param {number} n @returns {number} how many */
  function readInto(file, from, list, n) {
    let done = 0;
    for (let i = 0; i < n; i++) {
      const at = memory().getUint32(list + 8 * i, true), wanted = memory().getUint32(list + 8 * i + 4, true);
      for (let got = 0; got < wanted && from + done < file.size;) {
        const many = Math.min(wanted - got, 1 << 24), bytes = new Uint8Array(new FileReader().readAsArrayBuffer(file.slice(from + done, from + done + many)));
        new Uint8Array(/** @type {Exports} */ (engine).memory.buffer, at + got, bytes.length).set(bytes);
        got += bytes.length;
        done += bytes.length;
        if (bytes.length < many) break;
      }
    }
    return done;
  }

  /** The few questions about files that the engine has, as WASI numbers them: one folder, to be read only. 8: not open, 44: not there. @type {Record<string, Function>} */
  const folder = {
    fd_prestat_get: (/** @type {number} */ fd, /** @type {number} */ to) => {
      if (fd !== 3) return 8;
      memory().setUint32(to, 0, true);
      memory().setUint32(to + 4, 6, true);
      return 0;
    },
    fd_prestat_dir_name: (/** @type {number} */ fd, /** @type {number} */ to, /** @type {number} */ n) => {
      new Uint8Array(/** @type {Exports} */ (engine).memory.buffer, to, n).set(encoder.encode("/model").slice(0, n));
      return fd === 3 ? 0 : 8;
    },
    fd_fdstat_get: (/** @type {number} */ fd, /** @type {number} */ to) => {
      if (fd !== 3 && !open.has(fd)) return 8;
      const m = memory();
      m.setBigUint64(to, 0n, true);
      m.setUint8(to, fd === 3 ? 3 : 4);
      m.setBigInt64(to + 8, -1n, true);
      m.setBigInt64(to + 16, -1n, true);
      return 0;
    },
    fd_fdstat_set_flags: () => 0,
    fd_filestat_get: (/** @type {number} */ fd, /** @type {number} */ to) => fd === 3 ? writeStat(to, null) : open.has(fd) ? writeStat(to, open.get(fd)?.file || null) : 8,
    path_filestat_get: (/** @type {number} */ _fd, /** @type {number} */ _flags, /** @type {number} */ at, /** @type {number} */ n, /** @type {number} */ to) => {
      const file = named(at, n);
      return file === undefined || !files.length ? 44 : writeStat(to, file);
    },
    path_open: (/** @type {number} */ _fd, /** @type {number} */ _links, /** @type {number} */ at, /** @type {number} */ n, /** @type {number} */ _how, /** @type {bigint} */ _may, /** @type {bigint} */ _all, /** @type {number} */ _flags, /** @type {number} */ to) => {
      const file = named(at, n);
      if (!file) return 44;
      open.set(nextOpen, { file, at: 0 });
      memory().setUint32(to, nextOpen++, true);
      return 0;
    },
    fd_read: (/** @type {number} */ fd, /** @type {number} */ list, /** @type {number} */ n, /** @type {number} */ to) => {
      const f = open.get(fd);
      if (!f) return 8;
      const done = readInto(f.file, f.at, list, n);
      f.at += done;
      memory().setUint32(to, done, true);
      return 0;
    },
    fd_pread: (/** @type {number} */ fd, /** @type {number} */ list, /** @type {number} */ n, /** @type {bigint} */ from, /** @type {number} */ to) => {
      const f = open.get(fd);
      if (!f) return 8;
      memory().setUint32(to, readInto(f.file, Number(from), list, n), true);
      return 0;
    },
    fd_seek: (/** @type {number} */ fd, /** @type {bigint} */ by, /** @type {number} */ from, /** @type {number} */ to) => {
      const f = open.get(fd);
      if (!f) return 8;
      f.at = Number(by) + (from === 1 ? f.at : from === 2 ? f.file.size : 0);
      memory().setBigUint64(to, BigInt(f.at), true);
      return 0;
    },
    fd_close: (/** @type {number} */ fd) => open.delete(fd) ? 0 : 8,
  };

  /* Besides files the engine asks the system for nothing but the time; all else is not there (8: EBADF). */
  /** @param {WebAssembly.Module} module @returns {any} */
  function system(module) {
    /** @type {Record<string, Record<string, Function>>} */
    const imports = {};
    for (const wanted of WebAssembly.Module.imports(module)) {
      const group = imports[wanted.module] = imports[wanted.module] || {};
      group[wanted.name] = folder[wanted.name] || (() => 8);
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
      const { id, call, engine: packed, files: given } = event.data;
      try {
        if (packed) {
          compiled = await unpack(packed);
          await begin();
          postMessage({ id, result: {} });
        } else if (given) {
          files = given;
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
