/** How long the choice of a task's actions takes with all apps of the demo catalogue allowed, and the first one of an isolate. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { linearPatterns } from "../../adapters/re2/patterns.ts";
import { indexActions } from "../../core/apps/choice/action-index.ts";
import { readIntent } from "../../core/apps/intent/intent.ts";
import { resolveActions } from "../../core/apps/choice/resolve.ts";
import { ok } from "../../core/base/errors.ts";
import { projectRoot } from "../../scripts/project-command.ts";
import { quantile } from "../../test/drill/random.ts";
import { compileDemoCatalogue } from "../../test/mock-servers/demo-catalogue.ts";
import { PLAIN_APP_REQUESTS } from "../../test/mock-servers/app-requests/all.ts";
import { writeStored } from "../choice/stored.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const WARM_UP = 100;
/** What a choice, one in a hundred, and an isolate's first may take: `apps.md`. */
const [MUST_MS, MUST_P99_MS, MUST_FIRST_MS] = [5, 15, 120];

export const CHOICE: Section = {
  name: "choice",
  rows: [
    {
      key: "choice",
      label: "actions chosen for a task among 12,000, ms (p50)",
      digits: 2,
      target: `≤ ${MUST_MS}`,
      must: MUST_MS,
    },
    { key: "choice-p99", label: "– p99", digits: 2, target: `≤ ${MUST_P99_MS}`, must: MUST_P99_MS },
    {
      key: "choice-first",
      label: "– an isolate's first, of a full workspace",
      digits: 0,
      target: `≤ ${MUST_FIRST_MS}`,
      must: MUST_FIRST_MS,
    },
    {
      key: "choice-built",
      label: "– an isolate's first, of a full workspace, with an index that it builds",
      digits: 0,
      target: "",
    },
    {
      key: "choice-catalogue",
      label: "– an isolate's first among 12,000",
      digits: 0,
      target: `≤ ${MUST_FIRST_MS}`,
      must: MUST_FIRST_MS,
    },
    { key: "choice-index", label: "– index of 12,000 actions", digits: 0, target: "" },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const demo = await compileDemoCatalogue();
    const index = indexActions(demo.listed);
    const apps = new Set(demo.byApp.keys());
    const begun = performance.now();
    await index.build();
    note("choice-index", OURS, performance.now() - begun);
    const snapshot = { actionsOf: async (app: string) => await Promise.resolve(ok(demo.byApp.get(app) ?? [])) };
    const clock = { now: Date.now };
    const times: number[] = [];
    for (const { text } of PLAIN_APP_REQUESTS) {
      const from = performance.now();
      const request = { text, intent: readIntent([text]), apps, unconnected: new Set<string>() };
      const found = await resolveActions(request, { index, snapshot, patterns: linearPatterns, clock });
      if (!found.ok) throw new Error(found.error.message);
      times.push(performance.now() - from);
    }
    note("choice", OURS, quantile(times.slice(WARM_UP), 0.5));
    note("choice-p99", OURS, quantile(times.slice(WARM_UP), 0.99));
    const folder = mkdtempSync(join(tmpdir(), "otto-choice-"));
    try {
      await writeStored(folder, demo);
      note("choice-first", OURS, await measureFirst(folder, "workspace"));
      note("choice-built", OURS, await measureFirst(folder, "built"));
      note("choice-catalogue", OURS, await measureFirst(folder, "catalogue"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** The first choice of a new process, which has compiled nothing yet. */
async function measureFirst(folder: string, what: "workspace" | "built" | "catalogue"): Promise<number> {
  const command = ["bench/choice/first-choice.ts", folder, what];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: projectRoot });
  return Number(stdout);
}
