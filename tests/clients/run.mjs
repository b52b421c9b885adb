/* run.mjs LONGHAND ROOT: what editors use beside ours. `longhand lsp`, spoken to with the library of VS Code's own protocol; the extension's
   package.json; its colours, by the part of VS Code that makes them. The last line is `N passed, N failed`. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const protocol = require("vscode-languageserver-protocol/node");
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");
const [program, root] = process.argv.slice(2);
const extension = join(root, "editors/vscode");

let passed = 0, failed = 0;
async function test(name, does) {
  try {
    await does();
    console.log(`ok ${++passed + failed} - ${name}`);
  } catch (e) {
    console.log(`not ok ${passed + ++failed} - ${name}\n# ${String(e && e.message || e).split("\n").slice(0, 8).join("\n# ")}`);
  }
}
function equal(seen, wanted) {
  if (JSON.stringify(seen) !== JSON.stringify(wanted)) throw new Error(`${JSON.stringify(seen)}, wanted ${JSON.stringify(wanted)}`);
}
function has(text, ...parts) {
  for (const part of parts) if (!String(text).includes(part)) throw new Error(`missing ${part} in ${String(text).slice(0, 500)}`);
}

/* ---- the language server ---- */

const wrong = "X = [1 2; 3 4]\nY = X @ [1 2 3]\n";
const right = "# a note\nZ = [1 2]\nP   =softmax(Z)\nfn twice(a)\n  y = a + a\nend\nQ = twice(P)\n";

