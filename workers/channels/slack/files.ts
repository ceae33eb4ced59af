/** The files of a message, put into the sandbox of the task that reads it. */
import { filesFromEnv } from "../../../adapters/from-env.ts";
import type { SaidFile, SpokenBody } from "../../../core/channels/slack/items.ts";
import { judgeForm } from "../../../core/sandbox/path.ts";
import type { SlackScene } from "./workspace.ts";

/** As large as a file of a sandbox may be. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_NAME_CHARACTERS = 200;
const FOLDER = "slack";

/** The task that reads the files. `folder`: where the files of this message stand by themselves; null: it has no others. */
interface Reader {
  readonly rootId: string;
  readonly project: string | null;
  readonly folder: string | null;
}

/**
 * Puts the files where the task finds them, and gives the sentence that says where, or why one is not there; empty when the
 * message had none. Done again, it changes nothing.
 */
export async function takeFiles(
  scene: SlackScene,
  { files, moreFiles }: Pick<SpokenBody, "files" | "moreFiles">,
  { folder, ...task }: Reader,
): Promise<string> {
  const lines: string[] = [];
  const taken = new Set<string>();
  // One after the other: each may be as large as half of what an isolate holds.
  for (const [index, file] of files.entries()) {
    const path = freePath(folder === null ? FOLDER : `${FOLDER}/${folder}`, file.name, taken);
    const why = await takeFile(scene, file, { path, key: `${scene.item.id}/${index}`, task });
    lines.push(why === null ? `- ${path}` : `- ${file.name} could not be fetched: ${why}`);
  }
  if (moreFiles > 0) lines.push(`- ${moreFiles} more, which were not fetched: it is too many for one message`);
  return lines.length === 0 ? "" : `Files that came with this message:\n${lines.join("\n")}`;
}

/** Null: it is there. */
async function takeFile(
  { env, tenant, slack }: SlackScene,
  { url, size }: SaidFile,
  place: { readonly path: string; readonly key: string; readonly task: Omit<Reader, "folder"> },
): Promise<string | null> {
  if (url === null) return "Slack gives no address for it.";
  if (size > MAX_FILE_BYTES) return "it is larger than 50 MB.";
  const fetched = await slack.download(url, MAX_FILE_BYTES);
  if (!fetched.ok) return fetched.error.message;
  const { bytes, contentType } = fetched.value;
  const files = filesFromEnv(env, { tenant, ...place.task });
  const written = await files.write(place.path, bytes, { key: place.key, contentType });
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
    .replace(/[\p{C}\\/]/gu, "_")
    .slice(-MAX_NAME_CHARACTERS)
    .toWellFormed();
  return judgeForm(`${FOLDER}/${safe}`).ok ? safe : "file";
}
