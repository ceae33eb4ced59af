/**
 * `call_tool` calls another tool by its name. The gateway takes it apart before it looks at the call: envelope, approval,
 * ledger row, events and effect are those of the tool that is called, so it reaches nothing that a call by name does not.
 */
import { z } from "zod";
import { failed, ok, type Result } from "../errors.ts";
import type { TaskFacts } from "../task-state.ts";
import { admitCall } from "./admit.ts";
import { CALL_TOOL } from "./shown-tools.ts";
import type { Toolset } from "./toolset.ts";
import { parseArguments } from "./validate.ts";

/** A call as it was asked for. `arguments` is JSON text. */
export interface AskedCall {
  readonly name: string;
  readonly arguments: string;
}

/** The input of `call_tool`. */
export const calledToolSchema = z.object({
  name: z.string().min(1).max(200).describe("The tool's name, as find_tools gave it"),
  arguments: z.record(z.string(), z.unknown()).default({}).describe("Its arguments, by its parameters"),
});

/** What is called, and why a person has to approve the calling itself; null: nobody has to. */
export interface CalledTool {
  readonly call: AskedCall;
  readonly askFirst: string | null;
}

/** The call that is meant: the one within for `call_tool`, any other as it is. */
export function calledTool(
  asked: AskedCall,
  context: { readonly facts: TaskFacts; readonly toolset: Pick<Toolset, "resolve" | "admits"> },
): Result<CalledTool> {
  const { toolset } = context;
  const tool = toolset.resolve(asked.name);
  if (tool?.name !== CALL_TOOL) return ok({ call: asked, askFirst: null });
  const parsed = parseArguments(asked.arguments);
  if (!parsed.ok) return parsed;
  const admitted = admitCall(tool, parsed.value, context);
  if (!admitted.ok) return admitted;
  const { name, arguments: given } = calledToolSchema.parse(admitted.value.arguments);
  if (toolset.resolve(name)?.name === CALL_TOOL)
    return failed("invalid_input", `${CALL_TOOL} does not call itself. Name the tool that is to be called.`, {
      field: "name",
    });
  return ok({ call: { name, arguments: JSON.stringify(given) }, askFirst: admitted.value.askFirst });
}
