/** A call that one tries: how it is sent, and what the answer says. */
import { answeredWithHeaders, api } from "../../api/client.ts";
import { ApiError } from "../../api/problem.ts";
import type { ToolResult } from "../../api/types.generated.ts";
import type { Faults } from "../../ui/schema-form/json-edit.ts";

export interface TriedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly agent?: string;
  readonly project?: string;
  readonly task_id?: string;
}

export interface CallAnswer {
  readonly result: ToolResult;
  /** The hidden task that holds the call's ledger. */
  readonly taskId: string | null;
  readonly durationMs: number;
}

export async function tryCall({ name, ...body }: TriedCall, headers: Record<string, string>): Promise<CallAnswer> {
  const started = performance.now();
  const { body: result, headers: replyHeaders } = await answeredWithHeaders(
    api.POST("/v1/tools/{name}/call", { params: { path: { name } }, body, headers }),
  );
  const durationMs = performance.now() - started;
  return { result, durationMs, taskId: replyHeaders.get("location")?.split("/").at(-1) ?? null };
}

/** What the API refused of the arguments, by the paths of their form. It names them by where they stand in the request. */
export function argumentFaults(thrown: unknown): Faults {
  if (!(thrown instanceof ApiError) || thrown.status !== 422) return {};
  const inArguments = Object.entries(thrown.fields).flatMap(([field, message]): [string, string][] => {
    if (field === "arguments") return [["", message]];
    return field.startsWith(PREFIX) ? [[field.slice(PREFIX.length), message]] : [];
  });
  return Object.fromEntries(inArguments);
}

const PREFIX = "arguments.";

/** The text in `details` under this name, which leads to the running call. */
export function detailOf(details: Readonly<Record<string, unknown>> | undefined, name: string): string | null {
  const value = details?.[name];
  return typeof value === "string" ? value : null;
}
