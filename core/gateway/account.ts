/**
 * The stage between validation and policy: through whose account a call acts, for tools with `app`. No model chooses.
 *
 * 1. A person's account is used only for a task that acts for that person.
 * 2. Once anyone else steered the task, each call through it needs that person's approval, reads included.
 */
import type { AgentConfig } from "../agents/agent.ts";
import { configureApp } from "../agents/app-config.ts";
import { asNotSent, ERRORS, type Failure, notSent, ok, type Result } from "../base/errors.ts";
import type { Account, ConnectNeed, ToolApp } from "../connections/account.ts";
import { type Actors, isOnlyActor } from "../connections/actors.ts";
import type { Chosen } from "../connections/choose-account.ts";
import type { ConnectionsPort } from "../ports/connections.ts";

/** `askOwner`: why the owner has to approve the call, in a sentence; null if the account alone needs no approval. */
export type AccountRuling =
  | { readonly kind: "account"; readonly account: Account; readonly askOwner: string | null }
  | { readonly kind: "needed"; readonly need: ConnectNeed }
  | { readonly kind: "refused"; readonly failure: Failure };

/** The task of a call, and the connections of its tenant. */
export interface AccountContext {
  readonly config: Pick<AgentConfig, "app_config">;
  readonly actors: Actors;
  /** True for a task that no person started. */
  readonly isUnattended: boolean;
  readonly connections: Pick<ConnectionsPort, "choose">;
}

/** No account exists, and no person is known who could connect one. */
const NO_APPS: Failure = {
  code: "permission_denied",
  message: "No assigned external apps are connected for this workspace",
};

const CANNOT_CHECK: Failure = notSent("upstream_failed", "Otto cannot check the account now. Try again later.").error;

/** Returns the failure of a call whose account cannot be checked. A temporary failure says to try again later. Nothing was sent. */
export function toCheckFailure(failure: Failure): Failure {
  const { code, retry = ERRORS[code].retry } = failure;
  return retry === "never" ? asNotSent(failure).error : CANNOT_CHECK;
}

/** Chooses the account of a call. */
export async function ruleAccount(app: ToolApp, context: AccountContext): Promise<AccountRuling> {
  const { config, actors, isUnattended, connections } = context;
  const { app: used, configured } = configureApp(config, app);
  const question = { app: used, actors, rule: used.owner, configured, isUnattended };
  const chosen = await connections.choose(question);
  if (!chosen.ok) return { kind: "refused", failure: toCheckFailure(chosen.error) };
  const { value } = chosen;
  if (value.kind === "none") return { kind: "refused", failure: NO_APPS };
  return value.kind === "needed" ? value : { ...value, askOwner: findOwnersAsk(value.account, actors) };
}

/** The port of one step: calls of the same app and scopes read its connections once. */
export function rememberChoices(port: Pick<ConnectionsPort, "choose">): Pick<ConnectionsPort, "choose"> {
  const chosen = new Map<string, Promise<Result<Chosen>>>();
  return {
    async choose(question) {
      const key = JSON.stringify(question.app);
      const known = chosen.get(key) ?? port.choose(question);
      chosen.set(key, known);
      return await known;
    },
  };
}

/** The port of a tenant that connected nothing. */
export const NO_CONNECTIONS: ConnectionsPort = {
  choose: async () => ok({ kind: "none" }),
  current: async () => ok({ needed: "revoked" }),
  bearer: async () => ({ ok: false, error: NO_APPS }),
  refused: async () => undefined,
};

/** The request for an approval. `owner` alone decides it. */
interface AccountApproval {
  readonly reason: string;
  readonly expiresInMs: number;
  readonly owner?: { readonly person: string; readonly name: string; readonly mayDelegate: boolean };
}

/**
 * Returns the approval of a call through this account; null if it may run. `askFirst`: why a person has to approve it
 * under any account. Others decide for the owner only if nobody else steered the task.
 */
export function toApproval(
  { account, askOwner }: Pick<Extract<AccountRuling, { kind: "account" }>, "account" | "askOwner">,
  askFirst: string | null,
  expiresInMs: number,
): AccountApproval | null {
  const reasons = [askOwner, askFirst].filter((reason) => reason !== null);
  if (reasons.length === 0) return null;
  const { owner, delegates } = account;
  const decides =
    owner.kind === "shared"
      ? {}
      : { owner: { person: owner.id, name: owner.name, mayDelegate: delegates && askOwner === null } };
  return { reason: reasons.join(" "), expiresInMs, ...decides };
}

function findOwnersAsk({ owner }: Account, actors: Actors): string | null {
  if (owner.kind === "shared" || isOnlyActor(actors, owner.id)) return null;
  return `${owner.name}'s account would be used, and others have written to this task.`;
}
