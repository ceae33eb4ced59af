/**
 * Whether an agent may call an action for a caller, and if not, the first reason in a fixed order with one sentence for
 * the model. Asked when a task's tools are chosen, when a call is prepared, and just before each call, so that what was
 * narrowed meanwhile counts at once.
 */
import type { ConnectReason } from "../../connections/account.ts";
import type { PolicyRuling } from "../../gateway/policy.ts";
import type { EffectClass } from "../../tool/tool.ts";
import type { AppStatus } from "../catalogue.ts";

/** How far an agent may use an app: everything, actions that only read, or listed actions. */
export const APP_LEVELS = ["full", "read_only", "list"] as const;
export type AppLevel = (typeof APP_LEVELS)[number];

/** A row of `agent_app_assignments`. */
export interface AppAssignment {
  readonly app: string;
  readonly isActive: boolean;
  readonly level: AppLevel;
  /** The actions of the level `list`. */
  readonly actions: readonly string[];
}

export interface AccessQuestion {
  readonly app: string;
  readonly action: string;
  /** The action in the catalogue; null if unknown there. */
  readonly known: { readonly status: AppStatus; readonly effect: EffectClass } | null;
  /** Why the agent's patterns and permissions do not admit the tool (`core/gateway/envelope.ts`); null if they do. */
  readonly refusal: string | null;
  /** `agent_tool_permissions` by action; an action without a row is on. */
  readonly permissions: ReadonlyMap<string, boolean>;
  /** All of the agent. Empty: it may use every app that the tenant added. */
  readonly assignments: readonly AppAssignment[];
  /** The apps that the tenant added, each with its enabled actions. */
  readonly added: ReadonlyMap<string, ReadonlySet<string>>;
  /** The ruling of the capability gate (`gate.ts`). */
  readonly gate: PolicyRuling;
  /** Why no account can be used; null if one can, or none is needed. */
  readonly account: ConnectReason | null;
}

export type AccessReason =
  | "unknown"
  | "inactive"
  | "permission"
  | "not_assigned"
  | "not_connected"
  | "read_only"
  | "not_enabled"
  | "outside_request";

export type Access =
  | { readonly may: true }
  | { readonly may: false; readonly reason: AccessReason; readonly why: string };

/** Decides an access. The rules are in the order in which they are asked; the first refusal is the answer. */
export function decideAccess(question: AccessQuestion): Access {
  const assignment = question.assignments.find(({ app }) => app === question.app);
  for (const rule of RULES) {
    const refused = rule(question, assignment);
    if (refused !== null) return { may: false, ...refused };
  }
  return { may: true };
}

interface Refusal {
  readonly reason: AccessReason;
  readonly why: string;
}
type Rule = (question: AccessQuestion, assignment: AppAssignment | undefined) => Refusal | null;

const RULES: readonly Rule[] = [
  ({ action, known }) =>
    known === null
      ? { reason: "unknown", why: `There is no action ${action} in the catalogue. Use find_tools to find one.` }
      : null,
  ({ action, app, known }) =>
    known?.status === "removed"
      ? { reason: "inactive", why: `${action} is no longer offered by ${app}. Use find_tools to find another.` }
      : null,
  ({ refusal }) => (refusal === null ? null : { reason: "permission", why: refusal }),
  ({ action, permissions }) =>
    permissions.get(action) === false
      ? { reason: "permission", why: `${action} is switched off for this agent. Ask an administrator to switch it on.` }
      : null,
  refuseUnassigned,
  ({ app, account }) => (account === "missing" ? { reason: "not_connected", why: WHY_NO_ACCOUNT[account](app) } : null),
  ({ action, app, known }, assignment) =>
    assignment?.level === "read_only" && known?.effect !== "none"
      ? {
          reason: "read_only",
          why: `This agent may only read from ${app}, and ${action} is not known to only read. Ask an administrator to allow it more.`,
        }
      : null,
  ({ action }, assignment) =>
    assignment?.level === "list" && !assignment.actions.includes(action)
      ? { reason: "not_assigned", why: `${action} is not assigned to this agent. Ask an administrator to assign it.` }
      : null,
  ({ action, app, added }) =>
    added.get(app)?.has(action) === true
      ? null
      : {
          reason: "not_enabled",
          why: `${action} is not enabled in this workspace. Ask an administrator to enable it.`,
        },
  ({ action, gate }) =>
    gate.decision === "deny"
      ? {
          reason: "outside_request",
          why: `${action} is outside the request, because ${gate.because}. Ask a person if it is needed.`,
        }
      : null,
  ({ app, account }) => (account === null ? null : { reason: "not_connected", why: WHY_NO_ACCOUNT[account](app) }),
];

/** What decides on a whole app. */
type AppQuestion = Pick<AccessQuestion, "app" | "assignments" | "added">;

/** Returns why the agent may use nothing of an app; null if it may use something. */
export function refuseApp(question: AppQuestion): Refusal | null {
  const { app, assignments, added } = question;
  const refused = refuseUnassigned(
    question,
    assignments.find((one) => one.app === app),
  );
  return refused ?? (added.has(app) ? null : refuseUnassigned({ app, assignments: [], added }));
}

/** Without an assignment the agent has every added app; if all are switched off, it has none. */
function refuseUnassigned({ app, assignments, added }: AppQuestion, assignment?: AppAssignment): Refusal | null {
  if (assignments.length === 0)
    return added.has(app)
      ? null
      : { reason: "not_assigned", why: `${app} is not added to this workspace. Ask an administrator to add it.` };
  if (assignment?.isActive === true) return null;
  return { reason: "not_assigned", why: `${app} is not assigned to this agent. Ask an administrator to assign it.` };
}

const WHY_NO_ACCOUNT: Readonly<Record<ConnectReason, (app: string) => string>> = {
  missing: (app) => `${app} is not connected. Ask for it with request_connection.`,
  expired: (app) => `The account of ${app} has to be connected again. Ask for it with request_connection.`,
  revoked: (app) => `The account of ${app} was disconnected. Ask for it with request_connection.`,
  scopes: (app) => `The account of ${app} does not allow this action. Ask for more with request_connection.`,
  unattended: (app) =>
    `The owner of the account of ${app} does not allow its use while away. Ask the owner to allow it.`,
};
