/** What a caller sent against a route's schema: every field at fault, dotted as the caller wrote it. */
import type { z } from "zod";
import { type Failure, OttoError } from "../../core/base/errors.ts";

/** A field at fault. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Fields that one answer names at most. */
const MAX_FIELDS = 50;

/** The failure of a body, query or path that did not fit. `whole` names the part when no field of it is at fault. */
export function invalidInput(fields: readonly FieldError[]): Failure {
  const shown = fields.slice(0, MAX_FIELDS);
  const detail = shown.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return { code: "invalid_input", message: detail.slice(0, 2000), fields: shown };
}

/** The fields of a failed parse. `whole` stands for the value itself, e.g. `body`. */
function fieldErrors(issues: readonly z.core.$ZodIssue[], whole: string): FieldError[] {
  return issues.flatMap((issue) => describe(issue, [], whole));
}

/** The hook that the routes' validators call: a failed parse is thrown as one `invalid_input`. */
export function refuseInvalid(
  result:
    | { readonly success: true }
    | { readonly success: false; readonly target: string; readonly error: z.core.$ZodError },
): void {
  if (result.success) return;
  const whole = result.target === "json" ? "body" : result.target;
  throw new OttoError(invalidInput(fieldErrors(result.error.issues, whole)));
}

function describe(issue: z.core.$ZodIssue, above: readonly PropertyKey[], whole: string): FieldError[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ field: dotted([...path, key], whole), message: "there is no such field" }));
  }
  if (issue.code === "invalid_union") {
    const branch = closestBranch(issue.errors);
    if (branch !== null) return branch.flatMap((inner) => describe(inner, path, whole));
  }
  if (issue.code === "invalid_key" || issue.code === "invalid_element") {
    return issue.issues.flatMap((inner) => describe(inner, path, whole));
  }
  return [{ field: dotted(path, whole), message: lowerFirst(issue.message) }];
}

/** Of a union's branches, the one that got furthest: a wrong type at the top says least. */
function closestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | null {
  const further = branches.filter((issues) =>
    issues.some((issue) => issue.path.length > 0 || issue.code !== "invalid_type"),
  );
  return further.length === 1 ? (further[0] ?? null) : null;
}

function dotted(path: readonly PropertyKey[], whole: string): string {
  return path.length === 0 ? whole : path.map(String).join(".").slice(0, 300);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
