/* modules.mjs ROOT: the modules can be joined to one script: imports are single lines without `as`, no two modules have the same name at their top,
 * each is listed in meson.build behind what it needs. */
import { readFileSync, readdirSync } from "node:fs";
const root = process.argv[2] || "../..", folder = root + "/web/modules/";
const listed = ["number", "page", "notebook"].map(name => new RegExp(`${name}_modules = files\\(([^)]*)\\)`).exec(readFileSync(root + "/meson.build", "utf8"))[1]).join("");
const order = Array.from(listed.matchAll(/modules\/(\w+)\.js/g), m => m[1]);
const problems = [], owner = new Map();
for (const file of readdirSync(folder).filter(f => f.endsWith(".js"))) {
  const name = file.slice(0, -3), text = readFileSync(folder + file, "utf8");
  if (!order.includes(name)) problems.push(`${file} is not in meson.build`);
  for (const m of text.matchAll(/^import (.*)$/gm)) {
    const from = /^\{ [^}]* \} from "\.\/([\w-]+)\.js";$/.exec(m[1]);
    if (!from || / as /.test(m[1])) problems.push(`${file}: join.sh cannot read: import ${m[1]}`);
    else if (order.indexOf(from[1]) > order.indexOf(name) && !/^export (class|function|async function)/m.test(readFileSync(folder + from[1] + ".js", "utf8"))) problems.push(`${file} needs ${from[1]}, which comes later`);
  }
  for (const m of text.matchAll(/^(?:export )?(?:async )?(?:const|let|function\*?|class) (\w+)/gm)) {
    if (owner.has(m[1])) problems.push(`${m[1]} is in ${owner.get(m[1])} and in ${file}`);
    owner.set(m[1], file);
  }
}
for (const name of order) if (!readdirSync(folder).includes(name + ".js")) problems.push(`meson.build lists ${name}, which is not there`);
for (const p of problems) console.log("# " + p);
console.log(`${problems.length ? 0 : 1} passed, ${problems.length ? 1 : 0} failed`);
process.exit(problems.length ? 1 : 0);
