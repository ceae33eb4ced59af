/** Validates a request against a route's schema: reports every invalid field as a dotted path. */
import type { z } from "zod";
import { OttoError } from "../../core/base/errors.ts";
import { type FieldError, invalidInput } from "../../core/base/invalid-input.ts";

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
  return path.length === 0 ? whole : path.map(String).join(".");
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
