/** The message of a start that has no link to print and continues without it. */
import { createServer } from "node:http";
import { afterEach, expect, it } from "vitest";
import { makeSignInLink } from "../../scripts/supervisor/sign-in-link.ts";
import { closeServer, listenOnLoopback } from "../mock-servers/listen.ts";

const answering = { status: 201, body: "" };
const server = createServer((_, response) => {
  response.writeHead(answering.status).end(answering.body);
});

afterEach(async () => {
  if (server.listening) await closeServer(server);
});

it("is the path and the token, whatever the address that the system knows itself by", async () => {
  const origin = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  Object.assign(answering, { status: 201, body: JSON.stringify({ url: "https://otto.example/sign-in#ottol_x" }) });
  expect(await makeSignInLink(origin, "key")).toEqual({ made: true, path: "/sign-in#ottol_x" });
});

it.each([
  [503, '{"detail":"The database did not answer."}', "503 "],
  [201, "no JSON", "SyntaxError"],
  [201, "{}", "TypeError"],
])("is a problem and no exception when the API answers %i %s", async (status, body, problem) => {
  const origin = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  Object.assign(answering, { status, body });
  expect(await makeSignInLink(origin, "key")).toEqual({ made: false, problem: expect.stringContaining(problem) });
});

it("is a problem and no exception when no server answers", async () => {
  const port = await listenOnLoopback(server, 0);
  await closeServer(server);
  expect(await makeSignInLink(`http://127.0.0.1:${port}`, "key")).toMatchObject({ made: false });
});
