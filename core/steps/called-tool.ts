/**
 * `call_tool` calls another tool by its name. The gateway takes it apart before it looks at the call: envelope, approval,
 * ledger row, events and effect are those of the tool that is called, so it reaches nothing that a call by name does not.
 */
import { z } from "zod";
import { failed, ok, type Result } from "../base/errors.ts";
import { admitCall, type AdmitContext } from "./admit.ts";
import type { Tool } from "../tool/tool.ts";
import { CALL_TOOL } from "./shown-tools.ts";
import type { Toolset } from "./toolset.ts";
import { parseArguments, validateArguments } from "../gateway/validate.ts";

/** A call as it was asked for. `arguments` is JSON text. */
export interface AskedCall {
  readonly name: string;
  readonly arguments: string;
  /** Why it cannot be made with any arguments, in a sentence for the model. */
  readonly fault?: string;
}

/** The input of `call_tool`. */
export const calledToolSchema = z.object({
  name: z.string().min(1).max(200).describe("The tool's name, as find_tools gave it"),
  arguments: z.record(z.string(), z.unknown()).default({}).describe("Its arguments, by its parameters"),
});

/** What is called, and why a person has to approve the calling itself; null: nobody has to. */
interface CalledTool {
  readonly call: AskedCall;
  readonly askFirst: string | null;
}

/** The call that is meant: the one within for `call_tool`, any other as it is. */
export function calledTool(
  asked: AskedCall,
  context: AdmitContext & { readonly toolset: Pick<Toolset, "resolve"> },
): Result<CalledTool> {
  const { toolset } = context;
  const tool = toolset.resolve(asked.name);
  if (tool === null || !isCallTool(tool)) return ok({ call: asked, askFirst: null });
  const parsed = parseArguments(asked.arguments);
  if (!parsed.ok) return parsed;
  const admitted = admitCall(tool, parsed.value, context);
  if (!admitted.ok) return admitted;
  const within = calledToolSchema.parse(admitted.value.arguments);
  const inner = toolset.resolve(within.name);
  if (inner !== null && isCallTool(inner)) return NOT_ITSELF;
  const call = { name: within.name, arguments: JSON.stringify(within.arguments) };
  return ok({ call, askFirst: admitted.value.askFirst });
}

/** The call within one of `call_tool` that nobody's policy has to be asked about. */
export function calledWithin(callTool: Tool, given: unknown): Result<z.infer<typeof calledToolSchema>> {
  const valid = validateArguments(callTool, given);
  if (!valid.ok) return valid;
  const within = calledToolSchema.parse(valid.value);
  return within.name === CALL_TOOL ? NOT_ITSELF : ok(within);
}

const NOT_ITSELF = failed("invalid_input", `${CALL_TOOL} does not call itself. Name the tool that is to be called.`, {
  field: "name",
});

function isCallTool({ name, written }: Tool): boolean {
  return name === CALL_TOOL && written === undefined;
}
