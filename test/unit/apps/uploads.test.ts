import { expect, test } from "vitest";
import { findUpload } from "../../../core/apps/uploads.ts";

const FILE = { type: "object", file_uploadable: true };

test.each([
  [{ properties: { file: FILE } }, { file: { name: "a" } }, "file"],
  [{ properties: { file: { anyOf: [FILE, { type: "null" }] } } }, { file: {} }, "file"],
  [{ properties: { files: { type: "array", items: FILE } } }, { files: [{}] }, "files.0"],
  [{ properties: { mail: { properties: { file: FILE } } } }, { mail: { file: "a.pdf" } }, "mail.file"],
  [{ properties: { file: FILE } }, { file: null }, null],
  [{ properties: { file: FILE } }, { text: "a" }, null],
  [{ properties: { text: { type: "string" } } }, { text: "file_uploadable" }, null],
])("finds the file among the arguments: %j", (schema, given, found) => {
  expect(findUpload(schema, given)).toBe(found);
});

test("ends in a schema that contains itself", () => {
  const schema: Record<string, unknown> = {};
  schema["anyOf"] = [schema, schema];
  expect(findUpload(schema, { a: 1 })).toBeNull();
});
