import { describe, expect, test } from "vitest";
import type { ConnectReason } from "../../../core/connections/account.ts";
import type { Connection } from "../../../core/connections/connection.ts";
import { findConcerned } from "../../../core/connections/find-concerned.ts";
import { createConnection } from "../../fakes/connection.ts";

const find = (connections: readonly Connection[], reason: ConnectReason, person: string | null = "per_ana") => {
  const found = findConcerned(connections, { person, reason, settingsHash: "h1" });
  return found.kind === "found" ? found.connection.id : found.kind;
};

const works = createConnection({ id: "con_works", isDefault: true });
const expired = createConnection({ id: "con_expired", status: "expired", alias: "old" });
const shared = createConnection({ id: "con_shared", status: "expired", owner: { kind: "shared" }, isDefault: true });

describe("the connection that a need is about", () => {
  test("belongs to the owner, and has a consent", () => {
    expect(find([shared], "missing")).toBe("none");
    expect(find([{ ...works, consent: 0, status: "failed" }], "missing")).toBe("none");
    expect(find([shared, expired], "expired", null)).toBe("con_shared");
    expect(find([shared, expired], "expired")).toBe("con_expired");
  });

  test("is the default, before one that the agent may have configured", () => {
    expect(find([expired, { ...works, status: "failed" }], "expired")).toBe("con_works");
    expect(find([works, expired], "expired")).toBe("con_expired");
    expect(find([works, { ...expired, status: "revoked" }], "revoked")).toBe("con_expired");
  });

  test("is one that works if that permits too little, or its app has changed", () => {
    expect(find([expired, works], "scopes")).toBe("con_works");
    expect(find([expired, works], "unattended")).toBe("con_works");
    expect(find([{ ...works, settingsHash: "h0" }], "expired")).toBe("con_works");
  });

  test("is not found once what was wrong is repaired", () => {
    for (const reason of ["missing", "expired", "revoked"] as const) expect(find([works], reason)).toBe("works");
  });
});
