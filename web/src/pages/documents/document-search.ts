/** What the address of the documents page holds: what is searched for, and which document is open. */

export interface DocumentSearch {
  /** What is searched for. */
  readonly q?: string;
  /** The id of the open document. */
  readonly open?: string;
}

const OPEN = /^doc_[0-9a-z]{1,40}$/;

export function readDocumentSearch(search: Record<string, unknown>): DocumentSearch {
  const { q, open } = search;
  // The router reads a text such as `2026` or `true` as what it looks like.
  const words = ["string", "number", "boolean"].includes(typeof q) ? String(q).trim() : "";
  return {
    ...(words === "" ? {} : { q: words }),
    ...(typeof open === "string" && OPEN.test(open) ? { open } : {}),
  };
}
