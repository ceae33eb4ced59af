/** The examples of the OpenAPI document are what the API takes and answers. */
import { expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { makeSchemaJudge, type ReplyDocument } from "../../setup/reply-judge.ts";
import { knock, makeCaller } from "./entry.ts";

interface Media {
  readonly schema: object;
  readonly examples?: { readonly example: { readonly $ref: string } };
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface Document extends ReplyDocument {
  readonly components: ReplyDocument["components"] & {
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
}

/** Need nothing that exists, in an order in which each can be sent. */
const ALONE: Readonly<Record<string, string>> = {
  "agents.create": "POST /v1/agents",
  "people.create": "POST /v1/people",
  "memories.create": "POST /v1/memory",
  "tools.create": "POST /v1/tools",
  "secrets.create": "POST /v1/secrets",
  "webhooks.create": "POST /v1/webhooks",
  "incomingWebhooks.create": "POST /v1/incoming-webhooks",
  "schedules.preview": "POST /v1/schedules/preview",
  "schedules.create": "POST /v1/schedules",
  "keys.create": "POST /v1/keys",
  "budgets.set": "PUT /v1/budgets/tenant",
  "retention.set": "PUT /v1/retention",
  "session.createLink": "POST /v1/session/links",
  "tasks.create": "POST /v1/tasks",
  "killSwitch.stop": "POST /v1/kill-switch/stop",
  "killSwitch.release": "POST /v1/kill-switch/release",
};

const document = async (): Promise<Document> => (await knock("GET", "/openapi.json")).json;

function operationsOf({ paths, webhooks }: Document): Operation[] {
  const ofPaths = Object.values(paths).flatMap((methods) => Object.values(methods) as unknown as Operation[]);
  return [...ofPaths, ...Object.values(webhooks).map(({ post }) => post)];
}

/** Every JSON body that an operation takes, or answers when it succeeds. */
function bodiesOf({ requestBody, responses }: Operation): Media[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const contents = [requestBody?.content, ...successes.map(([, { content }]) => content)];
  return contents.flatMap((content) => content?.["application/json"] ?? []);
}

test("each operation has examples of its request and reply, which match its schema", async () => {
  const read = await document();
  const judge = makeSchemaJudge(read, linearPatterns);
  const faults = operationsOf(read).flatMap((operation) =>
    bodiesOf(operation).map(({ schema, examples }) => {
      const name = examples?.example.$ref.replace(/^.*\//, "") ?? "";
      const fault = judge(schema, read.components.examples[name]?.value);
      return fault === null ? null : `${operation.operationId}: ${name}: ${fault}`;
    }),
  );
  expect(faults.length).toBeGreaterThan(200);
  expect(faults.filter((fault) => fault !== null)).toEqual([]);
});

test("each text of an example has a value of its own", async () => {
  const { components } = await document();
  const plain = Object.entries(components.examples).filter(([, { value }]) =>
    JSON.stringify(value).includes('"example"'),
  );
  expect(plain.map(([name]) => name)).toEqual([]);
});

test("the examples of requests can be sent", async () => {
  const read = await document();
  const caller = await makeCaller();
  for (const [id, request] of Object.entries(ALONE)) {
    const operation = operationsOf(read).find(({ operationId }) => operationId === id);
    const { $ref = "" } = operation?.requestBody?.content["application/json"]?.examples?.example ?? {};
    const [method = "", path = ""] = request.split(" ");
    const answer = await caller.send(method, path, read.components.examples[$ref.replace(/^.*\//, "")]?.value);
    expect(answer.status, `${id}: ${answer.text}`).toBeGreaterThanOrEqual(200);
    expect(answer.status, `${id}: ${answer.text}`).toBeLessThan(300);
  }
});
