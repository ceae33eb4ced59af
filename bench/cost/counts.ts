/** Reads the counts that a bill is computed from: those of `docs/counts.md`, and those of Cloudflare Agents. */
import { readFileSync } from "node:fs";

/** By measure, as `docs/counts.md` names them. */
export type Counts = ReadonlyMap<string, number>;

/** By scenario. */
export type CountedScenarios = ReadonlyMap<string, Counts>;

const PAGE = new URL("../../docs/counts.md", import.meta.url);
const AGENTS = new URL("./agents-counts.json", import.meta.url);

/** What `bench/cost/count-agents.ts` writes. */
export interface AgentsFile {
  /** Name and version. */
  readonly package: string;
  /** A date. */
  readonly countedOn: string;
  readonly scenarios: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface AgentsCounts {
  readonly package: string;
  readonly countedOn: string;
  readonly scenarios: CountedScenarios;
}

export function readOwnCounts(): CountedScenarios {
  return parseCounts(readFileSync(PAGE, "utf8"));
}

/** Parses the table below `## Counts`: a scenario is a column, a measure a row. */
export function parseCounts(page: string): CountedScenarios {
  const section = page.split("\n## Counts\n")[1]?.split("\n## ")[0] ?? "";
  const [head = [], , ...rows] = section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  if (head.length < 2 || rows.length === 0) throw new Error("docs/counts.md has no table of counts");
  return new Map(
    head
      .slice(1)
      .map((scenario, column) => [
        scenario,
        new Map(rows.map((cells) => [cells[0] ?? "", toCount(cells[column + 1], scenario, cells[0])])),
      ]),
  );
}

function toCount(cell: string | undefined, scenario: string, measure: string | undefined): number {
  if (cell === undefined || !/^-?\d+$/.test(cell))
    throw new Error(`docs/counts.md has no count of "${measure}" for "${scenario}"`);
  return Number(cell);
}

export function readAgentsCounts(): AgentsCounts {
  const { scenarios, ...about } = JSON.parse(readFileSync(AGENTS, "utf8")) as AgentsFile;
  const entries = Object.entries(scenarios).map(([name, counts]) => [name, new Map(Object.entries(counts))] as const);
  return { ...about, scenarios: new Map(entries) };
}

/** The file of these counts, and where it is. */
export function formatAgentsFile(file: AgentsFile): { readonly path: URL; readonly text: string } {
  return { path: AGENTS, text: `${JSON.stringify(file, null, 2)}\n` };
}
