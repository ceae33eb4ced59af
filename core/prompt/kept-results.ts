/**
 * Results that are kept whole in the blob store: as JSON when their row could not hold them, and as the text that the
 * model was shown a shortened form of. Their keys begin with the tree's prefix, and go when the tree's files go.
 */
import { type RestOfText, type ShapeLimits, shapeText } from "../gateway/shape.ts";
import type { Result } from "../base/errors.ts";
import type { BlobPort } from "../ports/blobs.ts";

/** A task tree, by its root. */
interface Tree {
  readonly tenant: string;
  readonly rootId: string;
}

/** What is needed to show a result. `canExpand`: the task has the tool that reads it again. */
export interface ShowDeps {
  readonly blobs: BlobPort;
  readonly limits: ShapeLimits;
  readonly canExpand: boolean;
}

/** What the model reads of a result. `isLarge`: the whole is kept, and so long that a model is to summarise it. */
export interface ShownResult {
  readonly content: string;
  readonly isLarge: boolean;
}

/** The prefix of every result that a tree has in the bucket. */
export function resultsPrefix({ tenant, rootId }: Tree): string {
  return `${tenant}/tree/${rootId}/results/`;
}

/** Where a result stands, as JSON, that is too large for its row. */
export function keptResultKey({ tenant, rootId }: Tree, callId: string): string {
  return `${resultsPrefix({ tenant, rootId })}${callId}.json`;
}

/** A text over the medium threshold is kept first and then shortened; when it cannot be kept, what is shown says so. */
export async function showResult(
  text: string,
  tree: Tree,
  callId: string,
  { blobs, limits, canExpand }: ShowDeps,
): Promise<ShownResult> {
  if (text.length <= limits.mediumCharacters) return { content: text, isLarge: false };
  const put = await blobs.put(keptTextKey(tree, callId), new TextEncoder().encode(text));
  const rest: RestOfText = put.ok ? (canExpand ? "expandable" : "kept") : "lost";
  const content = shapeText(text, limits, callId, rest);
  return { content, isLarge: put.ok && text.length > limits.largeCharacters };
}

/** The whole text of a result that was shortened; `not_found` for one that was not. */
export async function readKeptText(blobs: BlobPort, tree: Tree, callId: string): Promise<Result<string>> {
  const kept = await blobs.get(keptTextKey(tree, callId));
  // A byte order mark is a character of the text like others: offsets count it.
  return kept.ok
    ? { ok: true, value: new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(kept.value) }
    : kept;
}

function keptTextKey({ tenant, rootId }: Tree, callId: string): string {
  return `${resultsPrefix({ tenant, rootId })}${callId}.txt`;
}
