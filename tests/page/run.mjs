/* run.mjs FOLDER [NAME]: every test of the page, on the book in FOLDER; or those whose names contain NAME. */
import { resolve } from "node:path";
import { runAll } from "./harness.mjs";
import "./access.mjs"; /* the longest first */
import "./touch.mjs";
import "./picture.mjs";
import "./change.mjs";
import "./exercise.mjs";
import "./front.mjs";
import "./play.mjs";
import "./learn.mjs";
import "./teach.mjs";
import "./model.mjs";
import "./hostile.mjs";
import "./notebook.mjs";

process.exit(await runAll(resolve(process.argv[2] || "."), process.argv[3] || "") ? 0 : 1);
