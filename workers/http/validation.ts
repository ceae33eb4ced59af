/** Validates a request against a route's schema: reports every invalid field as a dotted path. */
import type { z } from "zod";
import { type Failure, OttoError } from "../../core/base/errors.ts";

/** An invalid field. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Maximum number of fields in one reply. */
const MAX_FIELDS = 50;

/** Creates the failure of an invalid body, query or path. */
export function invalidInput(fields: readonly FieldError[]): Failure {
  const shown = fields.slice(0, MAX_FIELDS);
  const detail = shown.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return { code: "invalid_input", message: detail.slice(0, 2000), fields: shown };
}

/** Lists the fields of a failed parse. `whole` names the value itself, e.g. `body`. */
function toFieldErrors(issues: readonly z.core.$ZodIssue[], whole: string): FieldError[] {
  return issues.flatMap((issue) => describe(issue, [], whole));
}

/** The hook of the routes' validators: throws a failed parse as one `invalid_input`. */
export function refuseInvalid(
  result:
    | { readonly success: true }
    | { readonly success: false; readonly target: string; readonly error: z.core.$ZodError },
): void {
  if (result.success) return;
  const whole = result.target === "json" ? "body" : result.target;
  throw new OttoError(invalidInput(toFieldErrors(result.error.issues, whole)));
}

function describe(issue: z.core.$ZodIssue, above: readonly PropertyKey[], whole: string): FieldError[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ field: toDottedPath([...path, key], whole), message: "is not a known field" }));
  }
  if (issue.code === "invalid_union") {
    const branch = findClosestBranch(issue.errors);
    if (branch !== null) return branch.flatMap((inner) => describe(inner, path, whole));
  }
  if (issue.code === "invalid_key" || issue.code === "invalid_element") {
    return issue.issues.flatMap((inner) => describe(inner, path, whole));
  }
  return [{ field: toDottedPath(path, whole), message: lowerFirst(issue.message) }];
}

/** Of a union's branches, returns the one with the deepest error: a wrong type at the top explains least. */
function findClosestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | null {
  const further = branches.filter((issues) =>
    issues.some((issue) => issue.path.length > 0 || issue.code !== "invalid_type"),
  );
  return further.length === 1 ? (further[0] ?? null) : null;
}

function toDottedPath(path: readonly PropertyKey[], whole: string): string {
  return path.length === 0 ? whole : path.map(String).join(".").slice(0, 300);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
