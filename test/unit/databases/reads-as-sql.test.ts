import { expect, it } from "vitest";
import { readsAsSql } from "../../../core/databases/reads-as-sql.ts";

it.each([
  ["select 1", true],
  ["  (SELECT 1)", true],
  ["with a as (select 1) select * from a", true],
  ["/* a */ -- b\n select 1", true],
  ["delete from orders", true],
  ["How many orders are there?", false],
  ["selection of the best customers", false],
  ["/* select 1", false],
  ["-- select 1", false],
  ["", false],
  [`${"/**/".repeat(10_000)}x`, false],
])("%j", (text, expected) => {
  expect(readsAsSql(text)).toBe(expected);
});
