import { describe, expect, test } from "vitest";
import { failed, ok } from "../../../core/base/errors.ts";
import { unwrap } from "../../../core/base/unwrap.ts";
import { fillUploads, listFiles, replaceFiles, toPathSchema } from "../../../core/apps/calls/uploads.ts";
import { compileSchema } from "../../../core/lib/json-schema/compile.ts";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";

const FILE = {
  type: "object",
  title: "FileUploadable",
  description: "The report.",
  file_uploadable: true,
  properties: { name: { type: "string" }, mimetype: { type: "string" }, s3key: { type: "string" } },
  required: ["name", "mimetype", "s3key"],
};
const PATH = {
  title: "FileUploadable",
  type: "string",
  description: "Path of a file in the sandbox, such as reports/june.pdf, at most 50 MB. The report.",
  file_uploadable: true,
};
const toObject = (properties: object) => ({ type: "object", properties });
const REFERRED = {
  ...toObject({ file: { $ref: "#/$defs/File" }, note: { type: "string" } }),
  $defs: { File: FILE },
  required: ["file"],
};

const CASES: readonly (readonly [object, object, string])[] = [
  [toObject({ file: FILE }), { file: "a.pdf" }, "file"],
  [toObject({ file: { anyOf: [FILE, { type: "null" }] } }), { file: "a.pdf" }, "file"],
  [toObject({ file: { allOf: [FILE], default: null } }), { file: "a.pdf" }, "file"],
  [toObject({ files: { type: "array", items: FILE } }), { files: ["a.pdf"] }, "files.0"],
  [
    toObject({ files: { type: "array", items: { anyOf: [FILE, { type: "null" }] } } }),
    { files: [null, "a.pdf"] },
    "files.1",
  ],
  [toObject({ mail: toObject({ file: FILE }) }), { mail: { file: "a.pdf" } }, "mail.file"],
  [toObject({ byName: { type: "object", additionalProperties: FILE } }), { byName: { a: "a.pdf" } }, "byName.a"],
  [REFERRED, { file: "a.pdf", note: "hi" }, "file"],
];

describe("the schema with paths", () => {
  test.each(CASES)("accepts a path, and no other form, for %j", (schema, given) => {
    const check = unwrap(compileSchema(toPathSchema(schema as never), linearPatterns));
    expect(check(given)).toEqual([]);
    const wrong = unwrap(replaceFiles(schema as never, given, () => ok({ name: "a", mimetype: "b", s3key: "stolen" })));
    expect(check(wrong)).not.toEqual([]);
  });

  test("says what the model has to give, and keeps the rest", () => {
    expect(toPathSchema(REFERRED)).toEqual({ ...REFERRED, $defs: { File: PATH } });
    expect(toPathSchema(toObject({ file: { ...FILE, type: ["object", "null"] } }))).toEqual(
      toObject({ file: { ...PATH, type: ["string", "null"] } }),
    );
  });

  test("is the same object without a file", () => {
    const schema = toObject({ text: { type: "string", default: "x" } });
    expect(toPathSchema(schema)).toBe(schema);
  });

  test("takes no property for a mark because of its name", () => {
    const schema = toObject({ file_uploadable: { type: "boolean" }, file: FILE });
    expect(toPathSchema(schema)).toEqual(toObject({ file_uploadable: { type: "boolean" }, file: PATH }));
  });
});

describe("files among the arguments", () => {
  test.each(CASES)("are found and replaced in %j, with and without paths in the schema", (schema, given, field) => {
    for (const either of [schema, toPathSchema(schema as never)]) {
      expect(listFiles(either as never, given)).toEqual([{ path: "a.pdf", field }]);
      const upload = { path: "a.pdf", name: "a.pdf", contentType: "application/pdf", key: "k/1" };
      const filled = JSON.stringify(unwrap(fillUploads(either as never, given, [upload])));
      expect(filled).toContain('{"name":"a.pdf","mimetype":"application/pdf","s3key":"k/1"}');
      expect(
        JSON.parse(filled.replace('{"name":"a.pdf","mimetype":"application/pdf","s3key":"k/1"}', '"a.pdf"')),
      ).toEqual(given);
    }
  });

  test("are never sent as a path", () => {
    expect(fillUploads(toObject({ file: FILE }), { file: "a.pdf" }, [])).toMatchObject({ error: { field: "file" } });
  });

  test("end at the first refusal", () => {
    const seen: string[] = [];
    const schema = toObject({ files: { type: "array", items: FILE } });
    const refused = replaceFiles(schema, { files: ["a", "b"] }, (path) => {
      seen.push(path);
      return failed("sandbox_denied", "no");
    });
    expect([refused.ok, seen]).toEqual([false, ["a"]]);
  });

  test.each([
    [toObject({ file: FILE }), { file: null }],
    [toObject({ file: FILE }), { text: "a" }],
    [toObject({ text: { type: "string" } }), { text: "file_uploadable" }],
  ])("are not invented: %j", (schema, given) => {
    expect(listFiles(schema, given)).toEqual([]);
  });

  test("end in a schema that contains itself", () => {
    const schema: Record<string, unknown> = {};
    schema["anyOf"] = [schema, schema];
    expect(listFiles(schema, { a: "b" })).toEqual([]);
    const named = { ...toObject({ a: { $ref: "#" } }), anyOf: [{ $ref: "#" }, { $ref: "#" }] };
    expect(listFiles(named, { a: { a: { a: "b" } } })).toEqual([]);
  });
});
