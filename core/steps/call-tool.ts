/**
 * Unwraps `call_tool`, which calls another tool by its name, before any check: envelope, approval, ledger row, events
 * and effect are those of the inner tool. So it reaches nothing that a direct call does not.
 */
import { z } from "zod";
import { failed, ok, type Result } from "../base/errors.ts";
import { admitCall, type AdmitContext } from "./admit.ts";
import type { Tool } from "../tool/tool.ts";
import { CALL_TOOL } from "./shown-tools.ts";
import type { Toolset } from "./toolset.ts";
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

/** Returns the inner call of `call_tool`, and any other call unchanged. */
export function unwrapCall(
  requested: ModelCall,
  context: AdmitContext & { readonly toolset: Pick<Toolset, "resolve"> },
): Result<CalledTool> {
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
