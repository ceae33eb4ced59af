/** The files of a message, put into the sandbox of the task that reads it. */
import type { InboxItem } from "../../../core/channels/inbox/inbox.ts";
import { FILES_TITLE } from "../../../core/task/file-names.ts";
import type { MessageFile, MessageBody } from "../../../core/channels/slack/items.ts";
import type { SlackPort } from "../../../core/ports/slack.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import { judgeForm } from "../../../core/sandbox/path.ts";
import { OUTSIDE } from "../../../core/provenance/label.ts";

/** As large as a file of a sandbox may be. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_NAME_CHARACTERS = 200;
const FOLDER = "slack";
/** How long a message waits for a file that is asked for and does not come; then its task is told that it is missing. */
const PATIENCE_MS = 10 * 60_000;
/** And for one that was never asked for, since others took all the time. */
const LONGEST_PATIENCE_MS = 30 * 60_000;

/** What the files of an item are taken with. */
interface Taking {
  readonly slack: Pick<SlackPort, "download">;
  readonly item: Pick<InboxItem, "id" | "receivedAt">;
  /** Milliseconds since the epoch: no file is begun later. */
  readonly until: number;
  /** The sandbox of the task that reads them. */
  readonly sandbox: FilesPort;
  /** Where the files of this message stand by themselves; null: the task has no others. */
  readonly folder: string | null;
}

/**
 * Puts the files where the task finds them, and gives the sentence that says where, or why one is not there; empty when the
 * message had none. `timeout`: there was no time for all of them. Done again, it fetches what is missing.
 */
export async function takeFiles(
  taking: Taking,
  { files, moreFiles }: Pick<MessageBody, "files" | "moreFiles">,
): Promise<Result<string>> {
  const { folder, item, until } = taking;
  const taken = new Set<string>();
  const places = files.map((file) => {
    const path = freePath(folder === null ? FOLDER : `${FOLDER}/${folder}`, file.name, taken);
    return { file, path, line: `- ${path}` };
  });
  const waited = (): number => Date.now() - item.receivedAt;
  // Each try begins with another, so that one that hangs does not hold up those behind it.
  const first = Math.floor(waited() / 1000) % Math.max(1, places.length);
  let fetched = 0;
  // One after the other: each may be as large as half of what an isolate holds.
  for (const place of [...places.slice(first), ...places.slice(0, first)]) {
    const { file, path } = place;
    // Nothing else has this path: the folder is the message's own, or its task has not begun.
    if ((await taking.sandbox.stat(path)).ok) continue;
    const isAsked = Date.now() < until;
    const why = await takeFile(taking, file, { path, key: `${item.id}/${files.indexOf(file)}` });
    if (why === null) {
      fetched += 1;
      continue;
    }
    const patienceMs = isAsked ? PATIENCE_MS : LONGEST_PATIENCE_MS;
    // What fails once the time is over was cut off.
    if (Date.now() >= until && (fetched > 0 || waited() < patienceMs))
      return failed("timeout", "The files of the message take long to fetch.");
    place.line = `- ${plainName(file.name)} could not be fetched: ${why}`;
  }
  const lines = places.map(({ line }) => line);
  if (moreFiles > 0) lines.push(`- ${moreFiles} more, which were not fetched: it is too many for one message`);
  return ok(lines.length === 0 ? "" : `${FILES_TITLE}\n${lines.join("\n")}`);
}

/** Null: it is there. */
async function takeFile(
  { slack, sandbox, until }: Taking,
  { url, size }: MessageFile,
  { path, key }: { readonly path: string; readonly key: string },
): Promise<string | null> {
  if (url === null) return "Slack gives no address for it.";
  if (size > MAX_FILE_BYTES) return "it is larger than 50 MB.";
  if (Date.now() >= until) return "Slack takes too long.";
  const fetched = await slack.download(url, MAX_FILE_BYTES);
  if (!fetched.ok) return fetched.error.message;
  const { bytes, contentType } = fetched.value;
  const written = await sandbox.write(path, bytes, { key, contentType, label: OUTSIDE, isUploaded: true });
  return written.ok ? null : written.error.message;
}

/** A path for a name that somebody else chose, and that no other file of the message has. */
function freePath(folder: string, name: string, taken: Set<string>): string {
  const plain = plainName(name);
  const [, stem = plain, end = ""] = /^(.+?)(\.[^.]{1,16})?$/.exec(plain) ?? [];
  let path = `${folder}/${plain}`;
  for (let number = 2; taken.has(path); number += 1) path = `${folder}/${stem}-${number}${end}`;
  taken.add(path);
  return path;
}

/** The name without what no path of a sandbox may hold. */
function plainName(name: string): string {
  const safe = name
    .normalize("NFC")
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}\\/]/gu, "_")
    .slice(-MAX_NAME_CHARACTERS)
    .toWellFormed();
  return judgeForm(`${FOLDER}/${safe}`).ok ? safe : "file";
}
