/** Copies the files of a message into the sandbox of the task that reads it. */
import type { InboxItem } from "../../../core/channels/inbox/inbox.ts";
import { FILES_TITLE } from "../../../core/task/file-names.ts";
import type { MessageFile, MessageBody } from "../../../core/channels/slack/items.ts";
import type { SlackPort } from "../../../core/ports/slack.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import { judgeForm } from "../../../core/sandbox/path.ts";
import { OUTSIDE } from "../../../core/provenance/label.ts";

/** The size limit of a sandbox file. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_NAME_CHARACTERS = 200;
const FOLDER = "slack";
/** How long a message waits for a requested file. After that, its task reads that the file is missing. */
const REQUESTED_FILE_MS = 10 * 60_000;
/** The same for a file that was never requested, because others took all the time. */
const FILE_MS = 30 * 60_000;

/** The context of fetching an item's files. */
interface FetchContext {
  readonly slack: Pick<SlackPort, "download">;
  readonly item: Pick<InboxItem, "id" | "receivedAt">;
  /** Milliseconds since the epoch. No fetch starts later. */
  readonly until: number;
  /** The sandbox of the task that reads them. */
  readonly sandbox: FilesPort;
  /** The folder of this message's files; null if the task has no others. */
  readonly folder: string | null;
}

/**
 * Stores the files in the task's sandbox, and returns a sentence that names their folder, or why one is missing;
 * empty for a message without files. `timeout` if there was no time for all of them. A repeat fetches the missing
 * ones.
 */
export async function fetchFiles(
  taking: FetchContext,
  { files, moreFiles }: Pick<MessageBody, "files" | "moreFiles">,
): Promise<Result<string>> {
  const { folder, item, until } = taking;
  const taken = new Set<string>();
  const places = files.map((file) => {
    const path = chooseFreePath(folder === null ? FOLDER : `${FOLDER}/${folder}`, file.name, taken);
    return { file, path, line: `- ${path}` };
  });
  const waited = (): number => Date.now() - item.receivedAt;
  // Each attempt starts with another file, so that one that hangs does not delay the rest.
  const first = Math.floor(waited() / 1000) % Math.max(1, places.length);
  let fetched = 0;
  // One at a time: a file may be as large as half of the isolate's memory.
  for (const place of [...places.slice(first), ...places.slice(0, first)]) {
    const { file, path } = place;
    // The path is unused: the folder belongs to the message, or the task has not started.
    if ((await taking.sandbox.stat(path)).ok) continue;
    const isAsked = Date.now() < until;
    const why = await fetchFile(taking, file, { path, key: `${item.id}/${files.indexOf(file)}` });
    if (why === null) {
      fetched += 1;
      continue;
    }
    const patienceMs = isAsked ? REQUESTED_FILE_MS : FILE_MS;
    // A failure after the time limit was a cut-off.
    if (Date.now() >= until && (fetched > 0 || waited() < patienceMs))
      return failed("timeout", "Fetching the files of the message takes too long.");
    place.line = `- ${toPlainName(file.name)} could not be fetched: ${why}`;
  }
  const lines = places.map(({ line }) => line);
  if (moreFiles > 0) lines.push(`- ${moreFiles} more, which were not fetched: the message has too many files`);
  return ok(lines.length === 0 ? "" : `${FILES_TITLE}\n${lines.join("\n")}`);
}

/** Returns null once the file is stored. */
async function fetchFile(
  { slack, sandbox, until }: FetchContext,
  { url, size }: MessageFile,
  { path, key }: { readonly path: string; readonly key: string },
): Promise<string | null> {
  if (url === null) return "Slack provides no address for it.";
  if (size > MAX_FILE_BYTES) return "it is larger than 50 MB.";
  if (Date.now() >= until) return "Slack takes too long.";
  const fetched = await slack.download(url, MAX_FILE_BYTES);
  if (!fetched.ok) return fetched.error.message;
  const { bytes, contentType } = fetched.value;
  const written = await sandbox.write(path, bytes, { key, contentType, label: OUTSIDE, isUploaded: true });
  return written.ok ? null : written.error.message;
}

/** Returns an unused path for a name from outside. */
function chooseFreePath(folder: string, name: string, taken: Set<string>): string {
  const plain = toPlainName(name);
  const [, stem = plain, end = ""] = /^(.+?)(\.[^.]{1,16})?$/.exec(plain) ?? [];
  let path = `${folder}/${plain}`;
  for (let number = 2; taken.has(path); number += 1) path = `${folder}/${stem}-${number}${end}`;
  taken.add(path);
  return path;
}

/** Removes characters that a sandbox path may not contain. */
function toPlainName(name: string): string {
  const safe = name
    .normalize("NFC")
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}\\/]/gu, "_")
    .slice(-MAX_NAME_CHARACTERS)
    .toWellFormed();
  return judgeForm(`${FOLDER}/${safe}`).ok ? safe : "file";
}
