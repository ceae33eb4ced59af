/**
 * The text that names the files of a Slack message. Any user may have chosen the names, so the text is from outside.
 */
import { joinParts, type LabelledText } from "../model/label-parts.ts";
import { type Label, OUTSIDE } from "../provenance/label.ts";

/** The first line of the text. */
export const FILES_TITLE = "Files that came with this message:";

/** Splits a message of an earlier release, which appended file names to a person's text, into the two. */
export function splitFileNames(text: string, words: Label): LabelledText[] {
  const own = text.startsWith(FILES_TITLE) ? 0 : text.indexOf(`\n\n${FILES_TITLE}`);
  if (own === -1) return [{ role: "user", content: text, label: words }];
  return joinParts([
    [text.slice(0, own), words],
    [text.slice(own), OUTSIDE],
  ]);
}
