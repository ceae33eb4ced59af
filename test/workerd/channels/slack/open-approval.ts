/** A call through a person's account, as the tests of its approval begin. */
import { expect } from "vitest";
import { deriveCallId } from "../../../../core/base/ids.ts";
import { hashArguments } from "../../../../core/gateway/arguments-hash.ts";
import { factsOf, taskOf, until, waitIdOf } from "../../tasks/client.ts";
import type { Workspace } from "./server.ts";

/** The tool of the call. */
export const TOOL = "get_current_datetime";

/** A call that waits for its owner's approval. */
export async function openApproval({ caller: { tenant } }: Workspace, person: string, mayDelegate = false) {
  const facts = factsOf([], { tenant, kind: "call" });
  const given = { timezone: "UTC" };
  const call = {
    id: deriveCallId(facts.id, 1, 0),
    tool: TOOL,
    arguments: given,
    argumentsHash: await hashArguments(TOOL, given),
    effect: "none",
    approval: { reason: "asked", expiresInMs: 600_000, owner: { person, name: "ana", mayDelegate } },
    outcome: null,
  } as const;
  expect(await taskOf(facts).create({ facts, hold: false, call })).toMatchObject({ ok: true });
  const view = await until(facts, ({ status }) => status === "waiting_approval");
  return { facts, view, ask: waitIdOf(view) };
}