async function languageServer() {
  const server = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin));
  const told = new Map(), waiting = new Map();
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, p => {
    told.set(p.uri, p.diagnostics);
    waiting.get(p.uri)?.(p.diagnostics);
  });
  const trouble = [];
  connection.onError(e => trouble.push(e));
  connection.listen();
  const ask = (type, uri, more = {}) => connection.sendRequest(type, { textDocument: { uri }, ...more });
  const open = (uri, text, languageId = "longhand") => new Promise(resolve => {
    waiting.set(uri, resolve);
    connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId, version: 1, text } });
  });
  const at = (line, character) => ({ position: { line, character } });
  const uri = "file:///my%20folder/right.lh";

  await test("initialize: what the server can do, in the words of the protocol", async () => {
    const { capabilities } = await connection.sendRequest(protocol.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} });
    await connection.sendNotification(protocol.InitializedNotification.type, {});
    for (const can of ["hoverProvider", "completionProvider", "definitionProvider", "renameProvider", "documentFormattingProvider", "foldingRangeProvider"])
      if (!capabilities[can]) throw new Error(`${can} is missing`);
  });
  await test("a diagnostic with its place and its cure", async () => {
    const [d] = await open("file:///wrong.lh", wrong);
    if (!protocol.Diagnostic.is(d)) throw new Error(`no diagnostic: ${JSON.stringify(d)}`);
    equal([d.range.start.line, d.severity], [1, protocol.DiagnosticSeverity.Error]);
    has(d.message, "2x2", "1x3");
  });
  await test("it goes when the mistake goes", async () => {
    const gone = new Promise(resolve => waiting.set("file:///wrong.lh", resolve));
    await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type,
      { textDocument: { uri: "file:///wrong.lh", version: 2 }, contentChanges: [{ text: wrong.replace("[1 2 3]", "[1; 2]") }] });
    equal(await gone, []);
  });
  await test("a right program has none", async () => equal(await open(uri, right), []));
  await test("hover: formula and value", async () => {
    const hover = await ask(protocol.HoverRequest.type, uri, at(2, 0));
    if (!protocol.Hover.is(hover)) throw new Error(`no hover: ${JSON.stringify(hover)}`);
    has(JSON.stringify(hover.contents), "softmax(Z)", "0.2689");
  });
  await test("hover on nothing is null", async () => equal(await ask(protocol.HoverRequest.type, uri, at(0, 4)), null));
  await test("completion", async () => {
    const answer = await ask(protocol.CompletionRequest.type, uri, at(2, 9));
    const items = Array.isArray(answer) ? answer : answer.items;
    if (!items.length || !items.every(i => typeof i.label === "string")) throw new Error("not all are items");
    has(items.map(i => i.label).join(" "), "softmax");
  });
  await test("definition", async () => {
    const found = [await ask(protocol.DefinitionRequest.type, uri, at(6, 5))].flat()[0];
    equal([found.uri, found.range.start.line], [uri, 3]);
  });
  await test("rename: every place, and no other", async () => {
    const edit = await ask(protocol.RenameRequest.type, uri, { ...at(1, 0), newName: "Scores" });
    if (!protocol.WorkspaceEdit.is(edit)) throw new Error(`no edit: ${JSON.stringify(edit)}`);
    const edits = edit.changes ? edit.changes[uri] : edit.documentChanges.flatMap(c => c.edits);
    equal(edits.map(e => e.range.start.line).sort(), [1, 2]);
  });
  await test("rename to what is no name is refused with a message", async () => {
    try {
      await ask(protocol.RenameRequest.type, uri, { ...at(1, 0), newName: "2 words" });
    } catch (e) {
      if (!(e instanceof protocol.ResponseError) || !e.message) throw e;
      return;
    }
    throw new Error("it was taken");
  });
  await test("formatting keeps the note", async () => {
    const document = require("vscode-languageserver-types").TextDocument.create(uri, "longhand", 1, right);
    const edits = await ask(protocol.DocumentFormattingRequest.type, uri, { options: { tabSize: 2, insertSpaces: true } });
    const text = require("vscode-languageserver-types").TextDocument.applyEdits(document, edits);
    has(text, "# a note", "P = softmax(Z)");
  });
  await test("folding", async () => {
    const folds = await ask(protocol.FoldingRangeRequest.type, uri);
    equal(folds.map(f => [f.startLine, f.endLine]).some(([a]) => a === 3), true);
  });
  await test("a lesson in Markdown", async () => {
    const told = await open("file:///lesson.md", "# A\n\n```longhand\nA = [1 2]\nB = A @ A\n```\n", "markdown");
    const wrong = told.filter(d => d.severity === protocol.DiagnosticSeverity.Error);
    equal(wrong.map(d => d.range.start.line), [4]);
  });
  await test("a request that it does not know is answered with an error, and it goes on", async () => {
    try {
      await ask("textDocument/nothingOfThisName", uri);
    } catch (e) {
      equal(e.code, protocol.ErrorCodes.MethodNotFound);
      has(JSON.stringify(await ask(protocol.HoverRequest.type, uri, at(2, 0))), "softmax");
      return;
    }
    throw new Error("it was answered");
  });
  await test("shutdown, exit: status 0, and no word that was not understood", async () => {
    const ended = new Promise(resolve => server.on("exit", resolve));
    await connection.sendRequest(protocol.ShutdownRequest.type);
    await connection.sendNotification(protocol.ExitNotification.type);
    equal(await ended, 0);
    equal(trouble, []);
  });
}

/* ---- the extension ---- */

const read = path => JSON.parse(readFileSync(join(extension, path), "utf8"));
const manifest = read("package.json");

