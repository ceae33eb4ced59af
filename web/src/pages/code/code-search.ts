/** What the address of the code page holds: what is searched for and in which codebase, and what is open. */

export interface CodeSearch {
  /** What is searched for. */
  readonly q?: string;
  /** The name of the codebase that is searched; absent: all. */
  readonly in?: string;
  /** The id of the open codebase, or `new`. */
  readonly open?: string;
}

export const NEW = "new";

const OPEN = /^(?:new|cdb_[0-9a-z]{1,40})$/;

export function readCodeSearch(search: Record<string, unknown>): CodeSearch {
  const { open } = search;
  const [q, within] = [toText(search["q"]), toText(search["in"])];
  return {
    ...(q === "" ? {} : { q }),
    ...(within === "" ? {} : { in: within }),
    ...(typeof open === "string" && OPEN.test(open) ? { open } : {}),
  };
}

/** The router reads a text such as `2026` or `true` as what it looks like. */
function toText(value: unknown): string {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value).trim() : "";
}
