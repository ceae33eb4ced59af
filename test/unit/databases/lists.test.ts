import { describe, expect, it } from "vitest";
import { isColumnOpen, isSchemaOpen, isTableOpen } from "../../../core/databases/lists.ts";

describe("tables", () => {
  it.each([
    [{}, true],
    [{ allow: [] }, false],
    [{ allow: ["orders"] }, true],
    [{ allow: ["sales.orders"] }, true],
    [{ allow: ["SALES.*"] }, true],
    [{ allow: ["other.orders"] }, false],
    [{ allow: ["*"] }, false],
    [{ deny: ["Orders"] }, false],
    [{ deny: ["sales.*"] }, false],
    [{ deny: ["order"] }, true],
    [{ allow: ["orders"], deny: ["sales.orders"] }, false],
  ])("%j", (tables, isOpen) => {
    expect(isTableOpen({ tables }, "sales", "orders")).toBe(isOpen);
  });
});

describe("columns", () => {
  it.each([
    [[], true],
    [["secret"], false],
    [["SECRET"], false],
    [["orders.secret"], false],
    [["sales.orders.secret"], false],
    [["customers.secret"], true],
    [["other.orders.secret"], true],
  ])("%j", (deny, isOpen) => {
    expect(isColumnOpen({ columns: { deny } }, "sales", "orders", "secret")).toBe(isOpen);
  });
});

describe("schemas", () => {
  it.each([
    [undefined, "sales", true],
    [["sales"], "sales", true],
    [["sales"], "other", false],
    [[], "sales", false],
    [["pg_catalog"], "pg_catalog", false],
    [undefined, "information_schema", false],
    [undefined, "pg_temp_3", false],
  ])("%j: %s", (schemas, schema, isOpen) => {
    expect(isSchemaOpen({ schemas }, schema)).toBe(isOpen);
  });
});
