/** The object that owns the sidecar. */

/** The sidecar's container. Its `fetch` forwards a request to the sidecar. */
export interface SidecarRpc {
  /** Whether the next request has to start the container. */
  isAsleep(): Promise<boolean>;
}
