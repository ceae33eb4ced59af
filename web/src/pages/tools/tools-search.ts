/** Query parameters of the tool pages. */

export interface ToolsSearch {
  /** Words that describe the wanted tool. */
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
