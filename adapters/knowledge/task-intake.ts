/** Adds the documents of a task: to its project, under the name of its agent. */
import { makeId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/errors.ts";
import { toHex } from "../../core/base/hex.ts";
import { sha256Bytes } from "../../core/base/sha256.ts";
import { acceptDocument, type AcceptDeps } from "../../core/knowledge/accept.ts";
import { toMemoryLabel } from "../../core/memory/memory.ts";
import type { DocumentIntakePort } from "../../core/ports/document-intake.ts";
import { BY_OTTO } from "../../core/ports/audit.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** A call through the API has no task, so its key is the author. */
export function openTaskIntake(deps: AcceptDeps, facts: TaskFacts): DocumentIntakePort {
  const { tenant, project, agent, kind, createdAt } = facts;
  return {
    async add({ path, bytes, title, tags, label, key, nowMs }) {
      // The same for every attempt of the call.
      const hash = await sha256Bytes(`${tenant} document ${key}`);
      const id = makeId("document", createdAt, hash);
      const author = kind === "call" ? (facts.key ?? agent.id) : agent.id;
      const filename = path.split("/").at(-1) ?? path;
      const act = {
        id: makeId("audit", createdAt, hash),
        at: nowMs,
        actor: facts.key ?? BY_OTTO,
        action: "document.create" as const,
        target: id,
        requestId: key,
      };
      const document = { id, project, filename, title, tags, label: toMemoryLabel(label), author };
      const source = { kind: "file" as const, task: facts.id, path };
      const token = toHex(hash.subarray(16, 24));
      const added = await acceptDocument(deps, document, { source, bytes, token }, act);
      return added.ok ? ok({ id: added.value.id, status: added.value.latest.status, project }) : added;
    },
  };
}
