/**
 * Full results in the blob store: as JSON when their row could not hold them, and as text when the model got a
 * shortened form. Their keys begin with the tree's prefix, and they are deleted with the tree's files.
 */
import { getMaxCharacters, type RestOfText, type ShapeLimits, shapeText } from "../gateway/shape.ts";
import type { Result } from "../base/errors.ts";
import type { BlobPort } from "../ports/blobs.ts";
import type { Shown } from "../tool/tool.ts";
import { cutRows, toShownText } from "./rows.ts";

/** A task tree, by its root. */
interface Tree {
  readonly tenant: string;
  readonly rootId: string;
}

/** The dependencies of formatting. `canExpand`: the task has the tool that reads a stored result. */
export interface FormatDeps {
  readonly blobs: BlobPort;
  readonly limits: ShapeLimits;
  readonly canExpand: boolean;
}

/** The text that the model reads of a result. `isLarge`: the full text is stored, and a model has to summarise it. */
export interface FormattedResult {
  readonly content: string;
  readonly isLarge: boolean;
}

/** Returns the prefix of every result of a tree in the bucket. */
export function getResultsPrefix({ tenant, rootId }: Tree): string {
  return `${tenant}/tree/${rootId}/results/`;
}

/** Returns the key of a result that is too large for its row, as JSON. */
export function getResultKey({ tenant, rootId }: Tree, callId: string): string {
  return `${getResultsPrefix({ tenant, rootId })}${callId}.json`;
}

/**
 * Formats a result for the model. A text over the medium threshold is stored and then shortened, a list after a whole
 * row; if it cannot be stored, the text says so.
 */
export async function formatResult(
  shown: Shown,
  tree: Tree,
  callId: string,
  { blobs, limits, canExpand }: FormatDeps,
): Promise<FormattedResult> {
  const text = toShownText(shown);
  if (text.length <= limits.mediumCharacters) return { content: text, isLarge: false };
  const put = await blobs.put(getTextKey(tree, callId), new TextEncoder().encode(text));
  const rest: RestOfText = put.ok ? (canExpand ? "expandable" : "stored") : "lost";
  const most = getMaxCharacters(text.length, limits);
  const cut = typeof shown === "string" ? null : cutRows(shown, most, callId, rest);
  const content = cut ?? shapeText(text, limits, callId, rest);
  return { content, isLarge: put.ok && text.length > limits.largeCharacters };
}

/** Reads the full text of a shortened result; `not_found` for one that was not shortened. */
export async function readStoredText(blobs: BlobPort, tree: Tree, callId: string): Promise<Result<string>> {
  const stored = await blobs.get(getTextKey(tree, callId));
  // Keeps a byte order mark, because offsets count it.
  return stored.ok
    ? { ok: true, value: new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(stored.value) }
    : stored;
}

function getTextKey({ tenant, rootId }: Tree, callId: string): string {
  return `${getResultsPrefix({ tenant, rootId })}${callId}.txt`;
}
