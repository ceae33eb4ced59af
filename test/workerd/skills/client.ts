/** Skills as tests write and send them over the API. */
import { makeZip } from "../../mock-servers/make-zip.ts";
import type { Answer, Caller } from "../http/entry.ts";

/** A SKILL.md with these further lines in its head. */
export function skillText(name: string, head: readonly string[] = [], body = "Do it well."): string {
  return [
    "---",
    `name: ${name}`,
    `description: "Does ${name}. Use when ${name} is wanted."`,
    ...head,
    "---",
    "",
    body,
    "",
  ].join("\n");
}

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Uploads a single SKILL.md. */
export async function uploadText(caller: Caller, text: string, path = "/v1/skills"): Promise<Answer> {
  return await caller.send("POST", path, text, { "content-type": "text/markdown" });
}

/** Uploads files as an archive. */
export async function uploadZip(caller: Caller, files: Files, headers: Record<string, string> = {}): Promise<Answer> {
  const archive = await makeZip(Object.entries(files).map(([path, bytes]) => ({ path, bytes })));
  return await caller.send("POST", "/v1/skills", archive, { "content-type": "application/zip", ...headers });
}

/** Uploads files as a form, each part with its path as file name. */
export async function uploadForm(
  caller: Caller,
  files: Files,
  headers: Record<string, string> = {},
  boundary = "----a-boundary-of-the-test",
): Promise<Answer> {
  const decoder = new TextDecoder();
  const parts = Object.entries(files).map(([path, content]) => {
    const text = typeof content === "string" ? content : decoder.decode(content);
    return `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="${path}"\r\ncontent-type: application/octet-stream\r\n\r\n${text}\r\n`;
  });
  const body = `${parts.join("")}--${boundary}--\r\n`;
  return await caller.send("POST", "/v1/skills", body, {
    "content-type": `multipart/form-data; boundary=${boundary}`,
    ...headers,
  });
}

/** A skill with a script, as files of its folder. */
export function reportFiles(name: string, head: readonly string[] = [], script = "print('hello')\n"): Files {
  const declared = ["scripts:", "  - name: report.py", "    description: Makes it.", "    timeout: 30"];
  return {
    [`${name}/SKILL.md`]: skillText(name, [...declared, ...head]),
    [`${name}/scripts/report.py`]: `#!/usr/bin/env python3\n${script}`,
    [`${name}/references/notes.md`]: "# Notes\n",
  };
}
