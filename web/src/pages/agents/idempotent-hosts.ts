/** The hosts that honour `Idempotency-Key` as lines of a form: `api.example.com`, or `api.example.com 3600 s` with a lifetime. */
import type { AgentConfig } from "./agent-config.ts";

type IdempotentHosts = NonNullable<AgentConfig["idempotent_hosts"]>;

const WITH_LIFETIME = /^(\S+)\s+(\d{1,9}) ?s$/;

/** One line for each entry. */
export function hostLines(hosts: IdempotentHosts): string[] {
  return hosts.map((entry) => (typeof entry === "string" ? entry : `${entry.host} ${entry.keyed_for_s} s`));
}

/** The entries of these lines. The API checks the hosts and the lifetimes. */
export function readHostLines(lines: readonly string[]): IdempotentHosts {
  return lines.map((line) => {
    const [, host, seconds] = WITH_LIFETIME.exec(line) ?? [];
    return host === undefined ? line : { host, keyed_for_s: Number(seconds) };
  });
}
