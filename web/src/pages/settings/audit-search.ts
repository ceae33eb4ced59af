/** What the address of the audit page says: what to narrow the list to. */

export interface AuditSearch {
  readonly action?: string;
  readonly target?: string;
  readonly actor?: string;
}

/** Whatever is not a text is left out. */
export function readAuditSearch(given: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    ["action", "target", "actor"].flatMap((name) => {
      const value = given[name];
      return typeof value === "string" && value !== "" ? [[name, value]] : [];
    }),
  );
}
