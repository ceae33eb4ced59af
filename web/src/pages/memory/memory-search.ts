/** What the address of the memory page holds: what is searched, what is open. */
import type { Memory } from "../../api/types.generated.ts";

export interface MemorySearch {
  readonly view?: "projects";
  /** What is searched for, by meaning. */
  readonly q?: string;
  readonly project?: string;
  /** Only what belongs to no project. */
  readonly scope?: "tenant";
  /** Only facts, or only summaries of tasks. */
  readonly kind?: Memory["kind"];
  readonly tag?: string;
  /** The memory that is open: its id, or that a new one is written. */
  readonly open?: string;
}

/** The value for `open` under which a new memory is written. */
export const NEW = "new";

const OPEN = /^(?:new|mem_[0-9a-z]{1,40})$/;
const PROJECT = /^[a-zA-Z0-9_-]{1,64}$/;

export function readMemorySearch(search: Record<string, unknown>): MemorySearch {
  const { kind } = search;
  const [q, tag, project, open] = ["q", "tag", "project", "open"].map((key) => readText(search[key]));
  return {
    ...(search["view"] === "projects" ? { view: "projects" } : {}),
    ...(q === undefined ? {} : { q }),
    ...(kind === "note" || kind === "summary" ? { kind } : {}),
    ...(tag === undefined ? {} : { tag }),
    ...(project !== undefined && PROJECT.test(project)
      ? { project }
      : search["scope"] === "tenant"
        ? { scope: "tenant" }
        : {}),
    ...(open !== undefined && OPEN.test(open) ? { open } : {}),
  };
}

/** The router reads a text such as `2026` or `true` as what it looks like. */
function readText(value: unknown): string | undefined {
  const text = ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
  return text.trim() === "" ? undefined : text;
}
