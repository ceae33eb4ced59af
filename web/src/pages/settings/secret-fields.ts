/** Converts between a secret's bindings and the fields of its form. */
import type { Secret } from "../../api/types.generated.ts";

type Method = NonNullable<Secret["methods"]>[number];

/** In the API's order. */
export const SECRET_METHODS: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The form's fields. Hosts and agents are one per line; no method means all of them. */
export interface SecretDraft {
  readonly hosts: string;
  readonly agents: string;
  readonly methods: readonly Method[];
}

/** Returns a secret's fields, with its agents by name. They are empty for a new secret. */
export function toSecretDraft(secret: Secret | null, getName: (agent: string) => string): SecretDraft {
  return {
    hosts: secret?.hosts.join("\n") ?? "",
    agents: secret?.agents?.map(getName).join("\n") ?? "",
    methods: secret?.methods ?? [],
  };
}

/** Returns the bindings of the request. An empty field is omitted, and restricts nothing. */
export function toBindings({ hosts, agents, methods }: SecretDraft): {
  hosts: string[];
  agents?: string[];
  methods?: Method[];
} {
  const named = toWords(agents);
  return {
    hosts: toWords(hosts),
    ...(named.length === 0 ? {} : { agents: named }),
    ...(methods.length === 0 ? {} : { methods: [...methods] }),
  };
}

/** Formats which agents and methods may use a secret. */
export function describeBindings(secret: Secret, getName: (agent: string) => string): string {
  const agents = secret.agents === null ? "Any agent" : secret.agents.map(getName).join(", ");
  return secret.methods === null ? agents : `${agents} (${secret.methods.join(", ")})`;
}

/** Splits a field at spaces, commas and line ends. */
export function toWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}
