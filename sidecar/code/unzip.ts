/** Unpacks an uploaded archive in the cage: only the files that may be indexed, by names that stay inside. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32, inflateRawSync } from "node:zlib";
import { MAX_BYTES, MAX_FILE_BYTES, MAX_FILES } from "../../core/codebases/limits.ts";
import { type DirectoryEntry, findZipDirectory, readZipEntries } from "../../core/lib/zip-directory.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";
import { judgeName, Refused, type Skipped, tooManyBytes, tooManyFiles } from "./list-files.ts";

/** Entries that are looked at, folders and skipped files included. */
const MAX_ENTRIES = 60_000;
const LINK = 0o120000;
const STORED = 0;
const DEFLATED = 8;

/** A file of the archive whose name was judged. */
interface NamedEntry {
  readonly path: string;
  readonly entry: DirectoryEntry;
}

/** Writes the archive's files below `into`. Throws `Refused` for a damaged or too large archive. */
export function unzip(archive: string, into: string, rules: SandboxRules, skipped: Skipped): void {
  const entries = readEntries(readFileSync(archive), skipped);
  const prefix = findCommonFolder(entries.map(({ path }) => path));
  const chosen = entries
    .map(({ path, entry }) => ({ path: path.slice(prefix.length), entry }))
    .filter((one) => isChosen(one, rules, skipped));
  if (chosen.length > MAX_FILES) throw tooManyFiles(chosen.length);
  if (chosen.reduce((sum, { entry }) => sum + entry.size, 0) > MAX_BYTES) throw tooManyBytes();
  for (const { path, entry } of chosen) write(join(into, path), path, inflate(entry, path));
}

/** Counts the reason of one that is not. */
function isChosen({ path, entry }: NamedEntry, rules: SandboxRules, skipped: Skipped): boolean {
  const isLink = entry.fileType === LINK;
  const skip = isLink ? "link" : (judgeName(path, rules) ?? (entry.size > MAX_FILE_BYTES ? "too_large" : null));
  if (skip !== null) skipped[skip] += 1;
  return skip === null;
}

/** A path cannot be both a file and a folder, nor appear twice. */
function write(to: string, path: string, bytes: Uint8Array): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, bytes, { flag: "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (/^(?:EEXIST|ENOTDIR|EISDIR|ENAMETOOLONG|EILSEQ)$/.test(code))
      throw damaged(`${quote(path)} conflicts with another file`);
    throw error;
  }
}

function readEntries(bytes: Uint8Array, skipped: Skipped): readonly NamedEntry[] {
  const directory = findZipDirectory(bytes);
  if (directory === null || directory.isSplit) throw damaged("its end is missing");
  if (directory.count > MAX_ENTRIES)
    throw new Refused("too_large", `The archive has ${directory.count} entries, and ${MAX_ENTRIES} are the most.`);
  const found: NamedEntry[] = [];
  for (const entry of readZipEntries(directory)) {
    if (entry === null) throw damaged("its directory is truncated");
    const path = Buffer.from(entry.name).toString("utf8");
    if (path.endsWith("/")) continue;
    if (path.startsWith("/") || path.includes("\\") || path.split("/").includes("..")) skipped.denied += 1;
    else found.push({ path, entry });
  }
  return found;
}

/** The one folder in which an archive of a repository has everything, such as `project-main/`; "" without one. */
function findCommonFolder(paths: readonly string[]): string {
  const [first = ""] = paths;
  const folder = first.slice(0, first.indexOf("/") + 1);
  return folder !== "" && folder !== "./" && paths.every((path) => path.startsWith(folder)) ? folder : "";
}

/** `entry.size` bounds what is inflated. */
function inflate({ isEncrypted, method, place, size, crc32: crc }: DirectoryEntry, path: string): Uint8Array {
  if (isEncrypted) throw new Refused("invalid_input", "The archive is encrypted. Upload it without a password.");
  if (place === null) throw damaged(`${quote(path)} lies outside of it`);
  if (method !== STORED && method !== DEFLATED)
    throw damaged(`${quote(path)} is packed in a way that is not supported`);
  const bytes = method === STORED ? place.packed : inflateBounded(place.packed, size, path);
  if (bytes.length !== size || crc32(bytes) !== crc) throw damaged(`${quote(path)} is damaged`);
  return bytes;
}

function inflateBounded(packed: Uint8Array, size: number, path: string): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch {
    throw damaged(`${quote(path)} is damaged`);
  }
}

function damaged(why: string): Refused {
  return new Refused("invalid_input", `The archive is no ZIP file that can be read: ${why}.`);
}

function quote(path: string): string {
  return JSON.stringify(path.slice(0, 100).toWellFormed());
}
