/** The form of a secret: its fields and the bindings that they mean. */
import { describe, expect, it } from "vitest";
import type { Secret } from "../../../web/src/api/types.generated.ts";
import { describeBindings, toBindings, toSecretDraft } from "../../../web/src/pages/settings/secret-fields.ts";

const nameOf = (id: string) => (id === "agent_1" ? "billing" : id);
const SECRET: Secret = {
  id: "sec_1",
  name: "KEY",
  hosts: ["a.example", "b.example"],
  agents: ["agent_1", "agent_gone"],
  methods: ["GET"],
  created_at: "2026-11-23T00:00:00Z",
  updated_at: "2026-11-23T00:00:00Z",
};

describe("the form of a secret", () => {
  it("shows agents by name, an unknown one by its id, and sends the same back", () => {
    const draft = toSecretDraft(SECRET, nameOf);
    expect(draft).toEqual({ hosts: "a.example\nb.example", agents: "billing\nagent_gone", methods: ["GET"] });
    expect(toBindings(draft)).toEqual({
      hosts: ["a.example", "b.example"],
      agents: ["billing", "agent_gone"],
      methods: ["GET"],
    });
  });

  it("leaves empty bindings out", () => {
    expect(toBindings(toSecretDraft(null, nameOf))).toEqual({ hosts: [] });
    expect(toBindings({ hosts: " a.example,", agents: " \n", methods: [] })).toEqual({ hosts: ["a.example"] });
  });

  it("says who may use it", () => {
    expect(describeBindings(SECRET, nameOf)).toBe("billing, agent_gone (GET)");
    expect(describeBindings({ ...SECRET, agents: null, methods: null }, nameOf)).toBe("Any agent");
  });
});
