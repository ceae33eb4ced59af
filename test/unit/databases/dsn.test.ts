import { expect, it } from "vitest";
import { parseDsn } from "../../../core/databases/dsn.ts";

it.each([
  [
    "postgres://ana:p%40ss@db.example.com/sales",
    { host: "db.example.com", port: 5432, user: "ana", password: "p@ss", database: "sales" },
  ],
  [
    "postgresql://ana@DB.example.com.:6543/sales",
    { host: "db.example.com", port: 6543, user: "ana", password: "", database: "sales" },
  ],
  [
    "postgres://ana:x@[2001:db8::1]:5432/sales",
    { host: "2001:db8::1", port: 5432, user: "ana", password: "x", database: "sales" },
  ],
])("%s", (text, value) => {
  expect(parseDsn(text)).toEqual({ ok: true, value });
});

it.each([
  "",
  "canary",
  "mysql://canary:canary@db.example.com/canary",
  "postgres://canary@db.example.com/",
  "postgres://canary@db.example.com/canary/other",
  "postgres://db.example.com/canary",
  "postgres://canary@/canary",
  "postgres://canary:canary@db.example.com/canary?sslmode=disable",
  "postgres://canary:canary@db.example.com/canary#canary",
  "postgres://canary:%zz@db.example.com/canary",
  "postgres://canary:%00@db.example.com/canary",
  `postgres://canary@db.example.com/${"canary".repeat(400)}`,
])("refuses %j and repeats no part of it", (text) => {
  const parsed = parseDsn(text);
  expect(parsed).toMatchObject({ ok: false, error: { code: "invalid_input", field: "dsn" } });
  expect(JSON.stringify(parsed)).not.toContain("canary");
});
