/**
 * The version of the jobs that objects send to runners. It is raised for every field that a runner must not ignore, and
 * when arguments get other canonical names (2: `path` in file tools; 3: the account of a call; 4: files that are uploaded before a call). A runner refuses a newer job before it begins anything, and the object sends the job again.
 */
export const JOB_VERSION = 4;

/** How long an object waits before it sends a refused job again, in milliseconds. */
export const REFUSED_JOB_RETRY_MS = 1000;
/** For people, also in the API. */
export const OTHER_RELEASE = "A new release is being deployed. This continues in some seconds.";

/** True for a job that this release's runner supports. Jobs of early releases have no version. */
export function isSupported(version = 0): boolean {
  return version <= JOB_VERSION;
}
