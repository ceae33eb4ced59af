/**
 * An agent as a file: `name`, `tools`, `tool_config`, and `budgets` with the permissions and limits. Everything else
 * has the API's own names. A file without instructions has those of the built-in agent; one without permissions has
 * none.
 */
import { type AgentConfig, budgetSchema, DEFAULT_AGENT } from "./agent.ts";
import { failed, ok, type Result } from "../base/errors.ts";

type Json = Readonly<Record<string, unknown>>;

const LIMITS = Object.keys(budgetSchema.shape);

/** Converts a file to the API's body. Unknown fields stay, so that the API refuses them. */
export function parseAgentDocument(document: unknown): Result<unknown> {
  if (!isJson(document))
    return failed("invalid_input", "The file is not an agent: it has no fields.", { field: "body" });
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
    if (isGiven && fields[name] !== undefined) return refuse(name, "is set in budgets too; set it once");
  const { enabled = true, ...rules } = isJson(sandbox) ? sandbox : {};
  if (enabled !== true) return refuse("sandbox.enabled", "every agent works in its sandbox");
  return ok({
    instructions: DEFAULT_AGENT.config.instructions,
    ...fields,
    permissions: Array.isArray(permissions) ? permissions.map(normalizePermission) : permissions,
    ...(Object.keys(limits).length === 0 ? {} : { budget: limits }),
    ...(sandbox === undefined ? {} : { sandbox: isJson(sandbox) ? rules : sandbox }),
  });
}

/** Converts an agent to its file, which `parseAgentDocument` reads as the same configuration. */
export function toAgentDocument({ permissions, budget = {}, ...config }: AgentConfig): Json {
  return { ...config, budgets: { permissions, ...budget } };
}

/** Removes the colon of permissions such as `:read`. */
function normalizePermission(permission: unknown): unknown {
  return typeof permission === "string" ? permission.replace(/^:/, "") : permission;
}

function isJson(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
