/** Reads an uploaded skill: a ZIP archive, the files of a folder as a form, or a single SKILL.md. */
import { failed, type Result } from "../../core/base/errors.ts";
import { type UploadedFile, type CheckedPackage, checkPackage } from "../../core/skills/package.ts";
import { SKILL_FILE } from "../../core/skills/skill.ts";
import { unzip } from "./unzip.ts";

/** The media types of an upload. */
export const UPLOAD_TYPES = ["application/zip", "multipart/form-data", "text/markdown"] as const;

/** Parts whose file name is the path. For any other part, its own name is the path. */
const FILE_PARTS = new Set(["file", "files", "file[]", "files[]", "folder"]);
const ZIP_START = [0x50, 0x4b, 0x03, 0x04];

/** Returns the package of a request. */
export async function readUpload(type: string, body: Uint8Array<ArrayBuffer>): Promise<Result<CheckedPackage>> {
  const mediaType = (type.split(";")[0] ?? "").trim().toLowerCase();
  if (body.length === 0) return failed("invalid_input", "The body is empty: send a skill.", { field: "body" });
  switch (mediaType) {
    case "application/zip":
    case "application/x-zip-compressed":
      return await readArchive(body);
    case "text/markdown":
    case "text/x-markdown":
      return checkPackage([{ path: SKILL_FILE, bytes: body }]);
    case "multipart/form-data":
      return await readForm(type, body);
    default:
      return failed(
        "unsupported_media",
        "Send a skill as application/zip, as multipart/form-data with one part per file, or as text/markdown (a single SKILL.md).",
        { field: "content-type" },
      );
  }
}

async function readArchive(archive: Uint8Array): Promise<Result<CheckedPackage>> {
  const files = await unzip(archive);
  return files.ok ? checkPackage(files.value) : files;
}

async function readForm(type: string, body: Uint8Array<ArrayBuffer>): Promise<Result<CheckedPackage>> {
  let parts: FormData;
  try {
    parts = await new Response(body, { headers: { "content-type": type } }).formData();
  } catch {
    return failed("invalid_input", "The body is not valid multipart/form-data.", { field: "body" });
  }
  const files: UploadedFile[] = [];
  for (const [name, value] of parts) {
    if (typeof value === "string") {
      const message = `${name.slice(0, 100)}: must be a file, with its path as the file name`;
      return failed("invalid_input", message, { field: name.slice(0, 100) });
    }
    const path = FILE_PARTS.has(name) ? value.name : name;
    files.push({ path, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  const [first] = files;
  const isArchive = files.length === 1 && ZIP_START.every((byte, index) => first?.bytes[index] === byte);
  return first !== undefined && isArchive ? await readArchive(first.bytes) : checkPackage(files);
}
