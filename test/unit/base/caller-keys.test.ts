import { describe, expect, test } from "vitest";
import { toAcceptedSchema } from "../../../adapters/model/accepted-schema.ts";
import { toRefusal } from "../../../adapters/slack/refusals.ts";
import { getOwn } from "../../../core/base/own-field.ts";
import { toMarkdown } from "../../../core/channels/slack/plain-text.ts";
import { fillTemplate } from "../../../core/gateway/http-template.ts";
import { decide } from "../../../core/task/task.ts";
import { getContentType } from "../../../core/sandbox/content-type.ts";
import { getDocumentedKeyLifetime } from "../../../core/web/idempotent-hosts.ts";
import { call, TaskWorld } from "../task/world.ts";

/** What every object inherits: a plain read by one of these finds a function or an object that nobody stored. */
const INHERITED = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf", "__defineGetter__"];

describe("a name that every object inherits", () => {
  test.each(INHERITED)("%s reads no value", (name) => {
    expect(getOwn({}, name)).toBeUndefined();
    expect(getOwn(JSON.parse(`{"${name}": 1}`) as Record<string, unknown>, name)).toBe(1);
  });

  test.each(INHERITED)("%s names no approval, question or call of a task", (name) => {
    const world = new TaskWorld([[{ tool: "send", effect: "once", asks: true }, call("none")]]);
    world.run(1000);
    const common = { by: "ana", request: null } as const;
    const approval = decide(
      world.state,
      { type: "approval_decided", approval: name, decision: "approve", revised: null, reason: null, ...common },
      2000,
    );
    const answer = decide(
      world.state,
      { type: "answer", question: name, answer: "yes", isChoice: false, ...common },
      2000,
    );
    const unknown = decide(world.state, { type: "unknown_decided", callId: name, decision: "skip", ...common }, 2000);
    expect([approval, answer].map(({ refused }) => refused?.code)).toEqual(["not_found", "not_found"]);
    expect(unknown.refused?.code).toMatch(/^(?:not_found|conflict)$/);
  });

  test.each(INHERITED)("%s as a host has the default lifetime of a key", (name) => {
    const url = URL.parse(`https://${name.replaceAll("_", "")}/`);
    expect(url === null ? 1_800_000 : getDocumentedKeyLifetime(url)).toBe(1_800_000);
  });

  test.each(INHERITED)("%s as an ending, a word of Slack or a user is no known one", (name) => {
    expect(getContentType(`a.${name}`)).toBe("application/octet-stream");
    expect(toRefusal(name)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(toMarkdown(`<@${name}>`, {})).toBe(`@${name}`);
  });

  test("is stored as a member of a request's body, and in a schema", () => {
    const places = { a: { in: "body", name: "__proto__" } } as const;
    const filled = fillTemplate(
      {
        method: "POST",
        url: "https://api.example/",
        headers: {},
        places,
        contentType: "application/json",
        resultAt: null,
      },
      { a: "x" },
    );
    expect(filled).toMatchObject({ ok: true, value: { body: '{"__proto__":"x"}' } });
    const schema = JSON.parse('{"type":"object","__proto__":{"type":"string"}}') as unknown;
    expect(JSON.stringify(toAcceptedSchema(schema))).toBe('{"type":"object","__proto__":{"type":"string"}}');
  });
});
