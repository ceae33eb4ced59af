import { expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { type JudgedReply, makeReplyJudge } from "../../setup/reply-judge.ts";

const json = (schema: unknown) => ({ content: { "application/json": { schema } } });
const judge = makeReplyJudge(
  {
    paths: {
      "/v1/pets": { post: { responses: { "202": { ...json({}), "x-body-optional": true } } } },
      "/v1/pets/{id}": {
        get: { responses: { "200": json({ $ref: "#/components/schemas/Pet" }), "204": {} } },
      },
      "/v1/pets/all": {
        get: {
          responses: {
            "200": json({
              type: "object",
              properties: { data: { type: "array", items: { $ref: "#/components/schemas/Pet" } }, next: {} },
              required: ["data", "next"],
            }),
          },
        },
      },
      "/v1/pets/mine": { get: { responses: { "200": json({ type: "string" }) } } },
      "/v1/pets/{id}/files/{path}": { get: { responses: { "200": { content: { "*/*": {} } } } } },
    },
    components: {
      schemas: {
        Pet: {
          type: "object",
          properties: { owner: { $ref: "#/components/schemas/Owner" } },
          required: ["owner"],
          additionalProperties: false,
        },
        Owner: { type: "string" },
        Problem: { type: "object", required: ["code"] },
      },
    },
  },
  linearPatterns,
);

const reply = (change: Partial<JudgedReply>): JudgedReply => ({
  method: "GET",
  path: "/v1/pets/1",
  status: 200,
  contentType: "application/json; charset=utf-8",
  body: '{"owner":"Ana"}',
  ...change,
});
const problem = { contentType: "application/problem+json", body: '{"code":"not_found"}' };

test.each<[string, Partial<JudgedReply>]>([
  ["a body that fits", {}],
  ["a path that is written out, before one with a parameter", { path: "/v1/pets/mine", body: '"x"' }],
  ["a list whose things fit", { path: "/v1/pets/all", body: '{"data":[{"owner":"Ana"}],"next":null}' }],
  ["a status without a body", { status: 204, contentType: null, body: "" }],
  ["a body that may be missing", { method: "POST", path: "/v1/pets", status: 202, contentType: null, body: "" }],
  ["any bytes", { path: "/v1/pets/1/files/a/b.json", body: "[" }],
  ["no bytes", { path: "/v1/pets/1/files/a.txt", contentType: "text/plain", body: "" }],
  ["the head of a body", { method: "HEAD", body: "" }],
  ["a stream that was not read", { body: null }],
  ["a problem of what no route takes", { path: "/v1/nothing", status: 404, ...problem }],
  ["what is no API", { path: "/slack", body: "<html>" }],
])("takes %s", (_, change) => {
  expect(judge(reply(change))).toBeNull();
});

test.each<[string, Partial<JudgedReply>]>([
  ["a status that is not declared", { status: 201 }],
  ["a status that is not declared, of HEAD", { method: "HEAD", status: 418, body: "" }],
  ["another content type", { contentType: "text/html" }],
  ["no content type", { contentType: null }],
  ["a missing field", { body: "{}" }],
  ["a field more", { body: '{"owner":"Ana","age":3}' }],
  ["another type behind a reference", { body: '{"owner":3}' }],
  ["a thing of a list that does not fit", { path: "/v1/pets/all", body: '{"data":[{"owner":"Ana"},{}],"next":null}' }],
  ["a list that lacks something beside its things", { path: "/v1/pets/all", body: '{"data":[]}' }],
  ["a missing body", { body: "" }],
  ["a body that is no problem, of what no route takes", { path: "/v1/nothing", status: 404 }],
  ["a method of which the document does not know", { method: "PUT" }],
])("refuses %s", (_, change) => {
  expect(judge(reply(change))).not.toBeNull();
});
