/**
 * Prints how many milliseconds the first choice of actions takes in a new process, from the text of a compiled list on.
 *
 *     node bench/choice/first-choice.ts LIST all     all actions, ranked by words, as before the search index is built
 *     node bench/choice/first-choice.ts LIST 2000    the first 2,000 actions, with their search index
 */
import { readFileSync } from "node:fs";
import { indexActions } from "../../core/apps/action-index.ts";
import { parseActionList } from "../../core/apps/compiled.ts";
import { readIntent } from "../../core/apps/intent.ts";
import { rankActions } from "../../core/apps/rank.ts";

const TEXT = "send the team a message that the invoice is paid";
const [, , file = "", actions] = process.argv;
const list = readFileSync(file, "utf8");

const begun = performance.now();
const all = parseActionList(list);
const index = indexActions(actions === "2000" ? all.slice(0, 2_000) : all);
if (actions === "2000") await index.build();
const { strategy } = rankActions({ text: TEXT, intent: readIntent([TEXT]), apps: new Set(index.byApp.keys()) }, index);
const tookMs = performance.now() - begun;
if (strategy === "none") throw new Error("the choice found nothing");
console.log(tookMs);
