/** Who made something, by the id that answers have: an agent or an API key, by its name where that can be read. */
import { useAgentNames, useKeyNames } from "./names.ts";

export interface Author {
  readonly kind: "agent" | "key" | "other";
  /** The id itself where no name is known: of an old agent, or for a key that may not read keys. */
  readonly name: string;
}

export function useAuthor(id: string): Author {
  const kind = (/^(agent|key)_/.exec(id)?.[1] ?? "other") as Author["kind"];
  const agents = useAgentNames(kind === "agent");
  const keys = useKeyNames(kind === "key");
  return { kind, name: (kind === "agent" ? agents : keys).get(id) ?? id };
}
