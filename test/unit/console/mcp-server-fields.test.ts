import { describe, expect, it } from "vitest";
import type { McpServer } from "../../../web/src/api/types.generated.ts";
import { consentAddress } from "../../../web/src/pages/mcp-servers/consent-address.ts";
import {
  bodyOf,
  EMPTY_SERVER,
  faultOf,
  fieldsOf,
  isPlaced,
  type ServerFields,
} from "../../../web/src/pages/mcp-servers/server-fields.ts";

const SHARED = { name: "notes", trusted: false, timeout_ms: 60_000 };

describe("where a person gives consent", () => {
  it.each([
    ["https://auth.example/authorize?state=1", "auth.example"],
    ["http://127.0.0.1:8080/authorize", "127.0.0.1:8080"],
    ["javascript:alert(1)", undefined],
    ["data:text/html,<script>alert(1)</script>", undefined],
    ["not an address", undefined],
    [null, undefined],
  ])("of %j is at %s", (address, host) => {
    expect(consentAddress(address)?.host).toBe(host);
  });
});

describe("the form of an MCP server", () => {
  it.each<[string, Partial<ServerFields>, object]>([
    ["an address alone", { url: " https://a.example/mcp " }, { url: "https://a.example/mcp" }],
    [
      "headers with references to secrets, without rows that have no name",
      {
        url: "https://a.example/mcp",
        headers: [
          { name: "X-Key", value: "${NOTES_KEY}" },
          { name: " ", value: "left" },
        ],
      },
      { url: "https://a.example/mcp", headers: { "X-Key": "${NOTES_KEY}" } },
    ],
    [
      "consent of a person, for which Otto registers itself",
      { url: "https://a.example/mcp", signIn: "consent" },
      { url: "https://a.example/mcp", oauth: { grant: "authorization_code" } },
    ],
    [
      "consent of each person",
      { url: "https://a.example/mcp", signIn: "consent", isPerPerson: true },
      { url: "https://a.example/mcp", oauth: { grant: "authorization_code", per: "person" } },
    ],
    [
      "a client, which is no person's",
      { url: "https://a.example/mcp", signIn: "client", clientId: "otto", isPerPerson: true },
      { url: "https://a.example/mcp", oauth: { grant: "client_credentials", client_id: "otto" } },
    ],
    [
      "a client with its secret",
      { url: "https://a.example/mcp", signIn: "client", clientId: "otto", clientSecret: "s", scope: "read" },
      {
        url: "https://a.example/mcp",
        oauth: { grant: "client_credentials", client_id: "otto", client_secret: "s", scope: "read" },
      },
    ],
    [
      "a process with an argument on each line",
      {
        kind: "process",
        url: "https://is.left.out/",
        command: "npx",
        args: "-y\n@scope/server a b\n",
        env: [{ name: "TOKEN", value: "${TOKEN}" }],
        network: "api.example.com, *.example.org",
      },
      {
        type: "stdio",
        command: "npx",
        args: ["-y", "@scope/server a b"],
        env: { TOKEN: "${TOKEN}" },
        network: ["api.example.com", "*.example.org"],
      },
    ],
  ])("makes a request of %s", (_, fields, expected) => {
    expect(bodyOf({ ...EMPTY_SERVER, name: "notes", ...fields })).toEqual({ ...SHARED, ...expected });
  });

  it("starts with the known fields of a server, without the secret ones", () => {
    const server = {
      name: "notes",
      url: "https://a.example/mcp",
      process: null,
      headers: ["X-Key"],
      oauth: null,
      trusted: true,
      timeout_ms: 5_000,
    } as unknown as McpServer;
    expect(fieldsOf(server)).toMatchObject({
      kind: "url",
      signIn: "headers",
      headers: [{ name: "X-Key", value: "" }],
      isTrusted: true,
      timeoutS: "5",
    });
  });

  it("knows a server of each person's account", () => {
    const oauth = { grant: "authorization_code", client_id: null, scope: null };
    const serverOf = (more: object) =>
      ({ oauth: { ...oauth, ...more }, process: null, headers: [] }) as unknown as McpServer;
    const found = [{ per: "person" }, { per: "shared" }, {}].map((more) => fieldsOf(serverOf(more)).isPerPerson);
    expect(found).toEqual([true, false, false]);
  });

  it("lists each fault at its field, and in general if no field matches", () => {
    const faults = { "headers.X-Key": "is set by Otto" };
    expect(faultOf(faults, "headers")).toBe("X-Key: is set by Otto");
    expect(faultOf(faults, "url")).toBeUndefined();
    expect([isPlaced(faults), isPlaced({ body: "is missing" }), isPlaced({})]).toEqual([true, false, false]);
  });
});
