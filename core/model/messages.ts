/** The conversation of a task as Otto stores it: provider-neutral, plain JSON, one row a message. */
import type { Label } from "../provenance/label.ts";

/** A tool call as the model requested it. `arguments` is the model's own text, which may be invalid JSON. */
export interface RequestedCall {
  /** Otto's stable call id (see `callId`), also given to the model in later requests. */
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * A message. `content` is text; a tool message answers the call with `callId`. `label` is the source of the text;
 * absent from messages of an earlier release and of callers (`core/model/label-messages.ts`). With `continues` it
 * continues the message before it, from another source: a request has both as one message without a separator.
 * `isUpload`: a result that has the text of uploads and of no other author. `isSummary`: a part of the text that
 * replaces earlier steps; absent from an object of an earlier release, where only the first part says so.
 */
export type Message = (
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly calls?: readonly RequestedCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly name: string; readonly content: string }
) & { readonly label?: Label; readonly continues?: true; readonly isUpload?: true; readonly isSummary?: true };

/** A message with its label. */
export type LabelledMessage = Message & { readonly label: Label };

/** The use of a model call. `estimated` is true when the provider sent no usage and Otto counted characters. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
}

/** The use of a call that no model processed. */
export const NO_USAGE: ModelUsage = { inputTokens: 0, outputTokens: 0, estimated: false };
