export interface ConnectionsSearch {
  /** Absent: the reader's own and the shared ones. `all`: everyone's, for administrators. */
  readonly of?: "all";
}

/** Reads an address; what it does not know, it leaves out. */
export function readConnectionsSearch({ of }: Record<string, unknown>): ConnectionsSearch {
  return of === "all" ? { of } : {};
}
