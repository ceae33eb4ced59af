/**
 * Converts a server's tool result to Otto's: texts joined, images and other bytes as files of the task's sandbox, links
 * described. Nothing that a result names is fetched.
 */
import { getOwn } from "../base/own-field.ts";
import { readBase64 } from "../base/base64.ts";
import type { McpContent } from "../ports/mcp.ts";
import type { CallFacts, ToolContext } from "../tool/tool.ts";
import { cleanText } from "./tool-list.ts";

const MAX_FILES = 20;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_LINE = 500;

/** A file that a result was written to. */
export interface SavedFile {
  readonly path: string;
  readonly content_type: string;
  readonly size: number;
}

/** A result without a form of its own. `structured` is present when the server returned it. */
export interface McpResult {
  readonly content: string;
  readonly files: readonly SavedFile[];
  readonly structured?: unknown;
}

type Context = CallFacts & Pick<ToolContext<"files">, "files">;

/** Joins the parts. An unsaved file is replaced by the reason. */
export async function readContent(server: string, parts: readonly McpContent[], context: Context): Promise<McpResult> {
  const texts: string[] = [];
  const files: SavedFile[] = [];
  for (const part of parts) {
    if (part.type !== "media") texts.push(formatPart(part));
    else {
      const saved = await saveFile(server, part, files.length, context);
      if (typeof saved !== "string") files.push(saved);
      const { mimeType } = part;
      texts.push(typeof saved === "string" ? `[${cleanText(mimeType, 100)}: ${saved}]` : formatFile(saved));
    }
  }
  return { content: texts.join("\n"), files };
}

function formatFile({ path, content_type, size }: SavedFile): string {
  return `[${content_type}, ${size} bytes, saved as ${path}]`;
}

function formatPart(part: Exclude<McpContent, { type: "media" }>): string {
  switch (part.type) {
    case "text":
      return part.text.toWellFormed();
    case "resource":
      return `[resource ${cleanText(part.uri, MAX_LINE)}]\n${part.text.toWellFormed()}`;
    case "link": {
      const about = part.description === "" ? "" : `: ${cleanText(part.description, MAX_LINE)}`;
      return `[link ${cleanText(part.name, MAX_LINE)} <${cleanText(part.uri, MAX_LINE)}>${about}]`;
    }
    case "other":
      return `[${cleanText(part.kind, 100)}: Otto does not know this kind of content]`;
  }
}

/** Saves the file, or returns why it could not. */
async function saveFile(
  server: string,
  { mimeType, data }: Extract<McpContent, { type: "media" }>,
  index: number,
  { files, callId, key, permissions, sandbox }: Context,
): Promise<SavedFile | string> {
  if (!permissions.includes("write") || !sandbox.allowWrite) return "not saved, because this agent writes no files";
  if (index >= MAX_FILES) return `not saved, because one result brings at most ${MAX_FILES} files`;
  if (data.length > (MAX_FILE_BYTES / 3) * 4 + 4) return `not saved, because it has more than ${MAX_FILE_BYTES} bytes`;
  const bytes = readBase64(data);
  if (bytes === null) return "not readable: its data is no base64";
  const contentType =
    /^[a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,100}/i.exec(mimeType)?.[0] ?? "application/octet-stream";
  const path = `mcp/${server.replace(/[^A-Za-z0-9_-]/g, "_")}/${callId}-${index + 1}.${getExtension(contentType)}`;
  const written = await files.write(path, bytes, { key: `${key}/file-${index}`, contentType });
  if (!written.ok) return `not saved: ${written.error.message}`;
  return { path, content_type: contentType, size: bytes.length };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "text/plain": "txt",
  "text/markdown": "md",
};

function getExtension(contentType: string): string {
  const known = getOwn(EXTENSIONS, contentType);
  if (known !== undefined) return known;
  const subtype = contentType.slice(contentType.indexOf("/") + 1).toLowerCase();
  return /^[a-z0-9]{1,8}$/.test(subtype) ? subtype : "bin";
}
