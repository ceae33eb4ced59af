/** What the address of an agent's page says beside its id. */

const VIEWS = ["edit", "apps", "versions", "tasks"] as const;

export interface AgentSearch {
  /** Absent: what the agent may do. */
  readonly view?: (typeof VIEWS)[number];
  /** The two versions that are compared. */
  readonly from?: number;
  readonly to?: number;
}

export function readAgentSearch({ view, from, to }: Record<string, unknown>): AgentSearch {
  const known = VIEWS.find((one) => one === view);
  return {
    ...(known === undefined ? {} : { view: known }),
    ...(isVersion(from) ? { from } : {}),
    ...(isVersion(to) ? { to } : {}),
  };
}

function isVersion(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}

export interface AgentsSearch {
  /** Words that stand in the name or the instructions. */
  readonly query?: string;
}

export function readAgentsSearch({ query }: Record<string, unknown>): AgentsSearch {
  return typeof query === "string" && query.trim() !== "" ? { query } : {};
}

/** Whether the agent's name or instructions contain each word of `query`, in any case. */
export function isFound(
  { name, instructions }: { readonly name: string; readonly instructions: string },
  query: string,
): boolean {
  const text = `${name}\n${instructions}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
