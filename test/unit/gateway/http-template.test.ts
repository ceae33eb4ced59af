import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fillTemplate } from "../../../core/gateway/http-template.ts";
import type { ArgumentPlace, HttpTemplate } from "../../../core/tool/source.ts";

const at = (place: ArgumentPlace["in"], name: string): ArgumentPlace => ({ in: place, name });

function templateOf(change: Partial<HttpTemplate> = {}): HttpTemplate {
  return {
    method: "GET",
    url: "https://api.example/users/{id}/files/{name}?fixed=1",
    headers: { accept: "application/json" },
    places: { id: at("path", "id"), name: at("path", "name") },
    contentType: "application/json",
    resultAt: null,
    ...change,
  };
}

const urlOf = (given: Record<string, unknown>, change: Partial<HttpTemplate> = {}) => {
  const filled = fillTemplate(templateOf(change), given);
  return filled.ok ? filled.value.url : filled.error;
};

describe("a URL with placeholders", () => {
  test("is filled percent-encoded, and other arguments go to the query", () => {
    expect(urlOf({ id: 7, name: "a b/ç?#&.txt", since: "2026", tag: ["x", "y&z"] })).toBe(
      "https://api.example/users/7/files/a%20b%2F%C3%A7%3F%23%26.txt?fixed=1&since=2026&tag=x&tag=y%26z",
    );
  });

  test.each(["..", ".", "%2e%2e", "a/../b", "..\\b", "a/..", "", "x\ny", "x\u0000", { a: 1 }, ["a"]])(
    "rejects %j, which would change the path or be empty",
    (name) => {
      expect(urlOf({ id: 7, name })).toMatchObject({ code: "invalid_input", field: "name" });
    },
  );

  test("is refused when a part of it is missing", () => {
    expect(urlOf({ id: 7 })).toMatchObject({ code: "invalid_input", field: "name" });
    expect(urlOf({ id: 7, name: null })).toMatchObject({ code: "invalid_input", field: "name" });
  });

  test("retains its host, its path's form and its own query, for any text that is filled in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.string({ unit: "binary" }), (name, free) => {
        const url = urlOf({ id: 7, name, free });
        if (typeof url !== "string") return;
        const parsed = new URL(url);
        expect([parsed.origin, parsed.hash, parsed.searchParams.get("fixed")]).toEqual([
          "https://api.example",
          "",
          "1",
        ]);
        expect(parsed.pathname.split("/").slice(0, 4)).toEqual(["", "users", "7", "files"]);
        expect(parsed.pathname.split("/")).toHaveLength(5);
        expect(parsed.searchParams.getAll("free")).toEqual([free.toWellFormed()]);
      }),
    );
  });

  test("retains the tenant's references to secrets, and fills in no reference from an argument", () => {
    const url = "https://api.example/{{secret.KEY}}/{id}{name}?k={{secret.KEY}}";
    expect(urlOf({ id: "a", name: "b" }, { url })).toBe("https://api.example/{{secret.KEY}}/ab?k={{secret.KEY}}");
    const refused = { code: "blocked_by_policy" };
    for (const name of ["{{secret.KEY}}", "{{ secret.KEY }}", "%7B%7Bsecret.KEY%7D%7D", "x{{SECRET.key}}"]) {
      expect(urlOf({ id: "a", name }, { url })).toMatchObject({ ...refused, field: "name" });
      expect(urlOf({ id: "a", name: "b", more: { deep: [name] } }, { url })).toMatchObject({
        ...refused,
        field: "more",
      });
    }
    expect(urlOf({ id: "{{sec", name: "ret.KEY}}" }, { url })).toMatchObject(refused);
    expect(urlOf({ id: "{", name: "{secret.KEY}}" }, { url })).toMatchObject(refused);
  });

  test("takes no reference to a secret from an argument's name either, in the query or in a body", () => {
    for (const name of ["{{secret.KEY}}", "%7B%7Bsecret.KEY%7D%7D", "{{\tsecret.KEY}}"]) {
      const refused = { code: "blocked_by_policy", field: name };
      expect(urlOf({ id: "a", name: "b", [name]: 1 })).toMatchObject(refused);
      expect(urlOf({ [name]: 1 }, { method: "POST", url: "https://api.example/", places: {} })).toMatchObject(refused);
    }
  });

  test("retains the parameters of its own query: no argument adds another value to one of them", () => {
    const refused = { code: "blocked_by_policy", field: "fixed" };
    expect(urlOf({ id: 7, name: "a", fixed: "2" })).toMatchObject(refused);
    expect(urlOf({ id: 7, name: "a", fixed: null })).toBe("https://api.example/users/7/files/a?fixed=1");
  });
});

describe("headers", () => {
  const places = { trace: at("header", "X-Trace") };
  const headersOf = (trace: unknown) => {
    const filled = fillTemplate(templateOf({ url: "https://api.example/", places }), { trace });
    return filled.ok ? filled.value.headers : filled.error;
  };

  test("are filled by their name", () => {
    expect(headersOf("abc")).toEqual([
      ["accept", "application/json"],
      ["x-trace", "abc"],
    ]);
    expect(headersOf(7)).toContainEqual(["x-trace", "7"]);
  });

  test.each(["a\r\nx-admin: 1", "a\nb", "a\u0000", "smile 😀"])("are never what is no header value: %j", (value) => {
    expect(headersOf(value)).toMatchObject({ code: "invalid_input", field: "trace" });
  });
});

describe("a body", () => {
  const post = (change: Partial<HttpTemplate>, given: Record<string, unknown>) => {
    const template = templateOf({ method: "POST", url: "https://api.example/items", places: {}, ...change });
    const filled = fillTemplate(template, given);
    if (!filled.ok) throw new Error(filled.error.message);
    return [filled.value.body, Object.fromEntries(filled.value.headers)["content-type"]];
  };

  test("is JSON of the remaining arguments", () => {
    expect(post({}, { title: "a", tags: ["x"] })).toEqual(['{"title":"a","tags":["x"]}', "application/json"]);
    expect(post({}, {})).toEqual(["{}", "application/json"]);
    expect(post({ places: { title: at("query", "t") } }, { title: "a", n: 1 })).toEqual([
      '{"n":1}',
      "application/json",
    ]);
    expect(post({ places: { title: at("body", "the title") } }, { title: "a" })[0]).toBe('{"the title":"a"}');
  });

  test("is a form where the tool says so, in which nothing that is filled in ends its field", () => {
    const contentType = "application/x-www-form-urlencoded";
    expect(post({ contentType }, { a: "1&b=2", c: ["x", "y"], d: { e: 1 } })).toEqual([
      "a=1%26b%3D2&c=x&c=y&d=%7B%22e%22%3A1%7D",
      contentType,
    ]);
  });

  test("is one argument if that is all of it", () => {
    expect(post({ places: { items: at("payload", "items") } }, { items: [1, { a: 2 }] })[0]).toBe('[1,{"a":2}]');
  });

  test("is in no request that only reads", () => {
    const filled = fillTemplate(templateOf({ url: "https://api.example/", places: {} }), { a: 1 });
    expect(filled).toMatchObject({ ok: true, value: { body: null, url: "https://api.example/?a=1" } });
  });
});
