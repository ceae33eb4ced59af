/** What became of a call, and the line that says so. */
import type { AccountedCall, CallOutcome } from "../task/commands.ts";
import type { UploadedFile } from "../tool/file-arguments.ts";
import type { CallEndLine } from "./schedule-calls.ts";

/** The outcome of a call, or another account or uploaded files, with which nothing was sent. */
export type CallEnd =
  | CallOutcome
  | { readonly accounted: AccountedCall }
  | { readonly uploaded: readonly UploadedFile[] };

export function toEndLine(callId: string, end: CallEnd): CallEndLine {
  if ("accounted" in end) return { type: "accounted", callId, ruling: end.accounted };
  if ("uploaded" in end) return { type: "uploaded", callId, uploads: end.uploaded };
  return { type: "settled", callId, outcome: end };
}
