/** Documents that a task adds to the knowledge of its project. */
import type { Result } from "../base/errors.ts";
import type { IngestState } from "../knowledge/document.ts";
import type { Label } from "../provenance/label.ts";

/** A document to add. `path`: of the file in the task's sandbox. `title` null: its own. `label`: of its text and its reader. */
export interface DocumentToAdd {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly label: Label;
  readonly key: string;
  readonly nowMs: number;
}

export interface AddedDocument {
  readonly id: string;
  readonly status: IngestState;
  /** Null: of the whole tenant. */
  readonly project: string | null;
}

/** Adds to the task's project, or to the tenant for a task without one. */
export interface DocumentIntakePort {
  /** Adds a document once for a key. Failures: `quota_exceeded`, `upstream_failed`. */
  add(document: DocumentToAdd): Promise<Result<AddedDocument>>;
}
