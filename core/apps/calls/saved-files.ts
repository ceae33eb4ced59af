/**
 * Files in the result of an action. The provider gives a signed link, `s3url`; the file is fetched and written into the sandbox, and
 * the result has its path in the place of the link. A link opens the file for everyone who has it, so none reaches the model, an
 * event or a log. What is not fetched is named with the reason, and the call stays a success.
 */
import { isRecord } from "../../base/json-fields.ts";
import type { AppCallsPort, AppDownload } from "../../ports/app-calls.ts";
import { getContentType } from "../../sandbox/content-type.ts";
import type { CallFacts, ToolContext } from "../../tool/tool.ts";
import { cutBefore } from "../../gateway/shape.ts";
import { MAX_APP_FILE_BYTES } from "./uploads.ts";

/** The most files of one result that are fetched, and their bytes together. */
const MAX_FILES = 10;
const MAX_TOTAL_BYTES = 104_857_600;
/** The most links that are looked for in the texts of a result. A field with a further one has no file. */
const MAX_LINKS = 100;
/** Deeper values of a result are left out. */
const MAX_DEPTH = 100;
/** The most UTF-16 units of a name, and of its ending. */
const MAX_NAME = 100;
const MAX_ENDING = 12;
/** The most names that are tried for one file. */
const MAX_NAMES = 50;
const LINK = "s3url";
const REMOVED_LINK = "[link removed]";

type Context = CallFacts & Pick<ToolContext<"files">, "files"> & { readonly apps: Pick<AppCallsPort, "download"> };

interface Folder {
  readonly app: string;
  readonly context: Context;
  /** Of one file, at most. The signal of the context ends them all. */
  readonly timeoutMs: number;
}

/** What became of a link: where its file is, or why it is nowhere. */
type Saved = { readonly path: string; readonly size: number } | { readonly reason: string };

/** Fetches the files of a result until the signal aborts, and returns the result with their paths. Never throws. */
export async function saveFiles(data: unknown, folder: Folder): Promise<unknown> {
  const found = findFiles(data);
  if (found.length === 0) return data;
  const saved = new Map<string, Saved>();
  let bytes = 0;
  for (const file of found) {
    if (saved.has(file.link)) continue;
    if (saved.size >= MAX_LINKS) break;
    const one = await saveFile(folder, file, saved.size, MAX_TOTAL_BYTES - bytes);
    if ("path" in one) bytes += one.size;
    saved.set(file.link, one);
  }
  return replaceLinks(data, saved, MAX_DEPTH);
}

interface FoundFile {
  readonly link: string;
  readonly name: string;
  readonly contentType: string | null;
}

/** Lists the links in the order of the result. */
function findFiles(data: unknown): FoundFile[] {
  const found: FoundFile[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth < 0) return;
    if (isRecord(value) && typeof value[LINK] === "string") found.push(readFile(value, value[LINK]));
    for (const one of Object.values(value)) visit(one, depth - 1);
  };
  visit(data, MAX_DEPTH);
  return found;
}

function readFile({ name, mimetype }: Readonly<Record<string, unknown>>, link: string): FoundFile {
  const given = typeof name === "string" && name.trim() !== "" ? name : (URL.parse(link)?.pathname ?? "");
  return { link, name: toSafeName(given), contentType: typeof mimetype === "string" ? mimetype : null };
}

/** Returns a name of one segment that a page can show. Of a path, the last segment counts. */
export function toSafeName(given: string): string {
  const last =
    given
      .toWellFormed()
      .normalize("NFC")
      .split(/[/\\]/)
      .findLast((segment) => segment.trim() !== "") ?? "";
  const clean = last.replace(/[\p{C}\p{Zl}\p{Zp}<>:"|?*%]/gu, "_").replace(/^[.\s]+|[.\s]+$/g, "");
  if (clean === "") return "file";
  const { stem, ending } = splitName(clean);
  return `${cutBefore(stem, MAX_NAME)}${ending}`;
}

function splitName(name: string): { readonly stem: string; readonly ending: string } {
  const dot = name.lastIndexOf(".");
  const isEnding = dot > 0 && name.length - dot <= MAX_ENDING;
  return isEnding ? { stem: name.slice(0, dot), ending: name.slice(dot) } : { stem: name, ending: "" };
}

async function saveFile(folder: Folder, file: FoundFile, index: number, leftBytes: number): Promise<Saved> {
  const { permissions, sandbox, apps, signal } = folder.context;
  if (!permissions.includes("write") || !sandbox.allowWrite) return { reason: "this agent writes no files" };
  if (index >= MAX_FILES) return { reason: `one result brings at most ${MAX_FILES} files` };
  const maxBytes = Math.min(MAX_APP_FILE_BYTES, leftBytes);
  if (maxBytes <= 0) return { reason: `the files of one result have at most ${MAX_TOTAL_BYTES} bytes` };
  if (signal.aborted) return { reason: "no time was left for it" };
  const fetched = await apps.download({ url: file.link, maxBytes, timeoutMs: folder.timeoutMs, signal });
  if (!fetched.ok) return { reason: fetched.error.message };
  try {
    return await writeFile(folder, file, index, fetched.value);
  } finally {
    fetched.value.release();
  }
}

/** Writes the file under the first free name. A repeated call finds the file that it wrote before. */
async function writeFile(
  { app, context }: Folder,
  { name, contentType: said }: FoundFile,
  index: number,
  { bytes, contentType: served }: AppDownload,
): Promise<Saved> {
  const { stem, ending } = splitName(name);
  const contentType = readType(said) ?? readType(served) ?? getContentType(name);
  const key = `${context.key}/file-${index}`;
  for (let number = 1; number <= MAX_NAMES; number += 1) {
    const path = `apps/${app.replace(/[^A-Za-z0-9_-]/g, "_")}/${stem}${number === 1 ? "" : `-${number}`}${ending}`;
    const written = await context.files.write(path, bytes, { key, contentType, ifVersion: 0 });
    if (written.ok) return { path: written.value.path, size: written.value.size };
    if (written.error.code !== "conflict") return { reason: written.error.message };
  }
  return { reason: `apps/${app} has ${MAX_NAMES} files of this name` };
}

function readType(given: string | null): string | null {
  return /^[a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,100}$/i.exec(given?.split(";")[0]?.trim() ?? "")?.[0] ?? null;
}

const TOO_MANY: Saved = { reason: `the result has more than ${MAX_LINKS} files` };

/** Replaces links by paths, also where a text repeats one. */
function replaceLinks(value: unknown, saved: ReadonlyMap<string, Saved>, depth: number): unknown {
  if (typeof value === "string") return removeLinks(value, saved);
  if (typeof value !== "object" || value === null) return value;
  if (depth < 0) return null;
  if (Array.isArray(value)) return value.map((one) => replaceLinks(one, saved, depth - 1));
  const entries = Object.entries(value).flatMap(([name, one]: [string, unknown]): (readonly [string, unknown])[] => {
    const file = name === LINK && typeof one === "string" ? (saved.get(one) ?? TOO_MANY) : undefined;
    if (file === undefined) return [[name, replaceLinks(one, saved, depth - 1)]];
    if ("path" in file)
      return [
        ["saved_as", file.path],
        ["size", file.size],
      ];
    return [["not_saved", `The file was not saved: ${file.reason}.`]];
  });
  return Object.fromEntries(entries);
}

function removeLinks(text: string, saved: ReadonlyMap<string, Saved>): string {
  let present = text;
  for (const [link, file] of saved)
    if (link !== "" && present.includes(link))
      present = present.replaceAll(link, () => ("path" in file ? file.path : REMOVED_LINK));
  return present;
}
