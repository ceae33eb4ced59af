/** The object that owns the sidecar. */

/** The sidecar's container. Its `fetch` hands a request on to the sidecar. */
export interface SidecarRpc {
  /** Whether the next request has to start the container. */
  isAsleep(): Promise<boolean>;
}
