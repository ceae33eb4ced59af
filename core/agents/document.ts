/**
 * An agent as a file in the manner of document 003: `name`, `tools`, `tool_config`, and `budgets` with the permissions and
 * limits. Everything else has the API's own names. A file that says nothing of instructions has those of the built-in agent;
 * one that says nothing of permissions has none.
 */
import { type AgentConfig, budgetSchema, DEFAULT_AGENT } from "./agent.ts";
import { failed, ok, type Result } from "../base/errors.ts";

type Json = Readonly<Record<string, unknown>>;

const LIMITS = Object.keys(budgetSchema.shape);

/** The body that the API takes for a file. What the file names and nobody knows is left in for the API to refuse. */
export function agentFromDocument(document: unknown): Result<unknown> {
  if (!isJson(document)) return failed("invalid_input", "The file is no agent: it has no fields.", { field: "body" });
  const { budgets, sandbox, ...fields } = document;
  const refuse = (field: string, why: string) => failed("invalid_input", `${field}: ${why}`, { field });
  if (budgets !== undefined && !isJson(budgets)) return refuse("budgets", "is no list of limits by name");
  const { permissions = fields["permissions"] ?? [], ...limits } = budgets ?? {};
  const unknown = Object.keys(limits).find((name) => !LIMITS.includes(name));
  if (unknown !== undefined)
    return refuse(`budgets.${unknown}`, `there is no such limit; there are ${LIMITS.join(", ")}`);
  for (const [name, isGiven] of [
    ["permissions", budgets?.["permissions"] !== undefined],
    ["budget", Object.keys(limits).length > 0],
  ] as const)
    if (isGiven && fields[name] !== undefined) return refuse(name, "stands in budgets too; say it once");
  const rules = sandboxOf(sandbox);
  if (rules === null) return refuse("sandbox.enabled", "every agent works in its sandbox");
  return ok({
    instructions: DEFAULT_AGENT.config.instructions,
    ...fields,
    permissions: Array.isArray(permissions) ? permissions.map(plainPermission) : permissions,
    ...(Object.keys(limits).length === 0 ? {} : { budget: limits }),
    ...(rules === undefined ? {} : { sandbox: rules }),
  });
}

/** The file of an agent: what `agentFromDocument` reads as the same configuration. */
export function agentDocument({ permissions, budget = {}, ...config }: AgentConfig): Json {
  return { ...config, budgets: { permissions, ...budget } };
}

/** Null: it asks for no sandbox. */
function sandboxOf(sandbox: unknown): unknown {
  if (!isJson(sandbox)) return sandbox;
  const { enabled = true, ...rules } = sandbox;
  return enabled === true ? rules : null;
}

/** The document writes permissions as `:read`. */
function plainPermission(permission: unknown): unknown {
  return typeof permission === "string" ? permission.replace(/^:/, "") : permission;
}

function isJson(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
