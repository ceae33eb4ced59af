/** The report of a run: what it ran on, and the table. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";

/** Above this load others take so much of the processors that single times are theirs too. */
const BUSY_LOAD = 0.5;

const DOCUMENT = new URL("../docs/bench.md", import.meta.url);
const BEGIN = "<!-- npm run bench -- --write: begin -->";
const END = "<!-- npm run bench -- --write: end -->";

/** Warns of a load (processes that run or wait, over a minute) that would distort the figures; null below the limit. */
export function busyWarning(load: number): string | null {
  if (load <= BUSY_LOAD) return null;
  return `! the load is ${load.toFixed(1)}: what else runs here is in the figures. Wait until it is below ${BUSY_LOAD}.`;
}

/** The machine, and how busy it is at this moment. */
export function describeMachine(): string {
  const gib = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0]?.toFixed(1) ?? "?";
  const parts = [`${cpus().length} cores`, `${gib} GiB`, systemName(), `Node ${process.versions.node}`];
  return `${[...parts, `workerd ${workerdVersion()}`].join(", ")}; load ${load} before the run`;
}

/** What a report says below its table without the optional peer. */
export const PEER_NOT_MEASURED =
  "Cloudflare Agents: not measured. Install its package in a folder, and name the folder by `--agents` (see below: What runs).";

/** Formats the result for the document: one line on the run, the table, and its notes. */
export function reportOf(
  table: string,
  run: { machine: string; rounds: number; seconds: number; notes: readonly string[] },
): string {
  const date = new Date().toISOString().slice(0, 10);
  const how = `median of ${run.rounds} rounds (lowest–highest), ${Math.round(run.seconds)} s total`;
  return [`Measured on ${date}: ${run.machine}; ${how}.`, table, ...run.notes].join("\n\n");
}

/** Puts a report in the place of the last one in `docs/bench.md`. */
export function writeReport(report: string): void {
  const text = readFileSync(DOCUMENT, "utf8");
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from === -1 || to < from) throw new Error("docs/bench.md has lost the place of its table");
  writeFileSync(DOCUMENT, `${text.slice(0, from)}${BEGIN}\n\n${report}\n\n${text.slice(to)}`);
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}

function workerdVersion(): string {
  const text = readFileSync(new URL("../package-lock.json", import.meta.url), "utf8");
  const lock = JSON.parse(text) as { packages: Readonly<Record<string, { version?: string }>> };
  return lock.packages["node_modules/workerd"]?.version ?? "?";
}
