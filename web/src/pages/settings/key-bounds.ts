/** The bounds of a key: the fields of the form, and the line in a list. */
import type { Key } from "../../api/types.generated.ts";
import { toWords } from "./secret-fields.ts";

/** The bounds for the request. An empty field is omitted, and so does not bind. */
export function toKeyBounds(projects: string, agents: string): { projects?: string[]; agents?: string[] } {
  const [inProjects, ofAgents] = [toWords(projects), toWords(agents)];
  return {
    ...(inProjects.length === 0 ? {} : { projects: inProjects }),
    ...(ofAgents.length === 0 ? {} : { agents: ofAgents }),
  };
}

/** The bounds in a line; null for a key that has none. */
export function describeKeyBounds(
  { projects, agents }: Pick<Key, "projects" | "agents">,
  nameOf: (agent: string) => string,
): string | null {
  const parts = [
    ...(projects === null ? [] : [`in ${projects.join(", ")}`]),
    ...(agents === null ? [] : [`directs tasks of ${agents.map(nameOf).join(", ")}`]),
  ];
  return parts.length === 0 ? null : `Only ${parts.join("; ")}`;
}