async function packaging() {
  await test("package.json has what a package needs", () => {
    for (const key of ["name", "displayName", "publisher", "version", "engines", "main", "contributes", "license"])
      if (!manifest[key]) throw new Error(`${key} is missing`);
    equal(/^[a-z0-9-]+$/.test(manifest.name) && /^\^\d+\.\d+\.\d+$/.test(manifest.engines.vscode), true);
  });
  await test("its version is the program's", () => {
    const [, version] = /version: '([^']*)'/.exec(readFileSync(join(root, "meson.build"), "utf8"));
    equal(manifest.version, version);
  });
  await test("every file that it names is there", () => {
    const { languages, grammars } = manifest.contributes;
    for (const path of [manifest.main, ...languages.map(l => l.configuration), ...grammars.map(g => g.path)])
      if (!existsSync(join(extension, path))) throw new Error(`${path} is not there`);
    for (const g of grammars) equal(read(g.path).scopeName, g.scopeName);
  });
  await test("what it asks to be loaded is in VS Code or in its dependencies", () => {
    const text = readFileSync(join(extension, manifest.main), "utf8");
    for (const [, name] of text.matchAll(/require\('([^'/]+)/g))
      if (name !== "vscode" && !manifest.dependencies[name]) throw new Error(`${name} is in no dependency`);
    for (const [, name] of text.matchAll(/settings\.get\('([^']+)'/g))
      if (!manifest.contributes.configuration.properties[`longhand.${name}`]) throw new Error(`longhand.${name} is no setting`);
  });
}

/* ---- colours ---- */

async function colours() {
  const wasm = readFileSync(join(require.resolve("vscode-oniguruma"), "../onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const plain = { scopeName: "text.html.markdown", patterns: [] };
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({ createOnigScanner: p => new oniguruma.OnigScanner(p), createOnigString: s => new oniguruma.OnigString(s) }),
    loadGrammar: async scope => {
      const found = manifest.contributes.grammars.find(g => g.scopeName === scope);
      return found ? read(found.path) : scope === plain.scopeName ? plain : null;
    },
    getInjections: scope => manifest.contributes.grammars.filter(g => g.injectTo?.includes(scope)).map(g => g.scopeName),
  });
  const lines = (grammar, text) => {
    let state = textmate.INITIAL;
    return text.split("\n").map(line => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
      state = ruleStack;
      return tokens.map(t => [line.slice(t.startIndex, t.endIndex), t.scopes.at(-1)]);
    });
  };
  const grammar = await registry.loadGrammar("source.longhand");
  const scope = (text, word) => lines(grammar, text).flat().find(([seen]) => seen.trim() === word)?.[1];
  const cases = [
    ["X = softmax(Z)  # note", "softmax", "support.function.longhand"],
    ["X = softmax(Z)  # note", "# note", "comment.line.number-sign.longhand"],
    ["param W : 2 x 3 = normal(1)", "param", "storage.type.longhand"],
    ["param W : 2 x 3 = normal(1)", "W", "variable.other.constant.longhand"],
    ["fn twice(a)", "fn", "keyword.control.longhand"],
    ["fn twice(a)", "twice", "entity.name.function.longhand"],
    ["W := W - 1.5e-3 * dW", ":=", "keyword.operator.longhand"],
    ["W := W - 1.5e-3 * dW", "1.5e-3", "constant.numeric.longhand"],
    ["backward loss", "backward", "keyword.control.longhand"],
    ["example A B -> C", "A", "string.unquoted.longhand"],
    ["example A B -> C", "->", "keyword.operator.longhand"],
    ["S = Q @ K^T", "^T", "keyword.operator.longhand"],
  ];
  for (const [text, word, wanted] of cases) await test(`${word} in ${text}`, () => equal(scope(text, word), wanted));
  await test("every program of the models is read to its end, and no quote stays open", () => {
    for (const name of readdirSync(join(root, "models")).filter(n => n.endsWith(".lh"))) {
      const all = lines(grammar, readFileSync(join(root, "models", name), "utf8") + "\nX = 1");
      equal([name, all.at(-1).find(([t]) => t === "1")?.[1]], [name, "constant.numeric.longhand"]);
    }
  });
  await test("a program in a lesson, and the text after it", async () => {
    const markdown = await registry.loadGrammar("text.html.markdown");
    const all = lines(markdown, "Text\n```longhand\nX = softmax(Z)\n```\nsoftmax(Z)");
    equal(all[2].find(([t]) => t === "softmax")?.[1], "support.function.longhand");
    equal(all[4].some(([, s]) => s.endsWith(".longhand")), false);
  });
}

await languageServer();
await packaging();
await colours();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
