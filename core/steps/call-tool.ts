/**
 * Unwraps `call_tool`, which calls another tool by its name, and `composio_execute`, which calls an action of an app, before
 * any check: envelope, approval, ledger row, events and effect are those of the inner tool. So neither reaches anything
 * that a direct call does not.
 */
import { z } from "zod";
import { failed, ok, type Result } from "../base/errors.ts";
import { admitCall, type AdmitContext } from "./admit.ts";
import type { Tool } from "../tool/tool.ts";
import { CALL_TOOL } from "./shown-tools.ts";
import type { Toolset } from "./toolset.ts";
import { cleanName } from "../gateway/model-names.ts";
import { parseArguments } from "../gateway/parse-arguments.ts";
import { validateArguments } from "../gateway/validate.ts";

/** A call as the model requested it. `arguments` is JSON text. */
export interface ModelCall {
  readonly name: string;
  readonly arguments: string;
  /** Why the call is invalid with any arguments, in a sentence for the model. */
  readonly fault?: string;
}

/** The input of `call_tool`. */
export const calledToolSchema = z.object({
  name: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

/** The inner call, and why a person has to approve `call_tool` itself; null if no approval is needed. */
interface CalledTool {
  readonly call: ModelCall;
  readonly askFirst: string | null;
}

type UnwrapContext = AdmitContext & { readonly toolset: Pick<Toolset, "resolve"> };

/** Returns the innermost call of `call_tool` and `composio_execute`, and any other call unchanged. */
export function unwrapCall(requested: ModelCall, context: UnwrapContext): Result<CalledTool> {
  const called = unwrapCallTool(requested, context);
  if (!called.ok) return called;
  const call = unwrapExecute(called.value.call, context.toolset.resolve);
  return call.ok ? ok({ ...called.value, call: call.value }) : call;
}

function unwrapCallTool(requested: ModelCall, context: UnwrapContext): Result<CalledTool> {
  const { toolset } = context;
  const tool = toolset.resolve(requested.name);
  if (tool === null || !isCallTool(tool)) return ok({ call: requested, askFirst: null });
  const parsed = parseArguments(requested.arguments);
  if (!parsed.ok) return parsed;
  const admitted = admitCall(tool, parsed.value, context);
  if (!admitted.ok) return admitted;
  const within = calledToolSchema.parse(admitted.value.arguments);
  const inner = toolset.resolve(within.name);
  if (inner !== null && isCallTool(inner)) return NOT_ITSELF;
  const call = { name: within.name, arguments: JSON.stringify(within.arguments) };
  return ok({ call, askFirst: admitted.value.askFirst });
}

/** Calls an action of an app by the provider's name of it. It is a name for calls alone, and no tool. */
export const EXECUTE_ACTION = "composio_execute";

const executedActionSchema = z.strictObject({
  action: z.string().min(1).max(200),
  params: z.record(z.string(), z.unknown()).default({}),
});

/** Returns the call of the action that `composio_execute` names, and any other call unchanged. */
function unwrapExecute(call: ModelCall, resolve: Toolset["resolve"]): Result<ModelCall> {
  if (call.name !== EXECUTE_ACTION || call.fault !== undefined || resolve(EXECUTE_ACTION) !== null) return ok(call);
  const parsed = parseArguments(call.arguments);
  if (!parsed.ok) return parsed;
  const named = readExecuted(parsed.value, resolve);
  return named.ok ? ok({ name: named.value.tool.name, arguments: JSON.stringify(named.value.arguments) }) : named;
}

/** Returns the tool and the arguments of an action that `composio_execute` names. */
export function readExecuted(
  given: unknown,
  resolve: Toolset["resolve"],
): Result<{ readonly tool: Tool; readonly arguments: Readonly<Record<string, unknown>> }> {
  const read = executedActionSchema.safeParse(given);
  if (!read.success) return failed("invalid_input", `${EXECUTE_ACTION} takes action, a name, and params, an object.`);
  const { action, params } = read.data;
  const tool = resolve(action);
  if (tool?.action !== undefined) return ok({ tool, arguments: params });
  const message = `There is no action ${cleanName(action)} of an app here. Search with find_tools.`;
  return failed("not_found", message, { field: "action" });
}

/** Returns the inner call of `call_tool` without an approval check. */
export function parseInnerCall(
  callTool: Tool,
  given: unknown,
  resolve: Toolset["resolve"],
): Result<z.infer<typeof calledToolSchema>> {
  const valid = validateArguments(callTool, given);
  if (!valid.ok) return valid;
  const within = calledToolSchema.parse(valid.value);
  const inner = resolve(within.name);
  return inner !== null && isCallTool(inner) ? NOT_ITSELF : ok(within);
}

const NOT_ITSELF = failed("invalid_input", `${CALL_TOOL} does not call itself. Name the tool that is to be called.`, {
  field: "name",
});

function isCallTool({ name, written }: Tool): boolean {
  return name === CALL_TOOL && written === undefined;
}
