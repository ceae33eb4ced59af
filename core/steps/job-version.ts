/**
 * The form of what objects ask of the runners. It grows with every field that a runner must not ignore. A runner refuses a job
 * of a later form than its own before it begins anything, and the object sends the job again.
 */
export const JOB_VERSION = 1;

/** How long an object waits before it sends a refused job again, in milliseconds. */
export const REFUSED_JOB_RETRY_MS = 1000;
/** For people, also in the API. */
export const OTHER_RELEASE = "A new release is being deployed. This continues in some seconds.";

/** True for a job that a runner of this release can do. Objects of a release before versions state none. */
export function isSupported(version = 0): boolean {
  return version <= JOB_VERSION;
}
