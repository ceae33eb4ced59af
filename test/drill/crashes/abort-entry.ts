/**
 * An entry of the Worker that aborts the object of one task on request. It exists only in the build of a drill's system: the product has no
 * such request.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completeBuild, readBuild } from "../../../scripts/supervisor/worker-build.ts";

const ENTRY = "drill-entry.mjs";
const HEADER = "x-drill-abort";

/** Adds the entry to the build in a stopped system's state. Its next start uses it, because the sources are the same. */
export function addAbortEntry(stateFolder: string): void {
  const builds = join(stateFolder, "build");
  const [name, ...others] = readdirSync(builds);
  if (name === undefined || others.length > 0) throw new Error(`${builds} does not contain one build`);
  const folder = join(builds, name);
  const { entry, options } = readBuild(folder);
  writeFileSync(join(folder, ENTRY), formatEntry(entry));
  completeBuild(folder, { options, entry: ENTRY });
}

/** Aborts the object of a task. Its open calls fail, and nothing else is stopped. */
export async function abortTask(url: string, tenant: string, task: string): Promise<void> {
  const response = await fetch(`${url}/health`, { headers: { [HEADER]: `${tenant}/${task}` } });
  if (response.status !== 204) throw new Error(`the abort of ${task} answered ${response.status}`);
}

function formatEntry(entry: string): string {
  return `
export * from "./${entry}";
import worker, { LocalEntry as Entry, TaskObject as Task } from "./${entry}";

export class TaskObject extends Task {
  abortForDrill() {
    this.ctx.abort("a drill");
  }
}

export class LocalEntry extends Entry {
  async fetch(request) {
    const name = request.headers.get("${HEADER}");
    if (name === null) return await super.fetch(request);
    const { TASKS } = this.env;
    await TASKS.get(TASKS.idFromName(name)).abortForDrill().catch(() => undefined);
    return new Response(null, { status: 204 });
  }
}

export default worker;
`;
}
