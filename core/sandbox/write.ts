/** Whether a sandbox takes a write: no file where a directory is and the reverse, the version that was asked for, the quota. */
import { failed, ok, type Result } from "../errors.ts";
import type { SandboxWrite } from "../objects.ts";
import type { FileEntry } from "../ports.ts";

/** The most that one sandbox holds. */
export const SANDBOX_MAX_BYTES = 1_073_741_824;
export const SANDBOX_MAX_FILES = 10_000;

/** What the sandbox knows that bears on a write to one path. */
export interface WriteSituation {
  /** What the path holds now. */
  readonly present: FileEntry | null;
  readonly isDirectory: boolean;
  /** A file on the way to the path. */
  readonly fileAbove: string | null;
  readonly totals: { readonly files: number; readonly bytes: number };
}

/** `conflict` or `quota_exceeded`, with the path in the message. */
export function judgeWrite(write: SandboxWrite, situation: WriteSituation): Result<void> {
  const { present, isDirectory, fileAbove, totals } = situation;
  const { path, size, ifVersion } = write;
  if (isDirectory) return failed("conflict", `${path} is a directory.`);
  if (fileAbove !== null) return failed("conflict", `${fileAbove} is a file, so nothing can be inside it.`);
  const version = present?.version ?? 0;
  if (ifVersion !== undefined && ifVersion !== version) {
    return failed("conflict", `${path} is at version ${version}, not ${ifVersion}. Read it again first.`);
  }
  if (present === null && totals.files >= SANDBOX_MAX_FILES) {
    return failed(
      "quota_exceeded",
      `The sandbox holds ${totals.files} files, and no more than ${SANDBOX_MAX_FILES} fit.`,
    );
  }
  const bytesAfter = totals.bytes - (present?.size ?? 0) + size;
  if (bytesAfter > SANDBOX_MAX_BYTES) {
    return failed(
      "quota_exceeded",
      `The sandbox would hold ${bytesAfter} bytes, and no more than ${SANDBOX_MAX_BYTES} fit.`,
    );
  }
  return ok(undefined);
}

/** Every directory that a path lies in, from the top. */
export function directoriesAbove(path: string): string[] {
  const segments = path.split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
}
