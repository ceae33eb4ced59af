/** Derives a file's content type from its name, unless its writer gave one. */
import { getOwn } from "../base/own-field.ts";

const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv; charset=utf-8",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  gif: "image/gif",
  htm: "text/html; charset=utf-8",
  html: "text/html; charset=utf-8",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** `application/octet-stream` for an unknown extension. */
export function getContentType(path: string): string {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return getOwn(TYPES, ending) ?? "application/octet-stream";
}
