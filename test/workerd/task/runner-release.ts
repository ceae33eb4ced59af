/** The release that the test's runner plays. */

/** `present`: as it is. `next`: the objects are of a later release. `before versions`: it has no such method. */
export type RunnerRelease = "present" | "next" | "before versions";

let release: RunnerRelease = "present";
let left = 0;

/** From now on the next `times` calls of the runner meet this release; then it is the present one. */
export function setRunnerRelease(its: RunnerRelease, times: number): void {
  release = its;
  left = times;
}

/** How many of them are still to come. */
export function callsLeft(): number {
  return left;
}

/** The job as a runner of that release reads it. */
export function playRelease<Job extends { readonly version?: number }>(job: Job, method: string): Job {
  if (left === 0) return job;
  left -= 1;
  // The words of workerd, as contracts/lacks-method.test.ts reads them.
  if (release === "before versions") throw new TypeError(`The RPC receiver does not implement the method "${method}".`);
  return release === "next" ? { ...job, version: (job.version ?? 0) + 1 } : job;
}
