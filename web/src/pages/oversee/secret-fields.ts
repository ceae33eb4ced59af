/** The form of a secret: its fields, and the bindings that they mean. */
import type { Secret } from "../../api/types.generated.ts";

type Method = NonNullable<Secret["methods"]>[number];

/** As the API lists them. */
export const SECRET_METHODS: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Hosts and agents, one per line. No method means all of them. */
export interface SecretDraft {
  readonly hosts: string;
  readonly agents: string;
  readonly methods: readonly Method[];
}

/** The fields of a secret that is changed, its agents by name; empty fields for a new one. */
export function toSecretDraft(secret: Secret | null, nameOf: (agent: string) => string): SecretDraft {
  return {
    hosts: secret?.hosts.join("\n") ?? "",
    agents: secret?.agents?.map(nameOf).join("\n") ?? "",
    methods: secret?.methods ?? [],
  };
}

/** The bindings for the request. An empty field is omitted, and so does not bind. */
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

/** Which requests may carry a secret, for the list. */
export function describeBindings(secret: Secret, nameOf: (agent: string) => string): string {
  const who = secret.agents === null ? "Any agent" : secret.agents.map(nameOf).join(", ");
  return secret.methods === null ? who : `${who} (${secret.methods.join(", ")})`;
}

/** Words of a field, with spaces, commas or line ends between them. */
export function toWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}
