// The module of a page under node: as a page calls it.
import { readFileSync } from 'node:fs';

/** Nothing of the system is there: every import says so, and an exit is an error. */
function nothing() {
    const refuse = () => 8; // EBADF: no file is open
    return new Proxy({}, {
        get: (_, name) => name === 'proc_exit' ? () => { throw new Error('the module ended'); } : refuse,
    });
}

/** @param {string} path @returns {{call: (...texts: string[]) => any, text: (...texts: string[]) => string, bytes: () => number}} */
export function open(path) {
    const module = new WebAssembly.Module(readFileSync(path));
    const imports = {};
    for (const { module: from } of WebAssembly.Module.imports(module)) imports[from] = nothing();
    const { exports } = new WebAssembly.Instance(module, imports);
    exports._initialize?.();
    const encoder = new TextEncoder(), decoder = new TextDecoder();
    function text(...texts) {
        const bytes = encoder.encode(texts.map((t) => t + '\0').join(''));
        const at = exports.room(bytes.length);
        new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
        const answer = exports.call(at, bytes.length);
        return decoder.decode(new Uint8Array(exports.memory.buffer, answer, exports.size()));
    }
    return { text, call: (...texts) => JSON.parse(text(...texts)), bytes: () => exports.memory.buffer.byteLength };
}
