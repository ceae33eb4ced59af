/** What the API refused, as an error that pages can show. */
import type { Problem } from "./types.generated.ts";

/** What the API says to a program without a key is no help to a person at a page. */
const SIGNED_OUT = "You are signed out. Sign in again: what you wrote stays here.";

/** An answer that is no success. `status` is 0 when none came at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null) {
    super(status === 401 ? SIGNED_OUT : (problem?.detail ?? problem?.title ?? explain(status)));
    this.name = "ApiError";
    this.status = status;
    this.problem = problem;
  }

  /** Whether the same request may succeed when it is sent again. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** What is wrong with each field, by its name. */
  get fields(): Readonly<Record<string, string>> {
    return Object.fromEntries((this.problem?.errors ?? []).map(({ field, message }) => [field, message]));
  }
}

/** Any thrown value as an `ApiError`: a request that got no answer is one of status 0. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError(0, null);
}

function explain(status: number): string {
  if (status === 0) return "Otto does not answer at the moment. Try again.";
  if (status === 413) return "That is too large.";
  return `Otto answered with ${status}.`;
}
