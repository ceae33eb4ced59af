import { expect, test } from "vitest";
import requestConnection from "../../../tools/people/request-connection.ts";
import { fakeAppConnections } from "../../fakes/app-connections.ts";
import { runTool } from "../run-tool.ts";

const why = "To read the invoices.";

test("asks the person who has to connect, and says what for", async () => {
  const appConnections = fakeAppConnections({ gmail: { kind: "needed", reason: "expired", person: "per_ana" } });
  const ran = await runTool(requestConnection, { app: " Gmail ", why }, { appConnections });
  expect(ran).toEqual({ control: { kind: "connect", app: "gmail", reason: "expired", person: "per_ana", why } });
  expect(requestConnection.connects?.({ app: "gmail", why } as never)).toBe("gmail");
});

test("waits for nothing where the app can be used", async () => {
  const appConnections = fakeAppConnections({
    gmail: { kind: "connected", account: "ana@acme.example" },
    search: { kind: "connected", account: null },
  });
  const ran = async (app: string) => await runTool(requestConnection, { app, why }, { appConnections });
  expect(await ran("gmail")).toEqual({
    result: { app: "gmail", connected: true, account: "ana@acme.example" },
    output: "gmail is connected as ana@acme.example. Call its tools now.",
  });
  expect((await ran("search")).output).toBe("search is connected. Call its tools now.");
  expect((await ran("other")).failure).toMatchObject({ code: "not_found", field: "app" });
});
