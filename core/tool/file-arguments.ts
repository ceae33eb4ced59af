/** Files of the sandbox among the arguments of a call. */
import type { Result } from "../base/errors.ts";

/** A file of the sandbox that the service behind a call received before the call. */
export interface UploadedFile {
  /** The canonical path in the sandbox. */
  readonly path: string;
  /** The last segment of the path. */
  readonly name: string;
  readonly contentType: string;
  /** The service's name of the file. */
  readonly key: string;
}

/** Returns what takes the place of a path among the arguments, or why the path is refused. */
export type ReplaceFile = (path: string, field: string) => Result<unknown>;
