import { expect, test } from "vitest";
import type { AuditEntry } from "../../../core/ports/audit.ts";
import { ACTS, ACTS_BY_KIND, actInWords } from "../../../web/src/pages/settings/audit-words.ts";

/** What the log of a tenant can hold; that of the operator has its tenants. */
type Action = Exclude<AuditEntry["action"], "tenant.create" | "tenant.erase">;
const acts: Readonly<Record<Action, string>> = ACTS;

test("every act of the log has words of its own, and a kind under which it is chosen", () => {
  const chosen = ACTS_BY_KIND.flatMap((kind) => kind.acts.map(({ action }) => action));
  expect(chosen.toSorted()).toEqual(Object.keys(acts).toSorted());
  expect(new Set(Object.values(acts)).size).toBe(chosen.length);
});

test("an act without words is said by its name", () => {
  expect(actInWords("mcp_server.set_up")).toBe("mcp server: set up");
});
