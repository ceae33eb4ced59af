/**
 * Full results in the blob store: as JSON when their row could not hold them, and as text when the model got a
 * shortened form. Their keys begin with the tree's prefix, and they are deleted with the tree's files.
 */
import { describeRest, getMaxCharacters, type RestOfText, type ShapeLimits, shapeText } from "../gateway/shape.ts";
import type { Result } from "../base/errors.ts";
import type { BlobPort } from "../ports/blobs.ts";
import type { Shown } from "../tool/tool.ts";
import { cutRows, toShownText } from "./rows.ts";

/** A task tree, by its root. */
interface Tree {
  readonly tenant: string;
  readonly rootId: string;
}

/** A result in short: its first results, with the fields that say most. */
export interface ResultInShort {
  readonly text: string;
  readonly count: number;
  readonly shown: number;
}

/**
 * The dependencies of formatting. `canExpand`: the task has the tool that reads a stored result. `shorten`: returns a
 * structured result in short, within a number of characters; null if it has no such form.
 */
export interface FormatDeps {
  readonly blobs: BlobPort;
  readonly limits: ShapeLimits;
  readonly canExpand: boolean;
  readonly shorten?: (maxCharacters: number) => ResultInShort | null;
}

/** A cut list with fewer rows says less than the results in short. */
const MIN_WHOLE_ROWS = 4;
/** Characters for the note after a result in short. */
const NOTE_CHARACTERS = 250;

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
 * Formats a result for the model. A text over the medium threshold is stored and then shortened: a list after a whole
 * row, other JSON of an outside service to the fields that say most, and a plain text in its middle. If it cannot be
 * stored, the text says so.
 */
export async function formatResult(
  shown: Shown,
  tree: Tree,
  callId: string,
  { blobs, limits, canExpand, shorten }: FormatDeps,
): Promise<FormattedResult> {
  const text = toShownText(shown);
  if (text.length <= limits.mediumCharacters) return { content: text, isLarge: false };
  const put = await blobs.put(getTextKey(tree, callId), new TextEncoder().encode(text));
  const rest: RestOfText = put.ok ? (canExpand ? "expandable" : "stored") : "lost";
  const most = getMaxCharacters(text.length, limits);
  const cut = typeof shown === "string" ? null : cutRows(shown, most, callId, rest);
  const isPoor = cut === null || cut.rows < MIN_WHOLE_ROWS;
  const short = isPoor ? (shorten?.(most - NOTE_CHARACTERS) ?? null) : null;
  const content =
    short === null ? (cut?.text ?? shapeText(text, limits, callId, rest)) : describeShort(short, callId, rest);
  return { content, isLarge: put.ok && text.length > limits.largeCharacters };
}

function describeShort({ text, count, shown }: ResultInShort, callId: string, rest: RestOfText): string {
  const extent = count === 1 ? "" : `results 1 to ${shown} of ${count}, `;
  return `${text}\n[… ${extent}in short; all results with all their fields: ${describeRest(callId, rest)} …]`;
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
