/** Documents that tasks add, in memory. */
import { failed, ok } from "../../core/base/errors.ts";
import type { DocumentIntakePort, DocumentToAdd } from "../../core/ports/document-intake.ts";

export type FakeIntake = DocumentIntakePort & { readonly added: DocumentToAdd[] };

/** Has room for `room` documents. */
export function fakeDocumentIntake(project: string | null = null, room = 100): FakeIntake {
  const ids = new Map<string, string>();
  const added: DocumentToAdd[] = [];
  return {
    added,
    async add(document) {
      if (!ids.has(document.key) && ids.size >= room)
        return failed("quota_exceeded", "A tenant has at most 100 documents. Delete some.");
      if (!ids.has(document.key)) added.push(document);
      const id = ids.get(document.key) ?? `doc_01jd${String(ids.size).padStart(22, "0")}`;
      ids.set(document.key, id);
      return ok({ id, status: "queued", project });
    },
  };
}
