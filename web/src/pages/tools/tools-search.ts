/** What the addresses of the tool pages say beside the path. */

export interface ToolsSearch {
  /** What is to be done, in plain words. */
  readonly query?: string;
  readonly toolbox?: string;
}

export function readToolsSearch({ query, toolbox }: Record<string, unknown>): ToolsSearch {
  return {
    ...(typeof query === "string" && query.trim() !== "" ? { query } : {}),
    ...(typeof toolbox === "string" && toolbox !== "" ? { toolbox } : {}),
  };
}

const VIEWS = ["try", "versions"] as const;

export interface ToolSearch {
  /** Absent: what the tool is. */
  readonly view?: (typeof VIEWS)[number];
}

export function readToolSearch({ view }: Record<string, unknown>): ToolSearch {
  const known = VIEWS.find((one) => one === view);
  return known === undefined ? {} : { view: known };
}
