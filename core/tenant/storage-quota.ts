/** The storage quota of a tenant's sandboxes together. A sandbox reserves bytes before it stores files. */
import { failed, ok, type Result } from "../base/errors.ts";

/**
 * A sandbox's request to reserve `wanted` bytes instead of `held`, while all sandboxes of the tenant reserve `total`.
 */
export interface StorageRequest {
  readonly held: number;
  readonly wanted: number;
  readonly total: number;
  readonly limit: number;
}

/** Returns the total after the request. A smaller reservation is always granted, even above a lowered limit. */
export function judgeStorage({ held, wanted, total, limit }: StorageRequest): Result<number> {
  const after = total - held + wanted;
  if (wanted <= held || after <= limit) return ok(after);
  return failed(
    "quota_exceeded",
    `The files of all tasks and projects would take ${after} bytes; the limit is ${limit}. Delete files or tasks first.`,
  );
}
