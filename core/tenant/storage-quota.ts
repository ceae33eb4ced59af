/** What the sandboxes of a tenant hold together. A sandbox holds bytes in advance of the files that need them. */
import { failed, ok, type Result } from "../base/errors.ts";

/** A sandbox that wants to hold `wanted` bytes in place of `held`, while all of the tenant's hold `total`. */
export interface HoldRequest {
  readonly held: number;
  readonly wanted: number;
  readonly total: number;
  readonly limit: number;
}

/** The total after it. Less is always granted, also when the limit was lowered meanwhile. */
export function judgeHold({ held, wanted, total, limit }: HoldRequest): Result<number> {
  const after = total - held + wanted;
  if (wanted <= held || after <= limit) return ok(after);
  return failed(
    "quota_exceeded",
    `The files of all tasks and projects would hold ${after} bytes, and no more than ${limit} fit. Delete files or tasks first.`,
  );
}
