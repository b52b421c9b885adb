/* model -- a GPT that lives in the page: it writes, shows what else it could have written and where it looks, and learns from pasted text. */
import { one } from "./dom.js";

export function startModel() {
  const root = one("#model");
  if (!root) return;
}
