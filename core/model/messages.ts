/** The conversation of a task as Otto keeps it: provider-neutral, plain JSON, one row a message. */
import type { Label } from "../provenance/label.ts";

/** One tool call as the model asked for it. `arguments` is the model's own text: it may be no JSON at all. */
export interface RequestedCall {
  /** Otto's stable call id (see `callId`), also given to the model in later requests. */
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * A message. `content` is text; the tool message answers the call with `callId`. `label` says where the text came from;
 * absent in what an earlier release stored and in what a caller sent (`core/model/label-messages.ts`). With `continues`
 * it is a part of the message before it, from another source: a request has both as one message, with nothing between.
 * `isUpload`: a result that has the text of uploaded files, and of nothing else that somebody wrote. `isSummary`: a part of the
 * text that replaces earlier steps; absent from an object of an earlier release, where only the first part says so.
 */
export type Message = (
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly calls?: readonly RequestedCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly name: string; readonly content: string }
) & { readonly label?: Label; readonly continues?: true; readonly isUpload?: true; readonly isSummary?: true };

/** A message whose source is known. */
export type LabelledMessage = Message & { readonly label: Label };

/** What a model call used. `estimated` is true when the provider sent no usage and Otto counted characters. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
}
