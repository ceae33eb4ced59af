/** What the address of the databases page holds: which database is open, or that one is being added. */

export interface DatabaseSearch {
  /** The name of the open database. */
  readonly open?: string;
  readonly add?: true;
}

export function readDatabaseSearch({ open, add }: Record<string, unknown>): DatabaseSearch {
  // The router reads a text such as `2026` or `true` as what it looks like.
  const name = ["string", "number", "boolean"].includes(typeof open) ? String(open) : "";
  return { ...(name === "" ? {} : { open: name }), ...(add === true ? { add } : {}) };
}
