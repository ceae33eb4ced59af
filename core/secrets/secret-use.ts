/**
 * Decides which secrets a request may carry, by their user and the request's method. The host is checked when a value
 * is filled in (`core/web/host-pattern.ts`). Pure.
 */
import { DEFAULT_AGENT, type PinnedAgent } from "../agents/agent.ts";
import { getOwn } from "../base/own-field.ts";
import { getSourceLabel } from "../task/source-label.ts";
import type { TaskSource } from "../task/source.ts";
import { OUTSIDE } from "../provenance/label.ts";

/** Methods that a secret can be bound to: those that a tool can send. */
export const SECRET_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/**
 * The user of secrets: an agent's call in a task from this source, or the tenant's setup, which an administrator
 * requests without an agent (reading an API document, listing an MCP server's tools).
 */
export type SecretUser =
  | {
      readonly kind: "agent";
      readonly id: string;
      readonly name: string;
      readonly channel: TaskSource["channel"];
    }
  | { readonly kind: "setup" };

/** The user of an administrator's own requests. */
export const SETUP: SecretUser = { kind: "setup" };

/** The user of secrets in a task's calls. */
export function toSecretUser({ agent, via }: { readonly agent: PinnedAgent; readonly via: TaskSource }): SecretUser {
  return { kind: "agent", id: agent.id, name: agent.config.name, channel: via.channel };
}

/** Names for messages. */
const SOURCES: Readonly<Record<string, string>> = { webhook: "a hook", email: "a mail" };

/**
 * Why this user may not use a secret, in words for anyone; null when it may. `agents` are the ids that the secret is
 * bound to; null: every agent that a person created may use it, but not the built-in agent in a task from a hook or
 * mail.
 */
export function findUserRefusal(name: string, agents: readonly string[] | null, user: SecretUser): string | null {
  if (user.kind === "setup") return null;
  if (agents !== null) {
    if (agents.includes(user.id)) return null;
    return `The secret ${name} is not bound to the agent ${user.name}. An administrator can add the agent to the secret's agents.`;
  }
  // Of a stranger's input the tenant chose neither the text nor the agent.
  const isByStranger = getSourceLabel({ channel: user.channel, id: null }) === OUTSIDE;
  if (user.id !== DEFAULT_AGENT.id || !isByStranger) return null;
  const source = getOwn(SOURCES, user.channel) ?? user.channel;
  return `The built-in agent may not use the secret ${name} in a task from ${source}. Let the task use an agent of your own, or bind the secret to ${DEFAULT_AGENT.id}.`;
}

/**
 * Why a request with this method may not carry a secret; null when it may. `methods` null: all of them. `method` null:
 * not an HTTP request (SSH, a program's environment), where nothing limits the value's use.
 */
export function findMethodRefusal(
  name: string,
  methods: readonly string[] | null,
  method: string | null,
): string | null {
  if (methods === null) return null;
  if (method === null)
    return `The secret ${name} is bound to HTTP methods (${methods.join(", ")}), so it is used in HTTP requests only.`;
  if (methods.includes(method.toUpperCase())) return null;
  return `The secret ${name} is bound to ${methods.join(", ")}, and this is a ${method.toUpperCase()} request.`;
}

/** True when the secret names this agent, rather than allowing every agent. */
export function isBoundToAgent(agents: readonly string[] | null, user: SecretUser): boolean {
  return user.kind === "agent" && agents !== null && agents.includes(user.id);
}
